"""The progress of a build, from small ninja files whose commands print, fail and wait."""

import contextlib
import importlib.util
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "build_progress.py"
RULE = "rule run\n  command = $command\n  description = Building $out\n"


def load_script():
    spec = importlib.util.spec_from_file_location("build_progress", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_all(terminal):
    """What was written to the other end, which is closed."""
    shown = b""
    with open(terminal, "rb", buffering=0) as ours, contextlib.suppress(OSError):  # Linux ends it with EIO
        while part := ours.read(1000):
            shown += part
    return shown.decode()


class BuildProgress(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build_folder = pathlib.Path(temporary.name, "release")
        self.build_folder.mkdir()

    def write(self, **commands):
        """One command per output."""
        lines = "".join(f"build {output}: run\n  command = {command}\n" for output, command in commands.items())
        (self.build_folder / "build.ninja").write_text(RULE + lines)

    def build(self, *targets):
        return subprocess.run([sys.executable, SCRIPT, self.build_folder, *targets], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def log(self):
        return (self.build_folder / "build.log").read_text()

    def test_a_build_prints_its_name_and_logs_what_its_commands_print(self):
        self.write(a="echo a remark && touch a", b="touch b")
        result = self.build()
        self.assertEqual((result.returncode, result.stdout), (0, "Building release\n"))
        self.assertIn("a remark\n", self.log())

    def test_nothing_to_do_prints_nothing(self):
        self.write(a="touch a")
        self.build()
        result = self.build()
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_only_the_named_targets_are_built(self):
        self.write(a="touch a", b="touch b")
        self.build("b")
        self.assertEqual([(self.build_folder / name).exists() for name in "ab"], [False, True])

    def test_warnings_are_counted_and_their_log_is_named(self):
        self.write(a="echo x.cpp:1: warning: one && echo x.cpp:2: warning: two && touch a")
        result = self.build()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, f"Building release\n2 warnings, in {self.build_folder}/build.log\n")

    def test_a_failure_shows_what_the_command_printed_and_names_the_log(self):
        self.write(a="touch a", b="echo x.cpp:7: error: no such name && exit 1")
        result = self.build("a", "b")
        self.assertEqual(result.returncode, 1)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[1], "^FAILED: .*b")
        log = f"{self.build_folder}/build.log"
        self.assertEqual(lines[2:], ["x.cpp:7: error: no such name", f"The whole output: {log}"])

    def test_a_long_failure_is_shortened(self):
        self.write(a="seq 100 && exit 1")
        result = self.build()
        self.assertIn("\n39\n... and 61 more lines\n", result.stdout)
        self.assertIn("\n100\n", self.log())

    def test_a_log_that_cannot_be_written_is_no_failure(self):
        self.write(a="echo a remark && touch a")
        (self.build_folder / "build.log").symlink_to("/dev/full")
        self.assertEqual(self.build().returncode, 0)

    def test_ninjas_own_error_is_shown(self):
        self.write(a="touch a")
        result = self.build("absent")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown target 'absent'", result.stdout)

    def test_an_interrupt_ends_ninja_and_its_commands(self):
        self.write(a="echo $$$$ >started && exec sleep 60")
        script = subprocess.Popen([sys.executable, SCRIPT, self.build_folder], stdout=subprocess.DEVNULL)
        started = self.build_folder / "started"
        while not (started.exists() and started.read_text()):
            time.sleep(0.01)
        script.send_signal(signal.SIGINT)
        self.assertEqual(script.wait(timeout=30), 130)
        self.assertRaises(ProcessLookupError, os.kill, int(started.read_text()), 0)

    def test_a_terminal_shows_one_line_that_is_cleared_at_the_end(self):
        self.write(a="touch a", b="touch b")
        ours, theirs = pty.openpty()
        subprocess.run([sys.executable, SCRIPT, self.build_folder], stdout=theirs, check=True)
        os.close(theirs)
        self.assertEqual(read_all(ours).replace("\r\n", "\n"),
                         "Building release\n\rBuilding: 1 of 2\033[K\rBuilding: 2 of 2\033[K\r\033[K")

    def test_the_time_left_in_words(self):
        time_left = load_script().time_left
        self.assertEqual(time_left(1, 100, 4), "")
        self.assertEqual(time_left(61, 113, 140), ", about 2 minutes left")
        self.assertEqual(time_left(50, 100, 65), ", about 1 minute left")
        self.assertEqual(time_left(100, 113, 60), ", less than a minute left")
        self.assertEqual(time_left(113, 113, 60), "")


if __name__ == "__main__":
    unittest.main()
