"""The closing line of ./tilescope test, from tests that pass, fail, skip themselves and cannot be found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_TESTS = pathlib.Path(__file__).resolve().parents[1] / "run_tests.py"


class RunTests(unittest.TestCase):
    def run_tests(self, *lines):
        """Run a build folder whose ctest file has the given lines."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text("\n".join(lines))
            return subprocess.run([sys.executable, RUN_TESTS, folder], capture_output=True, text=True)

    def assert_closes(self, result, code, line):
        self.assertEqual(result.stdout.splitlines()[-1], line, result.stdout)
        self.assertEqual(result.returncode, code)

    def test_all_pass(self):
        self.assert_closes(self.run_tests('add_test(a "/bin/true")', 'add_test(b "/bin/true")'), 0, "2 passed, 0 failed")

    def test_a_failure_fails_and_is_named(self):
        result = self.run_tests('add_test(a "/bin/true")', 'add_test(broken "/bin/false")')
        self.assert_closes(result, 1, "1 passed, 1 failed")
        self.assertIn("failed: broken", result.stdout)

    def test_skipped_by_exit_code_and_by_what_it_prints(self):
        result = self.run_tests('add_test(a "/bin/true")', 'add_test(b "/bin/sh" "-c" "exit 77")',
                                "set_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)",
                                'add_test(c "/bin/echo" "[  SKIPPED ] no GPU")',
                                'set_tests_properties(c PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED ")')
        self.assert_closes(result, 0, "1 passed, 0 failed, 2 skipped")

    def test_a_test_that_was_not_built_has_failed(self):
        result = self.run_tests('add_test(a "/bin/true")', 'add_test(gone "/nonexistent/test")')
        self.assert_closes(result, 1, "1 passed, 1 failed")

    def test_skipping_everything_is_no_pass(self):
        result = self.run_tests('add_test(b "/bin/sh" "-c" "exit 77")',
                                "set_tests_properties(b PROPERTIES SKIP_RETURN_CODE 77)")
        self.assert_closes(result, 1, "0 passed, 0 failed, 1 skipped")

    def test_the_slowest_of_many_tests_are_named_before_the_closing_line(self):
        quick = [f'add_test(quick{number} "/bin/true")' for number in range(10)]
        result = self.run_tests(*quick, 'add_test(slow "/bin/sleep" "0.3")')
        self.assert_closes(result, 0, "11 passed, 0 failed")
        heading = result.stdout.splitlines().index("The 10 slowest tests:")
        self.assertRegex(result.stdout.splitlines()[heading + 1], r"^ +\d+\.\d s  slow$")
        self.assertEqual(len(result.stdout.splitlines()[heading:]), 12)
        self.assertNotIn("slowest", self.run_tests(*quick).stdout)

    def test_finding_no_test_is_a_failure(self):
        self.assertEqual(self.run_tests("").returncode, 1)


if __name__ == "__main__":
    unittest.main()
