"""The set-up on other machines: dpkg-query, apt-get, sudo and id are replaced by scripts."""

import json
import os
import pathlib
import shutil
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
        for word in ("setup", "--for-driver", "--nvcc", "doctor", "test", "bench", "lint", "measure", "TILESCOPE_CUDA", "TILESCOPE_CUDNN", "TILESCOPE_PRESET",
                     "TILESCOPE_COLD", "XDG_CACHE_HOME"):
            self.assertIn(word, result.stdout)

    def checkout(self, program=None):
        """What the script needs of a checkout, not built, or built as a script that prints its arguments."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name) / "checkout"
        for name in ("tilescope", "third_party/setup.sh", "cmake/build.sh", "cmake/user_folders.sh"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        if program:
            built = root / "build/release/bin/tilescope"
            built.parent.mkdir(parents=True)
            built.write_text(f"#!/bin/sh\n{program}\n")
            built.chmod(0o755)
        return root

    def run_checkout(self, root, *arguments, **environment):
        """With programs for a set-up and a build that do nothing but leave a file."""
        programs = root.parent / "bin"
        programs.mkdir(exist_ok=True)
        for name in ("apt-get", "dpkg-query", "sudo", "cmake", "ninja", "g++", "python3"):
            (programs / name).write_text(f"#!/bin/sh\ntouch {root.parent}/called\nexit 1\n")
            (programs / name).chmod(0o755)
        before = sorted(root.rglob("*"))
        result = subprocess.run([root / "tilescope", *arguments], capture_output=True, text=True, env=dict(
            os.environ, PATH=f"{programs}:{os.environ['PATH']}", TILESCOPE_PRESET="release") | environment)
        self.assertFalse((root.parent / "called").exists(), "something was installed or built")
        self.assertEqual(sorted(root.rglob("*")), before)
        return result

    def test_help_of_any_word_installs_and_builds_nothing(self):
        root = self.checkout()
        for arguments in (["--help"], ["-h"], ["help"], ["test", "--help"], ["test", "-R", "x", "-h"], ["bench", "--help"],
                          ["lint", "-h"], ["setup", "--help"], ["pictures", "--help"]):
            result = self.run_checkout(root, *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
            if arguments[0] in ("test", "bench", "lint", "setup", "pictures"):
                self.assertTrue(result.stdout.startswith(f"  ./tilescope {arguments[0]} "), result.stdout)
                self.assertNotIn("./tilescope doctor", result.stdout)
        for arguments in (["measure", "--help"], ["sweep", "naive", "-h"], ["doctor", "--help"], ["worker", "-h", "--json"]):
            result = self.run_checkout(root, *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
            self.assertEqual(len(result.stdout.splitlines()), 1)
            self.assertIn(f"the help of '{arguments[0]}', and it is not built yet", result.stdout)

    def test_a_word_that_is_none_is_refused_before_anything_is_installed(self):
        root = self.checkout()
        for arguments in (["mesure", "naive"], ["mesure", "--help"], ["tune.json"], ["--hlep"], ["--json"], [" "], ["measure "]):
            result = self.run_checkout(root, *arguments)
            self.assertEqual((result.returncode, "{" in result.stdout), (2, "--json" in arguments), arguments)
            self.assertIn(f"'{arguments[0]}'", result.stderr)
        self.assertIn("measure, ", self.run_checkout(root, "mesure").stderr)
        self.assertEqual(self.run_checkout(root, "test", "--unit").returncode, 2)

    def test_a_program_that_is_built_prints_its_help_and_its_complaint_without_a_build(self):
        root = self.checkout('echo "program $*"; exit 7')
        for arguments in (["measure", "--help"], ["doctor", "-h"], ["mesure"], ["--hlep"]):
            result = self.run_checkout(root, *arguments)
            self.assertEqual((result.returncode, result.stdout), (7, "program " + " ".join(arguments) + "\n"))
        self.assertTrue(self.run_checkout(root, "test", "--help").stdout.startswith("  ./tilescope test "))

    def test_with_json_a_failure_is_one_document(self):
        root = self.checkout()
        for arguments, status in ((["mesure"], "usage"), (["setup", "--for"], "usage"), (["a\"b\\c\nd\x1b[31m\u00e9"], "usage")):
            result = self.run_checkout(root, *arguments, "--json")
            document = json.loads(result.stdout)
            self.assertEqual((result.returncode, document["status"]), (2, status), result.stderr)
            self.assertTrue(document["reason"])
        failing = self.run_script("devices", "--json", TILESCOPE_PRESET="fast")
        self.assertEqual((failing.returncode, json.loads(failing.stdout)["status"]), (2, "usage"))

    def test_with_json_a_step_that_fails_without_a_sentence_is_a_document_too(self):
        script = f"set -euo pipefail; source {ROOT}/third_party/setup.sh; print_documents; "
        for step, code, status in (("exit 3", 3, "cannot_run"), ("false", 1, "cannot_run"), ("exit 130", 130, "cancelled"),
                                   ("stop 3 'no disk'", 3, "cannot_run"), ("stop 2 'no word' >&2", 2, "usage")):
            result = subprocess.run(["bash", "-c", script + step], capture_output=True, text=True)
            self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (code, status), step)
        for step in ("true", "leave_to true", "leave_to sh -c 'exit 4'"):
            self.assertEqual(subprocess.run(["bash", "-c", script + step], capture_output=True).stdout, b"", step)

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
