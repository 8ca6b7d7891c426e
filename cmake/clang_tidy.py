#!/usr/bin/env python3
"""Run clang-tidy over everything that a build compiles, several files at a time.

    clang_tidy.py BUILD

It spends most of its time on reading third-party headers, and most of our files include the same ones. So files with the
same options are read one after the other, as one main file. That does not change the findings: if such a batch reports
anything, even only that two files use the same name, its halves are read again, down to single files, whose reports
count. A file that Highway includes again for each instruction set is read for one of them. Exit code 1 on a finding.

The program is the one that ./tilescope lint downloaded (third_party/requirements-lint.txt) for the dependencies that
BUILD was configured with.
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
FILES_PER_BATCH = 20
BATCH_NAME = "batch_of_files.cpp"
USING = re.compile(r"^ *using ([\w:]+::\w+(?:, [\w:]+)*);", re.MULTILINE)
NO_USE = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"|\b(?:class|struct|enum|namespace) \w+')
DEPENDENCIES = re.compile(r"^TILESCOPE_DEPENDENCIES:PATH=(.*)", re.MULTILINE)
# Options for files that contain a text.
FURTHER_OPTIONS = {
    "HWY_TARGET_INCLUDE": ["-DHWY_COMPILE_ONLY_STATIC"],
    # A function of dtl, which nobody calls, is no C++: it is only looked at where it is called.
    "dtl/dtl.hpp": ["-fdelayed-template-parsing", "-Wno-delayed-template-parsing-in-cxx20"],
}
# Behind a file that includes a namespace tilescope::testing, GoogleTest's needs its full name.
GOOGLETEST = re.compile(r"(?<![\w:])testing::(Combine|ExitedWithCode|TempDir|Test|TestParamInfo|TestWithParam|Types|Values|"
                        r"ValuesIn|WithParamInterface)\b")
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning): )", re.MULTILINE)
PLACE = re.compile(r"^(\S+):(\d+):\d+: (?:error|warning|note): ", re.MULTILINE)


def program_for(build):
    """clang-tidy among the dependencies of a build."""
    cache = (build / "CMakeCache.txt").read_text()
    return pathlib.Path(DEPENDENCIES.search(cache)[1], "clang_tidy", "bin", "clang-tidy")


def compiled_files(build):
    """The entries of compile_commands.json for the files that git knows, by file; without the output."""
    program = program_for(build)
    known = subprocess.run(["git", "ls-files", "-z", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    ours = {str(ROOT / name) for name in known.stdout.split("\0") if name}
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] in ours:
            words = shlex.split(entry["command"])
            output = words.index("-o")
            options = [word for word in words[:output] + words[output + 2:] if word not in ("-c", entry["file"])]
            text = pathlib.Path(entry["file"]).read_text()
            options += [option for part, more in FURTHER_OPTIONS.items() if part in text for option in more]
            found[entry["file"]] = {"program": program, "directory": entry["directory"], "options": options}
    return found


def must_be_last(text):
    """Whether nothing may follow this file: a using-declaration that it does not need could seem to be used by the next
    one. Where the file itself has the bare name elsewhere, there is nothing to be mistaken about."""
    code = NO_USE.sub("", text)
    names = [name.strip().rsplit("::", 1)[-1] for line in USING.findall(code) for name in line.split(",")]
    rest = USING.sub("", code)
    return any(not re.search(rf"(?<![\w:.>]){name}\b", rest) for name in names)


def make_batches(entries):
    """Lists of files, the longest first. The files of a list have the same options and no own name in common, and
    nothing follows one that must be last. Neighbours, which include the same headers, are in one list."""
    texts = {file: pathlib.Path(file).read_text() for file in entries}
    by_options = defaultdict(list)
    last = {file for file in entries if must_be_last(texts[file])}
    for file in sorted(entries, key=lambda file: (file not in last, file)):
        names = own_names(texts[file])
        batches = by_options[tuple(entries[file]["options"])]
        fitting = (one for one in batches if len(one["files"]) < FILES_PER_BATCH and not names & one["names"])
        batch = None if file in last else next(fitting, None)
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
    command = [entry["program"], "-p", folder, f"--config-file={ROOT / '.clang-tidy'}", "--quiet", file]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if result.returncode != 0 and not result.stdout:
        return f"clang-tidy ended with code {result.returncode} and no word on {file}\n"
    return result.stdout


class Batch:
    """Files one after the other, as the text of one main file."""

    def __init__(self, files):
        self.text, self.starts = "", []
        for file in files:
            self.text += f'#line 1 "{file}"\n'
            self.starts.append((self.text.count("\n"), file))
            self.text += GOOGLETEST.sub(r"::testing::\1", pathlib.Path(file).read_text())

    def file_at(self, path, line):
        """The file of a place in the main file or a header."""
        if pathlib.Path(path).name != BATCH_NAME:
            return path
        return max(start for start in self.starts if start[0] < line)[1]

    def without_foreign_shadows(self, findings):
        """Findings without the variables that have the name of one in another file, which -Wshadow cannot know about."""
        return "".join(one for one in FINDING.split(findings) if not self.is_foreign_shadow(one))

    def is_foreign_shadow(self, finding):
        places = [self.file_at(path, int(line)) for path, line in PLACE.findall(finding)]
        return "[clang-diagnostic-shadow]" in finding and len(set(places)) > 1


def lint_as_one(entries, files):
    """clang-tidy's findings for the files one after the other, as one main file."""
    with tempfile.TemporaryDirectory() as folder:
        if len(files) == 1:
            return clang_tidy(folder, entries[files[0]], files[0])
        batch = Batch(files)
        path = pathlib.Path(folder, BATCH_NAME)
        path.write_text(batch.text)
        return batch.without_foreign_shadows(clang_tidy(folder, entries[files[0]], path))


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
