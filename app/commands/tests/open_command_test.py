"""`tilescope open --vary` and `--reference` as a script sees them, without a GPU."""

import json
import os
import pathlib
import sys
import unittest

from command_line_test import SOURCE, CommandLine, complaints

TRANSPOSE = SOURCE / "kernels/foreign/transpose.cu"


class OpenLayouts(CommandLine):
    def test_a_conflict_has_a_padding_that_is_counted_and_a_swizzle(self):
        result = self.run_it("open", TRANSPOSE, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        point = json.loads(result.stdout)
        self.assertEqual(complaints(point, "tried_measurement"), [])
        swizzle, padding = point["layouts"]
        self.assertEqual(padding["declaration"], "float tile[TILE_DIM][TILE_DIM + 1]")
        self.assertEqual((padding["wavefronts"], padding["wavefronts_promised"], padding["wavefronts_counted"]), (1056, 64, 64))
        self.assertEqual(swizzle["swizzle"], "Swizzle<5, 2, 5> on bytes, Swizzle<5, 0, 5> on elements")
        self.assertEqual((swizzle["wavefronts_promised"], swizzle["wavefronts_counted"]), (64, None))
        text = self.run_it("open", TRANSPOSE).stdout
        self.assertIn("Layouts, wavefronts of one block", text)
        self.assertIn("pad 4 B: float tile[TILE_DIM][TILE_DIM + 1]", text)
        self.assertIn('--set "tile: added columns=1"', text)
        repaired = self.run_it("open", TRANSPOSE, "--set", "tile: added columns=1", "--json")
        self.assertEqual(repaired.returncode, 0, repaired.stderr)
        point = json.loads(repaired.stdout)
        self.assertNotIn("layouts", point)
        self.assertEqual(point["memory"]["shared_conflicts"], 0)

    def test_columns_are_added_to_arrays_of_the_source_alone(self):
        for setting, words in [("tule: added columns=1", "no array 'tule'"), ("tile: added columns=few", "few")]:
            result = self.run_it("open", TRANSPOSE, "--set", setting)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn(words, result.stderr)


class OpenReference(CommandLine):
    def file_of(self, last):
        file = self.folder / "prefix.cu"
        file.write_text("""__global__ void one_by_one(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int j = 0; j <= i && i < n; ++j) sum += x[j];
  if (i < n) y[i] = sum;
}
__global__ void by_doubling(const int* x, int* y, int n) {
  __shared__ int sums[256];
  int i = threadIdx.x;
  sums[i] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < LAST; step *= 2) {
    int before = i >= step ? sums[i - step] : 0;
    __syncthreads();
    sums[i] += before;
    __syncthreads();
  }
  if (i < n) y[i] = sums[i];
}
void run(int* x, int* y) {
  one_by_one<<<4, 64>>>(x, y, 256);
  by_doubling<<<1, 256>>>(x, y, 256);
}
""".replace("LAST", str(last)))
        return file

    def test_another_kernel_of_the_file_says_what_is_right(self):
        for last, code, status in [(256, 0, "ok"), (128, 1, "ok")]:
            result = self.run_it("open", self.file_of(last), "--entry", "by_doubling", "--reference", "one_by_one", "--json")
            self.assertEqual(result.returncode, code, result.stderr)
            point = json.loads(result.stdout)
            self.assertEqual(complaints(point, "measurement"), [])
            self.assertEqual(point["status"], status, point["reason"])
            self.assertEqual(point["compared"][0]["reference"], "one_by_one(int const*, int*, int)")
            self.assertEqual(point["compared"][0]["wrong"], 0 if last == 256 else 128)
            self.assertEqual(json.loads(point["launch"])["reference"]["buffers"], ["y"])

    def test_a_launch_file_has_the_reference_for_run(self):
        file = self.file_of(256)
        arguments = ["--entry", "by_doubling", "--reference", "one_by_one"]
        launch = self.folder / "launch.json"
        launch.write_text(json.loads(self.run_it("open", file, *arguments, "--json").stdout)["launch"])
        result = self.run_it("run", file, "--entry", "by_doubling", "--args", launch, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(json.loads(result.stdout)["compared"][0]["elements"], 256)

    def test_another_kernel_of_the_file_runs_before_it(self):
        # The second scan begins with what the first one left.
        file = self.file_of(256)
        arguments = ["--entry", "by_doubling", "--before", "one_by_one", "--set", "before 1 y=x", "--reference", "one_by_one"]
        result = self.run_it("open", file, *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        point = json.loads(result.stdout)
        self.assertEqual(complaints(point, "measurement"), [])
        self.assertEqual(point["compared"][0]["wrong"], 0)
        self.assertEqual(json.loads(point["launch"])["before"][0]["arguments"][1], {"type": "address", "of": "x"})
        launch = self.folder / "launch.json"
        launch.write_text(point["launch"])
        again = self.run_it("run", file, "--entry", "by_doubling", "--args", launch, "--json")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(json.loads(again.stdout)["compared"][0]["wrong"], 0)

    def test_points_of_a_session_are_reported_compared_and_carried(self):
        file, session = self.file_of(256), self.folder / "mine.json"
        for entry in ("by_doubling", "one_by_one"):
            result = self.run_it("open", file, "--entry", entry, "--session", session)
            self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_it("open", file, "--entry", "one_by_one", "--vary", "n=128,256", "--session", session)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        points = json.loads(session.read_text())
        self.assertEqual(complaints(points), [])
        self.assertEqual([point["kernel"].split(":")[-1] for point in points["points"]], ["by_doubling"] + 3 * ["one_by_one"])
        self.assertEqual(points["points"][2]["arguments"]["n"], 128)
        (source,) = points["sources"].values()
        self.assertEqual(source["text"], pathlib.Path(file).read_text())
        report = self.folder / "mine.md"
        self.assertEqual(self.run_it("report", session, "--to", report).returncode, 0)
        text = report.read_text()
        self.assertNotIn("B1 H8", text, "a file's problem is not attention")
        self.assertIn(":one_by_one on L4", text.replace("\\", ""))
        kernel = points["points"][0]["kernel"]
        result = self.run_it("compare", f"{session}:kernel={kernel}", f"{session}:kernel={points['points'][1]['kernel']},n=256", "--json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assertEqual(json.loads(result.stdout)["a"]["kernel"], kernel)

    def test_a_declared_launch_has_the_options_of_the_compiler(self):
        file = self.folder / "scaled.cu"
        (self.folder / "own").mkdir()
        (self.folder / "own" / "by.h").write_text("#define BY 3\n")
        file.write_text("""#include "by.h"
__global__ void scaled(float* x, int n) {
  int i = blockIdx.x * WIDTH + threadIdx.x;
  if (i < n) x[i] *= BY;
}
""")
        self.assertEqual(self.run_it("open", file).returncode, 2, "WIDTH and the header are missing")
        given = ["-D", "WIDTH=64", "-I", self.folder / "own"]
        declared = self.run_it("open", file, *given, "--set", "n=200", "--set", "block=64", "--declare")
        self.assertEqual(declared.returncode, 0, declared.stdout + declared.stderr)
        launch = json.loads((self.folder / "scaled.launch.json").read_text())
        self.assertEqual(launch["options"], ["-Iown", "-DWIDTH=64"])
        for arguments in (["open", file], ["open", file, "--set", "n=100"], ["run", file, "--args", self.folder / "scaled.launch.json"],
                          ["open", file, "--vary", "n=100,200"]):
            result = self.run_it(*arguments)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        launch["options"].append("-ccbin=/tmp/evil")
        (self.folder / "scaled.launch.json").write_text(json.dumps(launch))
        for arguments in (["open", file], ["open", file, "--set", "n=100"]):
            result = self.run_it(*arguments)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertIn("'-ccbin=/tmp/evil' is for the command line alone", result.stderr)

    def test_a_folder_of_tritons_cache_opens(self):
        entry = self.folder / "cache" / "ABCDEF"
        entry.mkdir(parents=True)
        (entry / "count.ptx").write_text(""".version 8.4
.target sm_89
.address_size 64
.visible .entry count(.param .u64 .ptr .global out) .reqntid 128 {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; cvt.u64.u32 %rd1, %r0; shl.b64 %rd1, %rd1, 2;
  add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r0; ret;
}
""")
        (entry / "count.json").write_text(json.dumps(
            {"hash": "b3", "target": {"backend": "cuda", "arch": 89}, "num_warps": 4, "num_stages": 3, "shared": 0, "name": "count"}))
        result = self.run_it("open", entry.parent, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        point = json.loads(result.stdout)
        self.assertEqual(point["kind"], "a folder of Triton's cache")
        self.assertEqual((point["entry"], point["block"]), ("count", [128, 1, 1]))
        self.assertEqual(self.run_it(entry.parent).returncode, 0)
        self.assertEqual(self.run_it("run", entry.parent, "--json").returncode, 2)
        newer = self.folder / "cache" / "GHIJKL"
        newer.mkdir()
        (newer / "count.ptx").write_text((entry / "count.ptx").read_text().replace("128", "256"))
        (newer / "count.json").write_text((entry / "count.json").read_text().replace('"num_warps": 4', '"num_warps": 8'))
        os.utime(entry / "count.ptx", (1e9, 1e9))
        result = self.run_it("open", entry.parent, "--vary", "cache_entry")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        header, *rows = result.stdout.splitlines()
        self.assertEqual(header.split()[:2], ["cache_entry", "num_warps"])
        self.assertEqual([row.split()[:2] for row in rows[:2]], [["1", "4"], ["2", "8"]])
        older = json.loads(self.run_it("open", entry.parent, "--set", "num_warps=4", "--json").stdout)
        self.assertEqual((older["parameters"]["cache_entry"], older["block"]), (1, [128, 1, 1]))
        refused = self.run_it("open", entry.parent, "--set", "num_warps=2")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no entry of 'count' was compiled with num_warps 2; its entries are 1 (num_warps 4, num_stages 3), 2 (num_warps 8", refused.stderr)
        self.assertIn("open the folder of that entry alone", self.run_it("open", entry.parent, "--set", "num_warps=4", "--declare").stderr)

    def test_compare_checks_both_sides_with_it(self):
        file = self.file_of(256)
        result = self.run_it("compare", f"{file}:entry=one_by_one", f"{file}:entry=by_doubling", "--reference", "one_by_one", "--json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        sides = json.loads(result.stdout)
        self.assertEqual([sides[side]["status"] for side in ("a", "b")], ["ok", "ok"])

    def program(self, text):
        script = self.folder / "reference.py"
        script.write_text("import json, pathlib, struct, sys\nfolder = pathlib.Path(sys.argv[1])\n" + text)
        return f"{sys.executable} {script}"

    # The sum of the first elements, by what the array module can write.
    SUMS = """
import array
x = array.array("i", (folder / "x.npy").read_bytes()[-1024:])
n = [a["value"] for a in json.loads((folder / "launch.json").read_text())["arguments"] if a.get("name") == "n"][0]
sums = array.array("i", [sum(x[:i + 1]) for i in range(n)])
header = (folder / "x.npy").read_bytes()[:-1024]
(folder / "expected/y.npy").write_bytes(header + sums.tobytes())
"""

    def test_a_program_says_what_is_right(self):
        for last, code, wrong in [(256, 0, 0), (128, 1, 128)]:
            result = self.run_it("open", self.file_of(last), "--entry", "by_doubling", "--reference-command", self.program(self.SUMS), "--json")
            self.assertEqual(result.returncode, code, result.stderr)
            point = json.loads(result.stdout)
            self.assertEqual(complaints(point, "measurement"), [])
            self.assertEqual((point["compared"][0]["name"], point["compared"][0]["wrong"]), ("y", wrong))
            self.assertIn("block", [guess["what"] for guess in point["guesses"]])

    def test_a_program_that_fails_or_writes_nothing_is_named_with_its_words(self):
        for text, words in [("sys.exit('no such thing')", "no such thing"),
                            ("pass", "expected/x.npy, expected/y.npy"),
                            ("(folder / 'expected/y.npy').write_text('no array')", "expected/y.npy")]:
            with self.subTest(text):
                result = self.run_it("open", self.file_of(256), "--entry", "by_doubling", "--reference-command", self.program(text))
                self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
                self.assertIn(words, result.stderr)

    def test_one_that_there_is_not_is_named_with_those_there_are(self):
        result = self.run_it("open", TRANSPOSE, "--reference", "nothing")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("has no kernel 'nothing'", result.stderr)


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
