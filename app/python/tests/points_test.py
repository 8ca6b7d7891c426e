"""open(), measure() and read_session(): points, their figures, notebooks and tables."""

import html.parser
import json
import os
import subprocess
import sys
import types
import unittest
from unittest import mock

from client_test_support import CONFLICTS, PACKAGE, SCALE, SOURCE, ClientTest

import tilescope
from tilescope.requests import absolute_includes, shape_of

try:
    import pandas
except ImportError:
    pandas = None

EVIL = "<script>alert(1)</script>&\u202e"


class Tags(html.parser.HTMLParser):
    """The elements that are open at the end, and all that there are."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Opened(ClientTest):
    def test_a_file_is_opened(self):
        path = self.file("columns.cu", CONFLICTS)
        point = tilescope.open(path, set={"block": (32, 32), "n": 1024}, device="H100")
        self.assertEqual(point.status, "unchecked", point.reason)
        self.assertEqual([kernel.name for kernel in point.kernels], ["columns"])
        self.assertGreater(point.kernels[0].resources.registers, 0)
        self.assertEqual(point.launch["block"], [32, 32, 1])
        self.assertIn("grid", [guess.what for guess in point.guesses])
        self.assertEqual((point.device_name, point.entry, point.device.arch), ("H100", "columns", "sm_90a"))
        self.assertEqual([line.line for line in point.conflict_lines()], [5])
        low, high = point.band_us
        self.assertTrue(low <= point.predicted_us <= high)
        self.assertEqual(point.predicted_us, point["prediction"]["p50_us"])
        self.assertIn("prediction", dir(point))
        self.assertNotIn("kernels", point.point.document)
        self.assertFalse(hasattr(point, "nothing"))
        shown = point._repr_html_()
        self.assertEqual(Tags(shown).open, [])
        for words in ("columns.cu", "Kernels", "Guessed", "unchecked", "predicted", "columns.cu:5", "32-way", "Advice"):
            self.assertIn(words, shown)

    def test_the_launch_beside_a_file_is_taken(self):
        path = self.file("scale.ptx", SCALE)
        launch = {"block": [8], "arguments": [{"type": "buffer", "element": "f32", "values": "x.npy", "name": "x"},
                                              {"type": "buffer", "element": "f32", "count": 2, "name": "y"},
                                              {"type": "f32", "value": 2}, {"type": "u64", "value": 2}]}
        self.file("x.npy", tilescope.arguments.npy("f32", (2,), bytes(8)))
        self.file("scale.launch.json", json.dumps(launch))
        point = tilescope.open(path)
        self.assertEqual((point.launch, point.guesses, point.block), (launch, [], [8, 1, 1]))
        (self.folder / "x.npy").unlink()
        with self.refused(tilescope.UnreadableFile, "x.npy"):
            tilescope.open(path)
        self.file("scale.launch.json", "{")
        with self.refused(tilescope.UnreadableFile, "scale.launch.json", "not JSON"):
            tilescope.open(path)

    def test_arguments_that_are_refused(self):
        path = self.file("scale.ptx", SCALE)
        for kind, words, how in [(tilescope.WrongArgument, "no kernel 'rows'", {"entry": "rows"}),
                                 (tilescope.WrongArgument, "no device 'L5'", {"device": "L5"}),
                                 (tilescope.WrongArgument, "'some' is not a valid block count", {"blocks": "some"}),
                                 (tilescope.WrongArgument, "the time limit is 0", {"time_limit": 0}),
                                 (tilescope.WrongArgument, "give a list", {"options": "-DA"})]:
            with self.refused(kind, words):
                tilescope.open(path, **how)
        with self.refused(tilescope.UnreadableFile, "cannot be opened", "does not compile"):
            tilescope.open(self.file("broken.cu", "__global__ void k( {\n"))
        with self.refused(tilescope.UnreadableFile, "cannot read '/nowhere.cu': No such file"):
            tilescope.open("/nowhere.cu")

    def test_folders_of_headers_are_absolute(self):
        here = os.getcwd()
        self.assertEqual(absolute_includes(["-Iinclude", "-I", "more", "-I/usr/x", "-DA=1"]),
                         [f"-I{here}/include", f"-I{here}/more", "-I/usr/x", "-DA=1"])


class Measured(ClientTest):
    def test_a_point(self):
        point = tilescope.measure("flash_scalar", {"BLOCK_N": 32, "SMEM_LAYOUT": "row_major"}, "1,1,64,64 causal", "L4")
        self.assertEqual((point.status, point.kernel, point.device_name), ("ok", "flash_scalar", "L4"), point.reason)
        self.assertEqual((point.parameters["BLOCK_N"], point.shape_text), (32, "1,1,64,64 causal"))
        self.assertGreater(point.conflicts, 0)
        self.assertGreater(point.predicted_us, 0)
        self.assertEqual(Tags(point._repr_html_()).open, [])
        self.assertIn("SMEM_LAYOUT=row_major", repr(point))

    def test_a_configuration_that_cannot_run_is_a_point(self):
        point = tilescope.measure("flash_scalar", {"BLOCK_M": 3})
        self.assertEqual((point.status, point.predicted_us), ("invalid_configuration", None))
        self.assertIn("BLOCK_M = 3", point.reason)

    def test_arguments_that_are_refused(self):
        for words, args in [("no kernel 'flash'", ("flash",)), ("no device 'L5'", ("flash_scalar", {}, "1,1,64,64", "L5")),
                            ("no parameter 'TILE'", ("flash_scalar", {"TILE": 1})),
                            ("BLOCK_M is 0.5", ("flash_scalar", {"BLOCK_M": 0.5})),
                            ("give B,H,S,D", ("flash_scalar", {}, "1,1,64")), ("give B,H,S,D", ("flash_scalar", {}, "")),
                            ("/experiment/shape/Hq: is missing", ("flash_scalar", {}, {"B": 1}))]:
            with self.refused(tilescope.WrongArgument, words):
                tilescope.measure(*args)

    def test_shapes(self):
        self.assertEqual(shape_of("1,32/8,512x4096,128 bf16 causal"),
                         {"B": 1, "Hq": 32, "Hkv": 8, "Sq": 512, "Sk": 4096, "D": 128, "dtype": "bf16", "causal": True})


class Sessions(ClientTest):
    def test_every_version_is_read(self):
        for version in (1, 2, 3):
            session = tilescope.read_session(SOURCE / f"sessions/tests/fixtures/version_{version}.json")
            self.assertGreater(len(session), 0)
            for point in session:
                self.assertNotEqual((point.document["latency"] or {}).get("kind"), "predicted")
        self.assertEqual((session.title, session[0].shape_text), ("A session of format 3", "2,8/4,512/1024,64 causal bf16"))
        self.assertEqual((session[0].latency_us, session[0].predicted_us, session[0].conflicts), (30.4, 28.5, 21))
        self.assertEqual(Tags(session._repr_html_()).open, [])

    def test_a_predicted_latency_of_version_1_becomes_a_prediction(self):
        point = {"status": "ok", "reason": "", "kernel": "k", "parameters": {}, "shape": None, "device": None,
                 "latency": {"kind": "predicted", "p50_us": 2.0, "p10_us": 1.0, "p90_us": 3.0}}
        session = tilescope.read_session(self.file("one.json", json.dumps(
            {"format": "tilescope-session", "version": 1, "points": [point]})))
        self.assertEqual((session[0].latency_us, session[0].predicted_us, session[0].band_us), (None, 2.0, (1.0, 3.0)))

    def test_files_that_are_refused(self):
        def document(**more):
            return json.dumps({"format": "tilescope-session", "version": 3, "points": [], **more})
        point = {"status": "ok", "kernel": "k"}
        for text, words in [("{\n1", "invalid JSON at line 2"), ("[]", "has no \"format\""), (document(version=4), "version 4"),
                            (document(version="x"), "has no version"), (document(points={}), "has no list of points"),
                            (document(points=[1]), "/points/0 is not an object"), ("[NaN]", "NaN"),
                            ("[" * 100000, "not a Tilescope"),
                            (document(points=[point]), "/points/0/parameters"),
                            (document(points=[dict(point, parameters={}, shape={"B": 1})]), "/points/0/shape/D")]:
            with self.refused(tilescope.UnreadableFile, "session.json", words):
                tilescope.read_session(self.file("session.json", text))
        with self.refused(tilescope.UnreadableFile, "not a regular file"):
            tilescope.read_session(self.folder)

    def rows(self):
        return tilescope.read_session(SOURCE / "sessions/tests/fixtures/version_3.json")

    def test_pandas_that_is_missing_is_said(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "needs pandas, which is not installed"):
                self.rows().to_pandas()

    def test_the_rows_of_a_frame(self):
        made = mock.Mock()
        with mock.patch.dict(sys.modules, {"pandas": types.SimpleNamespace(DataFrame=made)}):
            self.rows().to_pandas()
        rows, columns = made.call_args.args[0], made.call_args.kwargs["columns"]
        self.assertEqual(columns[0], "kernel")
        self.assertEqual(columns[-6:], ["shape", "device", "status", "latency_us", "prediction_us", "conflicts"])
        self.assertEqual((rows[0]["NUM_WARPS"], rows[0]["latency_us"], rows[0]["device"]), (8, 30.4, "L4"))
        self.assertLessEqual(set(rows[0]), set(columns))

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_a_frame(self):
        frame = self.rows().to_pandas()
        self.assertEqual((len(frame), frame.latency_us[0], frame.NUM_WARPS[0]), (len(self.rows()), 30.4, 8))
        recorded = tilescope.read_session(SOURCE / "sessions/examples/mma_flash_h200.json").to_pandas()
        self.assertTrue(recorded.prediction_us.isna().all())
        self.assertEqual(str(recorded.prediction_us.dtype), "float64")


class Html(unittest.TestCase):
    def test_all_text_is_escaped(self):
        def poisoned(value):
            if isinstance(value, dict):
                return {name: poisoned(item) for name, item in value.items()}
            if isinstance(value, list):
                return [poisoned(item) for item in value]
            return EVIL if isinstance(value, str) else value
        document = {"status": "a", "reason": "a", "kernel": "a", "entry": "a", "parameters": {"a": "a"}, "shape": None,
                    "device": {"name": "a"}, "findings": [{"kind": "a", "text": "a"}], "notes": ["a"],
                    "diagnoses": [{"text": "a", "repair": "a"}], "kernels": [{"demangled": "a", "target": "a", "problem": "a"}],
                    "guesses": [{"what": "a", "value": "a", "reason": "a"}], "grid": [1], "block": [1],
                    "occupancy": {"fraction": 0.5, "limiter": "a"}, "resources": {"registers": 1},
                    "prediction": {"p50_us": 1.0, "low_us": 0.5, "high_us": 2.0, "band": "a", "roofline_us": 0.1},
                    "memory": {"shared_conflicts": 1, "shared_wavefronts": 2,
                               "sites": [{"operation": "ld.shared", "conflicts": 1, "file": "a", "line": 1}]}}
        hostile = poisoned(document)
        hostile["memory"]["sites"][0]["operation"] = "ld.shared"
        hostile["parameters"] = {EVIL: EVIL}
        for point in (tilescope.Point(hostile), tilescope.OpenedPoint(hostile), tilescope.TracedPoint(hostile, {}, []),
                      tilescope.Session([tilescope.Point(hostile)])):
            shown = point._repr_html_()
            self.assertEqual(Tags(shown).open, [])
            self.assertNotIn("script", Tags(shown).seen)
            self.assertNotIn("\u202e", shown)


class Import(unittest.TestCase):
    def test_the_standard_library_is_enough(self):
        program = (f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); import tilescope; from tilescope import *; "
                   "assert open('/dev/null'); print([name for name in ('numpy', 'pandas') if name in sys.modules])")
        shown = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(shown, "[]\n")


if __name__ == "__main__":
    unittest.main()
