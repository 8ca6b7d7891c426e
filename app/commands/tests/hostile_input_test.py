"""What other programs, strangers and slips of the hand put into files and arguments: refused with a place, and never sent
to a terminal, a spreadsheet or an XML reader as it is."""

import csv
import json
import os
import pty
import subprocess
import unittest
import xml.etree.ElementTree

from command_line_test import KERNEL, SOURCE, TILESCOPE, CommandLine

SHAPE = ["--shape", "1,8,512,64"]
LAUNCH_HEADER = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
                 '"Device","CC"')
LADDER = SOURCE / "sessions/examples/ladder_h200.json"

# Escape sequences of 7 and 8 bits, a title, an override of direction, a mark, and what XML forbids.
NASTY = "k\x1b]0;own title\x07\x1b[31mred\x9b2J\u202egnp\u2066\u061c\x7f\ufffe\ufeff\x01end"
SEEN = r"k\x1b]0;own title\x07\x1b[31mred\u009b2J\u202egnp\u2066\u061c\x7f\ufffe\ufeff\x01end"
ACTING = [chr(code) for code in [*range(0x09), 0x0b, 0x0c, *range(0x0e, 0x20), *range(0x7f, 0xa0)]] + list(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\ufffe\uffff")


def raw_page(rows, unit="us"):
    return (LAUNCH_HEADER + ',"gpu__time_duration.sum"\n' + '"",' * 11 + f'"{unit}"\n' +
            "".join(f'"{i}","1","p","h","{name}","1","7","(256, 1, 1)","(64, 1, 1)","0","8.9","{time}"\n'
                    for i, (name, time) in enumerate(rows)))


class HostileInput(CommandLine):
    def file(self, name, contents):
        file = self.folder / name
        if isinstance(contents, bytes):
            file.write_bytes(contents)
        else:
            file.write_text(contents if isinstance(contents, str) else json.dumps(contents))
        return file

    def refused(self, *arguments, code=2, **how):
        result = self.run_it(*arguments, **how)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assert_is_harmless(result.stderr)
        return result.stderr

    def assert_is_harmless(self, text):
        self.assertEqual([hex(ord(letter)) for letter in ACTING if letter in text], [], repr(text))

    def session_of(self, kernel=NASTY, value="+1+1", name="nasty.json"):
        document = json.loads(LADDER.read_text())
        document["points"] = document["points"][:1]
        point = document["points"][0]
        point["kernel"] = kernel
        point["parameters"] = {"A": value}
        point["notes"] = ["=cmd|' /C calc'!A0", NASTY]
        return self.file(name, document)


class Imports(HostileInput):
    def imported(self, contents, name="table.csv", code=0):
        file = self.file(name, contents)
        result = self.run_it("import", file, "--session", self.session, *SHAPE)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout if code == 0 else result.stderr

    def refused_import(self, contents, name="table.csv"):
        file = self.file(name, contents)
        result = self.run_it("import", file, "--session", self.session, *SHAPE)
        self.assertIn(result.returncode, (2, 3), result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertFalse(self.session.exists())
        self.assertIn(name, result.stderr)
        return result.stderr

    def test_a_file_that_ends_inside_a_number(self):
        rows = [f'"0","1","p","h","k(int)","1","7","(128, 1, 1)","(64, 8, 1)","0","8.9","S","{metric}","{unit}","{value}"\n'
                for metric, unit, value in [("launch__registers_per_thread", "register/thread", "73"),
                                            ("gpu__time_duration.sum", "us", "125.75")]]
        whole = LAUNCH_HEADER + ',"Section Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(rows)
        for cut in (2, 3, 4, 5, 6, 9):
            self.assertIn("line 3", self.refused_import(whole[:-cut]))
        self.assertIn("p50 125.75", self.imported(whole))

    def test_what_is_no_time(self):
        for time in ("-5", "0", "NaN", "inf", "1e400", "1.234,5", "1 234"):
            self.assertIn("line 3", self.refused_import(raw_page([("k", time)])))
        self.assertIn("its unit is ''", self.refused_import(raw_page([("k", "5")], unit="")))

    def test_marks_of_other_encodings(self):
        page = raw_page([("k", "12.5")])
        self.assertIn("p50 12.50", self.imported(b"\xef\xbb\xbf" + page.encode()))
        self.session.unlink()
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            self.assertIn("UTF-16", self.refused_import(page.encode(encoding)))

    def test_a_failure_of_any_name_is_a_failed_configuration(self):
        cache = {"device_name": "NVIDIA L4", "kernel_name": "k", "tune_params_keys": ["a"], "tune_params": {"a": [1, 2, 3]},
                 "problem_size": "", "objective": "time",
                 "cache": {"1": {"a": 1, "time": 1.5}, "2": {"a": 2, "time": "SomeOtherFailure"},
                           "3": {"a": 3, "time": "CompilationBroke"}}}
        self.imported(cache, "cache.json")
        self.assertEqual([point["status"] for point in self.saved()["points"]], ["ok", "launch_failed", "compile_failed"])

    def test_a_long_list_is_cut(self):
        text = self.imported(raw_page([(f"k{i}", "12.5") for i in range(5000)]))
        self.assertLess(len(text.splitlines()), 60)
        self.assertIn("and 4,980 more", text)
        self.assertEqual(len(self.saved()["points"]), 5000)

    def test_names_are_escaped(self):
        for name in (NASTY, "two\nlines\x1b[2J", "\x9b31m"):
            if self.session.exists():
                self.session.unlink()
            text = self.imported(raw_page([(name, "12.5")]))
            self.assert_is_harmless(text)
            self.assertIn("12.50", text)

    def test_pipes_devices_and_folders_are_refused(self):
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        for file in (pipe, "/dev/zero", self.folder):
            result = self.run_it("import", file, "--session", self.session, *SHAPE)
            self.assertIn(result.returncode, (2, 3))
            self.assertIn("only regular files are read", result.stderr)
            result = self.run_it("run", self.file("k.ptx", PTX), "--args", file)
            self.assertIn(result.returncode, (2, 3))
            self.assertIn("only regular files are read", result.stderr)


class Arguments(HostileInput):
    NONE = ["-1", "010", "+1", "0x10", "1e3", "1.5", "1k", " 1", "", "18446744073709551616", "99999999999999999999999"]

    def test_whole_numbers_are_decimal_digits_in_a_range(self):
        cases = [("--seed", ["measure", KERNEL], []), ("--schedule-seed", ["trace", KERNEL], []),
                 ("--schedule-seed", ["run", "k.ptx"], []), ("--sample", ["sweep", KERNEL], ["0", "1000001"]),
                 ("--compile-ahead", ["sweep", KERNEL, "--vary", "BLOCK_M"], ["257"]), ("--block", ["step", KERNEL], []),
                 ("--warp", ["step", KERNEL], []), ("--lane", ["step", KERNEL], ["32", "99"]),
                 ("--line", ["screenshot", "microscope", "--session", "s.json", "--to", "p.png"], ["0", "4294967296"])]
        for option, command, more in cases:
            for text in self.NONE + more:
                with self.subTest(option=option, text=text):
                    words = self.refused(*command, f"{option}={text}")
                    self.assertIn(option, words)
                    if text:
                        self.assertIn(f"{option}: '{text}' is not a whole number from ", words)

    def test_a_number_as_a_word_of_its_own(self):
        self.assertIn("--seed: '-1' is not", self.refused("measure", KERNEL, "--seed", "-1"))
        self.assertIn("--seed: '010' is not", self.refused("measure", KERNEL, "--seed", "010"))

    def test_other_numbers(self):
        for option, texts in [("--time-limit", ["0", "-1", "nan", "inf", "86401", "010", "0x10", "5s", "1e400"]),
                              ("--time-budget", ["0", "-1", "nan", "inf", "+1", "1e99", "0x1p3"]),
                              ("--blocks", ["0", "-1", "010", "+1", "0x10", "1e3", "9223372036854775808", "2.0"]),
                              ("--shape", ["1,8,512,064", "1,8,+512,64", "1,8,0x10,64", "1,8,5e2,64", "1,-8,512,64",
                                           "1,8,512,99999999999999999999", "01,8,512,64", "1,08/8,512,64"]),
                              ("--set", ["BLOCK_M=010", "BLOCK_M=+64", "BLOCK_M=0x40", "BLOCK_M=6e1",
                                         "BLOCK_M=99999999999999999999"])]:
            for text in texts:
                with self.subTest(option=option, text=text):
                    words = self.refused("measure", KERNEL, f"{option}={text}")
                    self.assertIn(option if option != "--set" else "BLOCK_M", words)
        for text in ("BLOCK_M=010,64", "BLOCK_M=32,+64", "BLOCK_M=0x40"):
            self.assertIn("BLOCK_M", self.refused("sweep", KERNEL, "--vary", text))
        self.assertIn("--shapes", self.refused("sweep", KERNEL, "--vary", "BLOCK_M", "--shapes", "1,8,0512,64;1,8,64,64"))
        for text in ("-1%", "nan", "0x2%", "010%", "+2%", "1000%", "%", "", "2%%", "inf"):
            self.assertIn("--max-regression", self.refused("gate", LADDER, "--against", LADDER, f"--max-regression={text}"))

    def test_places_of_a_step(self):
        for place in ("slot:-1", "slot:010", "slot:+1", "line:1e3", "warp:", "write:0x", "write:-0x1", "barrier:1 ",
                      "slot:99999999999999999999"):
            self.assertIn("no place to stop at", self.refused("step", KERNEL, "--to", place))
        for row in ("row:-1", "row:010", "row:", "row:0x1"):
            self.assertIn(f"--show {row}", self.refused("step", KERNEL, "--show", row))

    def test_a_warp_and_a_line_that_are_not_there(self):
        words = self.refused("step", KERNEL, "--device", "L4", "--shape", "1,1,32,64", "--set", "NUM_WARPS=4", "--warp", "99")
        self.assertIn("--warp 99: there is no such warp: the block has warps 0 to 3", words)
        words = self.run_it("step", KERNEL, "--device", "L4", "--shape", "1,1,32,64", "--block", "99999")
        self.assertEqual((words.returncode, words.stdout), (1, ""))
        self.assertIn("block 99999 is not in a grid of 1", words.stderr)

    def test_a_line_that_is_not_there(self):
        if not (TILESCOPE.parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        session = self.file("one.json", dict(json.loads(LADDER.read_text())))
        words = self.refused("screenshot", "microscope", "--session", session, "--to", self.folder / "p.svg", "--line", "99999")
        self.assertIn("--line 99999: there is no such line", words)
        for option in ("--size=0x10x20", "--size=-64x64", "--size=064x64", "--size=64", "--size=64x64x64", "--size=99999x64"):
            self.assertIn("--size", self.refused("screenshot", "latency", "--session", session, "--to",
                                                 self.folder / "p.svg", option))


PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd1, %rd1;
  ld.global.u32 %r1, [%rd1];
  ret;
}
"""


class Launches(HostileInput):
    def run_with(self, launch, *more):
        return "run", self.file("k.ptx", PTX), "--args", self.file("launch.json", launch), *more

    def test_a_number_that_nothing_holds_has_its_place(self):
        for text, place in [('{"grid": [1e999, 1, 1]}', "/grid/0"), ('{"block":\n [1, -1e400]}', "/block/1"),
                            ('{"arguments": [{"type": "f64", "value": 1e310}]}', "/arguments/0/value")]:
            words = self.refused(*self.run_with(text))
            for part in ("launch.json", "line ", place):
                self.assertIn(part, words)
            self.assertNotIn("json.exception", words)

    def test_sizes_and_values_that_are_out_of_range(self):
        buffer = {"type": "buffer", "element": "u32", "count": 4, "fill": 0}
        for launch, words in [({"grid": [-1, 1, 1]}, "grid: "), ({"block": [1.5]}, "block: "), ({"block": ["1"]}, "block: "),
                              ({"grid": [18446744073709551615]}, "grid: "),
                              ({"dynamic_shared_bytes": -1}, "dynamic_shared_bytes"),
                              ({"arguments": [dict(buffer, count=-1)]}, "count"),
                              ({"arguments": [dict(buffer, count=1 << 62)]}, "count"),
                              ({"arguments": [dict(buffer, element="f32", fill=1e300)]}, "arguments[0]"),
                              ({"arguments": [dict(buffer, element="f16", fill=1e6)]}, "arguments[0]")]:
            self.assertIn(words, self.refused(*self.run_with(launch)))
        many = {"arguments": [{"type": "buffer", "element": "u8", "values": [-1] * 5000}]}
        words = self.refused(*self.run_with(many))
        self.assertLess(len(words.splitlines()), 30)
        self.assertIn("more errors", words)

    def test_names_of_buffers_are_escaped(self):
        launch = {"arguments": [{"type": "buffer", "element": "u32", "count": 4, "fill": 0, "name": NASTY}]}
        result = self.run_it(*self.run_with(launch))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_is_harmless(result.stdout)
        self.assertIn(SEEN + ", 4 u32", result.stdout)
        document = self.run_it(*self.run_with(launch, "--json")).stdout
        self.assert_is_harmless(document)
        self.assertEqual(json.loads(document)["buffers"][0]["name"], NASTY)


class Terminal(HostileInput):
    def test_arguments_and_file_names_are_escaped(self):
        for arguments in (["measure", NASTY[:200]], ["measure", KERNEL, "--set", NASTY + "=1"], ["x\x1b[31m"],
                          ["measure", KERNEL, "--\x1b[2J"], ["run", self.folder / "no\x1b[31m.ptx"],
                          ["report", self.folder / "no\u202e.json", "--to", self.folder / "r.md"],
                          ["measure", KERNEL, "--dtype", "\x9bfp"]):
            result = self.run_it(*arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assert_is_harmless(result.stderr + result.stdout)

    def test_bytes_that_are_not_utf8(self):
        result = subprocess.run([TILESCOPE, "measure", b"k\xff\x9b31m"], env=self.environment(), capture_output=True, timeout=120)
        self.assertEqual(result.returncode, 2)
        self.assertIn(rb"k\xff\x9b31m", result.stderr)

    def test_colors_of_the_program_are_sent_and_those_of_data_are_not(self):
        main, terminal = pty.openpty()
        self.addCleanup(os.close, main)
        session = self.session_of()
        with os.fdopen(terminal, "wb") as stdout:
            result = self.run_it("doctor", stdout=stdout, TERM="xterm", NO_COLOR="")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"\x1b[3", os.read(main, 100000))
        result = self.run_it("compare", f"{session}", f"{session}")
        self.assert_is_harmless(result.stdout + result.stderr)
        self.assertIn(SEEN, result.stdout)

    def test_a_workers_last_words_are_escaped(self):
        script = self.file("worker.sh", "#!/bin/sh\nprintf 'dying \\033]0;title\\007\\033[31m\\342\\200\\256 now\\n' >&2\nexit 1\n")
        script.chmod(0o755)
        result = self.run_it("measure", KERNEL, "--device", "L4", TILESCOPE_WORKER=str(script))
        self.assertNotEqual(result.returncode, 0)
        self.assert_is_harmless(result.stdout + result.stderr)
        self.assertIn(r"\x1b]0;title\x07\x1b[31m\u202e now", result.stdout + result.stderr)


class Reports(HostileInput):
    def report(self, name, session):
        file = self.folder / name
        result = self.run_it("report", session, "--to", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        return file.read_bytes().decode()

    def test_cells_are_not_formulas(self):
        for kernel, value in [('=HYPERLINK("http://127.0.0.1/","k")', "+1+1"), ("@SUM(A1)", "-2+3+cmd|' /C calc'!A0"),
                              ("\t=1+1", "\r=1+1"), ("-k", "=1+1;=2"), ("+k", "\n=1+1")]:
            text = self.report("r.csv", self.session_of(kernel, value))
            cells = [cell for row in csv.reader(text.splitlines(keepends=True)) for cell in row]
            for cell in cells:
                is_number = cell.lstrip("-").replace(".", "").replace("e", "").isdigit()
                self.assertFalse(cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not is_number, cell)
            self.assertTrue(any(cell.startswith(("'", "\\")) for cell in cells), text)
        self.assertNotIn("\n'", text.replace("\n'\n", ""))

    def test_control_characters_are_escaped(self):
        session = self.session_of()
        for name in ("r.csv", "r.md"):
            self.assert_is_harmless(self.report(name, session))
        self.assertIn(r"\x1b]0;own title\x07", self.report("r.csv", session))
        self.assertIn(r"\\x1b\]0;own title\\x07", self.report("r.md", session))

    def test_markdown_is_no_markup(self):
        for kernel in ("a|b|c", "two\n\n<script>alert(1)</script>", "`<img src=x onerror=alert(1)>`", "[x](javascript:alert(1))"):
            text = self.report("r.md", self.session_of(kernel))
            self.assertNotIn("<script", text)
            self.assertNotIn("<img", text)
            self.assertNotIn("[x](", text.replace("\\[x\\](", ""))
            tables = [line for line in text.splitlines() if line.startswith("|")]
            for line, rule in [(line, next(rule for rule in reversed(tables[:i + 2]) if rule.startswith("|---")))
                               for i, line in enumerate(tables)]:
                self.assertEqual(line.replace("\\|", "").count("|"), rule.count("|"), line)

    def test_junit_is_xml(self):
        a, b = self.session_of(name="a.json"), self.session_of(name="b.json")
        file = self.folder / "r.xml"
        self.run_it("gate", a, "--against", b, "--junit", file)
        case = xml.etree.ElementTree.parse(file).getroot().find(".//testcase")
        self.assertEqual(case.get("classname"), SEEN)
        self.assert_is_harmless(file.read_text())


if __name__ == "__main__":
    unittest.main()
