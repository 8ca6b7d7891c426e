"""The seconds of a build by target and by header, from a small build and from a log that is given."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "build_times.py"
# As CMake writes them: the objects of a library, one of them from several sources, its archive, a test and its list.
OBJECTS = {"core/CMakeFiles/core.dir/Unity/unity_0_cxx.cxx.o": "../a.cpp ../a.hpp ../both.hpp",
           "core/CMakeFiles/core.dir/b.cpp.o": "../b.cpp ../both.hpp", "CMakeFiles/core_test.dir/t.cpp.o": "../t.cpp"}
RULES = """rule compile
  command = echo $out: $headers >$out.d && touch $out
  depfile = $out.d
  deps = gcc
rule link
  command = touch $out
"""
LINKS = ["core/libcore.a", "tests/core_test tests/core_test_list.cmake", "generated.txt"]


class BuildTimes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name).resolve()
        self.build_folder = self.root / "build"
        self.build_folder.mkdir()
        for name in ("a.cpp", "a.hpp", "b.cpp", "both.hpp", "t.cpp"):
            (self.root / name).touch()
        compiled = "".join(f"build {name}: compile\n  headers = {headers}\n" for name, headers in OBJECTS.items())
        linked = "".join(f"build {outputs}: link\n" for outputs in LINKS)
        (self.build_folder / "build.ninja").write_text(RULES + compiled + linked)
        subprocess.run(["ninja", "-C", self.build_folder], check=True, stdout=subprocess.DEVNULL)

    def write_log(self, *entries):
        """Entries (start, end, output, command) in milliseconds."""
        lines = [f"{start}\t{end}\t0\t{output}\t{command}" for start, end, output, command in entries]
        (self.build_folder / ".ninja_log").write_text("\n".join(["# ninja log v5", *lines, ""]))

    def write_known_log(self):
        unity, single, test = OBJECTS
        self.write_log((0, 9000, unity, "1"), (0, 3000, unity, "1"), (0, 1000, single, "2"), (0, 2000, test, "3"),
                       (3000, 3500, "core/libcore.a", "4"), (3500, 4500, "tests/core_test", "5"),
                       (3500, 4500, "tests/core_test_list.cmake", "5"), (0, 250, "generated.txt", "6"),
                       (0, 7000, "CMakeFiles/removed.dir/x.cpp.o", "7"))

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, self.build_folder, *arguments], capture_output=True, text=True)

    def rows(self, table, *arguments):
        return json.loads(self.run_script("--json", *arguments).stdout)[table]

    def test_a_target_takes_its_objects_and_its_link(self):
        self.write_known_log()
        self.assertEqual(self.rows("targets"), [
            {"name": "core", "kind": "static library", "seconds": 4.5, "objects": 2},
            {"name": "core_test", "kind": "test executable", "seconds": 3.0, "objects": 1},
            {"name": "generated.txt", "kind": "command", "seconds": 0.25, "objects": 0}])

    def test_a_header_takes_all_objects_that_include_it_and_sources_are_no_headers(self):
        self.write_known_log()
        self.assertEqual(self.rows("headers", "--headers"), [
            {"name": str(self.root / "both.hpp"), "seconds": 4.0, "objects": 2},
            {"name": str(self.root / "a.hpp"), "seconds": 3.0, "objects": 1}])

    def test_only_the_slowest(self):
        self.write_known_log()
        self.assertEqual([row["name"] for row in self.rows("targets", "--slowest", "1")], ["core"])

    def test_the_table_has_a_line_for_each_target(self):
        self.write_known_log()
        self.assertEqual(self.run_script().stdout.splitlines()[1], "     4.5        2  core (static library)")

    def test_the_log_of_this_ninja_is_read(self):
        self.assertEqual({row["name"] for row in self.rows("targets")}, {"core", "core_test", "generated.txt"})
        self.assertEqual(len(self.rows("headers", "--headers")), 2)

    def test_a_folder_without_a_log_is_refused(self):
        (self.build_folder / ".ninja_log").unlink()
        result = self.run_script()
        self.assertEqual(result.returncode, 2)
        self.assertIn("nothing was built there", result.stderr)


if __name__ == "__main__":
    unittest.main()
