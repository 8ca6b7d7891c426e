#include <gtest/gtest.h>

#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

// A foreign kernel: its own signature, two passes over the keys, scores in scratch memory.
const char* const foreign_source = R"cuda(
#include <cuda_fp16.h>
extern "C" __global__ void attend(const __half* k, const __half* q, const __half* v, __half* out, float* scores,
                                  float* unused, int queries, unsigned long long keys, double scale, short heads,
                                  unsigned char flag) {
  __shared__ float sums[64];
  const int d = threadIdx.x, row = blockIdx.x, head = blockIdx.y;
  const __half* own = q + (static_cast<long long>(head) * queries + row) * 64;
  float* score = scores + (static_cast<long long>(head) * queries + row) * keys;
  for (unsigned j = d; j < keys; j += 64) {
    float sum = 0;
    for (int c = 0; c < 64; ++c) sum += __half2float(own[c]) * __half2float(k[(head * keys + j) * 64 + c]);
    score[j] = expf(sum * static_cast<float>(scale));
  }
  __syncthreads();
  float weight = 0, total = 0;
  for (unsigned j = 0; j < keys; ++j) {
    total += score[j];
    weight += score[j] * __half2float(v[(head * keys + j) * 64 + d]);
  }
  sums[d] = total;
  if (unused == nullptr && flag == 200 && heads == -3) {
    out[(static_cast<long long>(head) * queries + row) * 64 + d] = __float2half(weight / sums[d]);
  }
}
)cuda";

const char* const foreign_declaration = R"json({
  "name": "foreign", "role": "rung", "title": "Somebody else's", "entry": "attend", "dtypes": ["fp16"],
  "parameters": [], "constraints": [{"expression": "D == 64", "text": "D is 64"}],
  "grid": ["Sq", "Hq * B", "1"], "threads": "64", "dynamic_shared_bytes": "0",
  "arguments": [{"type": "pointer", "value": "K"}, {"type": "pointer", "value": "Q"}, {"type": "pointer", "value": "V"},
                {"type": "pointer", "value": "O"}, {"type": "pointer", "value": "scratch", "bytes": "4 * B * Hq * Sq * Sk"},
                {"type": "pointer", "value": "null"}, {"type": "int32", "value": "Sq"}, {"type": "uint64", "value": "Sk"},
                {"type": "float64", "value": "1 / sqrt(D)"}, {"type": "int16", "value": "0 - 3"},
                {"type": "uint8", "value": "200"}]
})json";

class ForeignKernel : public test_support::ServiceTest {
 protected:
  ForeignKernel() {
    experiment.kernel = write("foreign.cu", foreign_source).string();
    experiment.shape = {1, 2, 2, 24, 40, 64, DataType::fp16, false};
    declare("", "");
  }
  void declare(const std::string& from, const std::string& to) {
    std::string text = foreign_declaration;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    write("foreign.json", text);
  }
  std::string reason_of(Status status) {
    const Measurement point = measure();
    EXPECT_EQ(point.status, status) << point.reason;
    return point.reason;
  }
};

TEST_F(ForeignKernel, OfAnySignatureRunsWithTheJsonBesideIt) {
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.error->rows_checked, point.memory->blocks_run);
  bool static_array_is_named = false, scratch_is_named = false;
  const Measurement traced = trace({});
  for (const MemorySite& site : traced.memory->sites) {
    static_array_is_named = static_array_is_named || site.tile.find("sums") != std::string::npos;
    scratch_is_named = scratch_is_named || site.tile == "scratch 0";
  }
  EXPECT_TRUE(static_array_is_named);
  EXPECT_TRUE(scratch_is_named);
}

TEST_F(ForeignKernel, ArgumentsThatDoNotMatchAreNamedWithTheirSizes) {
  declare(R"({"type": "uint64", "value": "Sk"})", R"({"type": "int32", "value": "Sk"})");
  EXPECT_EQ(reason_of(Status::launch_failed),
            "argument 7, int32 'Sk', has 4 B in the declaration and 8 B in the code of attend: declare the "
            "type that its "
            "signature has");
  declare(R"({"type": "int16", "value": "0 - 3"},)", "");
  EXPECT_EQ(reason_of(Status::launch_failed),
            "the declaration lists 10 argument(s), attend takes 11: declare those of its signature, in their "
            "order");
}

TEST_F(ForeignKernel, ArgumentsThatMeanNothingAreADeclarationsFault) {
  const auto expect_complaint = [&](const std::string& from, const std::string& to, const std::string& part) {
    declare(from, to);
    const std::string reason = reason_of(Status::invalid_configuration);
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
  };
  expect_complaint(R"("value": "200")", R"("value": "256")",
                   "/arguments/10: '256' gives 256.000000, which 8 unsigned bits do not hold");
  expect_complaint(R"("value": "0 - 3")", R"("value": "40000")", "16 signed bits do not hold");
  expect_complaint(R"("value": "Sq")", R"("value": "Sq / 7")", "/arguments/6: 'Sq / 7' gives 3.4");
  expect_complaint(
      R"("type": "float64")", R"("type": "double")",
      "foreign.json:8: /arguments/8/type: 'double' is not one of 'attention_problem', 'pointer'");
  expect_complaint(R"("value": "K")", R"("value": "Key")",
                   "/arguments/0/value: 'Key' is not one of 'Q', 'K'");
  expect_complaint(R"(, "bytes": "4 * B * Hq * Sq * Sk")", "", "/arguments/4/bytes is missing");
}

TEST_F(ForeignKernel, AnEntryThatIsNotThereNamesThoseThatAre) {
  write("foreign.cu", foreign_source + std::string("__global__ void reduce(float* a) { *a = 1; }\n"));
  declare(R"("entry": "attend")", R"("entry": "atend")");
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::invalid_configuration);
  EXPECT_NE(point.reason.find("the code of foreign.cu has no extern \"C\" kernel 'atend': it has "),
            std::string::npos)
      << point.reason;
  EXPECT_NE(point.reason.find("'attend'"), std::string::npos) << point.reason;
  EXPECT_NE(point.reason.find("'reduce(float*)' (without extern \"C\")"), std::string::npos) << point.reason;
  EXPECT_NE(point.compiler_log.find("Compiling entry function"), std::string::npos);
}

// Names that a user's code may define itself.
TEST_F(ForeignKernel, MayUseTheNamesOfTheShapesMacros) {
  const std::string body = foreign_source;
  write("foreign.cu",
        "template <int HEAD_DIM, bool CAUSAL> __device__ int columns() { return CAUSAL ? 0 : HEAD_DIM; }\n"
        "using DTYPE = float;\nconstexpr int HEAD_DIM = 64;\n" +
            body);
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
}

TEST_F(ForeignKernel, HasTheMacrosThatItLists) {
  write("foreign.cu",
        "static_assert(HEAD_DIM == 64 && CAUSAL == 0);\n#ifdef DTYPE\n#error it was not listed\n#endif\n" +
            std::string(foreign_source));
  declare(R"("parameters": [])", R"("parameters": [], "macros": ["HEAD_DIM", "CAUSAL"])");
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
}

TEST_F(ForeignKernel, ScratchThatIsTooSmallIsAnAccessOutOfBounds) {
  declare("4 * B * Hq * Sq * Sk", "4 * B * Hq * Sq * Sk - 4");
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const std::string reason = reason_of(Status::launch_failed);
  EXPECT_NE(reason.find("scratch 0"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tilescope
