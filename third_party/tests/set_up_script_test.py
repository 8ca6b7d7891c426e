"""The set-up on other machines: dpkg-query, apt-get, sudo and id are replaced by scripts."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SetUp(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.list = self.folder / "packages.txt"
        self.list.write_text("# needed\ncmake\npkg-config # provided by pkgconf\nlibfmt-dev\n")
        self.program("dpkg-query", "printf 'ii |cmake|\\nii |pkgconf|pkg-config (= 1.8), other\\nrc |libfmt-dev|\\n'")
        self.program("apt-get", f'echo "$@" >>{self.folder}/apt')
        self.program("id", "echo 0")

    def program(self, name, body):
        file = self.programs / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def bash(self, script):
        prelude = f"set -euo pipefail; build_folder={self.folder}/build; source {ROOT}/third_party/setup.sh; "
        return subprocess.run(["bash", "-c", prelude + script], capture_output=True, text=True,
                              env=dict(os.environ, PATH=f"{self.programs}:{os.environ['PATH']}"))

    def install(self):
        return self.bash(f"install_packages {self.list}")

    def apt_calls(self):
        file = self.folder / "apt"
        return file.read_text().splitlines() if file.exists() else []

    def test_installs_only_what_is_missing(self):
        result = self.install()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.apt_calls()[-1], "install -y -q --no-install-recommends libfmt-dev")

    def test_does_not_run_apt_when_nothing_is_missing(self):
        self.list.write_text("cmake\npkg-config\n")
        self.assertEqual(self.install().returncode, 0)
        self.assertEqual(self.apt_calls(), [])

    def test_prints_the_line_where_it_may_not_install(self):
        self.program("id", "echo 1000")
        self.program("sudo", "exit 1")
        result = self.install()
        self.assertEqual(result.returncode, 3)
        self.assertIn("\n  sudo apt-get install --no-install-recommends libfmt-dev\n", result.stderr)
        self.assertEqual(self.apt_calls(), [])

    def test_uses_sudo_that_asks_for_no_password(self):
        self.program("id", "echo 1000")
        self.program("sudo", 'test "$1" = -n && shift; exec "$@"')
        self.assertEqual(self.install().returncode, 0)
        self.assertIn("libfmt-dev", self.apt_calls()[-1])

    def test_says_when_apt_fails(self):
        self.program("apt-get", "echo 'E: Unable to locate package libfmt-dev' >&2; exit 100")
        result = self.install()
        self.assertEqual(result.returncode, 3)
        self.assertIn("apt-get could not install what is missing", result.stderr)

    def test_names_the_packages_where_there_is_no_dpkg(self):
        only_bash = self.folder / "only"
        only_bash.mkdir()
        for tool in ("bash", "sed", "tr", "grep"):
            (only_bash / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())
        result = self.bash(f"PATH={only_bash}; install_packages {self.list}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("libfmt-dev", result.stdout)

    def test_an_old_cmake_is_named_with_what_is_needed(self):
        self.program("cmake", "echo cmake version 3.22.1")
        result = self.bash("check_tools")
        self.assertEqual(result.returncode, 3)
        self.assertIn("CMake 3.25 is needed", result.stderr)
        self.assertIn("3.22", result.stderr)

    def test_a_missing_compiler_is_named(self):
        result = self.bash("PATH=/nonexistent; check_tools")
        self.assertEqual(result.returncode, 3)
        self.assertIn("g++ is not installed", result.stderr)


class Script(unittest.TestCase):
    def run_script(self, *arguments, **environment):
        return subprocess.run([ROOT / "tilescope", *arguments], capture_output=True, text=True,
                              env=dict(os.environ, **environment))

    def test_help_names_the_commands_and_the_variables(self):
        result = self.run_script("--help")
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("setup", "--for-driver", "doctor", "test", "bench", "lint", "measure", "TILESCOPE_CUDA", "TILESCOPE_CUDNN", "TILESCOPE_PRESET",
                     "TILESCOPE_COLD", "XDG_CACHE_HOME"):
            self.assertIn(word, result.stdout)

    def test_setup_names_what_it_takes(self):
        for arguments in (["--for"], ["--for-driver"], ["--for-driver", ""], ["now", "12.4"]):
            result = self.run_script("setup", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("--for-driver VERSION", result.stderr)

    def test_an_unknown_preset_is_refused_with_those_there_are(self):
        result = self.run_script("devices", TILESCOPE_PRESET="fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("release, debug or asan", result.stderr)


if __name__ == "__main__":
    unittest.main()
