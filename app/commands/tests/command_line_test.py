"""The command line as a script sees it: exit codes, the contract of --json, bad input, sweeps that stop and resume."""

import csv
import ctypes
import fcntl
import hashlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree

import jsonschema

SOURCE = pathlib.Path(sys.argv.pop(1))
TILESCOPE = pathlib.Path(sys.argv.pop(1))
FAKE_DRIVER = pathlib.Path(sys.argv.pop(1))
# "Trace" runs that class alone, "not-Trace" all others: ctest runs both, so that they run side by side.
PART = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in ("Trace", "not-Trace") else ""
SCHEMA = json.loads((SOURCE / "sessions/schema.json").read_text())
FAKE_WORKER = pathlib.Path(__file__).with_name("fake_worker.py")
KERNEL = "flash_scalar"
GRID = ["--vary", "BLOCK_M=32,64", "--vary", "NUM_WARPS=4,8"]


DEFINITIONS = {"devices": "devices_document", "kernels": "kernels_document", "measure": "tried_measurement",
               "doctor": "doctor_document", "import": "import_document",
               "report": "report_document", "run": "run_document", "sweep": "sweep_document", "trace": "traced_measurement"}


def cubin_of(source, architecture):
    """What NVRTC compiles CUDA source to. It opens its builtins by their name, wherever they are loaded from."""
    for builtins in (downloads() / "cuda13/lib").glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins))
    nvrtc = ctypes.CDLL(str(downloads() / "cuda13/lib/libnvrtc.so.13"))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 2)(f"--gpu-architecture={architecture}".encode(), b"-lineinfo")
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None) == 0
    assert nvrtc.nvrtcCompileProgram(program, 2, options) == 0
    assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
    cubin = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetCUBIN(program, cubin) == 0
    return cubin.raw


