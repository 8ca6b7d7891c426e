#!/usr/bin/env python3
"""Run clang-tidy over everything that a build compiles, several files at a time.

    clang_tidy.py BUILD

It spends most of its time on third-party headers: version 14 matches its checks against them too, and most of our files
include the same ones. So files with the same options are read one after the other, as one main file. That does not
change the findings: if such a batch reports anything, even only that two files use the same name, its halves are read
again, down to single files, whose reports count. A file that Highway includes again for each instruction set is read for
one of them. Exit code 1 on a finding.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from unnamed_namespace import own_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES_PER_BATCH = 10
# Nothing may follow such a file: a using-declaration that it does not need could seem to be used by the next one.
LAST = re.compile(r"^ *using [\w:]+::\w+(, [\w:]+)*;", re.MULTILINE)
ONE_INSTRUCTION_SET = "-DHWY_COMPILE_ONLY_STATIC"


def compiled_files(build):
    """The entries of compile_commands.json for the files that git knows, by file; without the output."""
    known = subprocess.run(["git", "ls-files", "-z", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    ours = {str(ROOT / name) for name in known.stdout.split("\0") if name}
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] in ours:
            words = shlex.split(entry["command"])
            output = words.index("-o")
            options = [word for word in words[:output] + words[output + 2:] if word not in ("-c", entry["file"])]
            if "HWY_TARGET_INCLUDE" in pathlib.Path(entry["file"]).read_text():
                options.append(ONE_INSTRUCTION_SET)
            found[entry["file"]] = {"directory": entry["directory"], "options": options}
    return found


def make_batches(entries):
    """Lists of files, the longest first. The files of a list have the same options and no own name in common, and only
    the last one may be LAST. Neighbours, which include the same headers, are in one list."""
    texts = {file: pathlib.Path(file).read_text() for file in entries}
    by_options = defaultdict(list)
    for file in sorted(entries, key=lambda file: (LAST.search(texts[file]) is None, file)):
        is_last = LAST.search(texts[file]) is not None
        names = own_names(texts[file])
        batches = by_options[tuple(entries[file]["options"])]
        fitting = (one for one in batches if len(one["files"]) < FILES_PER_BATCH and not names & one["names"])
        batch = None if is_last else next(fitting, None)
        if batch is None:
            batch = {"files": [], "names": set()}
            batches.append(batch)
        batch["files"].insert(0, file)
        batch["names"] |= names
    return sorted((one["files"] for batches in by_options.values() for one in batches), key=len, reverse=True)


def clang_tidy(folder, entry, file):
    """Its findings for a file with the options of an entry, "" for none. `folder` takes the file of its options. Its
    count of suppressed warnings, on stderr, is dropped."""
    database = [{"directory": entry["directory"], "file": str(file),
                 "arguments": [*entry["options"], "-c", str(file)]}]
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(database))
    command = ["clang-tidy-14", "-p", folder, f"--config-file={ROOT / '.clang-tidy'}", "--quiet", file]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if result.returncode != 0 and not result.stdout:
        return f"clang-tidy-14 ended with code {result.returncode} and no word on {file}\n"
    return result.stdout


def lint_as_one(entries, files):
    """clang-tidy's findings for the files one after the other, as one main file."""
    with tempfile.TemporaryDirectory() as folder:
        if len(files) == 1:
            return clang_tidy(folder, entries[files[0]], files[0])
        path = pathlib.Path(folder, "batch.cpp")
        path.write_text("".join(f'#line 1 "{file}"\n{pathlib.Path(file).read_text()}' for file in files))
        return clang_tidy(folder, entries[files[0]], path)


def lint(entries, files):
    """clang-tidy's findings for each of the files alone."""
    findings = lint_as_one(entries, files)
    if not findings or len(files) == 1:
        return findings
    half = len(files) // 2
    return lint(entries, files[:half]) + lint(entries, files[half:])


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    entries = compiled_files(build)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = list(pool.map(lambda files: lint(entries, files), make_batches(entries)))
    print("".join(findings), end="")
    return 1 if any(findings) else 0


if __name__ == "__main__":
    sys.exit(main())
