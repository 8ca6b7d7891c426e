"""--shapes as a script sees it: sets of shapes, the matrix of a sweep, a comparison at each shape."""

import json
import math
import unittest

from command_line_test import GRID, KERNEL, SOURCE, CommandLine, complaints

ROW_MAJOR, SWIZZLED = "flash_scalar:SMEM_LAYOUT=row_major", "flash_scalar:SMEM_LAYOUT=xor_swizzle"
TWO = ["--shapes", "1,1,128,64; 2,1,128,64 causal"]
EXAMPLES = SOURCE / "sessions/examples"


class Sets(CommandLine):
    def refusal(self, *arguments, command=("sweep", KERNEL, *GRID)):
        result = self.run_it(*command, *arguments, worker="fine")
        self.assertEqual((result.returncode, self.measured()), (2, 0), result.stderr)
        return result.stderr

    def file(self, text):
        file = self.folder / "mine.json"
        file.write_text(text)
        return file

    def test_what_is_wrong_is_named(self):
        for text, words in [("canonicl", "canonical"), ("1,8,512", "3 sizes instead of 4"),
                            ("1,8,512,64;1,8,512,64", "the same as shape 1"), ("1,8,512,64 masked", "'masked'"),
                            (self.folder / "none.json", "none.json"),
                            (self.file('["1,8,512,64", {"B": 1}]'), "mine.json, shape 2"), ("", "--shapes")]:
            self.assertIn(words, self.refusal("--shapes", text))

    def test_one_shape_beside_a_set_is_refused(self):
        for option in (["--shape", "1,8,512,64"], ["--causal"], ["--dtype", "bf16"]):
            self.assertIn(option[0], self.refusal(*TWO, *option))
        self.assertIn("--causal", self.refusal(*TWO, "--causal", command=("compare", ROW_MAJOR, SWIZZLED)))

    def test_the_canonical_six(self):
        points = self.document("sweep", KERNEL, "--vary", "BLOCK_M=32", "--shapes", "canonical", worker="fine")["points"]
        shapes = [(point["shape"]["B"], point["shape"]["Hq"], point["shape"]["causal"]) for point in points]
        self.assertEqual(shapes, [(b, h, causal) for b, h in ((1, 8), (4, 16), (8, 16)) for causal in (False, True)])
        self.assertEqual({(point["shape"]["Sq"], point["shape"]["D"], point["shape"]["dtype"]) for point in points},
                         {(512, 64, "fp16")})

    def test_a_file_of_ones_own(self):
        file = self.file(json.dumps({"name": "mine", "shapes": [
            "1,8/2,1/4096,128 bf16",
            {"B": 2, "Hq": 8, "Hkv": 8, "Sq": 64, "Sk": 64, "D": 64, "dtype": "fp16", "causal": True}]}))
        points = self.document("sweep", KERNEL, "--vary", "BLOCK_M=32", "--shapes", file, worker="fine")["points"]
        self.assertEqual([(point["shape"]["Hkv"], point["shape"]["Sk"], point["shape"]["dtype"], point["shape"]["causal"])
                          for point in points], [(2, 4096, "bf16", False), (8, 64, "fp16", True)])


class Sweep(CommandLine):
    def sweep(self, *arguments, **how):
        return self.document("sweep", KERNEL, *GRID, *TWO, *arguments, **how)

    def test_the_matrix_has_every_configuration_at_every_shape(self):
        document = self.sweep(worker="fine")
        self.assertEqual(len(document["points"]), 8)
        matrix = document["matrix"]
        self.assertEqual([shape["B"] for shape in matrix["shapes"]], [1, 2])
        self.assertEqual(len(matrix["rows"]), 4)
        # The fictitious GPU takes 100 - BLOCK_M / 2 + NUM_WARPS.
        latency = {(m, n): 100 - m / 2 + n for m in (32, 64) for n in (4, 8)}
        order = [(row["parameters"]["BLOCK_M"], row["parameters"]["NUM_WARPS"]) for row in matrix["rows"]]
        self.assertEqual(order, sorted(latency, key=latency.get))
        for configuration, row in zip(order, matrix["rows"]):
            regret = latency[configuration] / latency[64, 4] - 1
            self.assertAlmostEqual(row["worst_regret"], regret, 12)
            self.assertAlmostEqual(row["mean_regret"], regret, 12)
            self.assertEqual([cell["kind"] for cell in row["cells"]], ["measured", "measured"])

    def test_progress_is_over_all_shapes(self):
        result = self.run_it("sweep", KERNEL, *GRID, *TWO, worker="fine")
        self.assertIn("8 points at 2 shapes", result.stderr)
        self.assertIn("[8/8] B2 H1 S128 D64 fp16 causal, BLOCK_M=64 NUM_WARPS=8", result.stderr)
        for words in ["H1 S128 D64 fp16: measured p50", "mean regret", "B2 causal", "(best)"]:
            self.assertIn(words, result.stdout)

    def test_it_resumes(self):
        self.sweep("--session", self.session, worker="fine")
        session = self.saved()
        del session["points"][2:5]  # of both shapes
        self.session.write_text(json.dumps(session))
        measured = self.measured()
        document = self.sweep("--session", self.session, worker="fine")
        self.assertEqual((document["reused"], self.measured() - measured), (5, 3))
        self.assertEqual([row["why_no_regret"] for row in document["matrix"]["rows"]], 4 * [None])

    def test_an_incorrect_result_has_no_rank(self):
        document = self.sweep(code=1, worker="wrong:3")
        last = document["matrix"]["rows"][-1]
        self.assertEqual([cell["status"] for cell in last["cells"]].count("wrong_result"), 1)
        self.assertIsNone(last["worst_regret"])
        self.assertIn("no ranked latency", last["why_no_regret"])
        text = self.run_it("sweep", KERNEL, *GRID, *TWO, worker="wrong:11").stdout
        for words in ["Incorrect result", "none: 1 of 2 shapes ranked", "1 of 4 rows have no regret"]:
            self.assertIn(words, text)

    def test_predictions_say_that_they_are(self):
        matrix = self.sweep(worker="absent")["matrix"]
        self.assertEqual({cell["kind"] for row in matrix["rows"] for cell in row["cells"]}, {"predicted"})
        self.assertIn("The latencies are predicted, not measured.", matrix["notes"])
        self.assertIn("predicted p50", self.run_it("sweep", KERNEL, *GRID, *TWO, worker="absent").stdout)

    def test_without_shapes_there_is_no_matrix(self):
        self.assertIsNone(self.document("sweep", KERNEL, *GRID, worker="fine")["matrix"])