def complaints(document, definition=None):
    schema = SCHEMA if definition is None else {"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]}
    return [f"{error.json_path}: {error.message}" for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]


def downloads():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tilescope/dependencies"


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilescope-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.session = self.folder / "session.json"
        self.log = self.folder / "worker.log"

    def environment(self, worker=None, **more):
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("DISPLAY", "WAYLAND_DISPLAY", "TILESCOPE_WORKER", "TILESCOPE_ROOT")}
        environment["XDG_DATA_HOME"] = str(self.folder / "data")
        if worker:
            environment["TILESCOPE_WORKER"] = f"/usr/bin/python3 {FAKE_WORKER} {SOURCE} {self.log} {worker}"
        return environment | more

    def run_it(self, *arguments, worker=None, program=TILESCOPE, stdout=subprocess.PIPE, cwd=None, **more):
        return subprocess.run([program, *map(str, arguments)], env=self.environment(worker, **more), stdout=stdout, cwd=cwd,
                              stderr=subprocess.PIPE, text=True, timeout=120)

    def document(self, *arguments, code=0, **how):
        result = self.run_it(*arguments, "--json", **how)
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, DEFINITIONS[arguments[0]]), [])
        return document

    def with_downloads(self, *names):
        """A cache with these downloads."""
        folder = self.folder / "cache/tilescope/dependencies"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).symlink_to(downloads() / name)
        return {"XDG_CACHE_HOME": str(self.folder / "cache")}

    def with_driver(self, version):
        """A fake driver library, first in the loader's path, and the CUDA version that it reports."""
        folder = self.folder / "driver"
        folder.mkdir(exist_ok=True)
        if not (folder / "libcuda.so.1").exists():
            (folder / "libcuda.so.1").symlink_to(FAKE_DRIVER)
        return {"LD_LIBRARY_PATH": str(folder), "FAKE_CUDA_VERSION": str(version)}

    def saved(self):
        document = json.loads(self.session.read_text())
        self.assertEqual(complaints(document), [])
        return document

    def measured(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


NCU_CSV = """==PROF== Connected to process 7
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"
"","","","","","","","","","","","us"
"0","7","bench","host","flash","1","7","(128, 1, 1)","(8, 8, 1)","0","8.9","1,040.5"
"1","7","bench","host","flash","1","7","(128, 1, 1)","(8, 8, 1)","0","8.9","1,042.5"
"""


class Import(CommandLine):
    def setUp(self):
        super().setUp()
        self.csv = self.folder / "ncu.csv"
        self.csv.write_text(NCU_CSV)

    def test_appends_recorded_points_once(self):
        document = self.document("import", self.csv, "--session", self.session, "--shape", "1,8,512,64", "--device", "l4")
        self.assertEqual([point["latency"]["p50_us"] for point in document["points"]], [1041.5])
        point = self.saved()["points"][0]
        self.assertEqual((point["kernel"], point["latency"]["kind"]), ("flash", "recorded"))
        self.assertEqual(point["device"], {"name": "L4", "arch": "sm_89", "present": True})
        self.assertEqual([point[name] for name in ("resources", "occupancy", "error")], [None] * 3)
        self.assertIn(hashlib.sha256(self.csv.read_bytes()).hexdigest(), point["notes"][0])
        self.assertNotIn(str(self.folder), point["notes"][0])
        again = self.run_it("import", self.csv, "--session", self.session, "--shape", "1,8,512,64")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("The session has them already", again.stdout)
        self.assertEqual(len(self.saved()["points"]), 1)

    def test_says_what_was_imported(self):
        result = self.run_it("import", self.csv, "--session", self.session, "--shape", "1,8,512,64", "--kernel", "mine")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("ncu.csv: Nsight Compute, 1 point", "mine on a device without a name, B1 H8 S512 D64 fp16",
                      "p50 1.042 ms", "without warm-up", "fp16 and not causal: it is assumed"):
            self.assertIn(words, " ".join(result.stdout.split()))

    def test_refuses_what_it_cannot_import_and_keeps_the_session(self):
        self.run_it("import", self.csv, "--session", self.session, "--shape", "1,8,512,64")
        before = self.session.read_bytes()
        other = self.folder / "other.txt"
        other.write_text("a,b\n1,2\n")
        for arguments, code, words in [
                ([self.csv, other], 2, "other.txt: not a file that can be imported: known are Nsight Compute CSV"),
                ([self.folder / "none"], 2, "No such file"),
                ([self.csv, "--format", "nsys"], 2, "'ncu', 'nvbench', 'kernel-tuner'"),
                ([self.csv, "--device", "L5"], 2, "L4"),
                ([self.csv, "--dtype", "fp32"], 2, "fp16")]:
            result = self.run_it("import", *arguments, "--shape", "1,8,256,64", "--session", self.session)
            self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
            self.assertIn(words, result.stderr)
        result = self.run_it("import", self.csv, "--session", self.folder / "new.json")
        self.assertIn("give --shape B,H,S,D", result.stderr)
        self.assertFalse((self.folder / "new.json").exists())
        self.assertEqual(self.run_it("import", self.csv).returncode, 2)
        self.assertEqual(self.session.read_bytes(), before)


class Report(CommandLine):
    LADDER = SOURCE / "sessions/examples/ladder_h200.json"

    def report(self, name, *arguments, session=LADDER):
        document = self.document("report", session, "--to", self.folder / name, *arguments)
        text = (self.folder / name).read_bytes().decode()
        self.assertEqual(document["bytes"], len(text.encode()))
        return text, document

    def test_html_is_one_readable_page(self):
        html, document = self.report("report.html")
        self.assertEqual(document["points"], len(json.loads(self.LADDER.read_text())["points"]))
        self.assertTrue(html.startswith("<!DOCTYPE html>"))
        self.assertNotRegex(html, r"<script|https?://|src=|href=")
        for svg in re.findall(r"<svg viewBox.*?</svg>", html, re.S):
            xml.etree.ElementTree.fromstring(svg)
        self.assertGreaterEqual(html.count("<svg viewBox"), 6)
        for words in ("mma_flash", "cudnn_sdpa", "measured", "TFLOP/s = ", "Max error", "Environment", "Driver"):
            self.assertIn(words, html)
        # naive is the first rung, whatever its latency.
        self.assertLess(html.index(">naive</text>"), html.index(">mma_flash</text>"))

    def test_markdown_and_csv(self):
        markdown, _ = self.report("report.md")
        self.assertIn("| Shape | Device | Best kernel | Origin | p50 | TFLOP/s |", markdown)
        self.assertIn("| B1 H8 S512 D64 fp16 | H200 | mma_flash | measured |", markdown)
        table, document = self.report("report.csv")
        rows = list(csv.DictReader(table.splitlines()))
        self.assertEqual(len(rows), document["points"])
        self.assertEqual({row["Origin"] for row in rows}, {"measured"})

    def test_chosen_points(self):
        _, document = self.report("one.md", "--kernel", "naive", "--shape", "1,8,512,64")
        self.assertEqual(document["points"], 1)
        for arguments, words in [(["--kernel", "naiv"], "naive"), (["--device", "L4"], "--device"),
                                 (["--shape", "9,9,9,9"], "no point"), (["--causal"], "--shape")]:
            result = self.run_it("report", self.LADDER, "--to", self.folder / "no.md", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)
        self.assertFalse((self.folder / "no.md").exists())

    def test_configurations_over_a_set_of_shapes(self):
        shapes = "1,8,512,64; 4,16,512,64"
        html, document = self.report("shapes.html", "--shapes", shapes)
        points = [point for point in json.loads(self.LADDER.read_text())["points"]
                  if point["shape"]["B"] in (1, 4) and not point["shape"]["causal"]]
        self.assertEqual(document["points"], len(points))
        for words in ("Over 2 shapes on H200", "worst regret", "Regret: that ratio - 1"):
            self.assertIn(words, html)
        result = self.run_it("report", self.LADDER, "--to", self.folder / "a.md", "--shapes", shapes + "; 9,9,9,9")
        self.assertEqual(result.returncode, 0)
        self.assertIn("No point of the session is of the shape B9 H9 S9 D9", result.stderr)
        both = self.run_it("report", self.LADDER, "--to", self.folder / "b.md", "--shapes", shapes, "--causal")
        self.assertEqual(both.returncode, 2)

    def test_kernel_tuner_cache_comes_back(self):
        text, _ = self.report("cache.json", "--format", "kernel-tuner", "--kernel", "mma_flash", "--shape", "1,8,512,64")
        self.assertEqual(len(json.loads(text)["cache"]), 1)
        document = self.document("import", self.folder / "cache.json", "--session", self.session)
        point, = document["points"]
        original, = [one for one in json.loads(self.LADDER.read_text())["points"] if one["kernel"] == "mma_flash" and
                     one["shape"] == point["shape"]]
        self.assertEqual(point["parameters"], original["parameters"])
        self.assertEqual(point["latency"]["p50_us"], original["latency"]["p50_us"])
        self.assertEqual(point["latency"]["kind"], "recorded")

    def test_refusals(self):
        for name, arguments, words in [("report.pdf", [], "md, csv, html and kernel-tuner"),
                                       ("report.json", [], "--format kernel-tuner"),
                                       ("cache.json", ["--format", "kernel-tuner"], "choose with --kernel")]:
            result = self.run_it("report", self.LADDER, "--to", self.folder / name, *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertIn(words, result.stderr)
            self.assertFalse((self.folder / name).exists())
        self.assertEqual(self.run_it("report", self.folder / "none.json", "--to", self.folder / "a.md").returncode, 2)
        self.assertEqual(self.run_it("report", self.LADDER, "--to", "/nowhere/a.md").returncode, 3)


class Listing(CommandLine):
    def test_help_names_commands_and_variables(self):
        text = self.run_it("--help").stdout
        for word in ["devices", "doctor", "import", "kernels", "measure", "report", "run", "screenshot", "sweep", "trace", "worker", "TILESCOPE_CUDA",
                     "TILESCOPE_ROOT",
                     "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]:
            self.assertIn(word, text)

    def test_devices(self):
        devices = {device["name"]: device for device in self.document("devices")["devices"]}
        for name in ["L4", "RTX 4090", "A100", "H100", "H200"]:
            self.assertIn(name, devices)
        self.assertEqual(devices["L4"]["sm_count"], 58)
        self.assertIn("datasheet", devices["L4"]["sources"]["dram_gb_per_s"])
        self.assertIn("RTX 4090", self.run_it("devices").stdout)

    def test_a_gpu_of_the_worker_is_listed_as_here(self):
        listed = self.document("devices", worker="fine")["devices"]
        self.assertEqual([device["name"] for device in listed if device["present"]], ["L4"])
        self.assertIn("gpu:0", self.run_it("devices", worker="fine").stdout)

    def test_a_worker_that_cannot_list_costs_no_table(self):
        result = self.run_it("devices", "--json", TILESCOPE_WORKER="/bin/false")
        self.assertEqual(result.returncode, 3)
        self.assertIn("L4", [device["name"] for device in json.loads(result.stdout)["devices"]])
        self.assertIn("the worker cannot say", result.stderr)

    def test_kernels(self):
        kernels = self.document("kernels")["kernels"]
        scalar = next(kernel for kernel in kernels if kernel["name"] == KERNEL)
        self.assertEqual([parameter["name"] for parameter in scalar["parameters"]],
                         ["BLOCK_M", "BLOCK_N", "NUM_WARPS", "VEC_WIDTH", "SMEM_LAYOUT", "REDUCE", "SYNC_POLICY"])
        rungs = [kernel["rung"] for kernel in kernels if kernel.get("rung")]
        self.assertEqual(rungs, list(range(1, len(rungs) + 1)))
        self.assertGreaterEqual(len(rungs), 7)
        text = self.run_it("kernels").stdout
        self.assertIn("BLOCK_M must be a multiple of NUM_WARPS", text)
        self.assertIn("mma_flash (rung 6): ", text)
        self.assertIn("repair: Put __syncthreads() between the two phases.", text)

    def test_one_kernel_is_shown_in_full(self):
        text = self.run_it("kernels", KERNEL).stdout
        self.assertTrue(text.startswith(f"{KERNEL} (rung 3): "), text)
        for words in ["BLOCK_M      32           8 16 32 64 128", "  NUM_WARPS: Warps per block",
                      "  constraint: BLOCK_M must be a multiple of NUM_WARPS", "    requires: BLOCK_M % NUM_WARPS == 0",
                      "  threads per block: NUM_WARPS * 32", "kernels/attention/flash_scalar.cu"]:
            self.assertIn(words, text)
        self.assertNotIn("mma_flash", text)
        self.assertEqual([kernel["name"] for kernel in self.document("kernels", KERNEL)["kernels"]], [KERNEL])
        self.assertIn("repair: ", self.run_it("kernels", "missing_barrier").stdout)
        own = self.folder / "own.cu"
        own.write_text((SOURCE / "kernels/attention/flash_scalar.cu").read_text().replace('"name": "flash_scalar"', '"name": "own"'))
        self.assertTrue(self.run_it("kernels", own).stdout.startswith("own (rung 3): "))

    def root_with(self, **files):
        """A catalogue with flash_scalar and other kernels."""
        root = self.folder / "root"
        (root / "kernels/attention").mkdir(parents=True)
        (root / "kernels/device").symlink_to(SOURCE / "kernels/device")
        (root / "assets").symlink_to(SOURCE / "assets")
        (root / "kernels/attention/flash_scalar.cu").symlink_to(SOURCE / "kernels/attention/flash_scalar.cu")
        for name, text in files.items():
            (root / f"kernels/attention/{name}.cu").write_text(text)
        return str(root)

    def test_one_broken_kernel_costs_no_other(self):
        good = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
        mine = good.replace('"name": "flash_scalar"', '"name": "mine"').replace('"entry"', '"entri"').replace('"rung": 3', '"rnug": 3')
        root = self.root_with(mine=mine, typo='/* tilescope-kernel\n{"name" "typo"}\n*/\n')
        listed = self.document("kernels", TILESCOPE_ROOT=root)
        self.assertEqual([kernel["name"] for kernel in listed["kernels"]], [KERNEL])
        self.assertEqual([(kernel["name"], kernel["source"]) for kernel in listed["broken_kernels"]],
                         [("mine", "mine.cu"), ("typo", "typo.cu")])
        error = listed["broken_kernels"][0]["error"]
        for words in ["mine.cu: 3 problems in the declaration:", "/entry is missing", "did you mean 'entry'?", "did you mean 'rung'?"]:
            self.assertIn(words, error)
        text = self.run_it("kernels", TILESCOPE_ROOT=root).stdout
        self.assertIn("flash_scalar (rung 3): ", text)
        self.assertIn("mine.cu: its declaration cannot be used\n", text)
        self.assertIn("\n    line ", text)
        self.assertIn("typo.cu:2: the declaration is not JSON: ", text)

        self.assertEqual(self.document("measure", KERNEL, "--device", "L4", TILESCOPE_ROOT=root)["status"], "ok")
        for command in ("measure", "trace"):
            point = self.document(command, "mine", "--device", "L4", code=1, TILESCOPE_ROOT=root)
            self.assertEqual((point["status"], point["reason"]), ("invalid_configuration", error))
            self.assertEqual(point["device"]["arch"], "sm_89")
            text = self.run_it(command, "mine", "--device", "L4", TILESCOPE_ROOT=root).stdout
            self.assertIn("Invalid configuration", text)
            for words in ["compiled for", "Compile failed", "()"]:
                self.assertNotIn(words, text)
        result = self.run_it("sweep", "mine", "--vary", "BLOCK_M", TILESCOPE_ROOT=root)
        self.assertEqual(result.returncode, 1)
        self.assertIn("3 problems in the declaration", result.stderr)

    def test_no_window_library_is_linked(self):
        libraries = subprocess.run(["ldd", TILESCOPE], stdout=subprocess.PIPE, text=True, check=True).stdout
        for library in ["libGL", "libX11", "libwayland", "libglfw", "libEGL", "libcuda", "libnvrtc"]:
            self.assertNotIn(library, libraries)


class Terminal(CommandLine):
    """What only a terminal gets: its width, and colors."""

    def on_terminal(self, *arguments, columns=100, worker=None, errors=subprocess.DEVNULL, **more):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {"TERM": "xterm"} | self.environment(worker, **more)
        process = subprocess.Popen([TILESCOPE, *map(str, arguments)], env=environment, stdout=slave,
                                   stderr=errors)
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # A terminal whose program has ended.
                break
            if not part:
                break
            text += part
        os.close(master)
        process.wait(timeout=60)
        return text.decode().replace("\r\n", "\n")

    def test_help_is_wrapped_to_80_columns_in_a_pipe_and_to_the_width_of_a_terminal(self):
        commands = ["compare", "devices", "doctor", "gate", "import", "kernels", "measure", "report", "run", "screenshot", "sweep",
                    "trace", "worker"]
        for arguments in [["--help"]] + [[command, "--help"] for command in commands]:
            with self.subTest(arguments):
                self.assertLessEqual(max(map(len, self.run_it(*arguments).stdout.splitlines())), 80)
                narrow = self.on_terminal(*arguments, columns=60)
                self.assertLessEqual(max(len(line) for line in narrow.splitlines() if '"' not in line), 60)
        wide = self.on_terminal("--help", columns=110)
        self.assertGreater(max(map(len, wide.splitlines())), 90)
        self.assertEqual(" ".join(wide.split()), " ".join(self.run_it("--help").stdout.split()))

    def test_the_status_is_colored(self):
        for worker, color, words in [("wrong", 31, "Incorrect result"), ("fine", 32, "Correct")]:
            self.assertRegex(self.on_terminal("measure", KERNEL, worker=worker), rf"\033\[{color}m.*({words}).*\033\[0m")
        self.assertRegex(self.on_terminal("doctor"), r"disk +\033\[3[123]m(ok|warning|missing) *\033\[0m")
        self.assertIn("\033[31mIncorrect result\033[0m", self.on_terminal("sweep", KERNEL, *GRID, worker="wrong:4"))

    def test_a_file_shows_its_progress(self):
        for command in (["run"], ["step", "--to", "end"]):
            text = self.on_terminal(command[0], *Run.files(self, Run.KERNEL, Run.LAUNCH), *command[1:], errors=subprocess.STDOUT)
            self.assertRegex(text, r"\r.*(read|interpret|record) \d+ %", command[0])
            plain = self.run_it(command[0], *Run.files(self, Run.KERNEL, Run.LAUNCH), *command[1:])
            self.assertEqual((plain.returncode, plain.stderr), (0, ""))

    def test_no_color_where_it_is_not_wanted(self):
        measure = ["measure", KERNEL]
        for text in [self.on_terminal(*measure, worker="fine", NO_COLOR="1"), self.on_terminal(*measure, worker="fine", TERM="dumb"),
                     self.on_terminal(*measure, "--json", worker="fine"), self.run_it(*measure, worker="fine", TERM="xterm").stdout]:
            self.assertIn("ok" if text.startswith("{") else "orrect", text)
            self.assertNotIn("\033", text)
        self.assertIn("\033", self.on_terminal(*measure, worker="fine", NO_COLOR=""))

    def test_results_are_wrapped_to_a_narrow_terminal(self):
        text = self.on_terminal("kernels", KERNEL, columns=70, NO_COLOR="1")
        self.assertLessEqual(max(len(line) for line in text.splitlines() if "/" not in line), 70)


class EndedLaunches(CommandLine):
    def test_each_names_its_line_and_the_next_point_has_a_new_worker(self):
        source = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
        store = "from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);"
        self.assertIn(store, source)
        kernel = self.folder / "mine.cu"
        kernel.write_text(source.replace(store, "if (row == 3) __trap();"))
        line = 1 + source[:source.index(store)].count("\n")
        more = self.with_driver(13000) | {"FAKE_CUDA_FAULT": "flash_scalar=719"}
        document = self.document("sweep", kernel, "--vary", "BLOCK_N=32,64", "--shape", "1,2,128,64", "--device", "gpu:0",
                                 code=3, **more)
        self.assertEqual(len(document["points"]), 2)
        for point in document["points"]:
            self.assertEqual(point["status"], "launch_failed")
            self.assertIn("The GPU ended the launch: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED). ", point["reason"])
            self.assertIn(f"executed a trap at mine.cu:{line}", point["reason"])
            self.assertEqual([(finding["kind"], finding["lines"]) for finding in point["findings"]], [("trap", [line])])
            self.assertEqual([diagnosis["kind"] for diagnosis in point["diagnoses"]], ["trap"])


class Doctor(CommandLine):
    NAMES = ["driver", "NVRTC", "CUPTI", "nvdisasm", "cuobjdump", "cuDNN", "cuBLAS", "OpenGL", "display", "cache", "disk"]

    def check(self, name, **more):
        return next(check for check in self.document("doctor", **more)["checks"] if check["name"] == name)

    def test_a_line_for_each_part_and_one_document(self):
        checks = self.document("doctor")["checks"]
        self.assertEqual([check["name"] for check in checks], self.NAMES)
        for check in checks:
            if check["state"] != "ok":
                self.assertTrue(check["advice"].endswith("."), check)
        lines = self.run_it("doctor").stdout.splitlines()
        self.assertEqual([line.split()[:2] for line in lines], [[check["name"], check["state"]] for check in checks])

    def test_a_driver_of_cuda_12_with_nvrtc_13_alone_names_the_command(self):
        for version, cuda in ((12000, "12.0"), (12040, "12.4"), (12080, "12.8")):
            with self.subTest(cuda):
                shutil.rmtree(self.folder / "cache", ignore_errors=True)
                more = self.with_driver(version) | self.with_downloads("cuda", "cuda13")
                self.assertIn(f"CUDA {cuda}", self.check("driver", **more)["found"])
                nvrtc = self.check("NVRTC", **more)
                if nvrtc["state"] == "ok":
                    self.skipTest("an NVRTC 12 of the system's is here")
                self.assertEqual(nvrtc["state"], "missing")
                self.assertIn(f"./tilescope setup --for-driver {cuda}", nvrtc["advice"])
                cupti = self.check("CUPTI", **more)
                self.assertTrue(cupti["state"] == "missing" or "(CUDA 12)" in cupti["found"], cupti)

    def test_with_both_nvrtc_each_driver_has_its_own(self):
        found = self.with_downloads("cuda", "cuda12", "cuda13")
        for version, fits in ((12000, "12.9"), (12040, "12.9"), (12080, "12.9"), (13000, "13.0")):
            with self.subTest(version):
                nvrtc = self.check("NVRTC", **self.with_driver(version), **found)
                self.assertEqual((nvrtc["state"], nvrtc["found"].split(",")[0]), ("ok", fits))

    def test_a_driver_before_cuda_12_is_missing_with_the_one_that_is_needed(self):
        driver = self.check("driver", **self.with_driver(11080))
        self.assertEqual(driver["state"], "missing")
        self.assertIn("525", driver["found"])
        self.assertIn("newer NVIDIA driver", driver["advice"])

    def test_without_a_display_it_says_what_works(self):
        self.assertEqual(self.check("display")["state"], "missing")

    def test_a_display_that_answers(self):
        if not shutil.which("Xvfb"):
            self.skipTest("there is no Xvfb")
        read, write = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"], pass_fds=[write],
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        os.close(write)
        with os.fdopen(read) as pipe:
            display = f":{int(pipe.readline())}"
        found = self.check("display", DISPLAY=display)
        self.assertIn(f"DISPLAY={display} answers", found["found"])
        self.assertEqual(found["state"], "ok" if (TILESCOPE.parent / "tilescope-window").exists() else "warning")

    def test_another_machine_that_measures_is_named(self):
        result = self.run_it("doctor", TILESCOPE_WORKER="ssh host tilescope worker")
        self.assertEqual(result.returncode, 0)
        self.assertIn("ssh host tilescope doctor", result.stderr)

    def test_neither_cache_nor_data_folder_is_made(self):
        self.run_it("doctor", XDG_CACHE_HOME=str(self.folder / "new"))
        self.assertFalse((self.folder / "new/tilescope").exists())  # Mesa may store its shaders beside it.
        self.assertFalse((self.folder / "data").exists())


class Showing(CommandLine):
    def own_table(self, device):
        """A table of the user's that replaces the shipped one."""
        folder = self.folder / "data/tilescope/devices"
        folder.mkdir(parents=True)
        (folder / f"{device['name'].lower()}.json").write_text(json.dumps(device))

    def test_every_number_has_its_unit_and_its_source(self):
        table = json.loads((SOURCE / "assets/devices/h200.json").read_text())
        result = self.run_it("devices", "--show", "nvidia h200")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines()[0], "H200 (sm_90a), not installed")
        rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.startswith("   ") is False
                and line.startswith("  ")}
        numbers = [name for name, value in table.items() if isinstance(value, dict) and "unit" in value]
        for name in numbers + list(table["measured"]):
            self.assertIn(name, rows)
        self.assertEqual(rows["boost_clock_mhz"][1:3], ["1,980", "MHz"])
        self.assertEqual(rows["dram_read_gb_per_s"][1:4], ["4585.1", "GB/s", "measured:"])
        headings = [line for line in result.stdout.splitlines() if line and not line.startswith(" ")]
        self.assertIn("Limits", headings)
        self.assertIn("Measured, not used by the model", headings)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 120)

    def test_fitted_figures_stand_apart_from_assumed_ones(self):
        table = json.loads((SOURCE / "assets/devices/l4.json").read_text())
        fitted = json.loads((SOURCE / "assets/devices/h200.json").read_text())["fitted"]
        for figure in fitted.values():
            figure["source"] = "fitted: tune.json, 2026-11-23"
        fitted["launch_us"]["value"] = 1.75
        fitted["least_us"]["value"] = 9.5
        self.own_table(table | {"fitted": fitted})
        text = self.run_it("devices", "--show", "L4").stdout
        fitted = text.split("Model of latency: fitted to measured points\n")[1].split("\n\n")[0].splitlines()
        rows = [line.split() for line in fitted[1:]]
        self.assertEqual(len(rows), 16)
        self.assertEqual(rows[0], ["launch_us", "1.75", "us", "fitted:", "tune.json,", "2026-11-23"])
        self.assertIn(["least_us", "9.5", "us", "as", "above"], rows)
        self.assertIn("Model of latency: assumed", text)
        self.assertNotIn("launch_us", text.split("Model of latency: assumed")[1])

    def test_one_document(self):
        result = self.run_it("devices", "--show", "A100", "--json")
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "device_document"), [])
        self.assertEqual(document["device"]["name"], "A100")
        launch = next(row for row in document["parameters"] if row["name"] == "launch_us")
        self.assertEqual(launch, {"name": "launch_us", "value": 0.8, "unit": "us",
                                  "source": "assumed: a launch in a graph, beyond its blocks"})

    def test_an_installed_gpu_by_its_number(self):
        text = self.run_it("devices", "--show", "gpu:0", worker="fine").stdout
        self.assertEqual(text.splitlines()[0], "L4 (sm_89), installed: gpu:0")

    def test_an_unknown_name_and_options_that_exclude_each_other(self):
        unknown = self.run_it("devices", "--show", "H20")
        self.assertEqual((unknown.returncode, unknown.stdout), (2, ""))
        self.assertIn("--show: there is no device 'H20'; did you mean 'H200'", unknown.stderr)
        for options in (["--calibrate"], ["--from", "x.json"], ["--device", "L4"], ["--to", "x.json"]):
            self.assertEqual(self.run_it("devices", "--show", "L4", *options).returncode, 2, options)

    def test_a_worker_that_cannot_list_costs_no_table(self):
        result = self.run_it("devices", "--show", "L4", TILESCOPE_WORKER="/bin/false")
        self.assertEqual(result.returncode, 3)
        self.assertIn("L4 (sm_89), not installed", result.stdout)
        self.assertIn("the worker cannot say", result.stderr)


