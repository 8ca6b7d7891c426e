"""`tilescope compare` and `tilescope gate` as a script sees them, without a GPU."""

import csv
import io
import json
import unittest
import xml.etree.ElementTree

from command_line_test import SOURCE, CommandLine, complaints

ROW_MAJOR, SWIZZLED = "flash_scalar:SMEM_LAYOUT=row_major", "flash_scalar:SMEM_LAYOUT=xor_swizzle"
SMALL = ["--shape", "1,1,128,64"]
LADDER = SOURCE / "sessions/examples/ladder_h200.json"
LATER = SOURCE / "sessions/examples/model_later_h200.json"
DECODING = SOURCE / "sessions/examples/decoding_h200.json"


class Compare(CommandLine):
    def comparison(self, *arguments, code=0):
        result = self.run_it("compare", *arguments, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "comparison"), [])
        return document

    def test_predictions_have_a_verdict_and_the_line_of_the_conflicts(self):
        comparison = self.comparison(ROW_MAJOR, SWIZZLED)
        self.assertEqual((comparison["verdict"], comparison["basis"]), ("FASTER", "predicted"))
        self.assertGreater(comparison["interval"][0], 1)
        self.assertAlmostEqual(comparison["ratio"], comparison["a_us"] / comparison["b_us"], 9)
        lines = comparison["line_changes"]
        changes = [abs(line["b_us"] - line["a_us"]) for line in lines]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.assertGreater(lines[0]["a_us"], lines[0]["b_us"], "the swizzle makes the reads faster")
        conflicts = next(part for part in comparison["parts"] if part["name"] == "bank conflicts")
        self.assertLess(conflicts["microseconds"], 0)
        self.assertEqual(conflicts["lines"], [comparison["a"]["memory"]["sites"][0]["line"]])
        text = " ".join(self.run_it("compare", ROW_MAJOR, SWIZZLED).stdout.split())
        for words in ["FASTER: A takes", "(predicted, not measured)", f"all of them on line {conflicts['lines'][0]} (K)"]:
            self.assertIn(words, text)

    def test_the_parts_and_the_residual_are_the_difference(self):
        comparison = self.comparison(ROW_MAJOR, "mma_flash", *SMALL)
        whole = sum(part["microseconds"] for part in comparison["parts"]) + comparison["residual_us"]
        self.assertAlmostEqual(whole, comparison["b_us"] - comparison["a_us"], 6)

    def test_swapped_sides_have_the_inverse_ratio(self):
        there, back = self.comparison(ROW_MAJOR, SWIZZLED), self.comparison(SWIZZLED, ROW_MAJOR)
        self.assertEqual(back["verdict"], "SLOWER")
        self.assertAlmostEqual(there["ratio"] * back["ratio"], 1, 9)

    def test_a_configuration_is_the_same_as_itself(self):
        self.assertEqual(self.comparison(SWIZZLED, SWIZZLED, *SMALL)["verdict"], "SAME")

    def test_recorded_points_are_found_by_kernel_and_parameters(self):
        comparison = self.comparison(f"{LADDER}:kernel=mma_flash", f"{LADDER}:kernel=cudnn_sdpa")
        self.assertEqual((comparison["basis"], comparison["a"]["latency"]["kind"]), ("apart", "recorded"))
        self.assertEqual(comparison["a"]["kernel"], "mma_flash")
        self.assertEqual(comparison["verdict"], "SLOWER")

    def test_help_says_how_many_sides_it_takes(self):
        text = self.run_it("compare", "--help").stdout
        self.assertIn("Usage: tilescope compare [OPTIONS] A B [C ...]\n", text)
        self.assertIn("\n  A B [C ...]             Two, or up to six,", text)

    def test_both_points_go_into_the_session(self):
        self.comparison(ROW_MAJOR, SWIZZLED, *SMALL, "--session", self.session)
        layouts = [point["parameters"]["SMEM_LAYOUT"] for point in self.saved()["points"]]
        self.assertEqual(layouts, ["row_major", "xor_swizzle"])

    def test_other_shapes_are_refused_unless_asked_for(self):
        a, b = f"{LADDER}:kernel=mma_flash", f"{DECODING}:kernel=mma_flash"
        refused = self.run_it("compare", a, b)
        self.assertEqual(refused.returncode, 2)
        for words in ["The shapes differ", "--across"]:
            self.assertIn(words, refused.stderr)
        allowed = self.comparison(a, b, "--across")
        self.assertIn("The shapes differ", allowed["remarks"][0])

    def test_a_latency_is_not_compared_with_a_prediction(self):
        self.run_it("measure", "flash_scalar", "--device", "H200", "--session", self.session)
        comparison = self.comparison(f"{LADDER}:kernel=mma_flash", self.session, "--across", code=3)
        self.assertEqual(comparison["basis"], "none")
        self.assertIn("B was only predicted", comparison["reason"])

    def test_a_failed_point_has_no_verdict(self):
        comparison = self.comparison("flash_scalar:BLOCK_M=64,NUM_WARPS=1", SWIZZLED, "--shape", "1,1,128,512", code=1)
        self.assertEqual((comparison["verdict"], comparison["basis"]), ("UNDECIDED", "none"))

    def written(self, name, text):
        file = self.session.parent / name
        file.write_text(text)
        return str(file)

    def test_kernels_of_files_are_compared_line_by_line(self):
        form = """__global__ void row_sum(const float* x, float* out, int rows, int cols) {{
  {}
}}
int main() {{ float *x, *out; cudaMalloc(&x, 256 * 500 * 4); cudaMalloc(&out, 256 * 4);
  row_sum<<<{}, 128>>>(x, out, 256, 500); }}
"""
        a = self.written("thread.cu", form.format("""int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (row >= rows) return;
  for (int i = 0; i < cols; ++i) sum += x[row * cols + i];
  out[row] = sum;""", 2))
        b = self.written("warp.cu", form.format("""int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  if (row >= rows) return;
  for (int i = threadIdx.x % 32; i < cols; i += 32) sum += x[row * cols + i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) out[row] = sum;""", 64))
        comparison = self.comparison(a, b)
        self.assertEqual((comparison["verdict"], comparison["basis"]), ("FASTER", "predicted"))
        self.assertEqual((comparison["a"]["shape"], comparison["a"]["arguments"]["cols"]), (None, 500))
        hottest = comparison["line_changes"][0]
        self.assertEqual((hottest["line_a"], hottest["line_b"]), (5, None))
        self.assertIn("'out' equals sum(x[rows][cols]) in both", " ".join(comparison["remarks"]))
        ptx = str(SOURCE / "kernels/foreign/add_kernel.ptx")
        unnamed = self.comparison(ptx, ptx, "--set", "argument 3=500", code=3)
        self.assertIn('--expect "argument_2 = argument_0 + argument_1"', " ".join(unnamed["remarks"]))
        formula = "out = sum(x[256][500])"
        checked = self.comparison(a, b, "--expect", formula)
        self.assertEqual((checked["a"]["status"], checked["remarks"]), ("ok", []))
        text = self.run_it("compare", a, b).stdout
        self.assertRegex(text, r"\n +A:5 .* for \(int i = 0; i < cols")
        other = self.run_it("compare", a, b + ":rows=128")
        self.assertEqual(other.returncode, 2)
        self.assertIn("The arguments differ: ", other.stderr)

    def test_a_constant_or_the_launch_of_a_file_may_differ(self):
        gemm = str(SOURCE / "kernels/foreign/gemm.cu")
        comparison = self.comparison(gemm, gemm + ":TILE=8", "--set", "M=64")
        self.assertEqual([comparison[side]["parameters"]["TILE"] for side in "ab"], [16, 8])
        self.assertEqual([comparison[side]["arguments"]["M"] for side in "ab"], [64, 64])
        wide = self.comparison(gemm, gemm + ":grid=20,24")
        self.assertEqual(wide["b"]["parameters"]["grid"], "20,24")
        for sides, words in (((gemm, "naive"), "B computes attention"), ((gemm, gemm + ":entry=none"), "has no kernel"),
                             ((gemm, gemm, "--session", self.session), "--session keeps no point"),
                             ((gemm, gemm, "--shapes", "canonical"), "no kernel of attention")):
            refused = self.run_it("compare", *sides)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(words, refused.stderr)

    def test_several_are_compared_with_the_first(self):
        result = self.run_it("compare", ROW_MAJOR, SWIZZLED, "mma_flash", *SMALL, "--json")
        comparisons = json.loads(result.stdout)["comparisons"]
        self.assertEqual([complaints(comparison, "comparison") for comparison in comparisons], [[], []])
        self.assertEqual([comparison["b"]["kernel"] for comparison in comparisons], ["flash_scalar", "mma_flash"])
        text = self.run_it("compare", ROW_MAJOR, SWIZZLED, "mma_flash", *SMALL).stdout
        self.assertRegex(text, r"\n +A +B +C\n")
        for comparison in comparisons:
            self.assertGreater(len(comparison["line_changes"]), 0, "the sources of each side are known")
        for letter in "BC":
            self.assertRegex(text, rf"\nLines whose predicted time changes, {letter} as B\n +line +A us ")
        self.assertRegex(text, r"\n +A:\d+ ", "lines that the other kernel does not have")
        self.assertEqual(self.run_it("compare", *7 * [SWIZZLED]).returncode, 2)
        self.assertEqual(self.run_it("compare", SWIZZLED).returncode, 2)

    def test_a_side_without_a_correct_result_says_why_among_several(self):
        result = self.run_it("compare", ROW_MAJOR, SWIZZLED, "flash_scalar:BLOCK_M=8,NUM_WARPS=16", *SMALL)
        text = " ".join(result.stdout.split())
        self.assertIn("C as B: UNDECIDED. B has no correct result. Invalid configuration: ", text)
        self.assertIn("B as B: FASTER: A takes", text)

    def test_the_best_point_of_another_kernel_is_warned_of(self):
        comparison = self.comparison(f"{LADDER}:kernel=naive", str(LADDER), "--across")
        self.assertIn(f"B, the best point of {LADDER}, is of ", comparison["remarks"][0])
        self.assertIn("add kernel=naive", comparison["remarks"][0])
        named = self.comparison(f"{LADDER}:kernel=naive", f"{LADDER}:kernel=mma_flash", "--across")
        self.assertFalse(any("the best point of" in remark for remark in named["remarks"]))

    def edited(self, edit):
        """The session of two small predicted points, after `edit` of the second one."""
        self.comparison(ROW_MAJOR, SWIZZLED, *SMALL, "--session", self.session)
        session = self.saved()
        edit(*session["points"])
        self.session.write_text(json.dumps(session))
        return [f"{self.session}:SMEM_LAYOUT={layout}" for layout in ("row_major", "xor_swizzle")]

    def test_an_undecided_difference_has_neither_causes_nor_shares(self):
        def make_near(a, b):
            for name in ("p50_us", "low_us", "high_us"):
                b["prediction"][name] = a["prediction"][name] * 0.996
        sides = self.edited(make_near)
        comparison = self.comparison(*sides)
        self.assertEqual(comparison["verdict"], "UNDECIDED")
        for part in comparison["parts"]:
            self.assertEqual((part["share"], part["text"], part["counterfactual"]), (None, None, None))
        text = self.run_it("compare", *sides).stdout
        for words in ["of the difference", "From A to B", "residual"]:
            self.assertNotIn(words, text)

    def test_a_cause_is_named_with_its_counterfactual(self):
        def add_counterfactual(a, b):
            a["prediction"]["without"] = [{"cause": "bank_conflicts", "lines": [], "p50_us": b["prediction"]["p50_us"]}]
        sides = self.edited(add_counterfactual)
        comparison = self.comparison(*sides)
        conflicts = next(part for part in comparison["parts"] if part["name"] == "bank conflicts")
        self.assertEqual(conflicts["counterfactual"], {"side": "a", "cause": "bank_conflicts", "p50_us": comparison["b_us"],
                                                       "instead_of_us": comparison["a_us"]})
        self.assertIn("Without its bank conflicts A would take ", comparison["text"])
        markdown = self.run_it("compare", *sides, "--format", "markdown").stdout
        self.assertIn(comparison["text"], markdown)

    def test_one_source_under_two_compilers_names_them(self):
        def compile_with_nvcc(a, b):
            b["provenance"].update(compiler="nvcc", nvcc_version="12.9")
        sides = self.edited(compile_with_nvcc)
        self.assertIn("(nvcc 12.9)", self.run_it("compare", *sides).stdout.splitlines()[1])
        self.assertTrue(any("The compilers differ: A NVRTC" in remark for remark in self.comparison(*sides)["remarks"]))

    def test_markdown_and_csv_say_the_same(self):
        comparison = self.comparison(ROW_MAJOR, SWIZZLED, *SMALL)
        markdown = self.run_it("compare", ROW_MAJOR, SWIZZLED, *SMALL, "--format", "markdown").stdout
        self.assertIn(comparison["text"], markdown)
        self.assertIn("| residual | 0 µs |", markdown)
        table = self.run_it("compare", ROW_MAJOR, SWIZZLED, *SMALL, "--format", "csv").stdout
        row = next(csv.DictReader(io.StringIO(table)))
        self.assertEqual(row["verdict"], comparison["verdict"])
        self.assertAlmostEqual(float(row["ratio"]), comparison["ratio"], 12)
        conflicts = next(part for part in comparison["parts"] if part["name"] == "bank conflicts")
        self.assertAlmostEqual(float(row["bank conflicts [us]"]), conflicts["microseconds"], 12)

    def test_a_report_beside_the_text(self):
        file = self.folder / "comparison.md"
        result = self.run_it("compare", ROW_MAJOR, SWIZZLED, *SMALL, "--to", file)
        self.assertIn("| residual | 0 µs |", file.read_text())
        self.assertNotIn("| residual |", result.stdout)
        self.assertIn("FASTER: A takes", result.stdout)
        refused = self.run_it("compare", ROW_MAJOR, SWIZZLED, *SMALL, "--to", self.folder / "comparison.pdf")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn(".md, .csv or .html", refused.stderr)
        self.assertEqual(self.run_it("compare", ROW_MAJOR, SWIZZLED, *SMALL, "--to", "/nowhere/a.md").returncode, 3)

    def test_what_cannot_be_read_is_wrong_usage(self):
        for arguments, words in [(["flash_scaler", SWIZZLED], "flash_scalar"),
                                 (["flash_scalar:SMEM_LAYOUT=row_majer", SWIZZLED], "row_major"),
                                 (["flash_scalar:BLOCK_M=", SWIZZLED], "NAME=VALUE"),
                                 ([str(self.folder / "none.json"), SWIZZLED], "none.json"),
                                 ([f"{LADDER}:kernel=none", SWIZZLED], "no correct point")]:
            result = self.run_it("compare", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)