class Compare(CommandLine):
    def compare(self, *arguments, code=0):
        result = self.run_it("compare", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "shape_comparisons"), [])
        return document

    def test_a_row_for_each_shape_and_the_geometric_mean(self):
        document = self.compare(ROW_MAJOR, SWIZZLED, *TWO)
        comparisons = document["comparisons"]
        self.assertEqual([(entry["a"]["shape"]["B"], entry["b"]["shape"]["causal"]) for entry in comparisons],
                         [(1, False), (2, True)])
        ratios = [entry["ratio"] for entry in comparisons]
        self.assertAlmostEqual(document["geometric_mean_of_ratios"], math.prod(ratios) ** (1 / 2), 9)
        self.assertEqual((document["ratios"], document["basis"]), (2, "predicted"))
        text = self.run_it("compare", ROW_MAJOR, SWIZZLED, *TWO).stdout
        self.assertIn(f"Geometric mean of 2 ratios p50(A) / p50(B): {document['geometric_mean_of_ratios']:.3f}, predicted",
                      text)
        for words in ["A  flash_scalar SMEM_LAYOUT=row_major", "B2 causal", comparisons[0]["verdict"]]:
            self.assertIn(words, text)
        self.assertTrue(all(entry["line_changes"] for entry in comparisons))
        self.assertIn("\nLines whose predicted time changes at B1 H1 S128 D64 fp16, where the difference is largest\n",
                      text)

    def test_lines_of_two_kernels_are_compared_at_each_shape(self):
        comparisons = self.compare(ROW_MAJOR, "mma_flash", *TWO)["comparisons"]
        for entry in comparisons:
            places = [(line["line_a"], line["line_b"]) for line in entry["line_changes"]]
            self.assertIn(None, [line_b for _, line_b in places])

    def test_markdown_and_csv(self):
        markdown = self.run_it("compare", ROW_MAJOR, SWIZZLED, *TWO, "--format", "markdown").stdout
        self.assertIn("| shape | verdict |", markdown)
        self.assertIn("| B2 causal |", markdown)
        lines = self.run_it("compare", ROW_MAJOR, SWIZZLED, *TWO, "--format", "csv").stdout.splitlines()
        self.assertEqual(len(lines), 3)

    def test_a_report_of_all_shapes(self):
        file = self.folder / "shapes.html"
        result = self.run_it("compare", ROW_MAJOR, SWIZZLED, *TWO, "--to", file)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Geometric mean of 2 ratios", result.stdout)
        html = file.read_text()
        for words in ("Geometric mean of 2 ratios", "B2 H1 S128 D64 fp16 causal", "bank conflicts", "Environment"):
            self.assertIn(words, html)
        self.assertEqual(html.count("Lines whose predicted time changes at"), 2)
        self.assertEqual(html.count("<svg viewBox"), 2)

    def test_both_points_of_each_shape_go_into_the_session(self):
        self.compare(ROW_MAJOR, SWIZZLED, *TWO, "--session", self.session)
        points = [(point["shape"]["B"], point["parameters"]["SMEM_LAYOUT"]) for point in self.saved()["points"]]
        self.assertEqual(points, [(1, "row_major"), (1, "xor_swizzle"), (2, "row_major"), (2, "xor_swizzle")])

    def test_recorded_points_are_those_of_the_shape(self):
        model = EXAMPLES / "model_h200.json"
        shapes = "1,8,512,64; 1,4,2048,64; 7,8,512,64"
        document = self.compare(f"{model}:kernel=tiled", f"{model}:kernel=mma_flash", "--shapes", shapes,
                                code=3)
        self.assertEqual([entry["a"]["shape"]["Sq"] for entry in document["comparisons"]], [512, 2048])
        self.assertEqual(document["basis"], "apart")
        self.assertEqual([entry["shape"]["B"] for entry in document["not_compared"]], [7])
        self.assertIn("The mean is over 2 of 3 shapes: the others have no ratio.", document["remarks"])

    def test_a_set_that_a_session_lacks_altogether_is_refused(self):
        model = EXAMPLES / "model_h200.json"
        result = self.run_it("compare", f"{model}:kernel=tiled", f"{model}:kernel=mma_flash", "--shapes", "7,8,512,64")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no correct point", result.stderr)

    def test_more_than_two_sides_are_refused(self):
        result = self.run_it("compare", ROW_MAJOR, SWIZZLED, "tiled", *TWO)
        self.assertEqual(result.returncode, 2)
        self.assertIn("two sides", result.stderr)

    def test_a_failed_point_counts_in_the_exit_code(self):
        document = self.compare("flash_scalar:BLOCK_M=64,NUM_WARPS=1", SWIZZLED, "--shapes", "1,1,128,64; 1,1,128,512",
                                code=1)
        self.assertEqual(document["ratios"], 1)
        self.assertIsNone(document["comparisons"][1]["ratio"])


if __name__ == "__main__":
    unittest.main()
