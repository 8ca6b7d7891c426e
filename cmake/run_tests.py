#!/usr/bin/env python3
"""Run all tests of a build and close with one line that the user or a CI system can read.

    run_tests.py BUILD [--alone] [CTEST ARGUMENT ...]

GoogleTest cases run many in a process (test_groups.py), everything else with ctest. With --alone, or with other ctest
arguments than those that choose tests, ctest runs each case in a process of its own. Either way the report is
BUILD/tests.xml, as ctest writes it.

Prints the slowest of many tests. The last line is "N passed, N failed", with ", N skipped" if some cannot run here (no
GPU). Exit code 0 when at least one test passed and none failed, else 1: finding no test is a failure.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter

from test_groups import Outcome, case_of, run_groups

# ctest's messages for a test that skipped itself; any other test that was not run (for example, not built) has failed.
SKIPPED = ("SKIP_REGULAR_EXPRESSION_MATCHED", "SKIP_RETURN_CODE")
SLOWEST = 10  # a run of this many or fewer shows their times anyway
CHOOSE = ("-R", "-E", "-L", "-LE", "--tests-regex", "--exclude-regex", "--label-regex", "--label-exclude")
STATUS = {"passed": "run", "failed": "fail", "skipped": "notrun"}


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


def only_chooses(arguments):
    return len(arguments) % 2 == 0 and all(word in CHOOSE for word in arguments[::2])


def listed(build, arguments=()):
    """ctest's tests in its order; those that the arguments choose."""
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1", *arguments]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)["tests"] if result.returncode == 0 else []


def run_ctest(build, junit, arguments):
    command = ["ctest", "--test-dir", str(build), "--no-tests=error", "--output-on-failure", "--timeout", "300",
               "--parallel", str(os.cpu_count()), "--output-junit", str(junit), *arguments]
    return subprocess.run(command).returncode


def run_numbered(build, junit, chosen, names):
    """These of the chosen tests: ctest reads their numbers, counted from 1, from a file."""
    numbers = [str(number) for number, name in enumerate(chosen, 1) if name in names]
    with tempfile.NamedTemporaryFile("w", prefix="tilescope-tests-") as file:
        file.write(",".join(["0", "0", "0", *numbers]) + "\n")
        file.flush()
        return run_ctest(build, junit, ["-I", file.name])


def print_group(outcomes):
    name = outcomes[0].name.rpartition(".")[0] if outcomes else ""
    seconds = sum(outcome.seconds for outcome in outcomes)
    print(f"{len(outcomes):4} tests to {name}: {seconds:.1f} s", flush=True)
    for outcome in outcomes:
        if outcome.status == "failed":
            print(f"{outcome.output}\n*** failed: {outcome.name}", flush=True)


def add_to_report(junit, outcomes):
    """Adds cases to a report in ctest's form, which may not exist."""
    root = ElementTree.parse(junit).getroot() if junit.exists() else ElementTree.Element("testsuite")
    for outcome in outcomes:
        case = ElementTree.SubElement(root, "testcase", name=outcome.name, classname=outcome.name,
                                      time=f"{outcome.seconds:.6g}", status=STATUS[outcome.status])
        if outcome.status == "skipped":
            ElementTree.SubElement(case, "skipped", message=SKIPPED[0])
        if outcome.status == "failed":
            ElementTree.SubElement(case, "failure", message="Failed")
    ElementTree.ElementTree(root).write(junit, encoding="utf-8", xml_declaration=True)


def run_grouped(build, junit, arguments):
    """ctest's exit code for what it ran, 0 where that is nothing."""
    chosen = listed(build, arguments)
    cases = [case for case in map(case_of, chosen) if case]
    if not cases:
        return run_ctest(build, junit, arguments)
    outcomes = run_groups(cases, os.cpu_count(), print_group)
    others = {test["name"] for test in chosen} - {case.name for case in cases}
    everything = [test["name"] for test in listed(build)]
    code = run_numbered(build, junit, everything, others) if others else 0
    add_to_report(junit, outcomes)
    missing = {test["name"] for test in chosen} - {name for _, name in times(junit)}
    add_to_report(junit, [Outcome(name, "failed", 0.0) for name in sorted(missing)])
    return code


def main():
    build, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    junit = build / "tests.xml"
    junit.unlink(missing_ok=True)
    is_alone = "--alone" in arguments
    arguments = [word for word in arguments if word != "--alone"]
    run = run_grouped if only_chooses(arguments) and not is_alone else run_ctest
    code = run(build, junit, arguments)
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
