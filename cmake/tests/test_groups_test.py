"""Cases that run together in a process: each has its own outcome, whatever becomes of the process, and none is lost."""

import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
from unittest import mock

CMAKE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CMAKE))
import test_groups  # noqa: E402

# As a test executable with test_main.cpp: the second part of a case's name says what it does.
PROGRAM = """
import os, signal, sys, time
names = sys.argv[1].removeprefix("--gtest_filter=").split(":")
if "refuses" in sys.argv[0]:
    sys.exit(5)
with open(os.environ["TILESCOPE_TEST_OUTCOMES"], "a", buffering=1) as outcomes:
    failed = False
    for name in names:
        outcomes.write(f"begin {name}\\n")
        print("[ RUN      ] " + name, flush=True)
        what = name.split(".")[1].rstrip("0123456789")
        print("output of", name, flush=True)
        if what == "Crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "Hangs":
            time.sleep(60)
        if what == "FailsBesideOthers" and len(names) > 1:
            what = "Fails"
        failed = failed or what == "Fails"
        outcome = {"Fails": "failed", "Skips": "skipped"}.get(what, "passed")
        outcomes.write(f"{outcome} {name} 0.25\\n")
    leaks = "A.Leaks" in names or ("A.LeaksTogether" in names and len(names) > 1)
sys.exit(3 if leaks else 1 if failed else 0)
"""


class Groups(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def program(self, name="program"):
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\n{textwrap.dedent(PROGRAM)}")
        path.chmod(0o700)
        return str(path)

    def cases(self, *names, program="program"):
        executable = self.program(program)
        return [test_groups.Case("unit." + name, name, executable, str(self.folder)) for name in names]

    def outcomes(self, cases):
        found = test_groups.run_groups(cases, 2)
        self.assertEqual(sorted(one.name for one in found), sorted(case.name for case in cases))
        return {one.name.removeprefix("unit."): one for one in found}

    def assert_statuses(self, cases, **expected):
        found = {name.replace(".", "_"): one.status for name, one in self.outcomes(cases).items()}
        self.assertEqual(found, expected)

    def test_each_case_has_its_own_outcome(self):
        cases = self.cases("A.Passes", "A.Fails", "A.Skips", "A.Passes1")
        self.assert_statuses(cases, A_Passes="passed", A_Fails="failed", A_Skips="skipped", A_Passes1="passed")

    def test_a_failure_shows_its_own_output(self):
        output = self.outcomes(self.cases("A.Passes", "A.Fails", "A.Passes1"))["A.Fails"].output
        self.assertIn("output of A.Fails", output)
        self.assertNotIn("Passes", output)

    def test_a_case_that_fails_only_beside_others_has_failed(self):
        cases = self.cases("A.Passes", "A.FailsBesideOthers")
        self.assert_statuses(cases, A_Passes="passed", A_FailsBesideOthers="failed")

    def test_cases_after_a_crash_run_in_another_process(self):
        cases = self.cases("A.Passes", "A.Crashes", "A.Passes1", "A.Crashes1", "A.Skips")
        self.assert_statuses(cases, A_Passes="passed", A_Crashes="failed", A_Passes1="passed", A_Crashes1="failed",
                             A_Skips="skipped")
        output = self.outcomes(cases)["A.Crashes"].output
        self.assertIn("ended by signal 11 in this case", output)
        self.assertIn("output of A.Crashes", output)

    def test_a_case_that_does_not_end_is_stopped(self):
        with mock.patch.object(test_groups, "SECONDS_PER_CASE", 2):
            self.assert_statuses(self.cases("A.Hangs", "A.Passes"), A_Hangs="failed", A_Passes="passed")

    def test_a_process_that_ends_badly_after_its_cases_shows_whose_fault_it_is(self):
        cases = self.cases("A.Passes", "A.Leaks", "A.Passes1")
        self.assert_statuses(cases, A_Passes="passed", A_Leaks="failed", A_Passes1="passed")
        self.assertIn("ended with code 3 after its last case", self.outcomes(cases)["A.Leaks"].output)

    def test_a_process_that_ends_badly_only_with_all_its_cases_is_a_failure(self):
        cases = self.cases("A.Passes", "A.LeaksTogether", "A.Passes1")
        self.assert_statuses(cases, A_Passes="passed", A_LeaksTogether="passed", A_Passes1="failed")

    def test_a_program_that_cannot_start_fails_all_its_cases(self):
        cases = self.cases("A.Passes", "A.Passes1", program="refuses")
        self.assert_statuses(cases, A_Passes="failed", A_Passes1="failed")

    def test_suites_are_together_and_long_ones_are_divided(self):
        short = [f"{suite}.Passes{number}" for suite in "AB" for number in range(15)]
        long = [f"Long.Passes{number}" for number in range(test_groups.CASES_PER_PROCESS + 5)]
        groups = test_groups.groups_of(self.cases(*short, *long))
        self.assertEqual([len(group) for group in groups], [30, test_groups.CASES_PER_PROCESS, 5])

    def test_what_is_no_plain_case_stays_with_ctest(self):
        program = self.program()
        plain = {"name": "unit.A.Passes", "command": [program, "--gtest_filter=A.Passes"],
                 "properties": [{"name": "WORKING_DIRECTORY", "value": "/x"}, {"name": "LABELS", "value": [""]}]}
        self.assertEqual(test_groups.case_of(plain), test_groups.Case("unit.A.Passes", "A.Passes", program, "/x"))
        for other in ({"command": [program]}, {"command": ["/nonexistent", "--gtest_filter=A.Passes"]}, {"command": []},
                      {"properties": [{"name": "LABELS", "value": ["gpu"]}]},
                      {"properties": [{"name": "RUN_SERIAL", "value": True}]}):
            self.assertIsNone(test_groups.case_of({**plain, **other}))


class WholeRun(Groups):
    def test_ctest_and_processes_are_counted_together(self):
        program = self.program()
        names = ("A.Passes", "A.Skips", "B.Passes")
        lines = [f'add_test(unit.{name} "{program}" "--gtest_filter={name}")' for name in names]
        (self.folder / "CTestTestfile.cmake").write_text("\n".join([*lines, 'add_test(script "/bin/true")',
                                                                    'add_test(broken "/bin/false")']))
        run = [sys.executable, CMAKE / "run_tests.py", self.folder]
        result = subprocess.run(run, capture_output=True, text=True)
        self.assertEqual(result.stdout.splitlines()[-1], "3 passed, 1 failed, 1 skipped", result.stdout)
        self.assertEqual(result.returncode, 1)
        result = subprocess.run([*run, "-R", "unit"], capture_output=True, text=True)
        self.assertEqual(result.stdout.splitlines()[-1], "2 passed, 0 failed, 1 skipped", result.stdout)
        self.assertEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
