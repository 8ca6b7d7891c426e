"""The launcher of the compilers, with scripts for ccache and the compiler, and the options that CMake gets."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "cmake" / "compiler_launcher.sh"


class Launcher(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program("compiler", 'echo "compiled $*"')
        (self.folder / "mkdir").symlink_to("/bin/mkdir")

    def program(self, name, body):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def launch(self, **variables):
        environment = {"PATH": str(self.folder), "XDG_CACHE_HOME": f"{self.folder}/cache", **variables}
        return subprocess.run([LAUNCHER, "compiler", "-c", "a b.cpp"], capture_output=True, text=True, env=environment)

    def test_runs_the_compiler_where_there_is_no_ccache(self):
        self.assertEqual(self.launch().stdout, "compiled -c a b.cpp\n")

    def test_runs_ccache_where_it_is_installed(self):
        self.program("ccache", 'echo "$CCACHE_DIR $CCACHE_BASEDIR"; "$@"')
        self.assertEqual(self.launch().stdout, f"{self.folder}/cache/tilescope/ccache {ROOT}\ncompiled -c a b.cpp\n")

    def test_a_cold_build_uses_no_ccache(self):
        self.program("ccache", "exit 1")
        self.assertEqual(self.launch(TILESCOPE_COLD="1").stdout, "compiled -c a b.cpp\n")

    def test_a_folder_that_cannot_be_made_is_no_failure(self):
        self.program("ccache", "exit 1")
        self.assertEqual(self.launch(XDG_CACHE_HOME="/dev/null").stdout, "compiled -c a b.cpp\n")

    def test_the_exit_code_is_the_compilers(self):
        self.program("compiler", "exit 4")
        self.assertEqual(self.launch().returncode, 4)


class Options(unittest.TestCase):
    def options(self, preset, **variables):
        script = f"root={ROOT} preset={preset} dependencies=/d; source {ROOT}/cmake/build.sh; configure_options ON"
        environment = {"PATH": os.environ["PATH"], **variables}
        return subprocess.check_output(["bash", "-euc", script], text=True, env=environment).splitlines()

    def test_a_users_build_does_not_fail_for_warnings(self):
        options = self.options("release")
        for option in ("TILESCOPE_TESTS=ON", "TILESCOPE_WARNINGS_AS_ERRORS=OFF",
                       f"CMAKE_C_COMPILER_LAUNCHER={LAUNCHER}", f"CMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}"):
            self.assertIn(f"-D{option}", options)

    def test_the_launcher_is_the_same_with_and_without_a_cache(self):
        self.assertEqual(self.options("release"), self.options("release", TILESCOPE_COLD="1"))

    def test_ci_and_the_checking_presets_make_warnings_errors(self):
        for options in (self.options("release", TILESCOPE_WERROR="1"), self.options("lint"), self.options("asan")):
            self.assertIn("-DTILESCOPE_WARNINGS_AS_ERRORS=ON", options)

    def test_lint_reads_commands_without_a_launcher(self):
        self.assertFalse([option for option in self.options("lint") if "LAUNCHER" in option])


if __name__ == "__main__":
    unittest.main()
