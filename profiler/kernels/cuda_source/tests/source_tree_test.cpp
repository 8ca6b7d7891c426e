#include "profiler/kernels/cuda_source/source_tree.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "profiler/kernels/cuda_source/launched_instances.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class SourceTrees : public testing::Test {
 protected:
  SourceTrees() {
    std::string name = (fs::temp_directory_path() / "source_tree_XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~SourceTrees() override { fs::remove_all(folder); }
  SourceTrees(const SourceTrees&) = delete;
  SourceTrees& operator=(const SourceTrees&) = delete;

  void header(const std::string& name, const std::string& text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  SourceTree read(const std::string& text) const {
    fs::create_directories(folder / "a/src");
    return read_source_tree(text, folder / "a/src/k.cu");
  }

  fs::path folder;
};

TEST_F(SourceTrees, HaveTheHeadersOfHeadersEachOnce) {
  header("a/src/near.h", "#include \"deep/inner.h\"\n");
  header("a/src/deep/inner.h", "#include \"innermost.h\"\n#include \"../near.h\"\n");
  header("a/src/deep/innermost.h", "__global__ void inner() {}\n");
  header("a/include/far.cuh", "#pragma once\n");
  const SourceTree tree = read("#include \"near.h\"\n#include <far.cuh>\n#include <vector>\n");
  Names names;
  for (const SourceHeader& one : tree.headers) names.push_back(one.name);
  EXPECT_EQ(names, (Names{"near.h", "far.cuh", "deep/inner.h", "innermost.h", "../near.h"}));
  EXPECT_EQ(tree.headers.back().text, "#include \"near.h\"\n");
  EXPECT_EQ(tree.sources().size(), 5u);
  EXPECT_EQ(tree.sources().back()->kernels().size(), 1u);
}

Names lines_left_out(const std::string& text, const Names& device_macros = {}) {
  Names lines;
  for (const SourceLines& range : host_lines(text, CudaSource(text), device_macros))
    lines.push_back(std::to_string(range.first) + "-" + std::to_string(range.last));
  return lines;
}

TEST(HostLines, AreFunctionsPrototypesAndVariables) {
  EXPECT_EQ(lines_left_out("void f() {\n}\n__device__ int g() { return 1; }\n__global__ void k();\n"
                           "constexpr int h() { return 2; }\n"),
            Names{"1-2"});
  EXPECT_EQ(
      lines_left_out("std::vector<int> v(4);\nconst int n = 4;\nconstexpr int m = 5;\n__constant__ float c;\n"
                     "const dim3 block(4, 4);\nvoid f(\n  std::vector<int> v);\nstruct A { int x; } a;\n"),
      (Names{"1-1", "5-5", "6-7"}));
  EXPECT_EQ(lines_left_out("int a; __device__ int b;\n"), Names{});
}

TEST(HostLines, GoOnToTheBraceThatClosesAFunction) {
  const std::string branches =
      "template <class T>\nint type() {\n  if (is<T, half>) {\n    return 1;\n  }\n#ifdef WITH_BF16\n  else "
      "if "
      "(is<T, bf16>) {\n    return 2;\n  }\n#endif\n  else if (is<T, float>) {\n    return '}'; // {\n  }\n  "
      "else "
      "{\n    return 0;\n  }\n}\n";
  EXPECT_EQ(lines_left_out(branches + "template <int N> struct A {};\n").front(), "1-17");
  EXPECT_EQ(
      lines_left_out("void f() {\n#if A\n  g(\"{\");\n#else\n  h('}'); /* {\n { */\n#endif\n}\nint n;\n")
          .front(),
      "1-8");
}

TEST(HostLines, AreNotThoseThatAMacroMarksForTheDevice) {
  EXPECT_EQ(lines_left_out("HD int f() { return 1; }\nint g() { return 2; }\n", {"HD"}), Names{"2-2"});
}

TEST_F(SourceTrees, KnowTheMacrosOfTheDevice) {
  header("a/src/macros.h", "#define HD __host__ __device__\n#  define INLINE_HD inline HD\n");
  const Names macros = read("#include \"macros.h\"\n").device_macros();
  EXPECT_EQ(macros.back(), "HD");
}

LaunchedInstances instances_of(const std::string& text) {
  return launched_instances({std::make_shared<const CudaSource>(text)});
}

TEST(LaunchedInstances, HaveTheArgumentsOfTheLaunches) {
  EXPECT_EQ(instances_of("template <class T, int N> __global__ void k(T* x) {}\n"
                         "constexpr int size = 4;\n"
                         "void f(float* x) { k<float, size * 2><<<1, 1>>>(x); k<int, 3><<<1, 1>>>(0); }\n")
                .names,
            (Names{"k<float, 8>", "k<int, 3>"}));
}

TEST(LaunchedInstances, HaveValuesForParametersOfTheHostsFunction) {
  EXPECT_EQ(
      instances_of("template <class T, int BLOCK_SIZE> __global__ void k(T* x) {}\n"
                   "template <class T, int BLOCK_SIZE> void f(T* x) { k<T, BLOCK_SIZE><<<1, 1>>>(x); }\n")
          .names,
      Names{"k<float, 256>"});
}

TEST(LaunchedInstances, HaveDeducedTypes) {
  EXPECT_EQ(
      instances_of("template <class T> __global__ void k(T* x) {}\nvoid f(int* x) { k<<<1, 1>>>(x); }\n")
          .names,
      Names{"k<float>"});
}

TEST(LaunchedInstances, AreThereForKernelsThatNothingLaunches) {
  EXPECT_EQ(instances_of("template <int HEAD_DIM, bool causal = true> __global__ void k() {}\n").names,
            Names{"k<64>"});
}

TEST(LaunchedInstances, HaveTheTemplatesThatTheHostsTemplateGets) {
  EXPECT_EQ(instances_of("template <class> struct Sum {};\n"
                         "template <class T, template <class> class Epilogue> __global__ void k(T* x) {}\n"
                         "template <template <class> class Epilogue> void f(float* x) {\n"
                         "  k<float, Epilogue><<<1, 1>>>(x);\n}\n"
                         "void g(float* x) { f<Sum>(x); }\n")
                .names,
            Names{"k<float, Sum>"});
}

// 16 x 16 threads with 8 x 8 results each.
TEST(LaunchedInstances, HaveExtentsOfATileThatFitTogether) {
  EXPECT_EQ(instances_of("template <int BLOCK_SIZE_M, int BLOCK_SIZE_K, int BLOCK_SIZE_N, int THREAD_SIZE_Y, "
                         "int THREAD_SIZE_X, int THREADS_X, bool DOUBLE> __global__ void k() {}\n")
                .names,
            Names{"k<128, 8, 128, 8, 8, 256, 0>"});
}

TEST(LaunchedInstances, MayHaveAnotherTypeForThoseThatAreNotKnown) {
  const std::string text =
      "template <class T, class U> __global__ void k(T* x, U* y) {}\n"
      "template <class ctype> void f(ctype* x) { k<ctype, int><<<1, 1>>>(x, 0); }\n";
  EXPECT_EQ(instances_of(text).names, Names{"k<float, int>"});
  EXPECT_EQ(launched_instances({std::make_shared<const CudaSource>(text)}, "__half").names,
            Names{"k<__half, int>"});
}

TEST(LaunchedInstances, AreFew) {
  std::string text = "template <int N> __global__ void k() {}\nvoid f() {\n";
  for (int i = 0; i < 20; ++i) text += "k<" + std::to_string(i) + "><<<1, 1>>>();\n";
  const LaunchedInstances instances = instances_of(text + "}\n");
  EXPECT_EQ(instances.names.size(), LaunchedInstances::max_instances);
  EXPECT_EQ(instances.left_out, 12u);
}

TEST_F(SourceTrees, LaunchesUseTheHelpersOfHeaders) {
  header("a/include/util.cuh",
         "#pragma once\n#define CEIL(a, b) (((a) + (b) - 1) / (b))\nnamespace sizes {\nconstexpr int tile = "
         "8 * unit;\n"
         "template <class T>\ninline T rows(T n) {\n  return CEIL(n, tile);\n}\n}\n"
         "struct Item { float4 a, b; };\n__device__ inline int rows_of_device() { return 1; }\n"
         "inline void unused() {}\n");
  header("a/include/unit.h", "enum { unit = 4 };\n");
  const SourceTree tree = read(
      "#include <util.cuh>\n#include <unit.h>\n__global__ void k(Item* x) {}\n"
      "void run() {\n  int n = 100;\n  Item* x;\n  cudaMalloc(&x, n * sizeof(Item));\n"
      "  k<<<sizes::rows(n), sizes::tile>>>(x);\n}");
  ASSERT_EQ(tree.source->launches().size(), 1u);
  const EvaluatedLaunch launch = tree.source->evaluate(tree.source->launches()[0], {}, nullptr);
  EXPECT_EQ(launch.grid[0].value, 4);
  EXPECT_EQ(launch.block[0].value, 32);
  EXPECT_NE(launch.block[0].reason.find("(line 4 of util.cuh)"), std::string::npos) << launch.block[0].reason;
  EXPECT_EQ(launch.buffers[0].value().bytes.value, 3200);
  EXPECT_EQ(tree.source->host_functions().size(), 1u);
  EXPECT_TRUE(tree.source->constants().empty()) << "they are the header's";
}

}  // namespace
}  // namespace tilescope
