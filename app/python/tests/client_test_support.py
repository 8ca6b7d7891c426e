"""Kernels, programs and set-up that the tests of the Python package share."""

import contextlib
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "src"
SOURCE = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]) / "bin" / "tilescope"
sys.path.insert(0, str(PACKAGE))

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# A loop that counts: one in which nothing changes is found out at once.
ENDLESS = HEAD + """.visible .entry k()
{
  .reg .b64 d; .reg .pred p;
  mov.u64 d, 1;
A:
  add.u64 d, d, 1;
  setp.ne.u64 p, d, 0;
  @p bra A;
  ret;
}
"""
# out[tid] = a * in[tid], for tid < n.
SCALE = HEAD + """.visible .entry scale(.param .u64 in, .param .u64 out, .param .f32 a, .param .u64 n)
{
  .reg .b64 d<6>; .reg .b32 r<2>; .reg .f32 f<3>; .reg .pred p;
  ld.param.u64 d0, [in]; ld.param.u64 d1, [out]; ld.param.f32 f0, [a]; ld.param.u64 d2, [n];
  mov.u32 r0, %tid.x; cvt.u64.u32 d3, r0;
  setp.ge.u64 p, d3, d2;
  @p ret;
  shl.b64 d3, d3, 2; add.u64 d4, d0, d3; add.u64 d5, d1, d3;
  ld.global.f32 f1, [d4]; mul.f32 f2, f0, f1; st.global.f32 [d5], f2;
  ret;
}
"""
# Its stores to shared memory conflict in banks: line 5.
CONFLICTS = """extern "C" __global__ void columns(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int i = threadIdx.y * 32 + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x][threadIdx.y] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.y][threadIdx.x];
}
"""

# Answers hello, then does as its mode says.
FAKE = """#!/usr/bin/python3
import json, os, sys, time
mode = {mode!r}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "hello":
        protocol = message["params"]["protocol"] + (mode == "newer")
        if mode == "refuses":
            sys.exit("tilescope: TILESCOPE_ROOT is wrong")
        result = {{"program": "tilescope", "version": "9.9.9", "protocol": protocol, "shares_files": False}}
    elif mode == "dies":
        print("it went wrong", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 11)
    elif mode == "stalls":
        time.sleep(600)
    elif mode == "garbage":
        print("<html>", flush=True)
        continue
    elif mode == "breaks":
        error = {{"code": -32603, "message": "it broke"}}
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "error": error}}), flush=True)
        continue
    else:
        print(json.dumps({{"jsonrpc": "2.0", "method": "leaving", "params": {{"reason": "the GPU is lost"}}}}), flush=True)
        result = {{"status": "ok", "reason": "", "kernel": str(os.getpid()), "parameters": {{}}}}
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"""


class ClientTest(unittest.TestCase):
    """Each test has a folder and, for all, the built program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilescope-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.use(PROGRAM)

    def use(self, program):
        changed = mock.patch.dict(os.environ, {"TILESCOPE_PROGRAM": str(program)})
        changed.start()
        self.addCleanup(changed.stop)

    def file(self, name, contents):
        path = self.folder / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return path

    def fake(self, mode):
        path = self.file("tilescope-fake", FAKE.format(mode=mode))
        path.chmod(0o755)
        self.use(path)

    @contextlib.contextmanager
    def refused(self, kind, *words):
        with self.assertRaises(kind) as raised:
            yield
        for word in words:
            self.assertIn(word, str(raised.exception))
        self.assertIsNone(raised.exception.__cause__)
