"""How every command fails: one exit code for one meaning, and with --json one document on stdout.

The tables below name every command and every option that takes a file: a new one that they lack fails these tests.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import command_line_test
from command_line_test import KERNEL, SOURCE, TILESCOPE, CommandLine, complaints

SESSION = SOURCE / "sessions/examples/decoding_h200.json"
GOOD_KERNEL = SOURCE / "kernels/attention/flash_scalar.cu"
SWEEP = ["sweep", KERNEL, "--vary", "NUM_WARPS=4"]

# Sound files that command lines of the tables name.
PREPARED = {"PTX": "kernel.ptx", "ARGS": "launch.json", "LESSON": "lesson.md", "NCU": "ncu.csv"}

# Files to read: a command line for each, in which {.ext} is the file.
INPUTS = {
    "compare": [["compare", "{.json}", KERNEL], ["compare", KERNEL, "{.json}:kernel=naive"], ["compare", "{.cu}", KERNEL],
                ["compare", KERNEL, "naive", "--shapes", "{.json}"], ["compare", KERNEL, "naive", "--session", "{.json}"]],
    "devices": [["devices", "--calibrate", "--from", "{.json}"]],
    "doctor": [],
    "gate": [["gate", "{.json}", "--against", SESSION], ["gate", SESSION, "--against", "{.json}"]],
    "import": [["import", "{.csv}", "--session", "new.json", "--shape", "1,8,512,64"], ["import", "{.json}", "--session", "new.json"],
               ["import", "{.json}", "--format", "nvbench", "--session", "new.json"],
               ["import", "NCU", "--session", "{.json}", "--shape", "1,8,512,64"]],
    "kernels": [["kernels", "{.cu}"]],
    "lesson": [["lesson", "check", "{.md}"], ["lesson", "export", "{.md}", "--to", "page.html"]],
    "measure": [["measure", "{.cu}"], ["measure", KERNEL, "--session", "{.json}"]],
    "open": [["open", "{.cu}"], ["open", "{.ptx}"], ["open", "{.cubin}"], ["open", "PTX", "--args", "{.json}"],
             ["open", "PTX", "--session", "{.json}"]],
    "report": [["report", "{.json}", "--to", "r.md"], ["report", SESSION, "--to", "r.md", "--shapes", "{.json}"]],
    "run": [["run", "{.cubin}", "--args", "ARGS"], ["run", "PTX", "--args", "{.json}"]],
    "screenshot": [["screenshot", "latency", "--session", "{.json}", "--to", "p.svg"]],
    "step": [["step", "{.cu}"], ["step", "{.ptx}", "--args", "ARGS"], ["step", "PTX", "--args", "{.json}"]],
    "sweep": [["sweep", "{.cu}", "--vary", "BLOCK_M"], [*SWEEP, "--session", "{.json}"], [*SWEEP, "--shapes", "{.json}"]],
    "trace": [["trace", "{.cu}"], ["trace", KERNEL, "--session", "{.json}"]],
    "worker": [],
}

# Files to write: a command line for each, in which {.ext} is the file.
OUTPUTS = {
    "compare": [["compare", f"{SESSION}:kernel=mma_flash", f"{SESSION}:kernel=mma_splitkv", "--across", "--to", "{.md}"]],
    "devices": [["devices", "--calibrate", "--to", "{.json}"]],
    "doctor": [],
    "gate": [["gate", SESSION, "--against", SESSION, "--junit", "{.xml}"]],
    "import": [],
    "kernels": [],
    "lesson": [["lesson", "export", "LESSON", "--to", "{.html}"]],
    "measure": [],
    "open": [],
    "report": [["report", SESSION, "--to", "{.md}"], ["report", SESSION, "--to", "{.csv}"], ["report", SESSION, "--to", "{.html}"],
               ["report", SESSION, "--calibration", "{.json}"]],
    "run": [],
    "screenshot": [["screenshot", "latency", "--session", SESSION, "--to", "{.svg}"],
                   ["screenshot", "latency", "--session", SESSION, "--to", "{.csv}"]],
    "step": [],
    "sweep": [],
    "trace": [],
    "worker": [],
}

# Names in --help for options and positionals whose value is a file.
FILE_NAMES = {"FILE", "FILE.xml", "LAUNCH.json", "BASELINE", "SESSION", "SET", "KERNEL", "A"}
# A session is appended to: it may be missing or empty, and a point that cannot be kept is printed all the same.
APPENDED = "--session"


def names_session_to_append(line):
    return APPENDED in line and line[0] != "screenshot" and line[line.index(APPENDED) + 1] == "{.json}"


class Failures(CommandLine):
    def setUp(self):
        super().setUp()
        for name, text in (("kernel.ptx", command_line_test.Run.KERNEL), ("launch.json", json.dumps(command_line_test.Run.LAUNCH)),
                           ("lesson.md", "# Mine\n\nText.\n"), ("ncu.csv", command_line_test.NCU_CSV)):
            (self.folder / name).write_text(text)

    def run_here(self, *arguments, **more):
        """In the test's folder, so that no output lands elsewhere."""
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "timeout": 120} | {
            name: more.pop(name) for name in ("stdout", "stdin", "pass_fds") if name in more}
        program = more.pop("program", TILESCOPE)
        return subprocess.run([program, *map(str, arguments)], env=self.environment(more.pop("worker", None), **more),
                              cwd=self.folder, stderr=subprocess.PIPE, text=True, **how)

    def filled(self, line, file=None):
        """A command line of the tables, with its files, and the file's ending."""
        names = {name: self.folder / file for name, file in PREPARED.items()}
        words, ending = [], None
        for word in line:
            match = re.match(r"\{(\.\w+)\}(.*)", str(word))
            if match:
                ending = match[1]
                word = f"{file}{ending}{match[2]}" if file else word
            words.append(names.get(word, word))
        return words, ending

    def failure(self, result, code, status, *words):
        """The one document of a failed command."""
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "failure_document"), [])
        self.assertEqual(document["status"], status, document)
        self.assertTrue(result.stderr.strip(), "a sentence for people")
        for word in words:
            self.assertIn(str(word), document["reason"])
            self.assertIn(str(word), result.stderr)
        return document

    def listed_commands(self):
        text = self.run_here("--help").stdout
        return re.findall(r"(?m)^  ([a-z]+)  ", text[text.index("Subcommands:"):text.index("Without a command")])


