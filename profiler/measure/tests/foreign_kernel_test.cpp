#include <gtest/gtest.h>

#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

// A kernel of somebody else's: its own signature, two passes over the keys, scores in scratch memory.
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

class ForeignKernel : public testing::ServiceTest {
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
            "argument 7, int32 'Sk', has 4 B as it is declared and 8 B in the code of attend: declare the "
            "type that its "
            "signature has");
  declare(R"({"type": "int16", "value": "0 - 3"},)", "");
  EXPECT_EQ(reason_of(Status::launch_failed),
            "the declaration lists 10 argument(s), attend takes 11: declare those of its signature, in their "
            "order");
}

TEST_F(ForeignKernel, ArgumentsThatMeanNothingAreADeclarationsFault) {
  const auto complaint = [&](const std::string& from, const std::string& to) {
    declare(from, to);
    return reason_of(Status::compile_failed);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(complaint(R"("value": "200")", R"("value": "256")"),
                  "/arguments/10: '256' gives 256.000000, which 8 unsigned bits do not hold"));
  EXPECT_TRUE(has(complaint(R"("value": "0 - 3")", R"("value": "40000")"), "16 signed bits do not hold"));
  EXPECT_TRUE(has(complaint(R"("value": "Sq")", R"("value": "Sq / 7")"), "/arguments/6: 'Sq / 7' gives 3.4"));
  EXPECT_TRUE(
      has(complaint(R"("type": "float64")", R"("type": "double")"), "'double' is not a type of an argument"));
  EXPECT_TRUE(
      has(complaint(R"("value": "K")", R"("value": "Key")"), "/arguments/0: a pointer argument is one of"));
  EXPECT_TRUE(has(complaint(R"(, "bytes": "4 * B * Hq * Sq * Sk")", ""),
                  "/arguments/4: scratch memory needs its size"));
}

TEST_F(ForeignKernel, ScratchThatIsTooSmallIsAnAccessOutOfBounds) {
  declare("4 * B * Hq * Sq * Sk", "4 * B * Hq * Sq * Sk - 4");
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const std::string reason = reason_of(Status::launch_failed);
  EXPECT_NE(reason.find("scratch 0"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tilescope
