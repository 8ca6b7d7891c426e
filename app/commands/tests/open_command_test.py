"""`tilescope open --vary` as a script sees it, without a GPU."""

import json
import unittest

from command_line_test import SOURCE, CommandLine, complaints

TRANSPOSE = SOURCE / "kernels/foreign/transpose.cu"


class OpenVary(CommandLine):
    def points(self, *arguments, code=0):
        result = self.run_it("open", TRANSPOSE, *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        points = json.loads(result.stdout)["points"]
        for point in points:
            self.assertEqual(complaints(point, "measurement"), [])
            self.assertIsNone(point["shape"], "it has none of attention")
        return points

    def test_each_combination_is_a_point_with_its_values(self):
        points = self.points("--vary", "TILE_DIM=16,32", "--vary", "nx=64,100", "--expect", "out = transpose(in[120][width])")
        values = [(point["parameters"]["TILE_DIM"], point["parameters"]["nx"]) for point in points]
        self.assertEqual(values, [(16, 64), (16, 100), (32, 64), (32, 100)])
        self.assertEqual([point["compared"][0]["wrong"] for point in points], [0, 0, 0, 0])
        conflicts = [point["memory"]["shared_conflicts"] for point in points]
        self.assertLess(conflicts[0], conflicts[2], "a column of 16 words conflicts less than one of 32")

    def test_a_constant_brings_its_values(self):
        points = self.points("--vary", "BLOCK_ROWS")
        rows = [point["parameters"]["BLOCK_ROWS"] for point in points]
        self.assertIn(8, rows)
        self.assertEqual(rows, sorted(rows))
        self.assertGreater(len(rows), 2)

    def test_a_template_argument_changes_the_kernels_name(self):
        result = self.run_it("open", SOURCE / "kernels/foreign/gemm.cu", "--entry", "gemm<16>", "--vary", "TILE=8,16,32", "--json")
        points = json.loads(result.stdout)["points"]
        self.assertEqual([point["status"] for point in points], ["unchecked"] * 3, [point["reason"] for point in points])
        self.assertEqual(len({point["entry"] for point in points}), 3)

    def test_the_table_names_the_fastest_of_equal_work(self):
        text = self.run_it("open", TRANSPOSE, "--vary", "TILE_DIM=16,64").stdout
        self.assertIn("Lowest predicted latency: TILE_DIM=", text)
        self.assertIn("Equals transpose(in[height][width])", text)
        self.assertNotIn("Lowest", self.run_it("open", TRANSPOSE, "--vary", "ny=64,128").stdout)

    def test_what_cannot_be_varied_is_refused(self):
        for arguments, words in [
            (["--vary", "TILE"], "TILE_DIM, BLOCK_ROWS"),
            (["--vary", "TILE=1,2"], "TILE"),
            (["--vary", "TILE_DIM=16", "--set", "TILE_DIM=8"], "both in --set and in --vary"),
            (["--vary", "TILE_DIM=16", "--vary", "TILE_DIM=8"], "twice"),
            (["--vary", "TILE_DIM=16,32", "--declare"], "--declare"),
            (["--vary", "nx=" + ",".join(map(str, range(1, 300)))], "256"),
        ]:
            with self.subTest(arguments):
                result = self.run_it("open", TRANSPOSE, *arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
