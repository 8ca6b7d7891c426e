"""The report of .ci/run: a run of parts that are short commands, and its budget."""

import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / ".ci"


def load_report():
    spec = importlib.util.spec_from_file_location("report", CI / "report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REPORT = load_report()


class Run(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "cmake").symlink_to(ROOT / "cmake")
        (self.folder / ".ci").symlink_to(CI)
        (self.folder / "build" / "release").mkdir(parents=True)

    def run_parts(self, script, **variables):
        """Runs a script of parts without a fresh machine."""
        environment = {**os.environ, "TILESCOPE_COLD": "", "XDG_CACHE_HOME": str(self.folder / "cache"), **variables}
        result = subprocess.run(["bash", "-uc", f"source .ci/parts.sh; start_here; {script}"], cwd=self.folder,
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout.splitlines()

    def assert_line(self, lines, expected):
        """`expected` is a regular expression: a loaded machine takes a second for what takes none elsewhere."""
        self.assertTrue([line for line in lines if re.fullmatch(expected, line)], lines)

    def test_the_closing_line_of_the_tests_is_the_last_line(self):
        code, lines = self.run_parts("part tests echo '7 passed, 0 failed, 2 skipped'; part lint echo clean; "
                                     "finish tests release")
        self.assertEqual((code, lines[-1]), (0, "7 passed, 0 failed, 2 skipped"))

    def test_a_failure_is_named_and_the_rest_goes_on(self):
        code, lines = self.run_parts("part broken bash -c 'exit 3'; part tests echo '7 passed, 0 failed'; "
                                     "finish tests release")
        self.assertEqual(code, 1)
        self.assert_line(lines, r"CI: broken: 0 min +\d+ s, exit code 3, processor time 0 min +\d+ s")
        self.assertEqual(lines[-2:], ["CI: failed: broken", "7 passed, 0 failed"])

    def test_tests_that_print_no_closing_line_are_named(self):
        _, lines = self.run_parts("part tests false; finish tests release")
        self.assertEqual(lines[-1], "tests: ended without its closing line")

    def test_the_share_that_was_cached(self):
        log = r"# a\ndirect_cache_hit\n# b\ncache_miss\n# c\npreprocessed_cache_hit\n# d\ndirect_cache_hit\n"
        _, lines = self.run_parts(f"part build bash -c 'printf \"{log}\" >$CCACHE_STATSLOG'; "
                                  "part lint echo 'clang-tidy: 1,200 of 1,600 files unchanged'; finish lint release")
        spent = r"0 min +\d+ s, exit code 0, processor time 0 min +\d+ s"
        self.assert_line(lines, rf"CI: build: {spent}, 75 % of 4 compilations cached")
        self.assert_line(lines, rf"CI: lint: {spent}, 75 % of 1600 files cached")

    def test_a_run_is_warm_only_where_something_was_kept(self):
        kept = self.folder / "cache" / "tilescope" / "ccache"
        self.assertIn("CI: cold: ", self.run_parts("true")[1][0])
        (kept / "0").mkdir(parents=True)
        self.assertIn("CI: warm: ", self.run_parts("true")[1][0])
        self.assertIn("CI: cold: ", self.run_parts("true", TILESCOPE_COLD="1")[1][0])

    def test_the_processor_time_of_each_part_and_of_all(self):
        loop = "python3 -c 'import time\nwhile time.process_time() < 1.2: pass'"
        _, lines = self.run_parts(f"part works {loop}; part sleeps sleep 1; finish works release")
        self.assert_line(lines, r"CI: works: .* processor time 0 min +[12] s")
        self.assert_line(lines, r"CI: sleeps: .* processor time 0 min +0 s")
        self.assert_line(lines, r"CI: cold: .* processor time 0 min +[12] s")

    def test_the_slowest_tests(self):
        (self.folder / "build/release/tests.xml").write_text(
            '<testsuite><testcase name="quick" time="0.1"/><testcase name="slow" time="12.3"/></testsuite>')
        _, lines = self.run_parts("part tests echo '2 passed, 0 failed'; finish tests release")
        heading = lines.index("The 10 slowest tests:")
        self.assertEqual(lines[heading + 1:heading + 3], ["    12.3 s  slow", "     0.1 s  quick"])


class Budget(unittest.TestCase):
    def setUp(self):
        self.budget = REPORT.read_budget(CI / "budget")

    def test_ci_ends_in_35_minutes_cold_and_15_warm(self):
        self.assertEqual([sum(part[state] for part in self.budget.values()) for state in ("cold", "warm")], [35, 15])

    def test_every_part_has_a_budget(self):
        parts = re.findall(r'^part "([^"]+)"', (CI / "run").read_text(), re.MULTILINE)
        self.assertEqual(["a fresh machine", *parts], list(self.budget))

    def test_a_part_that_takes_longer_is_named(self):
        self.assertEqual(REPORT.over_budget(121, 2), "over its budget of 2 min")
        self.assertEqual(REPORT.over_budget(120, 2), "")
        self.assertEqual(REPORT.over_budget(9999, None), "")


if __name__ == "__main__":
    unittest.main()
