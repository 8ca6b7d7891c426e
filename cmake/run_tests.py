#!/usr/bin/env python3
"""Run all tests of a build with ctest and close with one line that the user or a CI system can read.

    run_tests.py BUILD [CTEST ARGUMENT ...]

Prints the slowest of many tests. The last line is "N passed, N failed", with ", N skipped" if some cannot run here (no
GPU). Exit code 0 when at least one test passed and none failed, else 1: finding no test is a failure.
"""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

# ctest's messages for a test that skipped itself; any other test that was not run (for example, not built) has failed.
SKIPPED = ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE")
SLOWEST = 10  # a run of this many or fewer shows their times anyway


def count(junit):
    """Counter of passed, failed and skipped, and the names of those that failed, from ctest's JUnit report."""
    counts = Counter()
    failed = []
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") == "run":
            counts["passed"] += 1
        elif skipped is not None and any(word in skipped.get("message", "") for word in SKIPPED):
            counts["skipped"] += 1
        else:
            counts["failed"] += 1
            failed.append(case.get("name"))
    return counts, failed


def times(junit):
    """(seconds, name) of each test that ran, the slowest first, from ctest's JUnit report."""
    cases = ElementTree.parse(junit).getroot().iter("testcase")
    return sorted(((float(case.get("time", 0)), case.get("name")) for case in cases), reverse=True)


def print_slowest(junit):
    slowest = times(junit)
    if len(slowest) <= SLOWEST:
        return
    print(f"The {SLOWEST} slowest tests:")
    for seconds, name in slowest[:SLOWEST]:
        print(f"{seconds:8.1f} s  {name}")


def closing_line(counts):
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    return line + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main():
    build, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    junit = build / "tests.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(build), "--no-tests=error", "--output-on-failure", "--timeout", "300",
               "--parallel", str(os.cpu_count()), "--output-junit", str(junit), *arguments]
    code = subprocess.run(command).returncode
    if not junit.exists():
        print(f"tilescope: ctest ended with code {code} and no report", file=sys.stderr)
        return 1
    counts, failed = count(junit)
    print_slowest(junit)
    for name in failed:
        print(f"failed: {name}")
    print(closing_line(counts))
    return 0 if code == 0 and counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
