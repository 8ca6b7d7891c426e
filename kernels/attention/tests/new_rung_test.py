#!/usr/bin/env python3
"""A new rung is one .cu file: the tests of the ladder compile it, check it and cover its configurations by themselves.

They run over a catalogue with only this kernel: correct, with a wrong softmax, and with a parameter that does nothing.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
TESTS = pathlib.Path(os.environ["TILESCOPE_BUILD_DIR"]) / "tests"
KERNEL = SOURCE / "kernels/attention/tests/row_per_thread.cu"


def results_of(suites, root):
    """The result of each test over all rungs, for a catalogue of its own: {"Ladder.Name": True, ...}."""
    tests = ":".join(f"Rungs/{suite}.*" for suite in suites)
    result = subprocess.run([TESTS / "kernels_test", f"--gtest_filter={tests}"], env=dict(os.environ, TILESCOPE_ROOT=str(root)),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250)
    if "[  SKIPPED ]" in result.stdout:
        print(result.stdout)
        sys.exit(77)
    ended = re.findall(r"^\[( +OK|  FAILED ) \] Rungs/([\w.]+)/row_per_thread\b.*\(\d+ ms\)$", result.stdout, re.MULTILINE)
    return {name: word.strip() == "OK" for word, name in ended}, result.stdout


class NewRung(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "kernels/attention").mkdir(parents=True)
        (self.root / "kernels/device").symlink_to(SOURCE / "kernels/device")
        (self.root / "assets").symlink_to(SOURCE / "assets")

    def add_kernel(self, before="", after=""):
        text = KERNEL.read_text()
        self.assertIn(before, text)
        (self.root / "kernels/attention/row_per_thread.cu").write_text(text.replace(before, after, 1))

    def test_is_compiled_checked_and_covered(self):
        self.add_kernel()
        ladder, log = results_of(("Ladder", "LadderCode"), self.root)
        self.assertEqual(ladder, {"Ladder.EveryValueOfEveryParameterIsRight": True,
                                  "Ladder.SizesTypesAndConfigurationsDrawnAtRandomAreRight": True,
                                  "Ladder.AdversarialInputsAreRight": True,
                                  "Ladder.AnOddHeadSizeIsRightOrRefusedInTheWordsOfTheFile": True,
                                  "LadderCode.NoParameterIsDead": True}, log)
        classes, log = results_of(("CompileClasses",), self.root)
        self.assertEqual(classes, {"CompileClasses.CompileAndFitOnEveryArchitecture": True}, log)

    def test_fails_when_its_softmax_is_wrong(self):
        self.add_kernel("fmaf(sum, rescale, weight)", "sum + weight")
        ladder, log = results_of(("Ladder", "LadderCode"), self.root)
        self.assertFalse(ladder["Ladder.EveryValueOfEveryParameterIsRight"], log)
        self.assertTrue(ladder["LadderCode.NoParameterIsDead"], log)

    def test_fails_when_a_parameter_is_dead_or_a_configuration_does_not_compile(self):
        self.add_kernel('"parameters":  [', '"parameters": [{"name": "IDLE", "values": [0, 1], "default": 0, "help": "h"}, ')
        ladder, log = results_of(("Ladder", "LadderCode"), self.root)
        self.assertFalse(ladder["LadderCode.NoParameterIsDead"], log)
        self.assertIn("IDLE = 0 and 1 are the same code", log)
        self.add_kernel("using Element = DTYPE;", "using Element = DTYPE;\nstatic_assert(THREADS != 64 || !CAUSAL);")
        classes, log = results_of(("CompileClasses",), self.root)
        self.assertEqual(classes, {"CompileClasses.CompileAndFitOnEveryArchitecture": False}, log)


if __name__ == "__main__":
    unittest.main()
