"""Limits as a script sees them: closed descriptors, full outputs, endless and huge work, processes that are left over."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from command_line_test import SOURCE, TILESCOPE, CommandLine

EXAMPLE = SOURCE / "sessions/examples/decoding_h200.json"
COPY = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b64 d<2>; .reg .b32 r<2>; ld.param.u64 d0, [out]; mov.u32 r0, 7; st.global.u32 [d0], r0; ret; }
"""
ENDLESS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
A:
  bra A;
}
"""
COUNTS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 d<2>; .reg .b32 r<2>;
  ld.param.u64 d0, [out];
A:
  atom.global.add.u32 r0, [d0], 1;
  bar.sync 0;
  bra.uni A;
}
"""
ARGUMENTS = {"arguments": [{"type": "buffer", "element": "u32", "count": 16, "fill": 0, "name": "out"}]}
TEMPLATE = """/* tilescope-kernel
{ "name": "deep", "role": "rung", "rung": 1, "title": "t", "entry": "k", "dtypes": ["fp16"],
  "parameters": [ {"name": "A", "values": [1, 2], "default": 1, "help": "x"} ],
  "constraints": [], "grid": ["Sq", "Hq", "B"], "threads": "32", "dynamic_shared_bytes": "0",
  "tiles": [], "arguments": [{"type": "attention_problem"}] }
*/
#include "device/head_view.cuh"
template <int N, int M> struct Tree { static constexpr long long v = Tree<N - 1, 3 * M>::v + Tree<N - 1, 3 * M + 1>::v; };
template <int M> struct Tree<0, M> { static constexpr long long v = M; };
extern "C" __global__ void k(AttentionProblem p) { ((long long*)p.o)[0] = Tree<22, 1>::v; }
"""


def many_parameters(count, values):
    parameters = [{"name": f"V{i}", "values": list(range(1, values + 1)), "default": 1, "help": "x"} for i in range(count)]
    declaration = {"name": "many", "role": "rung", "title": "t", "entry": "many", "dtypes": ["fp16"],
                   "parameters": parameters, "constraints": [], "grid": ["2", "1", "1"], "threads": "64",
                   "dynamic_shared_bytes": "0",
                   "arguments": [{"type": "pointer", "value": name} for name in ("Q", "K", "V", "O")]}
    return (f"/* tilescope-kernel\n{json.dumps(declaration)}\n*/\nextern \"C\" __global__ void many(const unsigned short* q,"
            "const unsigned short* k, const unsigned short* v, unsigned short* o) { o[0] = 1; }\n")


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Limits(CommandLine):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def files(self):
        return self.file("copy.ptx", COPY), self.file("args.json", ARGUMENTS)

    def commands(self):
        copy, arguments = self.files()
        lesson = next((SOURCE / "assets/lessons").glob("01*.md"))
        csv = self.file("a.csv", "x\n")
        return {("--version",): 0, ("--help",): 0, ("kernels",): 0, ("kernels", "naive"): 0, ("devices", "--show", "L4"): 0,
                ("run", copy, "--args", arguments): 0, ("step", copy, "--args", arguments): 0,
                ("report", EXAMPLE, "--to", "r.md"): 0, ("gate", EXAMPLE, "--against", EXAMPLE): 0,
                ("compare", f"{EXAMPLE}:kernel=none", "naive"): 2, ("import", csv, "--session", "i.json"): None,
                ("measure", "none"): 2, ("sweep", "naive"): 2, ("trace", "none"): 2, ("lesson", "check", "none.md"): 2,
                ("screenshot", "none", "--session", EXAMPLE, "--to", "p.png"): 2, ("nothing",): 2,
                ("lesson", "export", lesson, "--to", "none/x.html"): None, ("doctor",): None}