class Tables(Failures):
    def test_they_have_every_command(self):
        commands = self.listed_commands()
        self.assertIn("measure", commands)
        self.assertEqual(sorted(INPUTS), commands)
        self.assertEqual(sorted(OUTPUTS), commands)

    def test_they_have_every_option_that_takes_a_file(self):
        for command in INPUTS:
            text = self.run_here(command, "--help").stdout
            lines = [line for table in (INPUTS, OUTPUTS) for line in table[command]]
            for option, name in re.findall(r"(?m)^  (--[\w-]+)[ ,]([\w.]+)", text):
                if name in FILE_NAMES:
                    used = [line for line in lines if any(
                        word == option and str(line[at + 1]).startswith("{.") for at, word in enumerate(line[:-1]))]
                    self.assertTrue(used, f"{command} {option} {name}")
            positionals = re.findall(r"(?m)^  ([A-Za-z]+)\b", text.partition("Positionals:")[2].partition("Options:")[0])
            for name in positionals:
                if name.upper() in FILE_NAMES:
                    used = [line for line in lines for at, word in enumerate(line[1:], 1)
                            if str(word).startswith("{.") and not str(line[at - 1]).startswith("--")]
                    self.assertTrue(used, f"{command} {name}")

    def test_the_start_script_knows_the_commands(self):
        script = (SOURCE / "tilescope").read_text()
        self.assertEqual(re.search(r'(?m)^commands="(.*)"', script)[1].split(), self.listed_commands())

    def test_the_exit_codes_are_described_alike(self):
        readme = (SOURCE / "app/README.md").read_text()
        for code in (0, 1, 2, 3, 130):
            self.assertRegex(readme, rf"(?m)^\| {code} \| ")
        script = " ".join((SOURCE / "tilescope").read_text().split())
        text = " ".join(self.run_here("--help").stdout.split())
        for words in ("2 wrong usage, or a file that is missing or damaged", "3 cannot run here, or an output that cannot be written",
                      "130 stopped by Ctrl+C"):
            self.assertIn(words, text)
            self.assertIn(words, script)


