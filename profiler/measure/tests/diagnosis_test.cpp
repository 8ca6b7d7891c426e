#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/repair_worth.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

// Diagnoses in answers, and changes that repair them once they are counted.
class DiagnosisOfAnswers : public test_support::ServiceTest {
 protected:
  static const Diagnosis* find(const Measurement& point, const std::string& kind) {
    if (!point.diagnoses) return nullptr;
    for (const Diagnosis& diagnosis : *point.diagnoses) {
      if (diagnosis.kind == kind) return &diagnosis;
    }
    return nullptr;
  }
  bool repairs_conflicts(const Measurement& base, const ParameterChange& change) {
    experiment.parameters[change.parameter] = change.value;
    return repairs(*find_rule("bank_conflicts"), base, measure());
  }
};

TEST_F(DiagnosisOfAnswers, RowMajorFlashScalarNamesTheLineThatReadsK) {
  experiment.parameters["SMEM_LAYOUT"] = std::string("row_major");
  const std::int64_t line = line_with(flash_scalar(), "tiles.k + KeyTile::index(key, column)");
  for (const Measurement& point : {measure(), trace({})}) {
    ASSERT_EQ(point.status, Status::ok) << point.reason;
    const Diagnosis* conflict = find(point, "bank_conflicts");
    ASSERT_NE(conflict, nullptr);
    EXPECT_EQ(conflict->lines, std::vector<std::int64_t>{line});
    EXPECT_TRUE(conflict->text.starts_with("8-way conflict on K (line " + std::to_string(line) + "): "))
        << conflict->text;
    EXPECT_TRUE(conflict->repair.starts_with("Pad the rows of K, or swizzle them")) << conflict->repair;
  }
  experiment.parameters["VEC_WIDTH"] = std::int64_t{1};
  EXPECT_TRUE(find(measure(), "bank_conflicts")->text.starts_with("16-way conflict on K"))
      << "ptxas joins four reads of 2 B into one of 8 B";
}

TEST_F(DiagnosisOfAnswers, OtherLayoutsRepairConflictsAndMoreBarriersDoNot) {
  experiment.parameters["SMEM_LAYOUT"] = std::string("row_major");
  const Measurement base = measure();
  for (const char* layout : {"padded", "xor_swizzle"})
    EXPECT_TRUE(repairs_conflicts(base, {"SMEM_LAYOUT", std::string(layout)})) << layout;
  experiment.parameters["SMEM_LAYOUT"] = std::string("row_major");
  EXPECT_FALSE(repairs_conflicts(base, {"SYNC_POLICY", std::string("heavy")}));
}

TEST_F(DiagnosisOfAnswers, ACleanKernelHasNone) {
  const Measurement point = measure();
  ASSERT_TRUE(point.diagnoses.has_value());
  EXPECT_TRUE(point.diagnoses->empty()) << point.diagnoses->front().text;
}

TEST_F(DiagnosisOfAnswers, ExhibitsHaveTheOneThatTheyShow) {
  const std::pair<const char*, const char*> cases[] = {
      {"idle_swizzle", "bank_conflicts"}, {"no_staging", "uncoalesced"}, {"spilling_unroll", "spills"}};
  for (const auto& [exhibit, kind] : cases) {
    experiment.kernel = exhibit;
    experiment.parameters = {{"FAULT", std::string("on")}};
    EXPECT_NE(find(measure(), kind), nullptr) << exhibit;
    experiment.parameters = {{"FAULT", std::string("off")}};
    EXPECT_EQ(find(measure(), kind), nullptr) << exhibit;
  }
}

// Shared memory without a declared tile, read by columns; a number decides about the padding.
const char* const foreign_source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void transpose(const __half* q, __half* out) {
  __shared__ float tile[32 * (32 + EXTRA)];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = warp; i < 32; i += 8) tile[i * (32 + EXTRA) + lane] = __half2float(q[i * 64 + lane]);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += tile[lane * (32 + EXTRA) + i];
  if (warp == 0) out[lane] = __float2half(sum);
}
)cuda";

const char* const foreign_declaration = R"json({
  "name": "foreign", "role": "rung", "title": "Somebody else's", "entry": "transpose", "dtypes": ["fp16"],
  "parameters": [{"name": "EXTRA", "values": [0, 1, 2], "default": 0, "help": "columns more"}],
  "constraints": [], "grid": ["1", "1", "1"], "threads": "256", "dynamic_shared_bytes": "0",
  "arguments": [{"type": "pointer", "value": "Q"}, {"type": "pointer", "value": "O"}]
})json";

TEST_F(DiagnosisOfAnswers, AForeignKernelWithoutTilesIsHelpedByItsOwnParameter) {
  experiment.kernel = write("foreign.cu", foreign_source).string();
  write("foreign.json", foreign_declaration);
  experiment.shape = {1, 1, 1, 32, 32, 64, DataType::fp16, false};
  const Measurement base = measure();
  const Diagnosis* conflict = find(base, "bank_conflicts");
  ASSERT_NE(conflict, nullptr) << base.reason;
  // ptxas joins four reads of a row into one of 16 B, of which a pass serves eight lanes.
  EXPECT_TRUE(conflict->text.starts_with("8-way conflict")) << conflict->text;
  EXPECT_EQ(conflict->lines, std::vector<std::int64_t>{9});
  const KernelDeclaration kernel = read_kernel_declaration(scratch / "foreign.cu");
  EXPECT_EQ(changes_of({base, kernel}, kernel.parameters.at(0)),
            (std::vector<ParameterChange>{{"EXTRA", std::int64_t{1}}}));
}

}  // namespace
}  // namespace tilescope