class Descriptors(Limits):
    def without(self, closed, *arguments):
        """The exit code and what could still be read, with these standard descriptors closed."""
        shell = " ".join(["exec", '"$@"', *(f"{descriptor}{'<' if descriptor == 0 else '>'}&-" for descriptor in closed)])
        return subprocess.run(["/bin/sh", "-c", shell, "sh", TILESCOPE, *map(str, arguments)], env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                              cwd=self.folder)

    SUBSETS = [[d for d in range(3) if bits >> d & 1] for bits in range(1, 8)]

    def test_every_command_ends_with_any_of_them_closed(self):
        for arguments, expected in self.commands().items():
            plain = self.without([], *arguments)
            if expected is not None:
                self.assertEqual(plain.returncode, expected, (arguments, plain.stderr))
            for closed in self.SUBSETS:
                result = self.without(closed, *arguments)
                code = 3 if 1 in closed and plain.stdout else plain.returncode
                self.assertEqual(result.returncode, code, (arguments, closed, result.stderr))

    def test_a_point_is_measured_and_kept(self):
        for closed in self.SUBSETS:
            session = self.folder / f"{''.join(map(str, closed))}.json"
            result = self.without(closed, "measure", "naive", "--shape", "1,1,96,64", "--session", session)
            self.assertEqual(result.returncode, 3 if 1 in closed else 0, (closed, result.stderr))
            self.assertEqual(len(json.loads(session.read_text())["points"]), 1, closed)

    def test_a_worker_ends(self):
        for closed in self.SUBSETS:
            self.assertIn(self.without(closed, "worker").returncode, (0, 3), closed)

    def test_a_result_that_cannot_be_written_is_an_error(self):
        copy, arguments = self.files()
        with open("/dev/full", "w") as full:
            for command in (["--help"], ["--version"], ["run", "--help"], ["kernels"], ["kernels", "--json"],
                            ["run", copy, "--args", arguments], ["devices", "--show", "L4"]):
                result = self.run_it(*command, stdout=full)
                self.assertEqual(result.returncode, 3, command)
                self.assertIn("cannot write the result to standard output", result.stderr)

    def test_a_full_stderr_changes_nothing(self):
        with open("/dev/full", "w") as full:
            for command, code in ((["kernels"], 0), (["measure", "none"], 2)):
                result = subprocess.run([TILESCOPE, *command], env=self.environment(), stdout=subprocess.PIPE, stderr=full,
                                        timeout=120)
                self.assertEqual(result.returncode, code, command)


class WithoutHome(Limits):
    def homeless(self, *arguments, **variables):
        environment = {key: value for key, value in self.environment().items()
                       if key != "HOME" and not key.startswith("XDG_")} | variables
        return subprocess.run([TILESCOPE, *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)

    def test_every_command_does_the_same(self):
        for arguments in self.commands():
            usual = self.run_it(*arguments, cwd=self.folder)
            for variables in ({}, {"HOME": ""}, {"HOME": "relative"}):
                result = self.homeless(*arguments, **variables)
                self.assertEqual(result.returncode, usual.returncode, (arguments, variables, result.stderr))
                if arguments != ("doctor",):
                    self.assertEqual(result.stdout, usual.stdout, (arguments, variables))
                self.assertFalse((self.folder / "relative").exists(), arguments)

    def test_a_point_is_measured_and_kept(self):
        session = self.folder / "s.json"
        result = self.homeless("measure", "naive", "--shape", "1,1,96,64", "--session", session)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(json.loads(session.read_text())["points"]), 1)

    def test_a_worker_ends(self):
        self.assertEqual(self.homeless("worker").returncode, 0)


