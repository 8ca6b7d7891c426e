#!/usr/bin/env python3
"""Logs of compute-sanitizer and launches, without a GPU."""

import json
import pathlib
import unittest

import launch_twin
import sanitizer_table

FAULT = """========= COMPUTE-SANITIZER
========= Invalid __shared__ write of size 4 bytes
=========     at past_shared_faulty+0xd0 in past_shared.cu:4
=========     by thread (63,0,0) in block (0,0,0)
=========         Host Frame: launch in launch_twin.py:88
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call.
launch: CUDA_ERROR_LAUNCH_FAILED from cuCtxSynchronize
========= ERROR SUMMARY: 2 errors
"""
REFUSED = """========= COMPUTE-SANITIZER
========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuLaunchKernel.
=========         Host Frame: main in launch_twin.py:100
launch: CUDA_ERROR_INVALID_VALUE from cuLaunchKernel
========= ERROR SUMMARY: 1 error
"""
NONE = """========= COMPUTE-SANITIZER
launch: ok
========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
"""


class Logs(unittest.TestCase):
    def test_a_report_has_its_lines_and_an_error_of_the_driver_is_no_report(self):
        log = sanitizer_table.read_log(FAULT)
        self.assertEqual((log["reports"], log["lines"]), (1, [4]))
        self.assertEqual(log["launch"], "CUDA_ERROR_LAUNCH_FAILED from cuCtxSynchronize")
        log = sanitizer_table.read_log(REFUSED)
        self.assertEqual((log["reports"], log["lines"]), (0, []))
        self.assertEqual(sanitizer_table.read_log(NONE), {"reports": 0, "first": "", "lines": [], "launch": "ok"})
        self.assertEqual(sanitizer_table.read_log("", timed_out=True)["launch"], "timed out")

    def test_a_kernel_with_a_fault_that_no_tool_reports_is_found_by_tilescope_alone(self):
        twin = {"name": "a", "family": "b", "ptx": "race", "machine_code": ""}
        quiet, loud = sanitizer_table.read_log(NONE), sanitizer_table.read_log(FAULT)
        tools = {tool: quiet for tool in ("none", *sanitizer_table.TOOLS)}
        self.assertEqual(sanitizer_table.row_of(twin, "faulty", tools)["verdict"], "Tilescope alone")
        self.assertEqual(sanitizer_table.row_of(twin, "clean", tools)["verdict"], "agree")
        reported = tools | {"memcheck": loud}
        self.assertEqual(sanitizer_table.row_of(twin, "faulty", reported)["verdict"], "agree")
        row = sanitizer_table.row_of(twin, "clean", reported)
        self.assertEqual(row["verdict"], "compute-sanitizer alone")
        self.assertEqual(json.loads(sanitizer_table.record_of([row], {"gpu": "B"})),
                         {"machine": {"gpu": "B"}, "kernels": {"a_clean": {"launch": "ok", "memcheck": [4]}}})


class Launches(unittest.TestCase):
    def test_contents_of_buffers(self):
        self.assertEqual(launch_twin.contents_of({"element": "s32", "count": 2, "fill": -1}), b"\xff" * 8)
        self.assertEqual(launch_twin.contents_of({"element": "f32", "values": [1, "-inf"]}),
                         b"\x00\x00\x80\x3f\x00\x00\x80\xff")

    def test_every_launch_of_the_table_can_be_made(self):
        for twin in sanitizer_table.read_twins():
            for side in sanitizer_table.SIDES:
                launch = sanitizer_table.launch_of(twin, side)
                self.assertEqual(len(launch_twin.three(launch["grid"])), 3)
                for argument in launch["arguments"]:
                    if argument["type"] == "buffer":
                        self.assertTrue(launch_twin.contents_of(argument))
                    else:
                        self.assertTrue(launch_twin.packed(argument["type"], [argument["value"]]))

    def test_a_command_names_the_kernel_and_the_tool(self):
        command = sanitizer_table.command_of({"name": "halo"}, "clean", "memcheck", pathlib.Path("/to"))
        self.assertEqual(command[:3], ["compute-sanitizer", "--tool", "memcheck"])
        self.assertEqual(command[-3:], ["/to/halo.cubin", "halo_clean", "/to/halo_clean.json"])


if __name__ == "__main__":
    unittest.main()