class UnreadableFiles(Failures):
    """Exit code 2 in every command, whatever is wrong with the file; nothing waits and nothing is written."""

    def cases(self, ending):
        """Ways in which a file is none, each with a name that ends as the command expects."""
        half = SESSION.read_bytes()[:40000]
        contents = {"empty": b"", "damaged": b"\x7fBAD\x00\x01{\"\xff\xfe" * 20}
        if ending == ".json":
            contents |= {"cut": half, "list": b"[" * 60000, "nested": b'{"a":' * 60000 + b"1" + b"}" * 60000, "number": b"12."}
        for name, content in contents.items():
            self.made(name, ending).write_bytes(content)
        self.made("folder", ending).mkdir()
        os.mkfifo(self.made("pipe", ending))
        self.made("device", ending).symlink_to("/dev/zero")
        self.made("dangling", ending).symlink_to(self.folder / "nothing")
        self.made("behind_a_file", "").write_text("")
        return [*contents, "folder", "pipe", "device", "dangling", "missing", "behind_a_file/missing"]

    def made(self, name, ending):
        return pathlib.Path(f"{self.folder}/{name}{ending}")

    def check(self, line):
        _, ending = self.filled(line)
        appended = names_session_to_append(line)
        for name in self.cases(ending):
            if appended and ("missing" in name or name in ("empty", "dangling")):
                continue
            with self.subTest(line=[str(word) for word in line], file=name):
                before = sorted(self.folder.rglob("*"))
                words, _ = self.filled(line, self.folder / name)
                self.failure(self.run_here(*words, "--json"), 2, "unreadable", name + ending)
                if name in ("damaged", "missing"):
                    result = self.run_here(*words)
                    self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                    self.assertIn(name + ending, result.stderr)
                self.assertEqual([file for file in sorted(self.folder.rglob("*")) if file not in before and "data" not in file.parts],
                                 [])

    def test_a_table_of_the_users_that_is_damaged(self):
        folder = self.folder / "data/tilescope/devices"
        folder.mkdir(parents=True)
        table = folder / "own.json"
        lines = [["devices"], ["devices", "--show", "L4"], ["devices", "--calibrate"], ["measure", KERNEL], SWEEP,
                 ["trace", KERNEL, "--device", "L4"], ["step", KERNEL], ["compare", KERNEL, "naive"],
                 ["run", "PTX", "--args", "ARGS", "--device", "L4"], ["lesson", "check", "LESSON"],
                 ["import", "NCU", "--shape", "1,8,512,64"],
                 ["devices", "--calibrate", "--from", SESSION]]
        for content in ("", "{", "[" * 3000, '{"name": "mine"}', (SOURCE / "assets/devices/l4.json").read_text()[:900]):
            table.write_text(content)
            for line in lines if content == "{" else lines[:2]:
                with self.subTest(line=line, content=content[:20]):
                    self.failure(self.run_here(*self.filled(line)[0], "--json"), 2, "unreadable", table)
        table.unlink()
        os.mkfifo(table)
        self.failure(self.run_here("devices", "--json"), 2, "unreadable", table)

    def test_the_description_beside_a_kernel_that_cannot_be_read(self):
        kernel = self.folder / "mine.cu"
        kernel.write_text("__global__ void mine() {}")
        os.mkfifo(kernel.with_suffix(".json"))
        for line in (["measure", kernel], ["kernels", kernel], ["step", kernel], ["sweep", kernel, "--vary", "X"]):
            self.failure(self.run_here(*line, "--json"), 2, "unreadable", "mine.json")

    def test_a_declaration_that_is_invalid_is_about_the_kernel(self):
        kernel = self.folder / "mine.cu"
        for text in ("/* tilescope-kernel\n{\"name\": \n*/", "/* tilescope-kernel {\"name\": \"mine\"} */", "/* tilescope-kernel {"):
            kernel.write_text(text)
            for line in (["measure", kernel], ["trace", kernel], ["kernels", kernel], ["step", kernel],
                         ["sweep", kernel, "--vary", "X"], ["compare", kernel, KERNEL]):
                result = self.run_here(*line, "--json")
                self.assertEqual(result.returncode, 1, result.stderr)
                document = json.loads(result.stdout)
                self.assertEqual(document["status"], "invalid_configuration")
                self.assertIn("mine.cu", document["reason"])


