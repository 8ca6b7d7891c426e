#!/usr/bin/env python3
"""Run clang-tidy over everything that a build compiles, several files at a time (file_batches.py).

    clang_tidy.py BUILD

A file that was clean is not read again while nothing has changed that decides its result (kept_results.py). Exit code 1
on a finding.

The program is the one that ./tilescope lint downloaded (third_party/requirements-lint.txt) for the dependencies that
BUILD was configured with.
"""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from file_batches import ROOT, compiled_files, findings_of
from kept_results import KeptResults

DEPENDENCIES = re.compile(r"^TILESCOPE_DEPENDENCIES:PATH=(.*)", re.MULTILINE)
CONFIGURATION = ROOT / ".clang-tidy"


def dependencies_of(build):
    return pathlib.Path(DEPENDENCIES.search((build / "CMakeCache.txt").read_text())[1])


def program_for(build):
    """clang-tidy among the dependencies of a build."""
    return dependencies_of(build) / "clang_tidy" / "bin" / "clang-tidy"


def clang_tidy(program, entry, name, text):
    """Its findings, as file_batches.Findings reads a file. The count of suppressed warnings, on stderr, is dropped."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        if text is not None:
            path.write_text(text)
        # The build's warnings count although the build itself may go on: clang-tidy shows those that are errors. All of
        # them: clang would stop after 20, which the shadows that a batch has may reach.
        database = [{"directory": entry["directory"], "file": str(path),
                     "arguments": [*entry["options"], "-Werror", "-ferror-limit=0", "-c", str(path)]}]
        pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(database))
        command = [program, "-p", folder, f"--config-file={CONFIGURATION}", "--quiet", path]
        result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if result.returncode != 0 and not result.stdout:
            return f"clang-tidy ended with code {result.returncode} and no output for {path}\n"
        return result.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    program = program_for(build)
    entries = compiled_files(build)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    kept = KeptResults(entries, [version, CONFIGURATION.read_text(), pathlib.Path(__file__).read_text()],
                       {build: "BUILD", dependencies_of(build): "DEPENDENCIES"})
    findings = findings_of(kept.files_to_read(), functools.partial(clang_tidy, program), kept.keep)
    print(findings, end="")
    print(f"clang-tidy: {kept.summary()}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
