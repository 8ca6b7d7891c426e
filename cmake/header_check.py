#!/usr/bin/env python3
"""Compile every header of ours alone: none may depend on what was included before it.

    header_check.py BUILD

A header that a source includes first was compiled alone with it, so the others are read, without tests'. The
compiler is clang++-19, as for clang_check.py, and a header that was clean is not read again while nothing has changed
that decides its result (kept_results.py). Exit code 1 for a mistake, 3 where the compiler is not installed.
"""

import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from clang_check import compile_text, options_for
from clang_tidy import dependencies_of
from file_batches import ROOT, Options, compiled_files
from kept_results import KeptResults

COMPILER = "clang++-19"
FIRST_INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<)', re.MULTILINE)


def headers_to_read(sources):
    """The headers that git knows, without tests' and without those that a source includes first."""
    known = subprocess.run(["git", "ls-files", "-z", "*.hpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    first = (FIRST_INCLUDE.search(pathlib.Path(source).read_text()) for source in sources)
    shown = {include[1] for include in first if include}
    return [name for name in known.stdout.split("\0") if name and "/tests/" not in name and name not in shown]


def common_options(entries):
    """The macros and folders of all sources: a header does not say which library's it needs."""
    options = Options([])
    for entry in entries.values():
        options.add(Options(options_for(COMPILER, entry["options"])))
    return [COMPILER, "-std=c++20", *options.words(), *options_for(COMPILER, [COMPILER])[1:]]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    sources = compiled_files(build)
    options = common_options(sources)
    entries = {str(ROOT / name): {"directory": str(build), "options": options} for name in headers_to_read(sources)}
    version = subprocess.run([COMPILER, "--version"], check=True, capture_output=True, text=True).stdout
    kept = KeptResults(entries, ["headers", version, pathlib.Path(__file__).read_text()],
                       {build: "BUILD", dependencies_of(build): "DEPENDENCIES"})

    def read(header):
        found = compile_text(entries[header], "alone.cpp", f'#include "{pathlib.Path(header).relative_to(ROOT)}"\n')
        if not found:
            kept.keep([header])
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = "".join(pool.map(read, kept.files_to_read()))
    print(findings, end="")
    print(f"headers alone: {kept.summary()}")
    return 1 if findings else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FileNotFoundError as missing:
        print(f"{missing.filename} is not installed: no header is compiled alone. third_party/packages-lint.txt has clang-19.")
        sys.exit(3)