class Fitting(CommandLine):
    def own_table(self, name="l4"):
        return self.folder / f"data/tilescope/devices/{name}.json"

    def session_of(self, *devices, count=24, kernel=KERNEL, latency=True):
        """A session with measured points of these devices."""
        points = []
        for device in devices:
            for number in range(count):
                result = {"p10_us": 9.0, "p50_us": 10.0 + number, "p90_us": 50.0, "kind": "measured", "samples": 50,
                          "tflops": 10.0, "tflops_formula": "4*B*Hq*Sq*Sk*D", "series": "l2_warm", "l2_warm": None,
                          "l2_cold": None}
                points.append({
                    "status": "ok", "reason": "", "kernel": kernel, "parameters": {"BLOCK_M": 64, "NUM_WARPS": 4},
                    "shape": {"B": 1, "Hq": 8, "Hkv": 8, "Sq": 64 * (number + 1), "Sk": 512, "D": 64, "dtype": "fp16",
                              "causal": False},
                    "device": {"name": device, "arch": "sm_89", "present": True},
                    "resources": {"registers": 64, "static_shared_bytes": 0, "dynamic_shared_bytes": 41472,
                                  "spill_bytes": 0, "stack_bytes": 0, "sass_sha256": f"{number:064x}"},
                    "occupancy": None, "error": None, "latency": result if latency else None, "prediction": None,
                    "counters": None, "memory": None, "findings": [], "diagnoses": None,
                    "provenance": {"tilescope_version": "0.0.0", "time_utc": "2025-11-02T14:03:59Z",
                                   "source_sha256": "a" * 64, "seed": 1},
                    "notes": [], "compiler_log": ""})
        source = {"name": "flash_scalar.cu", "text": "as it was recorded", "headers": {}, "hashed_headers": {}}
        self.session.write_text(json.dumps({
            "format": "tilescope-session", "version": 3, "title": "measured", "created_utc": "2025-11-02T14:03:59Z",
            "tilescope_version": "0.0.0", "sources": {"a" * 64: source}, "points": points}))
        self.saved()

    def fit(self, *arguments, worker="fine", **more):
        return self.run_it("devices", "--calibrate", "--from", self.session, *arguments, worker=worker, **more)

    def asked(self):
        return json.loads(self.log.with_suffix(".fit").read_text().splitlines()[-1])

    def test_the_points_go_to_the_worker_and_its_figures_into_the_table(self):
        self.session_of("NVIDIA L4")
        result = self.fit()
        self.assertEqual(result.returncode, 0, result.stderr)
        asked = self.asked()
        self.assertEqual(len(asked["experiments"]), 24)
        self.assertEqual({experiment["device"] for experiment in asked["experiments"]}, {"L4"})
        self.assertEqual(asked["recorded"][3], {"p50_us": 13.0, "sass_sha256": f"{3:064x}"})
        self.assertRegex(asked["source"], r"^session\.json, \d{4}-\d\d-\d\d$")
        self.assertIn("fitted to 22 points", result.stdout)
        self.assertIn("25.0 % before, 12.5 % after", result.stdout)
        self.assertIn("Skipped: 2 points: the machine code compiled now differs", result.stdout)
        rows = [line.split()[:4] for line in result.stdout.splitlines() if line.startswith("launch_us")]
        self.assertEqual(rows, [["launch_us", "0.8", "1.75", "us"]])
        table = json.loads(self.own_table().read_text())
        self.assertEqual(table["fitted"]["launch_us"]["value"], 1.75)
        shipped = json.loads((SOURCE / "assets/devices/l4.json").read_text())
        for field in ("sm_count", "fp16_tflops", "dram_gb_per_s"):
            self.assertEqual(table[field], shipped[field])
        self.assertIn(str(self.own_table()), result.stderr)

    def test_a_kernel_that_changed_is_sent_as_it_was_recorded(self):
        self.session_of("L4")
        self.fit()
        self.assertEqual([source["text"] for source in self.asked()["sources"]], ["as it was recorded"])
        self.assertEqual(self.asked()["source_of"], [0] * 24)

    def test_one_document_and_a_table_elsewhere(self):
        self.session_of("L4")
        table = self.folder / "own.json"
        result = self.fit("--to", table, "--json")
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "fit_document"), [])
        self.assertEqual((document["points"], document["error_after"], document["table"]), (22, 0.125, str(table)))
        shipped = json.loads((SOURCE / "assets/devices/h200.json").read_text())
        self.assertEqual(document["figures"], sorted(shipped["fitted"]))
        self.assertTrue(table.exists())
        self.assertFalse(self.own_table().exists())

    def test_of_several_devices_that_of_most_points_or_the_named_one(self):
        self.session_of("A100", "A100", "H100", count=24)
        mixed = self.fit()
        self.assertIn("24 points of H100", mixed.stderr)
        self.assertIn("48 points of A100", mixed.stderr)
        self.assertIn("A100 is fitted; --device chooses another one", mixed.stderr)
        self.assertEqual(self.asked()["device"]["name"], "A100")
        self.assertEqual(self.fit("--device", "h100").returncode, 0)
        self.assertEqual(self.asked()["device"]["name"], "H100")
        absent = self.fit("--device", "L4")
        self.assertEqual(absent.returncode, 3)
        self.assertIn("no measured point of L4: it has 48 points of A100, 24 points of H100", absent.stderr)
        self.assertEqual(self.fit("--device", "L5").returncode, 2)

    def test_a_point_that_was_measured_again_counts_once_with_its_last_latency(self):
        self.session_of("L4", "L4")
        self.fit()
        self.assertEqual(len(self.asked()["experiments"]), 24)

    def test_what_cannot_be_fitted_to_is_said(self):
        for prepare, code, complaint in (
                (lambda: self.session_of("L4", count=19), 3, "has 19 points of L4"),
                (lambda: self.session_of("L4", latency=False), 3, "has no point with a latency"),
                (lambda: self.session_of("NVIDIA T4"), 3, "of which there is no device table"),
                (lambda: self.session.write_text("{"), 2, "session"),
                (self.session.unlink, 2, "cannot be opened")):
            prepare()
            result = self.fit()
            self.assertEqual((result.returncode, result.stdout), (code, ""), complaint)
            self.assertIn(complaint, result.stderr)
        self.assertFalse(self.log.with_suffix(".fit").exists())

    def test_a_fit_that_fails_leaves_no_table(self):
        self.session_of("L4")
        for worker, complaint in (("other_code", "L4 was not fitted (unsupported): 2 of 24 points"),
                                  ("lost", "L4 was not fitted (worker_lost)")):
            result = self.fit(worker=worker)
            self.assertEqual((result.returncode, result.stdout), (3, ""))
            self.assertIn(complaint, result.stderr)
        self.assertFalse(self.own_table().exists())

    def test_ctrl_c_cancels(self):
        self.session_of("L4")
        process = subprocess.Popen([TILESCOPE, "devices", "--calibrate", "--from", self.session],
                                   env=self.environment("hang"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, complaint)
        self.assertIn("L4 was not fitted (cancelled)", complaint)
        self.assertFalse(self.own_table().exists())

    def test_a_session_without_a_calibration_is_wrong_usage(self):
        self.session_of("L4")
        result = self.run_it("devices", "--from", self.session)
        self.assertEqual(result.returncode, 2)
        self.assertIn("give --calibrate too", result.stderr)


class Calibrating(CommandLine):
    def own_table(self):
        return self.folder / "data/tilescope/devices/l4.json"

    def test_figures_are_printed_and_the_table_is_read_from_then_on(self):
        result = self.run_it("devices", "--calibrate", worker="fine")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["figure", "value", "unit", "p90", "-", "p10"])
        self.assertEqual(lines[1].split(), ["mufu_ex2_lanes_per_clk_sm", "15.97", "1/clk/SM", "0.02"])
        self.assertEqual(lines[2].split(), ["ffma_latency_cycles", "4.01", "cycles", "0.02"])
        self.assertEqual(lines[3], "dram_read_gb_per_s was not measured: out of memory")
        self.assertIn(str(self.own_table()), result.stderr)
        table = json.loads(self.own_table().read_text())
        self.assertEqual(table["measured"]["ffma_latency_cycles"],
                         {"value": 4.01, "unit": "cycles", "spread": 0.02, "source": "measured: clock64 on gpu:0"})
        self.assertEqual(table["sm_count"], {"value": 58, "unit": "1", "source": "the driver of this machine"})
        listed = [device for device in self.document("devices")["devices"] if device["name"] == "L4"]
        self.assertEqual([list(device["measured"]) for device in listed],
                         [["ffma_latency_cycles", "mufu_ex2_lanes_per_clk_sm"]])

    def test_one_document_and_a_table_elsewhere(self):
        table = self.folder / "deep/er/own.json"
        result = self.run_it("devices", "--calibrate", "--device", "NVIDIA L4", "--to", table, "--json", worker="fine")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "calibration"), [])
        self.assertEqual(document["figures"], ["mufu_ex2_lanes_per_clk_sm", "ffma_latency_cycles"])
        self.assertEqual(document["table"], str(table))
        self.assertTrue(table.exists())
        self.assertFalse(self.own_table().exists())

    def test_where_there_is_no_gpu_it_cannot_run_and_says_why(self):
        result = self.run_it("devices", "--calibrate", CUDA_VISIBLE_DEVICES="")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("there is no GPU to calibrate", result.stderr)

    def test_a_device_that_is_not_here_and_one_that_is_not_at_all(self):
        absent = self.run_it("devices", "--calibrate", "--device", "A100", worker="fine")
        self.assertEqual(absent.returncode, 3)
        self.assertIn("no A100 is installed to calibrate", absent.stderr)
        unknown = self.run_it("devices", "--calibrate", "--device", "L5", worker="fine")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("'L4'", unknown.stderr)
        self.assertEqual(self.run_it("devices", "--to", "x.json", worker="fine").returncode, 2)

    def test_a_worker_that_dies_leaves_no_table(self):
        result = self.run_it("devices", "--calibrate", worker="lost")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("L4 was not calibrated (worker_lost)", result.stderr)
        self.assertFalse(self.own_table().exists())

    def test_a_table_that_cannot_be_written_is_said(self):
        (self.folder / "file").write_text("")
        result = self.run_it("devices", "--calibrate", "--to", self.folder / "file/own.json", worker="fine")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("own.json cannot be written: ", result.stderr)

    def test_ctrl_c_cancels(self):
        process = subprocess.Popen([TILESCOPE, "devices", "--calibrate"], env=self.environment("hang"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, complaint)
        self.assertIn("L4 was not calibrated (cancelled)", complaint)
        self.assertFalse(self.own_table().exists())

    def test_a_microbenchmark_is_not_measured_as_attention(self):
        point = self.document("measure", "ffma", "--device", "RTX 4090", code=1)
        self.assertEqual(point["status"], "invalid_configuration")
        self.assertIn("tilescope devices --calibrate", point["reason"])


class BadInput(CommandLine):
    def test_a_sentence_names_the_nearest_right_words(self):
        for arguments, words in [
            (["mesure"], "'measure'"),
            (["measure"], "KERNEL is required"),
            (["measure", "flash_skalar"], "'flash_scalar'"),
            (["measure", "absent.cu"], "absent.cu"),
            (["measure", KERNEL, "--set", "BLOK_M=32"], "'BLOCK_M'"),
            (["measure", KERNEL, "--set", "BLOCK_M"], "--set BLOCK_M=64"),
            (["measure", KERNEL, "--set", "BLOCK_M=32", "--set", "BLOCK_M=64"], "twice"),
            (["measure", KERNEL, "--set", "SMEM_LAYOUT=swizzle"], "xor_swizzle"),
            (["measure", KERNEL, "--device", "L5"], "'L4'"),
            (["measure", KERNEL, "--dtype", "fp8"], "'fp16'"),
            (["measure", KERNEL, "--shape", "1,8,512"], "1,8,512,64"),
            (["measure", KERNEL, "--shape", "1,8,512,x"], "D is 'x'"),
            (["measure", KERNEL, "--shape", "1,8/3,512,64"], "multiple of Hkv"),
            (["measure", KERNEL, "--shape", "1,8,0,64"], "Sq is 0"),
            (["measure", KERNEL, "--sett", "BLOCK_M=32"], "'--set'"),
            (["measure", KERNEL, "--seed", "x"], "--seed"),
            (["measure", KERNEL, "--time-limit", "0"], "--time-limit"),
            (["measure", KERNEL, "--time-budget", "nan"], "--time-budget"),
            (["measure", KERNEL, "more"], "'more'"),
            (["measure", KERNEL, "--blocks", "some"], "'auto', 'all'"),
            (["measure", KERNEL, "--compiler", "gcc"], "--compiler: 'gcc' is not a compiler: there are 'nvrtc', 'nvcc'"),
            (["sweep", KERNEL, "--vary", "BLOCK_M", "--compiler", "NVCC"], "'nvrtc', 'nvcc'"),
            (["trace", KERNEL, "--blocks", "0"], "'auto', 'all'"),
            (["trace", KERNEL, "--compiler", ""], "'nvrtc', 'nvcc'"),
            (["trace", "flash_skalar"], "'flash_scalar'"),
            (["trace", KERNEL, "--cheque"], "'--check'"),
            (["trace", KERNEL, "--schedule-seed", "x"], "--schedule-seed"),
            (["sweep", KERNEL], "--vary"),
            (["sweep", KERNEL, "--vary", "BLOCK"], "'BLOCK_M'"),
            (["sweep", KERNEL, "--vary", "BLOCK_M="], "--vary"),
            (["sweep", KERNEL, "--vary", "BLOCK_M=32,32"], "twice"),
            (["sweep", KERNEL, "--vary", "BLOCK_M", "--vary", "BLOCK_M=32"], "twice"),
            (["sweep", KERNEL, "--vary", "SMEM_LAYOUT=padded,swizzle"], "xor_swizzle"),
            (["sweep", KERNEL, "--vary", "BLOCK_M", "--set", "BLOCK_M=32"], "both"),
            (["kernels", "flash_skalar"], "did you mean 'flash_scalar'?"),
            (["kernels", "one", "two"], "'two'"),
        ]:
            with self.subTest(arguments):
                result = self.run_it(*arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_what_is_far_from_every_name_is_not_suggested(self):
        for arguments, words, more in [
            (["kernels", "exhibit"], "there is no kernel 'exhibit'; `tilescope kernels` lists them", ""),
            (["explode"], "there is no command 'explode'", ""),
            (["measure", KERNEL, "--zebra"], "there is no option '--zebra'; see tilescope measure --help", ""),
            (["measure", KERNEL, "--set", "zebra=1"], "flash_scalar has no parameter 'zebra'", "choose 'BLOCK_M', "),
            (["measure", KERNEL, "--device", "potato"], "--device: there is no device 'potato'", "choose "),
        ]:
            with self.subTest(arguments):
                result = self.run_it(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"tilescope: {words}", result.stderr)
                self.assertIn(more, result.stderr)
                self.assertNotIn("did you mean", result.stderr)

    def test_a_root_that_is_none(self):
        result = self.run_it("kernels", TILESCOPE_ROOT=str(self.folder))
        self.assertEqual(result.returncode, 3)
        self.assertIn("TILESCOPE_ROOT", result.stderr)

    def test_a_full_disk_under_stdout(self):
        with open("/dev/full", "w") as full:
            result = self.run_it("kernels", "--json", stdout=full)
        self.assertEqual(result.returncode, 3)
        self.assertIn("No space left", result.stderr)


class Measure(CommandLine):
    def test_a_point_of_the_l4(self):
        point = self.document("measure", KERNEL, "--device", "l4", "--set", "BLOCK_M=64", "--set", "BLOCK_N=64", "--set",
                              "NUM_WARPS=8")
        self.assertEqual(point["status"], "ok")
        self.assertEqual((point["device"]["name"], point["device"]["arch"]), ("L4", "sm_89"))
        self.assertGreater(point["resources"]["registers"], 16)
        self.assertGreater(point["resources"]["dynamic_shared_bytes"], 2 * 64 * 64 * 2)
        self.assertGreater(point["occupancy"]["blocks_per_sm"], 0)
        self.assertIn(point["occupancy"]["limiter"], ["registers", "shared_memory", "warps", "blocks"])
        self.assertEqual(len(point["resources"]["sass_sha256"]), 64)
        if not point["device"]["present"]:
            self.assertEqual(point["error"]["checked_by"], "interpreter")
            self.assertLessEqual(point["error"]["max_abs"], point["error"]["tolerance"])
            self.assertEqual((point["memory"]["kind"], point["memory"]["counted_from"]), ("counted", "machine_code"))
            self.assertGreaterEqual(point["memory"]["shared_wavefronts"], point["memory"]["shared_wavefronts_minimum"])

    def test_the_shape_is_what_was_asked_for(self):
        point = self.document("measure", KERNEL, "--device", "L4", "--shape", "2,8/2,100/300,128", "--causal", "--dtype",
                              "bf16", "--seed", "7")
        self.assertEqual(point["shape"], {"B": 2, "Hq": 8, "Hkv": 2, "Sq": 100, "Sk": 300, "D": 128, "dtype": "bf16",
                                          "causal": True})
        self.assertEqual(point["provenance"]["seed"], 7)

    def test_an_invalid_configuration_has_the_constraint_s_own_words(self):
        point = self.document("measure", KERNEL, "--set", "BLOCK_M=8", "--set", "NUM_WARPS=16", code=1)
        self.assertEqual(point["status"], "invalid_configuration")
        self.assertIn("BLOCK_M must be a multiple of NUM_WARPS", point["reason"])

    def test_a_value_that_is_not_declared_is_blamed_before_a_constraint(self):
        point = self.document("measure", KERNEL, "--set", "BLOCK_M=63", code=1)
        self.assertEqual(point["status"], "invalid_configuration")
        self.assertEqual(point["reason"], "BLOCK_M = 63 is not one of 8, 16, 32, 64, 128")
        self.assertIsNone(point["resources"])

    def test_text_for_a_person_says_what_is_not_measured(self):
        text = self.run_it("measure", KERNEL, "--device", "A100").stdout
        for words in ["Registers", "Blocks per SM", "A100"]:
            self.assertIn(words, text)
        for line in text.splitlines():
            self.assertNotRegex(line.replace("p50 ", ""), r"^  [A-Z][a-z]+( [a-zA-Z]+)*\d", "a label runs into its figure")
        self.assertRegex(text, "No measured latency|p50")

    def test_the_compiler_is_that_which_was_asked_for_and_is_named(self):
        point = self.document("measure", KERNEL, "--device", "L4")
        made_by = point["provenance"]
        self.assertEqual((made_by["compiler"], made_by["nvcc_version"]), ("nvrtc", None))
        self.assertIn(f"NVRTC {made_by['nvrtc_version']}", self.run_it("measure", KERNEL, "--device", "L4").stdout)
        if not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            self.skipTest("there is no nvcc")
        other = self.document("measure", KERNEL, "--device", "L4", "--compiler", "nvcc", "--session", self.session)
        made_by = other["provenance"]
        self.assertEqual((other["status"], made_by["compiler"], made_by["nvrtc_version"]), ("ok", "nvcc", None))
        self.assertNotEqual(made_by["binary_key"], point["provenance"]["binary_key"])
        self.assertEqual(self.saved()["points"][0]["provenance"]["compiler"], "nvcc")
        for command, words in [("measure", "nvcc "), ("trace", "compiled by nvcc ")]:
            text = self.run_it(command, KERNEL, "--device", "L4", "--compiler", "nvcc").stdout
            self.assertIn(words + made_by["nvcc_version"], text)
            self.assertNotIn(tempfile.gettempdir(), text)

    def test_without_nvcc_it_cannot_run_and_says_how_to_get_it(self):
        # The downloads have an NVRTC and no nvcc.
        toolkit = downloads() / "cuda13"
        point = self.document("measure", KERNEL, "--device", "L4", "--compiler", "nvcc", code=3, PATH="/nowhere",
                              TILESCOPE_CUDA=str(toolkit))
        self.assertEqual((point["status"], point["provenance"]["compiler"]), ("unsupported", "nvcc"))
        self.assertIn(f"nvcc, which this point is to be compiled with, was not found in {toolkit}/bin", point["reason"])
        self.assertIn("Install a CUDA Toolkit", point["reason"])

    def test_a_kernel_that_does_not_compile(self):
        kernel = self.folder / "broken.cu"
        good = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
        kernel.write_text(good + "\nint broken = no_such_name;\n")
        line = good.count("\n") + 2
        point = self.document("measure", kernel, "--device", "L4", code=1)
        self.assertEqual(point["status"], "compile_failed")
        self.assertIn(f"({line})", point["compiler_log"])
        self.assertIn("no_such_name", self.run_it("measure", kernel, "--device", "L4").stdout)

    def test_a_kernel_whose_declaration_is_broken(self):
        kernel = self.folder / "broken.cu"
        kernel.write_text('/* tilescope-kernel\n{"name": \n*/\n')
        point = self.document("measure", kernel, code=1)
        self.assertEqual(point["status"], "invalid_configuration")
        self.assertIn("broken.cu", point["reason"])

    def test_a_memory_fault_is_no_launch_that_failed(self):
        text = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
        store = "from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);"
        self.assertIn(store, text)
        kernel = self.folder / "wild.cu"
        kernel.write_text(text.replace(store, "from_float(1.0f, o[column + (1ll << 40)]);"))
        result = self.run_it("measure", kernel, "--device", "L4")
        self.assertIn("Did not run to completion: ", result.stdout)
        self.assertNotIn("could not be launched", result.stdout)

    def test_a_wrong_result_exits_1(self):
        point = self.document("measure", KERNEL, code=1, worker="wrong")
        self.assertEqual(point["status"], "wrong_result")
        self.assertIn("Incorrect result", self.run_it("measure", KERNEL, worker="wrong").stdout)

    def test_a_lost_worker_and_a_hanging_one_exit_3(self):
        self.assertEqual(self.document("measure", KERNEL, code=3, worker="lost")["status"], "worker_lost")
        point = self.document("measure", KERNEL, "--time-limit", "1", code=3, worker="hang")
        self.assertEqual(point["status"], "timed_out")

    def test_a_cancelled_point_is_not_kept(self):
        running = subprocess.Popen([TILESCOPE, "measure", KERNEL, "--json", "--session", self.session], text=True,
                                   env=self.environment("hang"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while self.measured() == 0:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=30)
        self.assertEqual((running.returncode, json.loads(stdout)["status"]), (130, "cancelled"), stderr)
        self.assertFalse(self.session.exists())

    def test_points_are_appended_to_the_session_with_their_source(self):
        for block_m in (32, 64):
            self.document("measure", KERNEL, "--device", "L4", "--set", f"BLOCK_M={block_m}", "--session", self.session)
        session = self.saved()
        self.assertEqual([point["parameters"]["BLOCK_M"] for point in session["points"]], [32, 64])
        source = session["sources"][session["points"][0]["provenance"]["source_sha256"]]
        self.assertIn("tilescope-kernel", source["text"])
        self.assertTrue(source["headers"])

    def test_a_session_that_cannot_be_kept_costs_no_result(self):
        result = self.run_it("measure", KERNEL, "--json", "--session", self.folder / "no/where.json", worker="fine")
        self.assertEqual(result.returncode, 3)
        self.assertIn("cannot create", result.stderr)
        self.assertEqual(json.loads(result.stdout)["status"], "ok")

    def test_a_damaged_session_is_refused_before_anything_is_measured(self):
        damaged = "{\"format\": \"tilescope-session\", "
        self.session.write_text(damaged)
        result = self.run_it("measure", KERNEL, "--json", "--session", self.session, worker="fine")
        self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (2, "unreadable"))
        self.assertIn("invalid JSON", result.stderr)
        self.assertEqual((self.session.read_text(), self.measured()), (damaged, 0))


class Trace(CommandLine):
    SOURCE_TEXT = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
    READ_K = "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"
    STORE = "store_packet(tile + Tile::index(row, column), packet);"
    SMALL = ["--shape", "1,2,128,64", "--device", "L4"]

    def line_of(self, text, source=SOURCE_TEXT):
        return source[:source.index(text)].count("\n") + 1

    def copy(self, before, after):
        self.assertIn(before, self.SOURCE_TEXT)
        kernel = self.folder / "copy.cu"
        kernel.write_text(self.SOURCE_TEXT.replace(before, after, 1))
        return kernel

    def test_reads_of_k_collide_in_row_major_and_not_swizzled(self):
        line = self.line_of(self.READ_K)
        for layout, degree in [("row_major", 8), ("xor_swizzle", 1)]:
            point = self.document("trace", KERNEL, "--device", "L4", "--set", f"SMEM_LAYOUT={layout}")
            self.assertEqual((point["status"], point["error"]["checked_by"]), ("ok", "interpreter"))
            self.assertIsNone(point["latency"])
            memory = point["memory"]
            self.assertEqual((memory["kind"], memory["blocks_total"]), ("counted", 128))
            site = next(s for s in memory["sites"] if s["line"] == line and s["tile"] == "K")
            self.assertEqual((site["operation"], site["width_bytes"], site["worst_degree"]), ("ld.shared", 16, degree))
            self.assertEqual(site["conflicts"], (degree - 1) * site["minimum"])
            self.assertEqual(sum(int(d) * n for d, n in site["degrees"].items()) * 4, site["wavefronts"])

    def test_text_has_a_row_for_each_site_with_its_source(self):
        text = self.run_it("trace", KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=row_major").stdout
        row = next(line for line in text.splitlines() if " 8-way  " in line)
        self.assertRegex(row, rf"^ +{self.line_of(self.READ_K)}  ld.shared  16  K  .* 8-way  unpack<Element>")
        for words in ["Shared memory", "Global memory", "Totals", "Correct", "alu ", "blocks were interpreted"]:
            self.assertIn(words, text)

    def recorded_on_an_h200(self, launch, total):
        record = json.loads((SOURCE / "profiler/execution/sass/tests/hardware/h200_machine_code.json").read_text())
        return record["launches"][launch]["totals"][list(record["total_metrics"]).index(total)]

    def test_wavefronts_of_each_operation_are_those_that_an_h200_counted(self):
        for kernel, setting in [("flash_scalar", "VEC_WIDTH=1"), ("naive", None)]:
            settings = ["--set", setting] if setting else []
            text = self.run_it("trace", kernel, *settings, "--device", "H200", "--blocks", "all").stdout
            launch = " ".join(["rung/" + kernel] + ([setting] if setting else []) + ["B1 H8 S512 D64 fp16"])
            for operation, total in [("ld.shared", "shared_ld"), ("st.shared", "shared_st")]:
                counted = self.recorded_on_an_h200(launch, total + "_wavefronts")
                self.assertRegex(text, rf"\n +{operation} +{counted:,} wavefronts of ")
            self.assertIn(f"{self.recorded_on_an_h200(launch, 'instructions'):,} machine instructions", text)

    def test_sass_prints_each_instruction_with_what_it_did(self):
        point = self.document("trace", KERNEL, *self.SMALL[:2], "--device", "H200", "--sass", "--blocks", "all")
        code, memory = point["machine_code"], point["memory"]
        self.assertEqual((code["architecture"], code["why_none"]), ("sm_90a", None))
        rows = code["instructions"]
        self.assertEqual([row["address"] for row in rows], list(range(0, 16 * len(rows), 16)))
        self.assertEqual(sum(row["executions"] for row in rows), memory["warp_instructions"])
        for column, total in [("shared_wavefronts", "shared_wavefronts"), ("global_sectors", "global_sectors"),
                              ("shared_wavefronts_minimum", "shared_wavefronts_minimum")]:
            self.assertEqual(sum(row[column] or 0 for row in rows), memory[total])
        times = [row["issue_us"] + row["wait_us"] for row in rows if row["executions"]]
        of_lines = sum(line["issue_us"] + line["wait_us"] for line in point["prediction"]["lines"])
        self.assertAlmostEqual(sum(times), of_lines, 6)
        for row in rows:
            self.assertLessEqual(row["threads_on"], row["threads"])
            self.assertLessEqual(row["threads"], 32 * row["executions"])
        text = self.run_it("trace", KERNEL, *self.SMALL[:2], "--device", "H200", "--sass", "--blocks", "all").stdout
        listed = re.findall(r"(?m)^([0-9a-f]{4}) ", text)
        self.assertEqual([int(address, 16) for address in listed], [row["address"] for row in rows])
        self.assertLessEqual(max(len(line) for line in text[text.index("Machine code"):].splitlines()
                                 if not line.startswith("Lanes")), 100)
        self.assertNotIn("machine_code", self.document("trace", KERNEL, *self.SMALL))

    def test_text_ends_with_how_to_see_the_lanes_of_the_worst_line(self):
        line = self.line_of(self.READ_K)
        text = self.run_it("trace", KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=row_major").stdout
        self.assertEqual(text.splitlines()[-1],
                         f"Lanes of line {line}: trace with --session FILE, then "
                         f"./tilescope screenshot microscope --session FILE --line {line} --to lanes.png")
        session = str(self.folder / 'trace it.json')
        text = self.run_it("trace", KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=row_major", "--session", session).stdout
        self.assertIn(f"./tilescope screenshot microscope --session '{session}' --line {line} --to", text)

    def test_advice_names_the_line_and_no_parameter_that_was_not_tried(self):
        experiment = [KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=row_major"]
        line = self.line_of(self.READ_K)
        for command in ["measure", "trace"]:
            idle, diagnosis = self.document(command, *experiment)["diagnoses"]
            self.assertEqual(idle["kind"], "idle_sms", "four blocks")
            self.assertEqual((diagnosis["kind"], diagnosis["severity"], diagnosis["lines"]),
                             ("bank_conflicts", "cost", [line]))
            self.assertLess(diagnosis["saving"]["us"], idle["saving"]["us"])
            self.assertIn("Removing this would save", diagnosis["evidence"])
            text = " ".join(self.run_it(command, *experiment).stdout.split())
            for words in ["Advice", f"8-way conflict on K (line {line}): ", "Pad the rows of K, or swizzle them"]:
                self.assertIn(words, text)
            for words in ["SMEM_LAYOUT=padded", "SMEM_LAYOUT=xor_swizzle", "Tries", "Layouts"]:
                self.assertNotIn(words, text)
        clean = [KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=xor_swizzle"]
        kinds = [diagnosis["kind"] for diagnosis in self.document("measure", *clean)["diagnoses"]]
        self.assertEqual(kinds, ["idle_sms"], "four blocks")
        self.assertNotIn("conflict on", self.run_it("measure", *clean).stdout)

    def test_tries_are_judged_by_the_latency_and_layouts_are_counted(self):
        experiment = [KERNEL, *self.SMALL, "--set", "SMEM_LAYOUT=row_major", "--set", "NUM_WARPS=1", "--try"]
        for command in ["trace", "measure"]:
            point = self.document(command, *experiment, "--session", str(self.session))
            here, tries = point["prediction"]["p50_us"], point["tries"]
            self.assertLessEqual({("SMEM_LAYOUT", "padded"), ("SMEM_LAYOUT", "xor_swizzle"), ("NUM_WARPS", 2), ("NUM_WARPS", 4)},
                                 {(each["parameter"], each["value"]) for each in tries})
            self.assertLessEqual(len([each for each in tries if each["status"]]), 24)
            faster = [each for each in tries if each["status"] == "ok" and each["p50_us"] < 0.98 * here]
            self.assertGreater(len(faster), 1)
            text = self.run_it(command, *experiment).stdout
            section = text[text.index("\nTries\n"):].splitlines()[2:]
            named = [line.split(":")[0].strip() for line in section[:len(faster)]]
            faster.sort(key=lambda each: each["p50_us"])
            self.assertEqual(named, [f"{each['parameter']}={each['value']}" for each in faster])
            self.assertRegex(section[0], r"^  [A-Z_]+=\w+: [\d.]+ µs instead of [\d.]+ µs, predicted$")
            layouts = {each["value"]: each for each in point["layouts"]}
            for value in ["padded", "xor_swizzle"]:
                self.assertEqual(layouts[value]["wavefronts_counted"], layouts[value]["wavefronts_promised"])
                self.assertLess(layouts[value]["wavefronts_promised"], layouts[value]["wavefronts"])
            self.assertTrue(layouts["xor_swizzle"]["swizzle"].startswith("Swizzle<3, 4, 3> on bytes"))
            self.assertRegex(text, r"(?m)^  swizzle 3 bits, base 4, shift 3: SMEM_LAYOUT=xor_swizzle$")
            self.assertRegex(text, r"(?m)^    K: [\d,]+ wavefronts instead of [\d,]+, as promised and counted$")
        self.assertEqual([len(point["tries"]) for point in self.saved()["points"]], [len(tries)] * 2)

    def test_a_parameter_without_effect_is_no_try(self):
        kernel = self.copy('"name": "SYNC_POLICY"', '"name": "SWIZZLE_XOR", "values": [0, 1], "default": 0, '
                           '"help": "read by nothing"}, {"name": "SYNC_POLICY"')
        experiment = ["trace", kernel, *self.SMALL, "--set", "SMEM_LAYOUT=row_major", "--try"]
        tries = self.document(*experiment)["tries"]
        self.assertEqual([each["same_code"] for each in tries if each["parameter"] == "SWIZZLE_XOR"], [True])
        self.assertFalse(any(each["same_code"] for each in tries if each["parameter"] == "SMEM_LAYOUT"))
        for compiler in ["nvrtc", *(["nvcc"] if shutil.which("nvcc") else [])]:
            text = self.run_it(*experiment, "--compiler", compiler).stdout
            self.assertNotRegex(text, r"(SWIZZLE_XOR=1:|Try )")
            self.assertIn("SWIZZLE_XOR=1 (same program)", " ".join(text.split()))

    def test_a_point_that_does_not_compile_has_no_tries(self):
        experiment = ["measure", self.copy("__syncthreads();  // the tiles", "nonsense();"), *self.SMALL, "--try"]
        self.assertNotIn("tries", self.document(*experiment, code=1))
        self.assertIn("Only changes of a correct point are tried.", self.run_it(*experiment).stdout)

    def test_a_removed_barrier_names_the_two_lines_that_race(self):
        kernel = self.copy("__syncthreads();  // the tiles", "// the tiles")
        point = self.document("trace", kernel, *self.SMALL, "--check", code=1)
        lines = sorted([self.line_of(self.STORE), self.line_of(self.READ_K)])
        races = [finding for finding in point["findings"] if finding["kind"] == "race"]
        self.assertTrue(any(set(lines) <= set(race["lines"]) for race in races), races)
        text = self.run_it("trace", kernel, *self.SMALL, "--check").stdout
        self.assertRegex(text, rf"Race: .*{lines[0]}")
        self.assertEqual(self.document("trace", KERNEL, *self.SMALL, "--check")["findings"], [])

    def test_findings_come_first(self):
        kernel = self.copy("__syncthreads();  // the tiles", "// the tiles")
        text = self.run_it("trace", kernel, *self.SMALL, "--check").stdout
        self.assertLess(text.index("\nFindings\n  Race: "), text.index("\nShared memory\n"))
        clean = self.run_it("trace", KERNEL, *self.SMALL, "--check").stdout
        self.assertLess(clean.index("\nFindings\n  none\n"), clean.index("\nShared memory\n"))
        self.assertNotIn("Findings", self.run_it("trace", KERNEL, *self.SMALL).stdout)

    def insert(self, statements):
        start = "const float scale = problem.softmax_scale * log2_e;"
        return self.copy(start, f"{statements} {start}")

    def test_threads_that_store_the_same_value_are_no_fault(self):
        shared = "__shared__ volatile int n; n = {}; __syncthreads();"
        kernel = self.insert(shared.format("problem.queries"))
        point = self.document("trace", kernel, *self.SMALL, "--check", code=0)
        self.assertEqual([finding["kind"] for finding in point["findings"]], ["same_value_store"])
        self.assertEqual(point["status"], "ok")
        result = self.run_it("trace", kernel, *self.SMALL, "--check")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Same value store: thread 0 stores", result.stdout)
        kernel = self.insert(shared.format("threadIdx.x"))
        point = self.document("trace", kernel, *self.SMALL, "--check", code=1)
        self.assertEqual([finding["kind"] for finding in point["findings"]], ["race"])

    def test_what_was_not_looked_for_is_said(self):
        kernel = self.insert("__shared__ unsigned long long gate; if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared.b64 "
                             "[%0], 1;\" :: \"r\"((unsigned)__cvta_generic_to_shared(&gate)));")
        words = "Races were not checked: the kernel synchronises with mbarriers"
        checked = self.document("trace", kernel, *self.SMALL, "--check")
        self.assertEqual(len([note for note in checked["notes"] if words in note]), 1)
        text = self.run_it("trace", kernel, *self.SMALL, "--check").stdout
        self.assertIn(words, " ".join(text.split()))
        self.assertFalse([note for note in self.document("trace", kernel, *self.SMALL)["notes"] if words in note])

    def test_a_grid_that_cannot_cover_the_problem_is_a_wrong_result(self):
        grid = '"grid": ["ceil_div(Sq, BLOCK_M)", "Hq", "B"]'
        for wrong, rows in [('["ceil_div(Sq, 2 * BLOCK_M)", "Hq", "B"]', "2048 of 4096"),
                            ('["ceil_div(Sq, BLOCK_M)", "1", "B"]', "3584 of 4096"), ('["1", "1", "1"]', "4064 of 4096")]:
            kernel = self.copy(grid, f'"grid": {wrong}')
            for command in ("measure", "trace"):
                point = self.document(command, kernel, "--device", "L4", code=1)
                self.assertEqual(point["status"], "wrong_result")
                self.assertIn(f"{rows} rows of the output were not written", point["reason"])

    def test_a_random_schedule_makes_a_race_a_wrong_result(self):
        kernel = self.copy("__syncthreads();  // the tiles", "// the tiles")
        statuses = {self.document("trace", kernel, *self.SMALL, "--schedule-seed", seed, "--blocks", "all", code=1)["status"]
                    for seed in (1, 2)}
        self.assertEqual(statuses, {"wrong_result"})
        self.assertEqual(self.document("trace", KERNEL, *self.SMALL, "--schedule-seed", 3)["status"], "ok")

    def test_blocks_all_and_a_number(self):
        whole = self.document("trace", KERNEL, *self.SMALL, "--blocks", "all")
        self.assertEqual((whole["memory"]["blocks_run"], whole["error"]["rows_checked"]), (8, 256))
        some = self.document("measure", KERNEL, *self.SMALL, "--blocks", "3")
        self.assertEqual((some["memory"]["blocks_run"], some["error"]["rows_checked"]), (3, 96))
        self.assertEqual(some["memory"]["shared_wavefronts"], whole["memory"]["shared_wavefronts"])

    def test_too_large_a_grid_is_refused_with_an_estimate(self):
        point = self.document("trace", KERNEL, "--device", "L4", "--shape", "1,8,16384,64", "--blocks", "all",
                              "--time-limit", "20", code=3)
        self.assertEqual(point["status"], "timed_out")
        self.assertRegex(point["reason"], r"4096 of 4096 blocks would take about .*--blocks auto")

    def test_findings_are_kept_in_the_session(self):
        kernel = self.copy("__syncthreads();  // the tiles", "// the tiles")
        self.document("trace", kernel, *self.SMALL, "--check", "--session", self.session, code=1)
        self.assertTrue(self.saved()["points"][0]["findings"])

    def test_an_invalid_configuration(self):
        self.assertEqual(self.document("trace", KERNEL, "--set", "NUM_WARPS=6", code=1)["status"], "invalid_configuration")


class Sweep(CommandLine):
    def sweep(self, *arguments, **how):
        return self.document("sweep", KERNEL, *GRID, *arguments, **how)

    def test_a_grid_without_invalid_configurations(self):
        result = self.sweep("--set", "BLOCK_N=32", worker="fine")
        self.assertEqual([(point["parameters"]["BLOCK_M"], point["parameters"]["NUM_WARPS"]) for point in result["points"]],
                         [(32, 4), (32, 8), (64, 4), (64, 8)])
        self.assertEqual({point["parameters"]["BLOCK_N"] for point in result["points"]}, {32})

        text = self.run_it("sweep", KERNEL, "--vary", "BLOCK_M=8,32", "--vary", "NUM_WARPS=8,16", worker="fine").stdout
        self.assertIn("Left out 1 invalid configuration", text)
        self.assertIn("1 x BLOCK_M must be a multiple of NUM_WARPS", text)

    def test_the_next_points_are_named_to_be_compiled_before_each_point(self):
        named = self.log.with_suffix(".ahead")
        result = self.sweep("--compile-ahead", "2", worker="fine")
        order = [point["parameters"] for point in result["points"]]
        lists = [json.loads(line) for line in named.read_text().splitlines()]
        self.assertEqual(lists, [order[1:3], order[2:4], order[3:4]])
        named.unlink()
        without = self.sweep("--compile-ahead", "0", worker="fine")
        self.assertFalse(named.exists())
        self.assertEqual([point["parameters"] for point in without["points"]], order)
        self.assertEqual(self.run_it("sweep", KERNEL, *GRID, "--compile-ahead", "-1", worker="fine").returncode, 2)

    def test_on_a_device_of_the_table(self):
        points = self.sweep("--device", "A100")["points"]
        self.assertEqual({point["device"]["arch"] for point in points}, {"sm_80"})
        self.assertEqual({point["status"] for point in points}, {"ok"})

    def test_the_fastest_comes_first_and_a_wrong_one_has_no_rank(self):
        result = self.run_it("sweep", KERNEL, *GRID, worker="wrong:4")
        self.assertEqual(result.returncode, 1)
        rows = result.stdout.splitlines()[2:6]
        self.assertRegex(rows[0], r"^ *1  Correct +72.00 ")
        # Nothing is known of the noise of latencies without samples.
        self.assertRegex(rows[1], r"^ *2~ +Correct +88.00 ")
        self.assertRegex(rows[2], r"^ *3~ +Correct +92.00 ")
        self.assertRegex(rows[3], r"^ +Incorrect ")
        self.assertIn("72.00 µs (2 of 3 cannot be told from the best)", " ".join(result.stdout.split()))

    def test_without_a_gpu_predictions_are_ranked(self):
        result = self.run_it("sweep", KERNEL, *GRID, "--device", "L4", worker="absent")
        self.assertEqual(result.returncode, 0, result.stderr)
        heading, header, *rows = result.stdout.splitlines()
        self.assertIn("predicted for L4", heading)
        self.assertIn("Predicted p50", header)
        self.assertNotRegex(header, r"(?<!Predicted )p50")
        # The worker gives all points one machine code, and a program is as fast as itself.
        for row, rank, p50 in zip(rows, ["1 ", "2~", "3~", "4~"], ["64.80", "68.40", "79.20", "82.80"]):
            self.assertRegex(row, rf"^ *{rank} +{p50} ")
        self.assertIn("64.80 µs (3 of 4 cannot be told from the best)", " ".join(result.stdout.split()))
        self.assertIn("predicted 82.80 µs (73.60 to 92.00)", result.stderr)

    def test_a_point_with_both_says_how_far_they_are_apart(self):
        text = self.run_it("measure", KERNEL, worker="both").stdout
        self.assertRegex(text, r"Measured [0-9.]+ µs, predicted [0-9.]+ µs \(-10.0 %\)")
        self.assertRegex(text, r"Predicted limit +tensor, [0-9.]+ %")
        text = self.run_it("measure", KERNEL, "--device", "L4", worker="absent").stdout
        self.assertIn("Latency, predicted for L4", text)
        self.assertNotIn("Measured", text)

    def test_every_configuration_is_invalid(self):
        result = self.run_it("sweep", KERNEL, "--vary", "BLOCK_M=8", "--vary", "NUM_WARPS=16", worker="fine")
        self.assertEqual(result.returncode, 1)
        self.assertIn("BLOCK_M must be a multiple", result.stderr)
        self.assertEqual(self.measured(), 0)

    def test_points_of_the_session_are_not_measured_again(self):
        self.sweep("--session", self.session, worker="fine")
        self.assertEqual(self.measured(), 4)
        again = self.sweep("--session", self.session, worker="fine")
        self.assertEqual((again["reused"], len(again["points"]), self.measured()), (4, 4, 4))
        wider = self.document("sweep", KERNEL, "--vary", "BLOCK_M=32,64", "--vary", "NUM_WARPS=2,4,8", "--session",
                              self.session, worker="fine")
        self.assertEqual((wider["reused"], self.measured()), (4, 6))
        other = self.sweep("--session", self.session, "--causal", worker="fine")
        self.assertEqual((other["reused"], self.measured()), (0, 10))
        self.assertEqual(len(self.saved()["points"]), 10)

    def test_a_changed_kernel_is_measured_again(self):
        kernel = self.folder / "mine.cu"
        text = (SOURCE / "kernels/attention/flash_scalar.cu").read_text()
        arguments = ["sweep", kernel, "--device", "L4", "--vary", "BLOCK_M=32,64", "--session", self.session]
        kernel.write_text(text)
        self.document(*arguments)
        self.assertEqual(self.document(*arguments)["reused"], 2)
        kernel.write_text(text + "// changed\n")
        self.assertEqual(self.document(*arguments)["reused"], 0)
        session = self.saved()
        self.assertEqual((len(session["points"]), len(session["sources"])), (4, 2))

    def test_ctrl_c_keeps_what_is_done(self):
        command = [TILESCOPE, "sweep", KERNEL, "--vary", "BLOCK_M", "--vary", "NUM_WARPS=1,2,4,8", "--json", "--session",
                   self.session]
        running = subprocess.Popen(list(map(str, command)), env=self.environment("slow"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while self.measured() < 3:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        stdout, stderr = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 130, stderr)
        self.assertIn("cancelled", stderr)
        done = json.loads(stdout)
        self.assertGreaterEqual(len(done["points"]), 2)
        self.assertEqual(done["missing"] + len(done["points"]), 20)
        self.assertEqual({point["status"] for point in self.saved()["points"]}, {"ok"})
        rest = self.document(*command[1:7], "--session", self.session, worker="fine")
        self.assertEqual((rest["reused"], len(rest["points"])), (len(done["points"]), 20))

    def test_a_worker_that_dies_costs_one_point(self):
        result = self.sweep("--session", self.session, "--compile-ahead", "0", code=3, worker="die:2")
        self.assertEqual([point["status"] for point in result["points"]], ["ok", "worker_lost", "ok", "ok"])
        self.assertEqual(len(self.saved()["points"]), 4)
        again = self.sweep("--session", self.session, worker="fine")
        self.assertEqual([point["status"] for point in again["points"]], ["ok"] * 4)
        self.assertEqual(again["reused"], 3)

    def test_a_point_is_measured_again_where_the_compiler_may_have_killed_its_worker(self):
        result = self.run_it("sweep", KERNEL, *GRID, "--json", worker="die:2")
        self.assertEqual((result.returncode, self.measured()), (0, 5), result.stderr)
        self.assertIn("this one is measured again", result.stderr)
        self.assertEqual([point["status"] for point in json.loads(result.stdout)["points"]], ["ok"] * 4)

    def test_a_configuration_that_kills_the_compiler_costs_itself_alone(self):
        grid = ["--vary", "BLOCK_M=16,32,64,128", "--vary", "NUM_WARPS=1,2,4", "--compile-ahead", "4"]
        result = self.document("sweep", KERNEL, *grid, code=3, worker="compiler=64,2")
        lost = [point["parameters"] for point in result["points"] if point["status"] != "ok"]
        self.assertEqual([(point["BLOCK_M"], point["NUM_WARPS"]) for point in lost], [(64, 2)])
        self.assertEqual((len(result["points"]), result["missing"]), (12, 0))
        self.assertLessEqual(self.measured(), 14)

    def test_a_worker_that_hangs_costs_one_point(self):
        result = self.sweep("--session", self.session, "--time-limit", "1", code=3, worker="hang:3")
        self.assertEqual([point["status"] for point in result["points"]], ["ok", "ok", "timed_out", "ok"])

    def test_a_worker_that_always_dies_ends_the_sweep(self):
        result = self.document("sweep", KERNEL, "--vary", "BLOCK_M", "--vary", "NUM_WARPS=1,2,4", code=3, worker="lost")
        self.assertEqual(len(result["points"]), 5)
        self.assertEqual(result["missing"], 10)

    def test_a_damaged_session_stops_it_before_it_starts(self):
        self.session.write_text("no session")
        result = self.run_it("sweep", KERNEL, *GRID, "--session", self.session, worker="fine")
        self.assertEqual(result.returncode, 2)
        self.assertEqual((self.session.read_text(), self.measured()), ("no session", 0))


class Window(CommandLine):
    """The window's program is in the folder of this one; here a script replaces it, or it is missing."""

    def install(self, window=None):
        folder = self.folder / "bin"
        folder.mkdir()
        shutil.copy(TILESCOPE, folder)
        if window:
            sibling = folder / "tilescope-window"
            sibling.write_text("#!/bin/sh\n" + window)
            sibling.chmod(0o755)
        return folder / "tilescope"

    def run_installed(self, program, *arguments, **more):
        return self.run_it(*arguments, program=program, TILESCOPE_ROOT=str(SOURCE), **more)

    def fixture(self):
        return SOURCE / "sessions/tests/fixtures/version_1.json"

    def test_with_a_display_it_becomes_the_window(self):
        program = self.install('echo "window $DISPLAY $*"; exit 5')
        result = self.run_installed(program, DISPLAY=":77")
        self.assertEqual((result.returncode, result.stdout), (5, "window :77 \n"))

    def test_a_kernel_file_alone_opens_in_the_window_or_without_a_display_by_the_command(self):
        file = self.folder / "copy.ptx"
        file.write_text("no kernel")
        program = self.install('echo "window $*"')
        result = self.run_installed(program, file, DISPLAY=":77")
        self.assertEqual((result.returncode, result.stdout), (0, f"window {file}\n"))
        opened = self.run_installed(program, "open", file)
        alone = self.run_installed(program, file)
        self.assertIn("it is a text without a kernel", " ".join((opened.stdout + opened.stderr).split()))
        self.assertEqual((alone.returncode, alone.stdout, alone.stderr),
                         (opened.returncode, opened.stdout, opened.stderr))
        missing = self.run_installed(program, self.folder / "gone.cu", DISPLAY=":77")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("cannot read", missing.stderr)

    def test_screenshot_asks_the_window(self):
        program = self.install('echo "$*"')
        result = self.run_installed(program, "screenshot", "window", "--session", self.fixture(), "--to", "a.png", "--size",
                                    "640x480", "--theme", "light", "--workspace", "tune")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, f"--screenshot window --session {self.fixture()} --to a.png --size 640x480 "
                                        "--theme light --workspace tune\n")

    def real_screenshot(self, panel, name, *more):
        if not (TILESCOPE.parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        file = self.folder / name
        result = self.run_it("screenshot", panel, "--session", SOURCE / "sessions/examples/flash_scalar_h200.json", "--to",
                             file, *more)
        return file, result

    def test_a_plot_as_svg_has_its_labels_and_values_as_text(self):
        file, result = self.real_screenshot("latency", "plot.svg", "--theme", "light", "--size", "800x500")
        self.assertEqual((result.returncode, result.stdout), (0, f"{file}: 800 x 500 pixels\n"), result.stderr)
        root = xml.etree.ElementTree.parse(file).getroot()
        self.assertEqual((root.tag, root.get("viewBox")), ("{http://www.w3.org/2000/svg}svg", "0 0 800 500"))
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        for words in ["Latency", "BLOCK_M", "p50 with p10 to p90 [µs]", "recorded on H200", "16", "128", "100"]:
            self.assertIn(words, texts)

    def test_a_plot_as_csv_has_the_numbers_of_the_session(self):
        file, result = self.real_screenshot("latency", "plot.CSV")
        self.assertEqual((result.returncode, result.stdout), (0, f"{file}\n"), result.stderr)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertGreater(len(rows), 3)
        session = json.loads((SOURCE / "sessions/examples/flash_scalar_h200.json").read_text())
        recorded = {(point["latency"]["p10_us"], point["latency"]["p50_us"], point["latency"]["p90_us"])
                    for point in session["points"] if point["latency"]}
        for row in rows:
            self.assertIn((float(row["p10 [us]"]), float(row["p50 [us]"]), float(row["p90 [us]"])), recorded)

    def traced_screenshot(self, panel, name, *more):
        """Of a session whose last point is flash_scalar with its tiles in plain rows."""
        if not (TILESCOPE.parent / "tilescope-window").exists():
            self.skipTest("built without the window")
        if not self.session.exists():
            self.run_it("measure", KERNEL, "--set", "SMEM_LAYOUT=row_major", "--shape", "1,2,77,64", "--device", "L4",
                        "--session", self.session)
        before = self.session.read_text()
        file = self.folder / name
        result = self.run_it("screenshot", panel, "--session", self.session, "--to", file, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.session.read_text(), before)
        self.assertFalse((self.folder / "data").exists(), "a picture measures nothing and keeps nothing")
        return file

    def line_with(self, text):
        lines = (SOURCE / "kernels/attention/flash_scalar.cu").read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if text in line)

    def test_a_picture_of_accesses_traces_the_last_point(self):
        keys = self.line_with("load_packet<VEC_WIDTH>(tiles.k")
        rows = list(csv.DictReader(self.traced_screenshot("access-sites", "sites.csv").read_text().splitlines()))
        worst = rows[0]
        self.assertEqual((worst["line"], worst["operation"], worst["tile"]), (str(keys), "ld.shared", "K"))
        file = self.traced_screenshot("microscope", "lanes.svg")
        texts = [text.text for text in xml.etree.ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text")]
        for words in ["8-way bank conflict", f"line {keys}", "lane 7"]:
            self.assertIn(words, texts)

    def test_a_picture_of_accesses_looks_at_the_line_that_was_named(self):
        values = self.line_with("load_packet<value_width>(tiles.v")
        file = self.traced_screenshot("microscope", "lanes.svg", "--line", values)
        texts = [text.text for text in xml.etree.ElementTree.parse(file).getroot().iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn(f"line {values}", texts)
        self.assertNotIn("8-way bank conflict", texts)

    def test_every_traced_panel_is_drawn_as_text(self):
        for panel, words in [("shared-memory", ["row_max", "8,192"]), ("source", ["flash_scalar.cu"]),
                             ("swizzle-solver", ["Swizzle<3, 4, 3>"]), ("roofline", ["TFLOP/s"]),
                             ("model", ["Where the time goes"]),
                             ("occupancy", ["BLOCK_M"])]:
            with self.subTest(panel):
                file = self.traced_screenshot(panel, panel + ".svg")
                root = xml.etree.ElementTree.parse(file).getroot()
                texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
                for word in words:
                    self.assertIn(word, texts)

    def test_a_picture_shows_what_was_chosen_in_the_panel(self):
        for choice, words in [("view=cliffs", "Registers per thread"), ("view=map", "Rows: BLOCK_N, columns: BLOCK_M"),
                              ("view=one_more", "Needed")]:
            with self.subTest(choice):
                file, result = self.real_screenshot("occupancy", "view.svg", "--choose", choice)
                self.assertEqual(result.returncode, 0, result.stderr)
                root = xml.etree.ElementTree.parse(file).getroot()
                self.assertIn(words, [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")])
        file, result = self.real_screenshot("occupancy", "none.svg", "--choose", "view=cliff")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("there is no 'view=cliff' to choose in panel 'occupancy': now view=points", result.stderr)
        self.assertFalse(file.exists())

    def test_what_cannot_be_exported_is_refused_with_what_can(self):
        for panel, name, words in [("latency", "plot.gif", "name the file .png, .svg or .csv"),
                                   ("configuration", "x.csv", "panel 'configuration' has no table to write as CSV. Panels with one:"),
                                   ("window", "x.csv", "the window has no table")]:
            with self.subTest(name):
                file, result = self.real_screenshot(panel, name)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(words, result.stderr)
                self.assertFalse(file.exists())

    def test_a_picture_of_accesses_is_never_that_of_another_configuration(self):
        self.traced_screenshot("microscope", "lanes.svg")
        session = json.loads(self.session.read_text())
        unknown = dict(session, points=[dict(session["points"][-1], kernel="no_such_kernel")])
        for document, words in [(dict(session, points=[]), "the session has no point"),
                                (unknown, "the kernel 'no_such_kernel', which is neither in the catalogue nor a .cu file")]:
            with self.subTest(words):
                other, file = self.folder / "other.json", self.folder / "other.svg"
                other.write_text(json.dumps(document))
                result = self.run_it("screenshot", "microscope", "--session", other, "--to", file)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn(words, result.stderr)
                self.assertFalse(file.exists())

    def test_a_table_that_is_not_there_is_not_written(self):
        self.traced_screenshot("microscope", "lanes.svg")
        session = json.loads(self.session.read_text())
        session["points"][-1]["parameters"]["NUM_WARPS"] = 3
        self.session.write_text(json.dumps(session))
        file = self.folder / "grid.csv"
        result = self.run_it("screenshot", "shared-memory", "--session", self.session, "--to", file)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("panel 'shared-memory' shows no table now", result.stderr)
        self.assertFalse(file.exists())

    def test_without_the_window_it_says_so(self):
        program = self.install()
        for arguments, more in [(["screenshot", "window", "--session", self.fixture(), "--to", "a.png"], {}),
                                ([], {"DISPLAY": ":77"})]:
            result = self.run_installed(program, *arguments, **more)
            self.assertEqual(result.returncode, 3)
            self.assertIn("tilescope-window", result.stderr)

    def test_a_damaged_session_has_no_picture(self):
        self.session.write_text("no session")
        result = self.run_it("screenshot", "window", "--session", self.session, "--to", self.folder / "a.png")
        self.assertEqual(result.returncode, 2)
        self.assertIn("invalid JSON at line 1", result.stderr)

    def check_short_sweep(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no display", result.stderr)
        self.assertIn(KERNEL, result.stdout)
        sessions = list((self.folder / "data/tilescope").glob("*.json"))
        self.assertEqual(len(sessions), 1)
        document = json.loads(sessions[0].read_text())
        self.assertEqual(complaints(document), [])
        self.assertGreater(len(document["points"]), 5)
        self.assertIn(str(sessions[0]), result.stdout)
        return sessions[0].with_suffix(".png")

    def test_without_a_display_a_short_sweep_is_saved_with_its_picture(self):
        result = self.run_it()
        picture = self.check_short_sweep(result)
        if (TILESCOPE.parent / "tilescope-window").exists():
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n", result.stderr)
            self.assertEqual((result.stdout + result.stderr).count(str(picture)), 1)
        else:
            self.assertIn("no picture", result.stderr)

    def test_a_picture_that_cannot_be_drawn_costs_no_sweep(self):
        result = self.run_installed(self.install("echo no OpenGL >&2; exit 3"), worker="fine")
        self.assertFalse(self.check_short_sweep(result).exists())
        self.assertIn("no OpenGL", result.stderr)
        self.assertIn("no picture was drawn", result.stderr)

    def test_a_recorded_example_is_drawn_behind_points_without_a_latency(self):
        root = self.folder / "root"
        (root / "sessions/examples").mkdir(parents=True)
        for shared in ("kernels", "assets"):
            (root / shared).symlink_to(SOURCE / shared)
        example = root / "sessions/examples/recorded.json"
        self.document("sweep", KERNEL, *GRID, "--session", example, worker="fine")
        program = self.install('echo "$*" >&2; exit 3')
        for worker, is_drawn in [(None, True), ("fine", False)]:
            result = self.run_it(program=program, worker=worker, TILESCOPE_ROOT=str(root))
            self.assertEqual(result.returncode, 0, result.stderr)
            here = "not installed" in result.stdout or "No measured latency" in result.stdout
            self.assertEqual(f"--recorded {example}" in result.stderr, is_drawn and here)

    def test_the_second_run_keeps_the_first(self):
        program = self.install("exit 3")
        for _ in range(2):
            self.assertEqual(self.run_installed(program, worker="fine").returncode, 0)
        self.assertEqual(len(list((self.folder / "data/tilescope").glob("*.json"))), 2)

    def test_a_data_folder_that_cannot_be_made(self):
        result = self.run_it(worker="fine", XDG_DATA_HOME="/dev/null/data")
        self.assertEqual(result.returncode, 3)
        self.assertIn("XDG_DATA_HOME", result.stderr)


class Run(CommandLine):
    KERNEL = """.version 6.5
.target sm_60
.address_size 64
.func (.param .b32 result) twice(.param .b32 number)
{
  .reg .b32 n;
  ld.param.u32 n, [number];
  add.u32 n, n, n;
  st.param.b32 [result], n;
  ret;
}
.visible .entry double_all(.param .u64 words, .param .u32 limit)
{
  .reg .b64 d<3>; .reg .b32 r<4>; .reg .pred p;
  ld.param.u64 d0, [words];
  ld.param.u32 r0, [limit];
  mov.u32 r1, %tid.x;
  setp.ge.u32 p, r1, r0;
  @p ret;
  mul.wide.u32 d1, r1, 4;
  add.u64 d0, d0, d1;
  ld.global.u32 r2, [d0];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], r2; call (b), twice, (a); ld.param.b32 r3, [b]; }
  st.global.u32 [d0], r3;
  ret;
}
"""
    LAUNCH = {"block": [4], "arguments": [{"type": "buffer", "element": "u32", "values": [1, 2, 3], "name": "words"},
                                          {"type": "u32", "value": 3}]}

    def files(self, kernel=None, launch=None):
        ptx, args = self.folder / "kernel.ptx", self.folder / "launch.json"
        ptx.write_text(kernel or self.KERNEL)
        args.write_text(launch if isinstance(launch, str) else json.dumps(launch or self.LAUNCH))
        return ptx, "--args", args

    def test_buffers_go_in_and_come_out(self):
        run = self.document("run", *self.files())
        self.assertEqual((run["status"], run["entry"], run["target"]), ("ok", "double_all", "sm_60"))
        self.assertEqual(run["buffers"][0], {"argument": 0, "name": "words", "element": "u32", "values": [2, 4, 6]})
        self.assertEqual(sum(run["instructions"].values()), run["warp_instructions"])
        text = self.run_it("run", *self.files(), "--entry", "double_all", "--check").stdout
        for words in ["double_all, sm_60", "status: ok", "words, 3 u32", "0: 2 4 6", "No findings."]:
            self.assertIn(words, text)

    def expecting(self, expected, **more):
        words = dict(self.LAUNCH["arguments"][0], expected=expected, **more)
        return dict(self.LAUNCH, arguments=[words, self.LAUNCH["arguments"][1]])

    def npy(self, name, values, shape=None):
        """Writes whole numbers as numpy.save() does."""
        shape = shape or f"({len(values)},)"
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
        path = self.folder / name
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header +
                         b"".join(value.to_bytes(8, "little", signed=True) for value in values))
        return path

    def test_values_that_were_expected_are_no_finding(self):
        self.npy("right.npy", [2, 4, 6])
        for expected in ([2, 4, 6], [2, None, 6], {"npy": "right.npy"}, {"values": 4, "tolerance": 2},
                         {"values": [6], "elements": [2, 3]}):
            run = self.document("run", *self.files(launch=self.expecting(expected)))
            self.assertEqual((run["status"], run["findings"], run["compared"][0]["wrong"]), ("ok", [], 0), expected)
        text = self.run_it("run", *self.files(launch=self.expecting([2, 4, 6]))).stdout
        self.assertIn("words: 3 elements equal the expected values", text)
        text = self.run_it("run", *self.files(launch=self.expecting({"values": 4, "tolerance": 2}))).stdout
        self.assertIn("words: 3 elements match the expected values: the largest difference is 2, at [0]", text)

    def test_a_value_that_was_not_expected_is_exit_code_1_also_without_check(self):
        self.npy("wrong.npy", [2, 5, 6], "(1, 3)")
        launch = self.expecting({"npy": "wrong.npy"}, shape=[1, 3])
        for more in ((), ("--check",)):
            run = self.document("run", *self.files(launch=launch), *more, code=1)
            self.assertEqual([finding["kind"] for finding in run["findings"]], ["wrong_value"])
            compared = run["compared"][0]
            self.assertEqual((compared["elements"], compared["wrong"], compared["unwritten"]), (3, 1, 0))
            first = compared["first"]
            self.assertEqual((first["index"], first["position"], first["value"], first["expected"]), (1, [0, 1], 4, 5))
            self.assertEqual((first["writer"]["block"], first["writer"]["thread"]), ([0, 0, 0], 1))
        result = self.run_it("run", *self.files(launch=launch))
        self.assertEqual(result.returncode, 1)
        for words in ["status: ok", "words: 1 of 3 elements differs from the expected values",
                      "[0, 1] (element 1) is 4 and should be 5 (difference 1); thread 1 of block (0, 0, 0)",
                      "Step through the block that wrote it"]:
            self.assertIn(words, " ".join(result.stdout.split()))

    def test_arrays_are_read_from_the_folder_of_the_launch(self):
        self.npy("words.npy", [1, 2, 3])
        words = {"type": "buffer", "element": "u32", "name": "words", "values": {"npy": "words.npy"}, "expected": [2, 4, 6]}
        launch = dict(self.LAUNCH, arguments=[words, self.LAUNCH["arguments"][1]])
        self.assertEqual(self.document("run", *self.files(launch=launch))["buffers"][0]["values"], [2, 4, 6])
        result = self.run_it("step", *self.files(launch=launch), "--to", "end", cwd="/")
        self.assertEqual(result.returncode, 0, result.stderr)
        for command in ("run", "step"):
            result = self.run_it(command, *self.files(launch=self.expecting({"npy": "none.npy"})))
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            for part in ("none.npy'", "launch.json' names as \"npy\"", "No such file"):
                self.assertIn(part, result.stderr)
        result = self.run_it("run", *self.files(launch=self.expecting([1, 2])))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("arguments[0].expected: 2 values for the 3 elements of 'words': give 3 values", result.stderr)

    def test_a_fault_is_exit_code_1(self):
        launch = dict(self.LAUNCH, arguments=[self.LAUNCH["arguments"][0], {"type": "u32", "value": 4}])
        run = self.document("run", *self.files(launch=launch), code=1)
        self.assertEqual((run["status"], run["findings"][0]["kind"]), ("launch_failed", "out_of_bounds"))
        self.assertIn("behind the end of 'words' (12 bytes)", run["reason"])

    def test_what_is_not_supported_is_exit_code_3_and_bad_ptx_1(self):
        unknown = self.KERNEL.replace("add.u32 n, n, n;", "frobnicate.u32 n, n;")
        run = self.document("run", *self.files(unknown), code=3)
        self.assertEqual(run["status"], "unsupported")
        self.assertIn("frobnicate", run["reason"])
        run = self.document("run", *self.files(self.KERNEL.replace("ret;", "ret", 1)), code=1)
        self.assertEqual(run["status"], "compile_failed")
        self.assertIn("PTX line 11", run["reason"])

    def test_a_launch_that_does_not_fit_is_wrong_usage_with_all_that_is_wrong(self):
        launch = {"blocks": [4], "arguments": [{"type": "u32", "value": -1}, {"type": "buffer", "element": "f31", "count": 1}]}
        result = self.run_it("run", *self.files(launch=launch))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        for words in ["launch.json", '"blocks" is not known', "-1 is not a valid u32: it is negative", '"element" must be one of',
                      "the kernel's parameter 1 has 4 B"]:
            self.assertIn(words, result.stderr)

    def test_other_wrong_usage(self):
        ptx, _, launch = self.files()
        broken = self.folder / "broken.json"
        broken.write_text("{")
        for arguments, words in [((ptx, "--args", launch, "--entry", "halve"),
                                  "tilescope: the PTX has no kernel 'halve'; it has double_all"),
                                 ((self.folder / "none.ptx",), "cannot read"),
                                 ((ptx,), "arguments: 0 given; the kernel takes 2"),
                                 ((ptx, "--args", broken), "invalid JSON at line 1"),
                                 ((), "tilescope run --help")]:
            result = self.run_it("run", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)

    def test_a_block_is_stepped(self):
        stop = json.loads(self.run_it("step", *self.files(), "--to", "end", "--json").stdout)
        self.assertEqual((stop["status"], len(stop["warps"]), stop["progress"]["global_written_bytes"]), ("ok", 1, 12))
        self.assertGreater(stop["slots"], 10)
        text = self.run_it("step", *self.files(), "--to", "warp:0", "--show", "registers", "--show", "timeline").stdout
        for words in ["Slot 1 of", "Registers of warp 0, lane 0", "What each warp does"]:
            self.assertIn(words, text)

    def test_what_cannot_be_stepped_says_why(self):
        ptx, _, launch = self.files()
        for code, arguments, words in [
                (1, (ptx, "--args", launch, "--block", "1"), "there is no block 1: the grid has 1 block"),
                (3, (ptx, "--args", launch, "--show", "row"), "nothing says where a file's kernel has Q, K and V"),
                (2, (ptx, "--entry", "halve"), "the file has no kernel 'halve'"),
                (2, ("flash_scalar", "--args", launch), "--entry and --args are for a file (.ptx, .cu)")]:
            result = self.run_it("step", *arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)

    def test_the_launch_of_a_source_with_host_code_is_found_out(self):
        source = self.folder / "shift.cu"
        source.write_text("""#include "twice.cuh"
constexpr int WIDTH = 64;
__global__ void shift(const float* in, float* out) {
  __shared__ float row[WIDTH];
  row[threadIdx.x] = twice(in[blockIdx.x * WIDTH + threadIdx.x]);
  __syncthreads();
  out[blockIdx.x * WIDTH + threadIdx.x] = row[WIDTH - 1 - threadIdx.x];
}
void launch(const float* in, float* out) { shift<<<4, WIDTH>>>(in, out); }
""")
        (self.folder / "twice.cuh").write_text("__device__ inline float twice(float x) {\n  return 2 * x;\n}\n")
        stop = json.loads(self.run_it("step", source, "--to", "line:7", "--json").stdout)
        self.assertEqual((stop["main_file"], len(stop["warps"]), stop["grid"]), ("shift.cu", 2, [4, 1, 1]))
        self.assertEqual((stop["warps"][0]["line"], stop["progress"]["barriers"]), (7, 1))
        stop = json.loads(self.run_it("step", source, "--set", "WIDTH=96", "--block", "3", "--json").stdout)
        self.assertEqual(len(stop["warps"]), 3)
        self.assertIn("'0' for WIDTH", self.run_it("step", source, "--set", "WIDTH=0").stderr)
        two = self.folder / "two.cu"
        two.write_text("__global__ void first(int* x) { x[0] = 1; }\n__global__ void second(int* x) { x[threadIdx.x] = 2; }\n"
                       "void launch(int* x) { second<<<1, 96>>>(x); }\n")
        (self.folder / "two.launch.json").write_text(json.dumps(
            {"block": [96], "arguments": [{"type": "buffer", "element": "s32", "count": 96}]}))
        stop = json.loads(self.run_it("step", two, "--to", "end", "--json").stdout)
        self.assertEqual(stop["progress"]["global_written_bytes"], 4 * 96, "the kernel that is launched, as open takes it")
        (self.folder / "naive").mkdir()
        result = self.run_it("step", "naive", "--shape", "1,1,32,64", "--json", cwd=self.folder)
        self.assertEqual(json.loads(result.stdout)["main_file"], "naive.cu", result.stderr)
        cubin = self.folder / "kernel.cubin"
        cubin.write_bytes(cubin_of('extern "C" __global__ void k(float* out) { out[threadIdx.x] = 1; }', "sm_89"))
        result = self.run_it("step", cubin)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("it is a cubin, and stepping executes PTX", result.stderr)

    def test_help_shows_the_launch_file(self):
        text = self.run_it("run", "--help").stdout
        for words in ["--entry", "--args", "--check", '"arguments"', '"element": "f32"', "Exit codes"]:
            self.assertIn(words, text)


class RunCubin(CommandLine):
    KERNEL = """extern "C" __global__ void transpose(const float* in, float* out, int rows) {
  __shared__ float tile[32 * 32];
  for (int row = 0; row < rows; ++row) tile[row * 32 + threadIdx.x] = in[row * 32 + threadIdx.x];
  __syncthreads();
  for (int row = 0; row < rows; ++row) out[row * 32 + threadIdx.x] = tile[threadIdx.x * 32 + row];
}
"""
    LAUNCH = {"block": [32], "arguments": [{"type": "buffer", "element": "f32", "count": 1024, "fill": 2},
                                           {"type": "buffer", "element": "f32", "count": 1024, "name": "out"},
                                           {"type": "s32", "value": 32}]}

    def files(self, contents=None, name="kernel.bin"):
        file, args = self.folder / name, self.folder / "launch.json"
        file.write_bytes(cubin_of(self.KERNEL, "sm_89") if contents is None else contents)
        args.write_text(json.dumps(self.LAUNCH))
        return file, "--args", args

    def test_the_machine_code_is_executed_and_counted(self):
        run = self.document("run", *self.files(), "--check")
        self.assertEqual((run["status"], run["entry"], run["target"], run["findings"]), ("ok", "transpose", "sm_89", []))
        self.assertEqual(set(run["buffers"][1]["values"]), {2.0})
        memory = run["memory"]
        self.assertEqual((memory["counted_from"], memory["shared_wavefronts"]), ("machine_code", 32 + 32 * 32))
        self.assertEqual((memory["global_sectors"], run["machine_code"]), (2 * 32 * 4, None))
        text = self.run_it("run", *self.files()).stdout
        for words in ["transpose, sm_89", "Counted from the machine code", "32-way", "conflicts", "Totals", "kernel.cu:5"]:
            self.assertIn(words, text)

    def test_a_device_predicts_the_latency(self):
        self.assertIsNone(self.document("run", *self.files())["prediction"])
        run = self.document("run", *self.files(), "--device", "l4")
        prediction = run["prediction"]
        self.assertLess(prediction["low_us"], prediction["p50_us"])
        self.assertAlmostEqual(sum(part["microseconds"] for part in prediction["parts"]), prediction["p50_us"])
        text = self.run_it("run", *self.files(), "--device", "L4").stdout
        for words in ["predicted on L4: ", "largest parts: ", "The roofline time ("]:
            self.assertIn(words, text)
        run = self.document("run", *self.files(), "--device", "H200")
        self.assertIsNone(run["prediction"])
        self.assertIn("No prediction: the cubin is for sm_89, and H200 (sm_90a) does not execute that.", run["notes"])
        ptx = Run.files(self, Run.KERNEL, Run.LAUNCH)
        self.assertIn("No prediction: it needs machine code, and this is PTX", self.run_it("run", *ptx, "--device", "L4").stdout)
        unknown = self.run_it("run", *self.files(), "--device", "L5")
        self.assertEqual((unknown.returncode, unknown.stdout), (2, ""))
        self.assertIn("--device: there is no device 'L5'; did you mean 'L4'", unknown.stderr)

    def test_sass_prints_what_each_instruction_did(self):
        run = self.document("run", *self.files(), "--sass")
        code = run["machine_code"]
        self.assertEqual(sum(one["executions"] for one in code["instructions"]), run["warp_instructions"])
        self.assertEqual((code["issue"]["warps"], code["issue"]["sms"], code["issue"]["limits"]), (1, None, []))
        text = self.run_it("run", *self.files(), "--sass").stdout
        for words in ["Machine code (sm_89)", "EXIT", " w ", "Issue by opcode", "A warp alone needs at least"]:
            self.assertIn(words, text)

    def test_files_that_cannot_be_run_say_what_to_do(self):
        host = pathlib.Path("/bin/ls").read_bytes()
        for contents, words in [(host, "cuobjdump -xelf"), (b"\x50\xed\x55\xba" + bytes(60), "a fatbin"), (b"", "it is empty")]:
            result = self.run_it("run", *self.files(contents))
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("kernel.bin' cannot be run: it is", result.stderr)
            self.assertIn(words, result.stderr)
        ptx = self.files(Run.KERNEL.encode(), "kernel.cubin")
        result = self.run_it("run", *ptx, "--sass")
        self.assertEqual(result.returncode, 2)
        self.assertIn("it is PTX, which has no machine code", result.stderr)

    def test_what_is_not_executed_here_is_exit_code_3(self):
        run = self.document("run", *self.files(), code=3, PATH="/usr/bin:/bin", TILESCOPE_CUDA="", **self.with_downloads("cuda13"))
        self.assertEqual(run["status"], "unsupported")
        self.assertIn("nvdisasm, which prints machine code, was not found", run["reason"])
        fence = 'extern "C" __global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }'
        run = self.document("run", *self.files(cubin_of(fence, "sm_90a")), code=3)
        self.assertEqual((run["status"], run["memory"]), ("unsupported", None))
        self.assertIn("WARPGROUP.ARRIVE' at address", run["reason"])


class Worker(CommandLine):
    def test_it_ends_with_its_input(self):
        result = subprocess.run([TILESCOPE, "worker"], env=self.environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True, timeout=30)
        self.assertEqual((result.returncode, result.stdout), (0, ""))


def load_tests(loader, tests, _):
    if not PART:
        return tests
    classes = [test for test in globals().values() if isinstance(test, type) and issubclass(test, unittest.TestCase)]
    chosen = [test for test in classes if (test is Trace) == (PART == "Trace")]
    return unittest.TestSuite(loader.loadTestsFromTestCase(test) for test in chosen)


if __name__ == "__main__":
    unittest.main()