def add_tests_of(table, suite):
    """A test for each command of a table: CTest's log then names the one that fails."""
    for command, lines in table.items():
        def test(self, lines=lines):
            for line in lines:
                with contextlib.ExitStack() as stack:
                    self.folder = pathlib.Path(self.enter(stack))
                    self.check(line)
        setattr(suite, f"test_files_of_{command}", test)


def enter(self, stack):
    """A new folder for a line, so that the files of the line before are not in it."""
    folder = self.folder / f"line{len(list(self.folder.iterdir()))}"
    folder.mkdir()
    for name in PREPARED.values():
        shutil.copy(self.folder / name, folder)
    parent = self.folder
    stack.callback(lambda: setattr(self, "folder", parent))
    return folder


Failures.enter = enter
add_tests_of(INPUTS, UnreadableFiles)


class UnwritableFiles(Failures):
    """Exit code 3 for every output, with its name and the reason."""

    def cases(self, ending):
        (self.folder / f"folder{ending}").mkdir()
        (self.folder / f"full{ending}").symlink_to("/dev/full")
        (self.folder / "file").write_text("")
        cases = [("folder", "is a folder"), ("full", "No space left"), ("file/below", "Not a directory")]
        if os.getuid() != 0:
            (self.folder / "locked").mkdir(mode=0o555)
            cases.append(("locked/file", "Permission denied"))
        return cases

    def check(self, line):
        _, ending = self.filled(line)
        if line[0] == "screenshot" and not (TILESCOPE.parent / "tilescope-window").exists():
            return
        cases = self.cases(ending)
        if line[0] != "devices":  # which makes the folders of a table
            cases.append(("nowhere/file", "No such file"))
        for name, reason in cases:
            with self.subTest(line=[str(word) for word in line], file=name):
                words, _ = self.filled(line, self.folder / name)
                worker = "fine" if line[0] == "devices" else None
                self.failure(self.run_here(*words, "--json", worker=worker), 3, "cannot_run", name + ending, reason)
                result = self.run_here(*words, worker=worker)
                self.assertEqual((result.returncode, result.stdout), (3, ""), result.stderr)
                self.assertIn(name + ending, result.stderr)
        self.assertEqual(list(self.folder.rglob("*.tmp")), [])

    def test_the_old_file_stays_where_the_disk_is_full(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("this user cannot mount a small disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        old = {name: disk / name for name in ("r.html", "g.xml", "s.json")}
        for file in list(old.values())[:2]:
            file.write_text("old")
        shutil.copy(SESSION, self.folder / "s.json")
        (disk / "ballast").write_bytes(bytes(56 << 10))
        for line in (["report", SESSION, "--to", old["r.html"]], ["gate", SESSION, "--against", SESSION, "--junit", old["g.xml"]]):
            self.failure(self.run_here(*line, "--json"), 3, "cannot_run", line[-1], "No space left")
            self.assertEqual(line[-1].read_text(), "old")
        result = self.run_here("measure", KERNEL, "--session", old["s.json"], "--json", worker="fine")
        self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (3, "ok"), "a result is printed all the same")
        self.assertIn(str(old["s.json"]), result.stderr)
        self.assertEqual(sorted(file.name for file in disk.iterdir()), ["ballast", "g.xml", "r.html"])

    def test_a_session_that_cannot_be_written_costs_no_result(self):
        for line in (["measure", KERNEL], ["trace", KERNEL, "--shape", "1,1,64,64"], ["compare", "naive", KERNEL, "--shape", "1,1,64,64"]):
            result = self.run_here(*line, "--session", "no/where.json", "--json", worker="fine" if line[0] == "measure" else None)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("no/where.json", result.stderr)
            self.assertTrue(json.loads(result.stdout))


add_tests_of(OUTPUTS, UnwritableFiles)


class Pipes(Failures):
    """A file that is a pipe, a terminal or a device takes the bytes as they are; nothing is made beside it."""

    REPORT = ["report", SESSION, "--format", "md", "--to"]

    def text(self, *line, ending):
        file = self.folder / f"plain{ending}"
        self.assertEqual(self.run_here(*line, file).returncode, 0)
        return file.read_text()

    def test_a_report_to_standard_output(self):
        expected = self.text(*self.REPORT, ending=".md")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/../dev/stdout"):
            result = self.run_here(*self.REPORT, name)
            self.assertEqual((result.returncode, result.stdout), (0, expected), result.stderr)
            self.assertIn(f"{name}: ", result.stderr, "what the user reads is beside it")

    def test_a_report_to_another_descriptor_and_behind_what_a_file_has(self):
        expected = self.text(*self.REPORT, ending=".md")
        for program in (["bash", "-c", '"$@" --to /dev/fd/3 3>r.md', "-", TILESCOPE, *self.REPORT[:-1]],
                        ["bash", "-c", '"$@" --to >(cat >r.md); wait $!', "-", TILESCOPE, *self.REPORT[:-1]],
                        ["bash", "-c", 'printf "" >r.md; "$@" --to /dev/stdout >>r.md', "-", TILESCOPE, *self.REPORT[:-1]]):
            (self.folder / "r.md").unlink(missing_ok=True)
            result = subprocess.run([*map(str, program)], env=self.environment(), cwd=self.folder, capture_output=True, text=True,
                                    timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.folder / "r.md").read_text(), expected)
        (self.folder / "r.md").write_text("before\n")
        with open(self.folder / "r.md", "a") as file:
            self.assertEqual(self.run_here(*self.REPORT, "/dev/stdout", stdout=file).returncode, 0)
        self.assertEqual((self.folder / "r.md").read_text(), "before\n" + expected)

    def test_every_output_goes_into_a_named_pipe(self):
        for line in [line for lines in OUTPUTS.values() for line in lines]:
            words, ending = self.filled(line, self.folder / "pipe")
            if line[0] == "screenshot" and not (TILESCOPE.parent / "tilescope-window").exists():
                continue
            with self.subTest(words[0] + ending):
                pipe = self.folder / f"pipe{ending}"
                if not pipe.exists():
                    os.mkfifo(pipe)
                reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
                result = self.run_here(*words, worker="fine" if line[0] == "devices" else None)
                received = reader.communicate(timeout=60)[0]
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertGreater(len(received), 40)
                self.assertTrue(pipe.is_fifo())
        self.assertEqual([file.name for file in self.folder.iterdir() if ".tmp" in file.name], [])

    def test_names_without_an_ending(self):
        for line in (["report", SESSION, "--format", "csv", "--to"], ["gate", SESSION, "--against", SESSION, "--junit"],
                     ["compare", f"{SESSION}:kernel=mma_flash", f"{SESSION}:kernel=mma_splitkv", "--across", "--format", "csv", "--to"],
                     ["lesson", "export", self.folder / "lesson.md", "--to"]):
            with self.subTest(line[0]):
                result = self.run_here(*line, "/dev/stdout")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertGreater(len(result.stdout), 100)
                self.assertNotIn("/dev/stdout", result.stdout)
                self.assertTrue(result.stderr, "what the user reads")

    def test_a_document_and_a_report_do_not_share_standard_output(self):
        for line in (self.REPORT, ["gate", SESSION, "--against", SESSION, "--junit"],
                     ["lesson", "export", self.folder / "lesson.md", "--to"], ["devices", "--calibrate", "--to"],
                     ["devices", "--calibrate", "--from", SESSION, "--to"]):
            self.failure(self.run_here(*line, "/dev/stdout", "--json"), 2, "usage", "/dev/stdout")

    def test_a_reader_that_is_gone(self):
        read, write = os.pipe()
        os.close(read)
        result = self.run_here(*self.REPORT, f"/dev/fd/{write}", "--json", pass_fds=[write])
        os.close(write)
        self.failure(result, 3, "cannot_run", f"/dev/fd/{write}", "Broken pipe")
        self.failure(self.run_here(*self.REPORT, "/dev/fd/77", "--json"), 3, "cannot_run", "/dev/fd/77")

    def test_a_picture_that_cannot_be_written_leaves_the_device(self):
        if not (TILESCOPE.parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        picture = self.folder / "full.png"
        picture.symlink_to("/dev/full")
        result = self.run_here("screenshot", "latency", "--session", SESSION, "--to", picture)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertTrue(picture.is_symlink() and picture.is_char_device())


class Documents(Failures):
    """With --json every failure is one document with a status and a reason."""

    def without_json(self):
        return [command for command in INPUTS if "--json" not in self.run_here(command, "--help").stdout]

    def test_wrong_usage_of_every_command(self):
        self.assertEqual(self.without_json(), ["worker"])
        for command in INPUTS:
            for wrong in (["--zebra"], ["--device"], [f"word{number}" for number in range(9)] + ["--zebra=3"]):
                with self.subTest(command=command, wrong=wrong):
                    self.failure(self.run_here(command, "--json", *wrong), 2, "usage")
        for line in (["mesure"], ["--zebra"], [], ["measure"], ["measure", KERNEL, "--set", "BLOK_M=1"], ["sweep", KERNEL],
                     ["measure", KERNEL, "--seed", "x"], ["import", "x.csv", "--format", "nsys"], ["lesson", "chek", "x.md"],
                     ["gate", SESSION, "--against", SESSION, "--max-regression", "x"], ["report", SESSION, "--to", "r.pdf"],
                     ["screenshot", "latency", "--session", SESSION, "--to", "p.svg", "--step", "nowhere"],
                     ["devices", "--from", "x.json"], ["devices", "--show", "H20"], ["run", "PTX", "--entry", "none"],
                     ["compare", f"{SESSION}:kernel=none", KERNEL], ["kernels", "flash_skalar"]):
            with self.subTest(line):
                self.failure(self.run_here(*self.filled(line)[0], "--json"), 2, "usage")

    def test_what_the_window_refuses(self):
        if not (TILESCOPE.parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        for panel, to, more in (("latensy", "p.svg", []), ("latency", "p.gif", []), ("configuration", "p.csv", []),
                                ("latency", "p.svg", ["--size", "0x0"]), ("latency", "p.svg", ["--theme", "pink"]),
                                ("occupancy", "p.svg", ["--choose", "view=cliff"])):
            line = ["screenshot", panel, "--session", SESSION, "--to", to, *more, "--json"]
            self.failure(self.run_here(*line), 2, "usage")
        drawn = self.run_here("screenshot", "latency", "--session", SESSION, "--to", "p.svg", "--json")
        self.assertEqual((drawn.returncode, json.loads(drawn.stdout)["file"]), (0, "p.svg"), drawn.stderr)

    def installed(self, window=None):
        folder = self.folder / "bin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(TILESCOPE, folder)
        if window:
            (folder / "tilescope-window").write_text("#!/bin/sh\n" + window)
            (folder / "tilescope-window").chmod(0o755)
        return folder / "tilescope"

    def test_a_window_that_is_missing_crashes_or_says_nothing(self):
        line = ["screenshot", "latency", "--session", SESSION, "--to", "p.svg", "--json"]
        for window, code, words in ((None, 3, "tilescope-window"), ("kill -SEGV $$", 3, "signal 11"), ("exit 1", 3, "exit code 1"),
                                    ("echo no OpenGL >&2; exit 3", 3, "exit code 3"), ("echo '{'; exit 0", 3, "no document")):
            result = self.run_here(*line, program=self.installed(window), TILESCOPE_ROOT=str(SOURCE))
            self.failure(result, code, "cannot_run", words)
        self.assertIn("no OpenGL", self.run_here(*line, program=self.installed("echo no OpenGL >&2; exit 3"),
                                                 TILESCOPE_ROOT=str(SOURCE)).stderr)

    def test_what_cannot_run_here(self):
        root = {"TILESCOPE_ROOT": str(self.folder)}
        (self.folder / "own.json").mkdir()
        for line, more in ((["compare", KERNEL, "naive"], root), (["devices"], root), (["doctor"], root),
                           (["gate", SESSION, "--against", SESSION, "--junit", "own.json"], {}),
                           (["import", "x.csv"], root), (["kernels"], root), (["lesson", "check", "LESSON"], root),
                           (["measure", KERNEL], root), (["report", SESSION, "--to", "r.md"], root),
                           (["run", "PTX", "--args", "ARGS"], root),
                           (["screenshot", "latency", "--session", SESSION, "--to", "p.svg"], root), (["step", KERNEL], root),
                           (SWEEP, root), (["trace", KERNEL], root),
                           (["devices", "--calibrate"], {"CUDA_VISIBLE_DEVICES": ""}),
                           (["devices", "--calibrate", "--device", "A100"], {"worker": "fine"}),
                           (["sweep", KERNEL, "--vary", "BLOCK_M"], {"TILESCOPE_WORKER": "/bin/false"})):
            with self.subTest(line):
                self.failure(self.run_here(*self.filled(line)[0], "--json", **more), 3, "cannot_run")

    def test_a_worker_that_dies(self):
        result = self.run_here("measure", KERNEL, "--json", worker="lost")
        self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (3, "worker_lost"))
        self.failure(self.run_here("devices", "--calibrate", "--json", worker="lost"), 3, "cannot_run", "worker_lost")
        for line in (["measure", KERNEL], ["trace", KERNEL], ["step", KERNEL]):
            result = self.run_here(*line, "--json", TILESCOPE_WORKER="/bin/false")
            self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (3, "worker_lost"), line)

    def test_a_listing_that_lacks_the_gpus_says_why(self):
        result = self.run_here("devices", "--json", TILESCOPE_WORKER="/bin/false")
        document = json.loads(result.stdout)
        self.assertEqual((result.returncode, document["status"]), (3, "cannot_run"))
        self.assertIn("L4", [device["name"] for device in document["devices"]])
        self.assertIn("cannot say", document["reason"])

    def test_nothing_takes_the_document(self):
        with open("/dev/full", "w") as full:
            for line in (["kernels"], ["measure"], ["mesure"]):
                result = self.run_here(*line, "--json", stdout=full)
                self.assertEqual(result.returncode, 3 if line == ["kernels"] else 2)
                self.assertIn("No space left", result.stderr)

    def started(self, *arguments, worker=None):
        running = subprocess.Popen([TILESCOPE, *map(str, arguments), "--json"], env=self.environment(worker), cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        bit = 1 << (signal.SIGINT - 1)
        while running.poll() is None:
            status = pathlib.Path(f"/proc/{running.pid}/status").read_text()
            if int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) & bit:
                break
            time.sleep(0.01)
        return running

    def interrupted(self, running, repeatedly):
        while True:
            running.send_signal(signal.SIGINT)
            try:
                stdout, stderr = running.communicate(timeout=0.2 if repeatedly else 60)
                break
            except subprocess.TimeoutExpired:
                self.assertTrue(repeatedly)
        self.assertEqual(running.returncode, 130, stderr)
        document = json.loads(stdout)
        self.assertEqual(document["status"], "cancelled")
        self.assertTrue(document["reason"])

    def test_ctrl_c_where_nothing_listens_for_it_yet(self):
        os.mkfifo(self.folder / "r.md")  # without a reader: the command waits for one
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            running = self.started("report", SESSION, "--to", "r.md")
            running.send_signal(signal_number)
            stdout, stderr = running.communicate(timeout=60)
            self.assertEqual((running.returncode, json.loads(stdout)["status"]), (130, "cancelled"), stderr)

    def test_a_second_ctrl_c(self):
        os.mkfifo(self.folder / "c.md")
        line = ["compare", f"{SESSION}:kernel=mma_flash", f"{SESSION}:kernel=mma_splitkv", "--across", "--to", "c.md"]
        self.interrupted(self.started(*line), repeatedly=True)

    def test_ctrl_c_while_a_worker_works(self):
        for line in (["measure", KERNEL], ["devices", "--calibrate"]):
            self.interrupted(self.started(*line, worker="hang"), repeatedly=False)


