"""Runs many GoogleTest cases in one process of their executable, and says what became of each.

Most cases take less time than the start of a process and what it prepares: libraries that are loaded, kernels that are
compiled. Cases are still independent of each other: test_main.cpp gives each the environment and the folder with which
the process began. Nothing is forgiven: a case that fails beside others has failed. If a process ends in the middle of a
case, that case has failed, and those that were to follow run in another process. If it ends badly after its last case,
for example for a leak, each of its cases runs in a process of its own, and if none fails there, the last one has failed.
"""

import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

CASES_PER_PROCESS = 40
SECONDS_PER_CASE = 300
# Properties that a case may have here. With others, or with a label such as gpu, ctest runs it.
PLAIN_PROPERTIES = {"WORKING_DIRECTORY", "SKIP_REGULAR_EXPRESSION", "LABELS"}
FILTER = "--gtest_filter="
stopping = threading.Event()  # after Ctrl+C, which the processes do not see


@dataclass
class Case:
    """A case as ctest lists it."""

    name: str  # ctest's
    filter: str  # GoogleTest's name
    executable: str
    folder: str


@dataclass
class Outcome:
    name: str
    status: str  # passed, failed or skipped
    seconds: float
    output: str = ""  # of a case that failed


def case_of(test):
    """The Case of an entry of ctest's list, or None for one that has to be a process of its own."""
    command = test.get("command", [])
    properties = {one["name"]: one["value"] for one in test.get("properties", [])}
    if len(command) < 2 or not command[1].startswith(FILTER) or not os.access(command[0], os.X_OK):
        return None
    if properties.keys() - PLAIN_PROPERTIES or any(properties.get("LABELS", [])):
        return None
    return Case(test["name"], command[1].removeprefix(FILTER), command[0], properties.get("WORKING_DIRECTORY", "."))


def suite_of(case):
    return case.filter.rpartition(".")[0]


def groups_of(cases):
    """Lists of cases for one process each. A suite is in one list, unless it is longer."""
    suites = {}
    for case in cases:
        suites.setdefault((case.executable, suite_of(case)), []).append(case)
    groups = []
    for suite in suites.values():
        for start in range(0, len(suite), CASES_PER_PROCESS):
            part = suite[start:start + CASES_PER_PROCESS]
            last = groups[-1] if groups else []
            if last and last[0].executable == part[0].executable and len(last) + len(part) <= CASES_PER_PROCESS:
                last += part
            else:
                groups.append(part)
    return groups


class Process:
    """One run of an executable for a group: what became of its cases."""

    def __init__(self, cases):
        self.cases = cases
        self.by_filter = {case.filter: case for case in cases}
        self.ended, self.running = {}, None

    def run(self):
        """Exit code, and None after SECONDS_PER_CASE without a new case."""
        first = self.cases[0]
        with tempfile.TemporaryDirectory(prefix="tilescope-tests-") as folder:
            lines, output = pathlib.Path(folder, "outcomes"), pathlib.Path(folder, "output")
            lines.touch()
            command = [first.executable, FILTER + ":".join(self.by_filter), "--gtest_also_run_disabled_tests"]
            with open(output, "wb") as stream:
                process = subprocess.Popen(command, cwd=first.folder, stdin=subprocess.DEVNULL, stdout=stream,
                                           stderr=subprocess.STDOUT, start_new_session=True,
                                           env={**os.environ, "TILESCOPE_TEST_OUTCOMES": str(lines)})
            try:
                code = self.wait(process, lines)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            self.output = output.read_text(errors="replace")
            self.read(lines.read_text())
        return code

    @staticmethod
    def wait(process, lines):
        size, since = 0, time.monotonic()
        while not stopping.is_set() and time.monotonic() - since < SECONDS_PER_CASE:
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                if (now := lines.stat().st_size) != size:
                    size, since = now, time.monotonic()
        return None

    def read(self, text):
        for line in text.splitlines():
            what, name, *seconds = line.split(" ")
            case = self.by_filter[name]
            self.running = case if what == "begin" else None
            if self.running is None:
                self.ended[name] = Outcome(case.name, what, float(seconds[0]))
        for name, outcome in self.ended.items():
            if outcome.status == "failed":
                outcome.output = self.output_of(name)

    def output_of(self, name):
        """Everything between the beginning of a case and the next one."""
        _, start, rest = self.output.partition(f"[ RUN      ] {name}\n")
        return (start + rest).split("\n[ RUN      ] ")[0] if start else self.output

    def failed(self, case, why):
        return Outcome(case.name, "failed", 0.0, f"{self.output_of(case.filter)}\n{why}\n")


def why_ended(code):
    if code is None:
        return f"stopped after {SECONDS_PER_CASE} s"
    return f"ended by signal {-code}" if code < 0 else f"ended with code {code}"


def run_group(cases):
    """The outcome of each case; of none after Ctrl+C."""
    process = Process(cases)
    code = process.run()
    if stopping.is_set():
        return []
    outcomes = list(process.ended.values())
    has_failed = any(outcome.status == "failed" for outcome in outcomes)
    if len(outcomes) == len(cases):
        if code == 0 or (code == 1 and has_failed):
            return outcomes
        return ended_badly(process, code)
    waiting = [case for case in cases if case.filter not in process.ended]
    if process.running is None:  # before its first case or between two
        failed = process.failed(waiting[0], f"{waiting[0].executable} {why_ended(code)} before this case")
    else:
        failed = process.failed(process.running, f"{process.running.executable} {why_ended(code)} in this case")
    waiting = [case for case in waiting if case.name != failed.name]
    return [*outcomes, failed, *(run_group(waiting) if waiting else [])]


def ended_badly(process, code):
    cases = process.cases
    alone = [outcome for case in cases for outcome in run_group([case])] if len(cases) > 1 else []
    if any(outcome.status == "failed" for outcome in alone):
        return alone
    outcomes = alone or list(process.ended.values())
    last = process.failed(cases[-1], f"{cases[-1].executable} {why_ended(code)} after its last case\n{process.output}")
    return [outcome for outcome in outcomes if outcome.name != last.name] + [last]


def run_groups(cases, processes, on_group=lambda outcomes: None):
    """The outcomes of all cases, in any order. `on_group` is called for each process, one at a time."""
    outcomes = []
    with ThreadPoolExecutor(processes) as pool:
        try:
            for found in pool.map(run_group, groups_of(cases)):
                on_group(found)
                outcomes += found
        except KeyboardInterrupt:
            stopping.set()
            pool.shutdown(cancel_futures=True)
            raise
    return outcomes