class Gate(CommandLine):
    """Of recorded points with little noise."""

    def session_at(self, name, factor, recorded=LADDER):
        session = json.loads(recorded.read_text())
        session["points"] = [point for point in session["points"] if point["kernel"] in ("mma_flash", "naive")]
        for point in session["points"]:
            series = point["latency"]["l2_warm"]
            for figures in (series, point["latency"]):
                for key in figures:
                    if key.endswith("_us"):
                        figures[key] *= factor
        file = self.folder / name
        file.write_text(json.dumps(session))
        return file

    def gate(self, current, baseline, *options, code=0):
        result = self.run_it("gate", current, "--against", baseline, *options, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(complaints(document, "gate_document"), [])
        return document

    def test_a_copy_passes(self):
        baseline = self.session_at("baseline.json", 1)
        report = self.gate(baseline, baseline)
        self.assertEqual({point["outcome"] for point in report["points"]}, {"unchanged"})

    def test_three_percent_slower_fails_and_ten_percent_faster_passes(self):
        baseline = self.session_at("baseline.json", 1)
        report = self.gate(self.session_at("slower.json", 1.03), baseline, code=1)
        # The samples of the others overlap.
        self.assertGreater(report["regressed"], 0.8 * len(report["points"]))
        self.assertEqual(self.gate(self.session_at("faster.json", 0.9), baseline)["regressed"], 0)
        self.gate(self.session_at("slower.json", 1.03), baseline, "--max-regression", "5%")

    def test_lines_of_an_edited_source_are_matched_by_their_texts(self):
        """A line was put above the one that takes the time, which the new source has as the second."""
        files = []
        for name, factor, line in (("baseline.json", 1, 1), ("slower.json", 1.1, 2)):
            file = self.session_at(name, factor, LATER)
            session = json.loads(file.read_text())
            for sha256 in {point["provenance"]["source_sha256"] for point in session["points"]}:
                source = session["sources"].pop(sha256)
                session["sources"][str(line) + sha256[1:]] = {**source, "text": (line - 1) * "added\n" + "slow();\n"}
            for point in session["points"]:
                point["provenance"]["source_sha256"] = str(line) + point["provenance"]["source_sha256"][1:]
                for key in ("low_us", "p50_us", "high_us"):
                    point["prediction"][key] *= factor
                time = {"line": line, "issue_us": point["prediction"]["p50_us"], "wait_us": 0, "executions": 1}
                point["prediction"]["lines"] = [time]
            file.write_text(json.dumps(session))
            files.append(file)
        report = self.gate(files[1], files[0], code=1)
        regressed = [point for point in report["points"] if point["outcome"] == "regressed"]
        places = {(change["line_a"], change["line_b"]) for point in regressed for change in point["line_changes"]}
        self.assertEqual(places, {(1, 2)})

    def test_junit_has_a_failure_for_each_regression(self):
        baseline, report = self.session_at("baseline.json", 1), self.folder / "gate.xml"
        result = self.run_it("gate", self.session_at("slower.json", 1.1), "--against", baseline, "--junit", report)
        self.assertEqual(result.returncode, 1)
        self.assertIn("regressed", result.stdout)
        suite = xml.etree.ElementTree.parse(report).getroot()[0]
        self.assertEqual(len(suite.findall("testcase/failure")), int(suite.get("tests")))

    def test_noise_of_more_than_five_percent_cannot_be_decided(self):
        noisy = self.session_at("noisy.json", 1)
        session = json.loads(noisy.read_text())
        for name in ("q3_us", "p90_us", "max_us"):
            session["points"][0]["latency"]["l2_warm"][name] *= 1.2
        noisy.write_text(json.dumps(session))
        result = self.run_it("gate", noisy, "--against", noisy)
        self.assertEqual(result.returncode, 3)
        self.assertIn("slowed down by 5 %, would read", result.stderr)

    def test_sessions_without_a_common_point_decide_nothing(self):
        baseline = self.session_at("baseline.json", 1)
        other = json.loads(baseline.read_text())
        other["points"] = []
        current = self.folder / "other.json"
        current.write_text(json.dumps(other))
        result = self.run_it("gate", current, "--against", baseline)
        self.assertEqual(result.returncode, 3)
        self.assertIn("no point in common", result.stderr)

    def test_a_limit_that_is_no_percentage_is_wrong_usage(self):
        baseline = self.session_at("baseline.json", 1)
        result = self.run_it("gate", baseline, "--against", baseline, "--max-regression", "fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--max-regression", result.stderr)


if __name__ == "__main__":
    unittest.main()
