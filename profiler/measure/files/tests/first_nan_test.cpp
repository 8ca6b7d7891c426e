// Where a NaN begins that is stored, in PTX and in machine code.
#include <gtest/gtest.h>

#include "profiler/measure/files/tests/checked_forms.hpp"

namespace tilescope {
namespace {

using test_support::says;

class FirstNan : public test_support::CheckedFormsTest {};

// One block of 32 threads: 'in' of floats, 'out' of as many.
Json floats(const Json& value) {
  const auto buffer = [](const Json& fill, const char* name) {
    return Json{{"type", "buffer"}, {"element", "f32"}, {"count", 32u}, {"fill", fill}, {"name", name}};
  };
  return {{"block", {32u}}, {"arguments", {buffer(value, "in"), buffer(0, "out")}}};
}

std::string kernel(const std::string& body) {
  return "extern \"C\" __global__ void k(const float* in, float* out) {\n  float v = in[threadIdx.x];\n" +
         body + "\n}\n";
}

TEST_F(FirstNan, BeginsInArithmetic) {
  struct Case {
    const char* expression;
    Json value;
  };
  for (const Case& one : {Case{"v - v", "inf"}, Case{"__fmul_rn(v, 0.0f)", "inf"}, Case{"v / (v - v)", 0},
                          Case{"sqrtf(v)", -1}, Case{"logf(v)", -1}, Case{"rsqrtf(v)", -2}}) {
    const std::string source =
        kernel("  float a = v;\n  a = " + std::string(one.expression) + ";\n  out[threadIdx.x] = a + 1;");
    expect_both(source, floats(one.value), "first_nan", 4);
    if (std::string(one.expression) != "v / (v - v)") expect_clean(source, floats(2));
  }
}

TEST_F(FirstNan, IsNamedWithItsLaneItsInputsAndTheStore) {
  const LaunchedPoint run =
      check_ptx(kernel("  float a = v - in[3];\n  out[threadIdx.x] = a;"), floats("inf"));
  const Finding* found = finding_of(run, "first_nan");
  ASSERT_NE(found, nullptr) << text_of(run);
  EXPECT_EQ(found->lines, (std::vector<std::int64_t>{3, 4}));
  EXPECT_TRUE(says(found->text, "thread 0 (lane 0) at line 3: sub of inf, inf")) << found->text;
  EXPECT_TRUE(says(found->text, "stored at line 4 (byte 0 of 'out')")) << found->text;
  EXPECT_EQ(found->occurrences, 32);
}

TEST_F(FirstNan, ThroughShufflesAndSharedMemory) {
  const std::string source = kernel(
      "  __shared__ float row[32];\n  float a = v - v;\n  a += __shfl_xor_sync(~0u, a, 16);\n"
      "  row[threadIdx.x] = a;\n  __syncthreads();\n  out[threadIdx.x] = fmaxf(row[threadIdx.x ^ 1] * 2, "
      "row[0] * 3);");
  expect_both(source, floats("inf"), "first_nan", 4);
}

TEST_F(FirstNan, OneThatIsNotStoredIsLeftAlone) {
  // A row whose maximum is -inf: -inf - -inf, and another value is chosen.
  const std::string masked = kernel("  float a = v - in[0];\n  out[threadIdx.x] = in[0] == v ? 0.0f : a;");
  expect_clean(masked, floats("-inf"));
}

TEST_F(FirstNan, OneThatWasLoadedHasNoOrigin) {
  const std::string copy = kernel("  out[threadIdx.x] = v + 1;");
  const Forms forms = check(copy, floats("nan"));
  EXPECT_EQ(finding_of(forms.ptx, "first_nan"), nullptr) << text_of(forms.ptx);
  EXPECT_EQ(finding_of(forms.machine_code, "first_nan"), nullptr) << text_of(forms.machine_code);
}

TEST_F(FirstNan, InDoublesAndHalves) {
  const std::string doubles =
      "extern \"C\" __global__ void k(const double* in, double* out) {\n"
      "  double v = in[threadIdx.x];\n  double a = v - v;\n  out[threadIdx.x] = a * 2 + 1;\n}\n";
  Json launch = floats("inf");
  for (Json& argument : launch["arguments"]) argument["element"] = "f64";
  expect_both(doubles, launch, "first_nan", 3);
  const std::string halves =
      "extern \"C\" __global__ void k(const unsigned short* in, unsigned short* out) {\n"
      "  unsigned short v = in[threadIdx.x], a;\n"
      "  asm volatile(\"sub.f16 %0, %1, %1;\" : \"=h\"(a) : \"h\"(v));\n  out[threadIdx.x] = a;\n}\n";
  for (Json& argument : launch["arguments"]) argument["element"] = "f16";
  expect_both(halves, launch, "first_nan", 3);
}

TEST_F(FirstNan, InAProductOfMatrices) {
  const std::string source =
      "extern \"C\" __global__ void k(const float* in, float* out) {\n  unsigned a = 0x7c007c00, b = 0;\n"
      "  float d[4] = {};\n"
      "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
      "{%5,%5}, "
      "{%0,%1,%2,%3};\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"r\"(a), \"r\"(b));\n"
      "  out[threadIdx.x] = d[1] + in[0];\n}\n";
  expect_both(source, floats(0), "first_nan", 4);
}

}  // namespace
}  // namespace tilescope
