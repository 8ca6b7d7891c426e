"""Files run and step in a worker: what becomes of the command where it dies, is elsewhere, or is to stop."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from command_line_test import SOURCE, TILESCOPE, CommandLine, complaints

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
SEVEN = HEAD + "{ .reg .b64 d<2>; .reg .b32 r<2>; ld.param.u64 d0, [out]; mov.u32 r0, 7; st.global.u32 [d0], r0; ret; }\n"
ENDLESS = HEAD + "{\nA:\n  bra A;\n}\n"
LAUNCH = {"block": [1024], "arguments": [{"type": "buffer", "element": "u32", "count": 4, "name": "out"}]}
MIB = 1 << 20

# Answers hello, and dies of the first request.
MORTAL = """import json, os, sys
hello = json.loads(sys.stdin.readline())
print(json.dumps({"jsonrpc": "2.0", "id": hello["id"], "result": {"program": "tilescope", "version": "0",
      "protocol": hello["params"]["protocol"], "shares_files": False}}), flush=True)
sys.stdin.readline()
print("it went wrong", file=sys.stderr, flush=True)
os.kill(os.getpid(), 11)
"""


class FileWorker(CommandLine):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def files(self, kernel=SEVEN):
        return self.file("kernel.ptx", kernel), "--args", self.file("launch.json", LAUNCH)

    def worker_elsewhere(self, first=":"):
        """The command of a worker that sees other kernels, and has none of the files after `first`."""
        root = self.folder / "elsewhere"
        root.mkdir()
        for name in ("kernels", "assets", "third_party"):
            (root / name).mkdir() if name == "kernels" else (root / name).symlink_to(SOURCE / name)
        for entry in (SOURCE / "kernels").iterdir():
            (root / "kernels" / entry.name).symlink_to(entry)
        script = self.file("worker.sh", f"#!/bin/sh\ncd /\n{first}\nTILESCOPE_ROOT={root} exec {TILESCOPE} worker\n")
        script.chmod(0o755)
        return str(script)

    def test_a_worker_that_dies_is_not_the_commands_end(self):
        worker = f"/usr/bin/python3 {self.file('mortal.py', MORTAL)}"
        for command in ("run", "step"):
            result = self.run_it(command, *self.files(), "--json", TILESCOPE_WORKER=worker)
            self.assertEqual(result.returncode, 3, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual(document["status"], "cannot_run", command)
            for words in ("was lost", "signal 11", "it went wrong"):
                self.assertIn(words, document["reason"], command)
            result = self.run_it(command, *self.files(), TILESCOPE_WORKER=worker)
            self.assertEqual((result.returncode, result.stdout), (3, ""), command)
            self.assertIn("signal 11", result.stderr)

    def test_a_worker_that_does_not_start(self):
        for command in ("run", "step"):
            result = self.run_it(command, *self.files(), "--json", TILESCOPE_WORKER="/bin/false")
            self.assertEqual((result.returncode, json.loads(result.stdout)["status"]), (3, "cannot_run"), command)

    def started(self, *arguments):
        """The command and its worker, once that has worked for a while."""
        running = subprocess.Popen([TILESCOPE, *map(str, arguments), "--json"], env=self.environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for task in pathlib.Path(f"/proc/{running.pid}/task").iterdir():
                for child in (task / "children").read_text().split():
                    ticks = pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11]
                    if int(ticks) >= 20:
                        return running, int(child)
            time.sleep(0.02)
        self.fail("no worker works")

    def test_a_worker_that_is_killed_while_it_interprets(self):
        running, worker = self.started("run", *self.files(ENDLESS))
        subprocess.run(["kill", "-KILL", str(worker)], check=True)
        stdout, stderr = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 3, stderr)
        document = json.loads(stdout)
        self.assertEqual(document["status"], "cannot_run")
        self.assertIn("signal 9", document["reason"])

    def test_ctrl_c_ends_a_run_and_its_worker(self):
        for command, definition in (("run", "run_document"), ("step", None)):
            running, worker = self.started(command, *self.files(ENDLESS))
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, stderr)
            document = json.loads(stdout)
            self.assertEqual(document["status"], "cancelled")
            self.assertTrue(document["reason"])
            if definition:
                self.assertEqual(complaints(document, definition), [])
                self.assertGreater(document["warp_instructions"], 1000, "what was counted until then")
                self.assertEqual((document["grid"], document["buffers"]), ([1, 1, 1], []))
            self.assertFalse(pathlib.Path(f"/proc/{worker}").exists())

    def test_a_worker_elsewhere_gets_the_files(self):
        kernel, option, launch = self.files()
        worker = self.worker_elsewhere(f"rm -f {kernel} {launch}")
        run = self.document("run", kernel, option, launch, TILESCOPE_WORKER=worker)
        self.assertEqual((run["status"], run["buffers"][0]["values"]), ("ok", [7, 0, 0, 0]))
        result = self.run_it("step", *self.files(), "--to", "end", TILESCOPE_WORKER=worker)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse(kernel.exists())

    def array(self, name, items, padding=b""):
        """An array of u32 as numpy.save() writes it, and what a reader leaves alone behind it."""
        header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(items) // 4},), }}\n".encode()
        path = self.folder / name
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + items + padding)
        return path

    def test_a_worker_elsewhere_gets_the_arrays(self):
        kernel, option, launch = self.files()
        words = LAUNCH["arguments"][0]
        small = dict(words, expected={"npy": "right.npy"})
        right = self.array("right.npy", (7).to_bytes(4, "little") + bytes(12))
        self.file("launch.json", {"block": [32], "arguments": [small]})
        worker = self.worker_elsewhere(f"rm -f {right}")
        run = self.document("run", kernel, option, launch, TILESCOPE_WORKER=worker)
        self.assertEqual((run["status"], run["compared"][0]["wrong"]), ("ok", 0))
        self.assertFalse(right.exists())
        # The second of two goes by its path.
        large = [self.array(f"{i}.npy", bytes(16), bytes(5 * MIB)) for i in range(2)]
        self.file("launch.json", {"block": [32], "arguments": [dict(words, expected={"npy": "0.npy", "tolerance": 7})],
                                  "buffers": [dict(words, name="second", expected={"npy": "1.npy"})]})
        run = self.document("run", kernel, option, launch)
        self.assertEqual((run["status"], [one["wrong"] for one in run["compared"]]), ("ok", [0, 0]))
        script = pathlib.Path(worker)
        script.write_text(script.read_text().replace(f"rm -f {right}", f"rm -f {large[0]} {large[1]}"))
        result = self.run_it("run", kernel, option, launch, TILESCOPE_WORKER=worker)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(f"buffers[0].expected: '1.npy': the worker cannot read '{large[1]}'", " ".join(result.stderr.split()))

    def test_a_large_file_goes_by_its_path(self):
        padding = "//" + 17 * MIB * " " + "\n"
        kernel, option, launch = self.files(SEVEN + padding)
        self.file("launch.json", json.dumps(LAUNCH) + 17 * MIB * " ")
        for command in ("run", "step"):
            result = self.run_it(command, "kernel.ptx", option, "launch.json", cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)
        worker = self.worker_elsewhere(f"rm -f {kernel}")
        run = self.document("run", kernel, option, launch, code=3, TILESCOPE_WORKER=worker)
        self.assertEqual(run["status"], "unsupported")
        self.assertIn(f"the worker cannot read '{kernel}', which has more than 16 MiB", run["reason"])
        kernel.write_text(SEVEN + padding)
        result = self.run_it("step", kernel, option, launch, TILESCOPE_WORKER=worker)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("the worker cannot read", result.stderr)

    def test_a_file_needs_no_device_tables(self):
        folder = self.folder / "data/tilescope/devices"
        folder.mkdir(parents=True)
        (folder / "own.json").write_text("{")
        for command in ("run", "step"):
            result = self.run_it(command, *self.files())
            self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
