"""The worker of the Python package: found, started, lost, cancelled, ended."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from client_test_support import ENDLESS, PACKAGE, PROGRAM, SCALE, SOURCE, ClientTest

import tilescope
from tilescope import worker


def answer():
    """A short request."""
    out = ("f32", [0.0, 0.0])
    return tilescope.trace(SCALE, [("f32", [1.0, 2.0]), out, 2.0, 2], 1, 32).arrays[1]


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Workers(ClientTest):
    def setUp(self):
        super().setUp()
        tilescope.close()
        self.addCleanup(tilescope.close)

    def pid(self):
        return worker._worker._process.pid

    def test_the_version_of_the_protocol_is_the_programs(self):
        header = (SOURCE / "profiler/service/worker/protocol.hpp").read_text()
        self.assertEqual(worker.PROTOCOL_VERSION, int(re.search(r"int version = (\d+);", header).group(1)))

    def test_one_worker_serves_all_calls(self):
        self.assertEqual(answer(), [2.0, 4.0])
        first = self.pid()
        self.assertEqual(answer(), [2.0, 4.0])
        self.assertEqual(self.pid(), first)
        tilescope.close()
        self.assertFalse(is_running(first))
        self.assertEqual(answer(), [2.0, 4.0])

    def test_threads_wait_for_each_other(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(answer())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [[2.0, 4.0]] * 4)

    def test_a_program_that_is_missing(self):
        self.use("/nowhere/tilescope")
        with self.refused(tilescope.WorkerNotFound, "TILESCOPE_PROGRAM is '/nowhere/tilescope'"):
            answer()
        with mock.patch.dict(os.environ, {"TILESCOPE_PROGRAM": "", "PATH": str(self.folder), "TILESCOPE_PRESET": "none"}):
            with self.refused(tilescope.WorkerNotFound, "was not found", "TILESCOPE_PROGRAM"):
                answer()

    def test_the_program_is_found_in_the_path(self):
        with mock.patch.dict(os.environ, {"TILESCOPE_PROGRAM": "", "PATH": str(PROGRAM.parent), "TILESCOPE_PRESET": "none"}):
            self.assertEqual(worker.find_program(), str(PROGRAM))

    def test_a_program_of_another_kind(self):
        newer = f"protocol {worker.PROTOCOL_VERSION + 1}"
        for mode, words in [("newer", (newer, "9.9.9")), ("refuses", ("does not start", "TILESCOPE_ROOT"))]:
            self.fake(mode)
            with self.refused(tilescope.WorkerNotFound, *words):
                answer()
        self.use("/usr/bin/true")
        with self.refused(tilescope.WorkerNotFound, "does not start", "exit code 0"):
            answer()

    def test_a_lost_worker_is_said_and_replaced(self):
        self.fake("dies")
        with self.refused(tilescope.WorkerLost, "was lost", "signal 11", "it went wrong"):
            answer()
        self.use(PROGRAM)
        self.assertEqual(answer(), [2.0, 4.0])
        os.kill(self.pid(), signal.SIGKILL)
        deadline = time.monotonic() + 10
        while is_running(self.pid()) and time.monotonic() < deadline:
            time.sleep(0.01)
        with self.refused(tilescope.WorkerLost, "signal 9"):
            answer()
        self.assertEqual(answer(), [2.0, 4.0])

    def test_messages_of_the_protocol_do_not_reach_the_caller(self):
        self.fake("garbage")
        with self.refused(tilescope.TilescopeError, "not a message"):
            answer()
        self.fake("breaks")
        with self.refused(tilescope.TilescopeError, "it broke"):
            answer()

    def test_a_worker_that_leaves_is_replaced(self):
        self.fake("leaves")
        first = tilescope.measure("flash_scalar")
        self.assertNotEqual(tilescope.measure("flash_scalar").kernel, first.kernel)

    def test_a_worker_that_does_not_answer_is_ended(self):
        self.fake("stalls")
        with mock.patch.object(worker, "CANCEL_GRACE_S", 0.1), mock.patch("tilescope.requests.PATIENCE_S", 0.1):
            with self.refused(tilescope.TimeLimitExceeded, "'run_file' was not answered within 0.3 s"):
                tilescope.trace(ENDLESS, [], 1, 32, time_limit=0.2)
        self.assertFalse(worker._worker.usable)

    def test_a_run_beyond_its_limit_is_a_point(self):
        point = tilescope.trace(ENDLESS, [], 1, 32, time_limit=0.2)
        self.assertEqual((point.status, point.arrays), ("timed_out", {}))

    def test_ctrl_c_cancels_the_request(self):
        self.assertEqual(answer(), [2.0, 4.0])
        first = self.pid()
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            tilescope.trace(ENDLESS, [], 1, 32)
        self.assertEqual(answer(), [2.0, 4.0])
        self.assertEqual(self.pid(), first, "the worker obeyed the cancel")

    def test_a_forked_process_has_a_worker_of_its_own(self):
        answer()
        child = os.fork()
        if child == 0:
            ended = 1
            try:
                ended = 0 if answer() == [2.0, 4.0] else 2
                tilescope.close()
            finally:
                os._exit(ended)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(answer(), [2.0, 4.0])

    def test_the_worker_ends_with_its_process(self):
        program = ("import os, sys; sys.path[:0] = [%r, %r]; import worker_test as w; w.answer(); "
                   "print(w.worker._worker._process.pid, flush=True); "
                   "os.kill(os.getpid(), int(sys.argv[1])) if sys.argv[1] != '0' else None")
        for ending in ("0", "9"):
            ran = subprocess.run([sys.executable, "-c", program % (str(PACKAGE), str(pathlib.Path(__file__).parent)), ending],
                                 stdout=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(ran.returncode, -int(ending))
            deadline = time.monotonic() + 10
            while is_running(int(ran.stdout)) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse(is_running(int(ran.stdout)))


if __name__ == "__main__":
    unittest.main()
