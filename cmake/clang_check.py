#!/usr/bin/env python3
"""Compile files with the warnings of another compiler, which only looks for mistakes and makes no code.

    clang_check.py [--compiler PROGRAM] [--all] BUILD

The compiler is clang++-19, or another one, such as g++-14. Without --all it reads the files that have changed since the
day before the newest commit, or since the commit in TILESCOPE_SINCE: every changed .cpp, and for a changed .hpp the
.cpp that includes it first. Files are read several at a time (file_batches.py), and a file that was clean is not read
again while nothing has changed that decides its result (kept_results.py). clang uses GCC's libstdc++, its default.

Exit code 1 for a warning, 3 where the compiler is not installed.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta

from clang_tidy import dependencies_of
from file_batches import ROOT, compiled_files, findings_of
from kept_results import KeptResults

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
OWN_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def git(*words, check=True):
    return subprocess.run(["git", *words], cwd=ROOT, check=check, capture_output=True, text=True).stdout


def first_commit_to_compare():
    """TILESCOPE_SINCE or the commit that was HEAD a day before the newest one; None if the history starts later."""
    if wanted := os.environ.get("TILESCOPE_SINCE"):
        if found := git("rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}", check=False).strip():
            return found
        sys.exit(f"TILESCOPE_SINCE is '{wanted}', which is not a commit of this repository.")
    newest = datetime.fromisoformat(git("show", "-s", "--format=%cI", "HEAD").strip())
    return git("rev-list", "-1", f"--before={(newest - timedelta(days=1)).isoformat()}", "HEAD").strip() or None


def changed_names(since):
    """Our files that differ from a commit, also those that are not committed yet."""
    return git("diff", "--name-only", "--diff-filter=d", since, "--", "*.cpp", "*.hpp").split("\n")[:-1]


def shown_by(headers, files):
    """For each header the file that includes it first or, if there is none, one that includes it somewhere."""
    first, later = {}, {}
    for file in files:
        for place, header in enumerate(OWN_INCLUDE.findall(pathlib.Path(file).read_text())):
            (later if place else first).setdefault(header, file)
    return {(later | first)[header] for header in headers if header in later | first}


def changed_entries(entries, since):
    names = changed_names(since)
    files = {str(ROOT / name) for name in names} | shown_by([name for name in names if name.endswith(".hpp")], entries)
    return {file: entry for file, entry in entries.items() if file in files}


def options_for(compiler, options):
    """A file's macros, folders and language, without the options of the compiler that builds it, with WARNINGS."""
    is_clang = "clang" in pathlib.Path(compiler).name
    kept = [word for word in options[1:] if not re.match(r"-[WOf]|--param", word)]
    # Only clang needs it: see file_batches.FURTHER_OPTIONS.
    parsing = [word for word in options if is_clang and "delayed-template-parsing" in word]
    return [compiler, *kept, *WARNINGS, *parsing]


def compile_text(entry, name, text):
    """The compiler's warnings, as file_batches.Findings reads a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        if text is not None:
            path.write_text(text)
        result = subprocess.run([*entry["options"], "-fsyntax-only", path], cwd=entry["directory"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0 and not result.stdout:
            return f"{entry['options'][0]} ended with code {result.returncode} and no output for {path}\n"
        return result.stdout


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--compiler", default="clang++-19", metavar="PROGRAM")
    parser.add_argument("--all", action="store_true", help="all files, not only those that have changed")
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    return parser.parse_args()


def main():
    chosen = arguments()
    compiler, build = chosen.compiler, chosen.build.resolve()
    if not shutil.which(compiler):
        print(f"{compiler} is not installed: nothing is compiled with it. third_party/packages-lint.txt has clang-19.")
        return 3
    entries = {file: {**entry, "options": options_for(compiler, entry["options"])}
               for file, entry in compiled_files(build).items()}
    since = None if chosen.all else first_commit_to_compare()
    if since:
        entries = changed_entries(entries, since)
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    kept = KeptResults(entries, [compiler, version, pathlib.Path(__file__).read_text()],
                       {build: "BUILD", dependencies_of(build): "DEPENDENCIES"})
    findings = findings_of(kept.files_to_read(), compile_text, kept.keep)
    print(findings, end="")
    scope = f"the files changed since {since[:12]}" if since else "all files"
    print(f"{compiler} over {scope}: {kept.summary()}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