class Launches(Failures):
    """A launch that no GPU takes is an invalid configuration, whatever is wrong with it."""

    def kernel(self, **changes):
        members = {"name": "mine", "role": "rung", "title": "writes one element", "entry": "mine", "dtypes": ["fp16"],
                   "parameters": [{"name": "SIZE", "values": [0, 1, 2], "default": 0, "help": "a number"}], "constraints": [],
                   "grid": ["1", "1", "1"], "threads": "64", "dynamic_shared_bytes": "0",
                   "arguments": [{"type": "pointer", "value": name} for name in "QKVO"]} | changes
        file = self.folder / "mine.cu"
        file.write_text(f"/* tilescope-kernel\n{json.dumps(members)}\n*/\n" + 'extern "C" __global__ void mine(const unsigned '
                        'short* q, const unsigned short* k, const unsigned short* v, unsigned short* o) { o[0] = 1; }\n')
        return file

    WRONG = [{"grid": ["0", "1", "1"]}, {"grid": ["1", "SIZE", "1"]}, {"grid": ["1", "1", "Hq - Hq"]}, {"grid": ["-1", "1", "1"]},
             {"grid": ["1 / 0", "1", "1"]}, {"grid": ["1", "65536", "1"]}, {"grid": ["2147483648", "1", "1"]},
             {"grid": ["1", "1", "2^70"]}, {"grid": ["ceil_div(Sq, SIZE)", "1", "1"]}, {"threads": "0"}, {"threads": "-64"},
             {"threads": "1025"}, {"threads": "64 % SIZE"}, {"threads": "0.5"}, {"dynamic_shared_bytes": "-4"},
             {"dynamic_shared_bytes": "1e18"}, {"dynamic_shared_bytes": "16 / SIZE"}, {"block_group": "0"}, {"block_group": "-1"},
             {"block_group": "2"}, {"block_group": "1 / SIZE"}, {"constraints": [{"requires": "4 / SIZE", "text": "it fits"}]},
             {"let": {"HALF": "SIZE / SIZE"}, "grid": ["HALF", "1", "1"]}]

    def test_a_point_is_invalid(self):
        for changes in self.WRONG:
            with self.subTest(changes):
                result = self.run_here("measure", self.kernel(**changes), "--device", "L4", "--json")
                document = json.loads(result.stdout)
                self.assertEqual((result.returncode, document["status"]), (1, "invalid_configuration"), document["reason"])
                self.assertTrue(document["reason"])

    def test_in_every_command(self):
        for changes in ({"grid": ["SIZE", "1", "1"]}, {"threads": "SIZE"}):
            kernel = self.kernel(**changes)
            for line in (["measure", kernel], ["trace", kernel], ["step", kernel], ["compare", kernel, KERNEL, "--shape", "1,1,64,64"],
                         ["sweep", kernel, "--vary", "SIZE=0"]):
                result = self.run_here(*line, "--device", "L4", "--json")
                self.assertEqual(result.returncode, 1, (line, result.stderr))
                self.assertTrue(json.loads(result.stdout))
            text = self.run_here("measure", kernel, "--device", "L4").stdout
            self.assertIn("Invalid configuration", text)
            self.assertNotIn("Did not run to completion", text)


if __name__ == "__main__":
    unittest.main()
