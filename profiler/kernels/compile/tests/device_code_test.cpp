// Files with code for the host, of which NVRTC compiles the device code.
#include <gtest/gtest.h>

#include <string>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/cuda_file.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

class DeviceCode : public testing::Test {
 protected:
  DeviceCode() : nvrtc(Nvrtc::open({{}, find_installation().dependencies, std::nullopt})) {
    source.path = folder.path() / "k.cu";
  }
  CudaFileCode compile() const {
    return compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; },
                                      {folder.path() / "no toolkit", "", std::nullopt, {}}});
  }
  void expect_entry(const CudaFileCode& code, const std::string& entry) const {
    EXPECT_NE(code.output.ptx.find(".entry " + entry), std::string::npos) << code.output.ptx;
  }

  TemporaryFolder folder;
  Nvrtc nvrtc;
  CudaSourceFile source;
};

TEST_F(DeviceCode, IsCompiledWithoutNvcc) {
  source.contents =
      "#include <vector>\n#include <no/such/header.h>\n#include <cuda_runtime.h>\n"
      "struct Options { std::vector<int> sizes; std::string name; };\n"
      "__global__ void k(float* x, uint32_t n) {\n"
      "  int lane;\n"
      "  __asm__ __volatile__(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n"
      "  x[lane] = std::max({1, 2, lane}) + INFINITY + std::min(lane, INT_MAX) + FLT_MAX;\n"
      "}\n"
      "int main() { k<<<1, 32>>>(nullptr, 1); printf(\"done\"); }\n";
  source.host_lines = {{10, 10}};
  const CudaFileCode code = compile();
  EXPECT_EQ(code.note, "Compiled with NVRTC 13.0 for compute_89. Functions of the host were left out.");
  expect_entry(code, "_Z1kPfj");
}

TEST_F(DeviceCode, UsesTheStandardLibrary) {
  source.contents =
      "#include <array>\n#include <type_traits>\n"
      "template <class T> __global__ void k(T* x) {\n"
      "  std::array<T, 2> a{x[0], x[1]};\n"
      "  if constexpr (std::is_same_v<T, float>) x[2] = a[0] + a[1];\n"
      "}\nint main() {}\n";
  source.host_lines = {{7, 7}};
  source.kernels = {"k<float>"};
  expect_entry(compile(), "_Z1kIfEvPT_");
}

TEST_F(DeviceCode, HasTheHeadersBesideIt) {
  source.contents = "#include \"scale.h\"\n__global__ void k(float* x) { *x = scale(*x); }\nint main() {}\n";
  source.host_lines = {{3, 3}};
  source.headers = {
      {"scale.h", "#include \"deep/factor.h\"\n__device__ float scale(float x) { return x * factor; }\n"},
      {"deep/factor.h", "constexpr float factor = 3;\n"}};
  expect_entry(compile(), "_Z1kPf");
}

TEST_F(DeviceCode, LeavesOutInstancesThatDoNotCompile) {
  source.contents =
      "template <class T, int N> __global__ void k(T* x) { static_assert(N > 1); x[0] = N; }\nint main() "
      "{}\n";
  source.host_lines = {{2, 2}};
  source.kernels = {"k<float, 1>", "k<float, 2>", "k<Nope, 3>"};
  const CudaFileCode code = compile();
  expect_entry(code, "_Z1kIfLi2EEvPT_");
  EXPECT_EQ(code.output.ptx.find("_Z1kIfLi1EEvPT_"), std::string::npos);
  EXPECT_NE(code.note.find("Left out: k<Nope, 3>; k<float, 1>, whose template"), std::string::npos)
      << code.note;
}

TEST_F(DeviceCode, WhatTheHostAloneUsesNeedNotBeThere) {
  source.contents =
      "#include <nccl.h>\n#include <boost/shared_ptr.hpp>\nusing boost::shared_ptr;\nnamespace flags = "
      "google;\n"
      "struct Group {\n  ncclComm_t comm;\n  cublasHandle_t handle; shared_ptr<int> p; void f() { if (!p) "
      "p.reset(new int); }\n};\n"
      "__global__ void k(float* x) { x[0] = 2; }\nint main() {}\n";
  source.host_lines = {{10, 10}};
  const CudaFileCode code = compile();
  expect_entry(code, "_Z1kPf");
  EXPECT_NE(code.note.find("missing here"), std::string::npos) << code.note;
}

TEST_F(DeviceCode, FunctionsOfWarpsNeedNoMask) {
  source.contents =
      "__global__ void k(float* x, unsigned* n) {\n"
      "  x[0] = __shfl(x[0], 1) + __shfl_up(x[1], 1u) + __shfl_down(x[2], 1, 16) + __shfl_xor(x[3], 1);\n"
      "  n[0] = __ballot(x[0] > 1) + __all(1) + __any(0);\n}\nint main() {}\n";
  source.host_lines = {{5, 5}};
  expect_entry(compile(), "_Z1kPfPj");
}

TEST_F(DeviceCode, TheIndicesOfATensorGiveItsElement) {
  source.contents =
      "#include <ATen/cuda/detail/IndexUtils.cuh>\n#include <ATen/cuda/detail/TensorInfo.cuh>\n"
      "__global__ void k(at::cuda::detail::TensorInfo<float, int> x, float* y) {\n"
      "  y[threadIdx.x] = x.data[at::cuda::detail::IndexToOffset<float, int, -1>::get(threadIdx.x, x)];\n}\n"
      "int main() {}\n";
  source.host_lines = {{6, 6}};
  expect_entry(compile(), "_Z1kN2at4cuda6detail10TensorInfoIfiEEPf");
}

TEST_F(DeviceCode, APartOfPyTorchThatIncludesNothingHasItsNames) {
  source.contents =
      "template <class T> __global__ void k(T* x) { at::opmath_type<T> one = 1; x[threadIdx.x % "
      "C10_WARP_SIZE] = one; }\n"
      "int main() {}\n";
  source.host_lines = {{2, 2}};
  source.kernels = {"k<c10::Half>"};
  expect_entry(compile(), "_Z1kIN3c104HalfEEvPT_");
}

TEST(HostLines, KeepDirectivesWithTheLinesOfTheirMacros) {
  EXPECT_EQ(without_lines("#define RUN(x) \\\n  f(x)\nvoid f() {\n#if A\n}\n", {{2, 5}}),
            "#define RUN(x) \\\n  f(x)\n\n#if A\n\n");
  EXPECT_EQ(without_lines("#define A \\  \n  1\nint a;\n", {{1, 3}}), "#define A \\\n  1\n\n");
}

TEST(StandIns, HaveTheStandardLibraryWhereItIsUsed) {
  EXPECT_FALSE(uses_standard_library("x = std::max(1, 2); std::vector<int> v;"));
  EXPECT_TRUE(uses_standard_library("std::is_same<A, B>"));
  EXPECT_EQ(device_headers({"vector", "my.h"}, false).size(), 2u);
  EXPECT_EQ(device_headers({"torch/all.h"}, false).size(), 4u);
}

}  // namespace
}  // namespace tilescope