class Time(Limits):
    def test_run_and_step_end(self):
        arguments = self.file("args.json", ARGUMENTS)
        kernel = self.file("endless.ptx", ENDLESS)
        document = self.document("run", kernel, "--args", arguments, code=1)
        self.assertEqual(document["status"], "launch_failed")
        self.assertIn("never ends: nothing that decides about its end changes", document["reason"])
        kernel = self.file("counts.ptx", COUNTS)
        result = self.run_it("run", kernel, "--args", arguments, "--time-limit", "0.5")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("did not end within 0.5 s", result.stdout)
        document = self.document("run", kernel, "--args", arguments, "--time-limit", "0.5", code=3)
        self.assertEqual(document["status"], "timed_out")
        result = self.run_it("step", kernel, "--args", arguments, "--time-limit", "0.01")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("did not end within 0.01 s", result.stderr)

    def test_a_limit_that_is_none_is_refused(self):
        copy, arguments = self.files()
        for limit in ("0", "-1", "1e9", "nan"):
            result = self.run_it("run", copy, "--args", arguments, "--time-limit", limit)
            self.assertEqual(result.returncode, 2, limit)
            self.assertIn("--time-limit", result.stderr)

    def test_the_compiler_is_named(self):
        result = self.run_it("measure", self.file("deep.cu", TEMPLATE), "--time-limit", "2")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("The compiler did not end within 2 s", " ".join(result.stdout.split()))

    def test_a_silent_worker_is_said(self):
        script = self.file("silent.sh", "#!/bin/sh\nsleep 1000\n")
        script.chmod(0o755)
        with subprocess.Popen([TILESCOPE, "measure", "naive"], env=self.environment(TILESCOPE_WORKER=str(script)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            line = process.stderr.readline()
            process.kill()
        self.assertIn("has not answered for 5 s; it has 20 s to start", line)
        self.assertIn("silent.sh", line)


class Memory(Limits):
    def test_a_command_ends_at_its_limit(self):
        copy = self.file("copy.ptx", COPY)
        arguments = self.file("args.json", {"arguments": [
            {"type": "buffer", "element": "u32", "count": 1 << 28, "fill": 0, "name": "out"}]})
        result = self.run_it("run", copy, "--args", arguments, TILESCOPE_MEMORY_LIMIT="0.2")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("more than its limit of 0.2 GiB of memory", result.stderr)
        result = self.run_it("run", copy, "--args", arguments, "--json", TILESCOPE_MEMORY_LIMIT="0.2")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(json.loads(result.stdout)["status"], "cannot_run")

    def test_a_limit_that_is_none_is_refused(self):
        for limit in ("much", "0", "-2", "1e300"):
            result = self.run_it("kernels", TILESCOPE_MEMORY_LIMIT=limit)
            self.assertEqual(result.returncode, 2, limit)
            self.assertIn("TILESCOPE_MEMORY_LIMIT", result.stderr)

    def test_a_shape_that_no_machine_holds_is_refused(self):
        for shape in ("1,1,1099511627776,64", "1048576,1048576,64,64", "4294967296,4294967296,4294967296,64"):
            result = self.run_it("measure", "naive", "--shape", shape)
            self.assertIn(result.returncode, (1, 2, 3), shape)
            self.assertNotEqual(result.stdout + result.stderr, "")

    def test_grids_are_counted_before_they_are_listed(self):
        bomb = self.file("many.cu", many_parameters(40, 8))
        points = self.document("sweep", bomb, "--sample", "3", "--time-limit", "60", code=1)["points"]
        self.assertEqual(len(points), 3)
        every = [word for i in range(12) for word in ("--vary", f"V{i}")]
        for arguments, words in ((every, "68719476736 configurations"), (["--sample", "1000000"], "1000000 configurations")):
            result = self.run_it("sweep", bomb, *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertIn("at most 200000 points", result.stderr)


class Processes(Limits):
    def spinning_tool(self, name):
        """A toolkit whose program starts another and spins; both write their ids."""
        folder = self.folder / "toolkit/bin"
        folder.mkdir(parents=True)
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'release 13.5, V13.5.1' && exit\n"
                        f"echo $$ >> {self.folder}/ids\nsetsid sleep 1000 &\necho $! >> {self.folder}/ids\n"
                        "while true; do true; done\n")
        tool.chmod(0o755)
        return {"TILESCOPE_CUDA": str(self.folder / "toolkit"), "XDG_CACHE_HOME": str(self.folder / "cache")}

    def ids(self, count):
        file, end = self.folder / "ids", time.monotonic() + 60
        while time.monotonic() < end:
            ids = file.read_text().split() if file.exists() else []
            if len(ids) >= count:
                return [int(number) for number in ids]
            time.sleep(0.02)
        self.fail("the tool was not started")

    def assert_all_end(self, ids):
        end = time.monotonic() + 30
        while any(map(is_running, ids)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual([number for number in ids if is_running(number)], [])

    def cubin(self):
        from command_line_test import cubin_of
        file = self.folder / "k.cubin"
        file.write_bytes(cubin_of('extern "C" __global__ void k(unsigned* out) { out[0] = 7; }', "sm_89"))
        return file, self.file("args.json", ARGUMENTS)

    def test_nvdisasm_ends_with_a_killed_program(self):
        cubin, arguments = self.cubin()
        environment = self.environment(**self.spinning_tool("nvdisasm"))
        with subprocess.Popen([TILESCOPE, "run", cubin, "--args", arguments], env=environment) as process:
            ids = self.ids(2)
            process.kill()
        self.assert_all_end(ids)

    def test_nvdisasm_ends_at_the_time_limit(self):
        cubin, arguments = self.cubin()
        result = self.run_it("run", cubin, "--args", arguments, "--time-limit", "1", **self.spinning_tool("nvdisasm"))
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("nvdisasm did not end within 1 s", " ".join(result.stdout.split()))
        self.assert_all_end(self.ids(2))

    def test_a_worker_and_what_it_started_end_with_a_killed_program(self):
        script = self.file("worker.sh", f"#!/bin/sh\necho $$ >> {self.folder}/ids\nsleep 1000 &\necho $! >> {self.folder}/ids\n"
                                        "wait\n")
        script.chmod(0o755)
        with subprocess.Popen([TILESCOPE, "measure", "naive"], env=self.environment(TILESCOPE_WORKER=str(script))) as process:
            ids = self.ids(2)
            process.send_signal(signal.SIGKILL)
        self.assert_all_end(ids)

    def test_deep_requests_are_answered(self):
        deep = '{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": %s}\n' % ("[" * 60000 + "]" * 60000)
        open_only = '{"jsonrpc": "2.0", "id": 2, "method": "measure", "params": ' + '{"a": ' * 70000 + "\n"
        hello = '{"jsonrpc": "2.0", "id": 3, "method": "hello", "params": {}}\n'
        result = subprocess.run([TILESCOPE, "worker"], input=deep + open_only + hello, env=self.environment(),
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([answer.get("error", {}).get("code") for answer in answers], [-32700, -32700, None])


if __name__ == "__main__":
    unittest.main()
