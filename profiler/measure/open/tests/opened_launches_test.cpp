// Launches that are guessed: what is found out, what is refused, and what is said of it.
#include "profiler/measure/open/tests/opened_files.hpp"
#include "profiler/service/requests/listing.hpp"

namespace tilescope {
namespace {

using test_support::ask;
using test_support::no_control;
using test_support::says;

class OpenedLaunches : public test_support::OpenedFiles {
 protected:
  static OpenFile::Params with(std::map<std::string, std::string> chosen, bool list_only = false) {
    OpenFile::Params params;
    params.chosen = std::move(chosen);
    params.list_only = list_only;
    return params;
  }
};

constexpr const char* two_kernels =
    "__global__ void first(float* x) { x[threadIdx.x] = 1; }\n"
    "__global__ void second(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 2; }\n"
    "int main() { float* x; cudaMalloc(&x, 256); second<<<1, 64>>>(x, 64); }\n";

TEST_F(OpenedLaunches, TheKernelIsTheOneThatIsLaunched) {
  const OpenedPoint point = open_text(two_kernels);
  ASSERT_EQ(point.kernels.size(), 2u) << point.reason;
  EXPECT_EQ(point.entry, "_Z6secondPfi");
  EXPECT_EQ(point.block[0], 64u);
}

TEST_F(OpenedLaunches, AnInstanceHasTheLaunchOfItsCase) {
  OpenFile::Params params;
  params.subject.entry = "turned<float, 64";
  const OpenedPoint point = open_text(
      "template <class T, unsigned N> __global__ void turned(const T* x, T* y) {\n"
      "  __shared__ T s[N];\n  s[threadIdx.x] = x[blockIdx.x * N + threadIdx.x];\n  __syncthreads();\n"
      "  y[blockIdx.x * N + threadIdx.x] = s[N - 1 - threadIdx.x];\n}\n"
      "template <class T> void run(int threads, const T* x, T* y) {\n  dim3 block(threads);\n"
      "  switch (threads) {\n    case 256: turned<T, 256><<<4, block>>>(x, y); break;\n"
      "    case 64: turned<T, 64><<<4, block>>>(x, y); break;\n  }\n}\n"
      "template void run<float>(int, const float*, float*);\n",
      params);
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "block"), "[64, 1, 1]");
}

// Names suggest a width of 64, in whose case another instance is launched.
TEST_F(OpenedLaunches, AnInstanceKeepsItsLaunchWhereASuggestedSizeLeadsToAnother) {
  const OpenedPoint point = open_text(
      "#include <torch/extension.h>\n"
      "template <int D> __global__ void __launch_bounds__(4 * D) fill(float* x) {\n"
      "  x[blockIdx.x * 4 * D + threadIdx.x] = D;\n}\n"
      "template <int head_dim> void run(torch::Tensor x) {\n  constexpr int threads = 4 * head_dim;\n"
      "  fill<head_dim><<<3, threads>>>(x.data_ptr<float>());\n}\n"
      "void start(torch::Tensor x) {\n  const int d = x.size(3);\n  switch (d) {\n"
      "    case 16: run<16>(x); break;\n    case 64: run<64>(x); break;\n  }\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "block"), "[64, 1, 1]") << "of fill<16>, the first call";
}

TEST_F(OpenedLaunches, APointerWhoseNameSuggestsANumberIsNoNull) {
  const OpenedPoint point = open_text(
      "__global__ void twice(const float* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }\n"
      "void run(void* in, void* out) { twice<<<1, 64>>>((const float*)in, (float*)out); }\n"
      "int main() {\n  float *d_in, *d_out;\n  cudaMalloc(&d_in, 4096);\n  cudaMalloc(&d_out, 4096);\n"
      "  for (int i = 0; i < 4; ++i) {\n    auto d_in_vec = d_in + 256 * i;\n"
      "    auto d_output_vec = d_out + 512 / 2 * i;\n    run((void*)d_in_vec, (void*)d_output_vec);\n  "
      "}\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.outputs, std::vector<std::string>{"out"});
}

TEST_F(OpenedLaunches, TensorCoresGetTheHalvesThatTheyTake) {
  const OpenedPoint point = open_text(
      "#include <cuda_fp16.h>\n#include <type_traits>\n"
      "template <class T> __global__ void copy(const T* x, T* y) {\n"
      "  static_assert(std::is_same<T, __half>::value, \"\");\n  y[threadIdx.x] = x[threadIdx.x];\n}\n"
      "template <class ctype> void run(ctype* x, ctype* y) { copy<ctype><<<1, 64>>>(x, y); }\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_TRUE(says(point.kernels.at(0).demangled, "half")) << point.kernels.at(0).demangled;
}

TEST_F(OpenedLaunches, AnAtomicOnTwoBytesMayAccessTheFourAroundThem) {
  const OpenedPoint point = open_text(
      "#include <cuda_fp16.h>\n__global__ void sum(const __half* x, __half* total) {\n"
      "  atomicAdd(total, x[threadIdx.x]);\n}\n"
      "int main() {\n  __half *x, *total;\n  cudaMalloc(&x, 64 * sizeof(__half));\n"
      "  cudaMalloc(&total, sizeof(__half));\n  sum<<<1, 64>>>(x, total);\n}\n");
  EXPECT_FALSE(finds(point, "out_of_bounds")) << point.reason;
  EXPECT_EQ(guessed(point, "total: elements"), "2");
}

TEST_F(OpenedLaunches, AKernelInANamespaceWithoutANameHasItsLaunch) {
  const OpenedPoint point = open_text(
      "namespace {\ntemplate <class T> __global__ void twice(const T* in, T* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n}\n"
      "int main() {\n  int n = 300;\n  float *in, *out;\n  cudaMalloc(&in, n * sizeof(float));\n"
      "  cudaMalloc(&out, n * sizeof(float));\n  twice<<<5, 64>>>(in, out, n);\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "n"), "300");
  EXPECT_EQ(guessed(point, "block"), "[64, 1, 1]");
  EXPECT_EQ(point.outputs, std::vector<std::string>{"out"});
}

TEST_F(OpenedLaunches, AFunctionOfAMacroOverSeveralLinesIsTheHosts) {
  const OpenedPoint point = open_text(
      "#include <torch/extension.h>\n#include <iostream>\n"
      "__global__ void copy_rows(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n"
      "#define BINDING(tag, threads) \\\n  void run_##tag(torch::Tensor x, torch::Tensor y) { \\\n"
      "    const int n = x.size(0); \\\n    std::cout << n; \\\n"
      "    copy_##tag < < < (n + threads - 1) / threads, threads >>> (x.data_ptr<float>(), \\\n"
      "                                                               y.data_ptr<float>(), n); }\n"
      "BINDING(rows,\n        96)\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "block"), "[96, 1, 1]");
}

// A helper has a version for PyTorch's own type alone.
TEST_F(OpenedLaunches, TypesThatNothingGivesAreThoseWithWhichTheKernelCompiles) {
  const OpenedPoint point = open_text(
      "#include <torch/extension.h>\nnamespace {\n"
      "template <class T> __device__ __inline__ void copy_vector(T* to, const T* from);\n"
      "template <> __device__ __inline__ void copy_vector<c10::Half>(c10::Half* to, const c10::Half* from) "
      "{\n"
      "  *to = *from;\n}\n"
      "template <class input_t, class acc_t> __global__ void copy(const input_t* x, input_t* y, acc_t* sum) "
      "{\n"
      "  copy_vector<input_t>(y + threadIdx.x, x + threadIdx.x);\n  sum[threadIdx.x] = acc_t(1) / 3;\n}\n}\n"
      "template <class input_t, class acc_t> void run(input_t* x, input_t* y, acc_t* sum) {\n"
      "  copy<input_t, acc_t><<<1, 64>>>(x, y, sum);\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_TRUE(says(point.kernels.at(0).demangled, "copy<c10::Half, float>")) << point.kernels.at(0).demangled;
}

TEST_F(OpenedLaunches, TheMachineCodeOfAKernelIsListed) {
  Listing::Params params;
  params.file = ChosenFile{{SentFile{"/nowhere/kernel.cu", two_kernels}, "second", std::nullopt, {}}};
  Listing::Answer answer = ask<Listing>(make_measure_service(installation), params, no_control);
  ASSERT_EQ(answer.status, Status::ok) << answer.reason;
  EXPECT_FALSE(answer.machine_code.lines.empty()) << answer.machine_code.why_none;
  EXPECT_FALSE(answer.machine_code.sha256.empty());
  params.file->subject.entry = "third";
  EXPECT_NE(ask<Listing>(make_measure_service(installation), params, no_control).status, Status::ok);
}

TEST_F(OpenedLaunches, AMaskThatLetsNothingThroughHidesNoOutput) {
  const OpenedPoint point = open_text(
      "__global__ void visit(const bool* mask, int* cost) { if (mask[threadIdx.x]) cost[threadIdx.x] = 1; }\n"
      "int main() {\n  bool* mask;\n  int* cost;\n  cudaMalloc(&mask, 64);\n  cudaMalloc(&cost, 256);\n"
      "  visit<<<1, 64>>>(mask, cost);\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.outputs, std::vector<std::string>{"cost"});
}

// Random fractions, read as a length, would be a loop without an end.
TEST_F(OpenedLaunches, StructuresOfWholeNumbersAreFilledWithSmallOnes) {
  const OpenedPoint point = open_text(
      "struct Node { int first, edges; };\n"
      "__global__ void degree(const Node* nodes, int* sum) {\n"
      "  for (int i = 0; i < nodes[threadIdx.x].edges; ++i) sum[threadIdx.x] += i;\n}\n"
      "int main() {\n  Node* nodes;\n  int* sum;\n  cudaMalloc(&nodes, 64 * sizeof(Node));\n"
      "  cudaMalloc(&sum, 256);\n  degree<<<1, 64>>>(nodes, sum);\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "nodes: elements"), "128");
  EXPECT_EQ(point.outputs, std::vector<std::string>{"sum"});
}

TEST_F(OpenedLaunches, AVariableOfTheFileThatIsReadIsNotTheZeroItBeginsWith) {
  const OpenedPoint point = open_text(
      "#include <stdio.h>\nint nodes;\n"
      "__global__ void mark(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
      "void run() {\n  scanf(\"%d\", &nodes);\n  int* x;\n  cudaMalloc(&x, nodes * sizeof(int));\n"
      "  mark<<<1, nodes>>>(x, nodes);\n}\nint main() { nodes = 0; run(); }\n");
  EXPECT_EQ(point.outputs, std::vector<std::string>{"x"}) << point.reason;
  EXPECT_NE(guessed(point, "n"), "0");
}

TEST_F(OpenedLaunches, AMultiplyWithoutALaunchGetsThreadsThatFitItsTile) {
  const OpenedPoint point = open_text(
      "template <int BLOCK_SIZE_M, int BLOCK_SIZE_N, int THREAD_SIZE_Y, int THREAD_SIZE_X>\n"
      "__global__ void outer(const float* a, const float* b, float* c, int N) {\n"
      "  __shared__ float tile[BLOCK_SIZE_M];\n"
      "  int t = threadIdx.y * (BLOCK_SIZE_N / THREAD_SIZE_X) + threadIdx.x;\n"
      "  if (t < BLOCK_SIZE_M) tile[t] = a[blockIdx.y * BLOCK_SIZE_M + t];\n  __syncthreads();\n"
      "  for (int i = 0; i < THREAD_SIZE_Y; ++i)\n    for (int j = 0; j < THREAD_SIZE_X; ++j) {\n"
      "      int row = threadIdx.y * THREAD_SIZE_Y + i;\n"
      "      int column = blockIdx.x * BLOCK_SIZE_N + threadIdx.x * THREAD_SIZE_X + j;\n"
      "      c[(blockIdx.y * BLOCK_SIZE_M + row) * N + column] = tile[row] * b[column];\n    }\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "block"), "[16, 16, 1]");
  EXPECT_FALSE(finds(point, "out_of_bounds"));
}

TEST_F(OpenedLaunches, APartOfANameChoosesAKernel) {
  OpenFile::Params params;
  params.subject.entry = "first";
  const OpenedPoint point = open_text(two_kernels, params);
  EXPECT_EQ(point.entry, "_Z5firstPf");
  EXPECT_EQ(guessed(point, "kernel"), "");
}

TEST_F(OpenedLaunches, AKernelIsFoundByItsNameFromAnotherCompilation) {
  const std::string space = "_GLOBAL__N__01234567_9_kernel_cu_89abcdef";
  OpenFile::Params params;
  params.subject.entry = "_ZN" + std::to_string(space.size()) + space + "1kEPf";
  const OpenedPoint point = open_text(
      "namespace {\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n}\n"
      "__global__ void other(float* x) { x[0] = 2; }\n"
      "void run(float* x) { k<<<1, 32>>>(x); }\n",
      params);
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_NE(point.entry, params.subject.entry);
}

TEST_F(OpenedLaunches, AnUnknownKernelIsNamedWithThoseThereAre) {
  OpenFile::Params params;
  params.subject.entry = "third";
  const OpenedPoint point = open_text(two_kernels, params);
  EXPECT_EQ(point.problem, FileProblem::entry);
  EXPECT_TRUE(says(point.reason, "first") && says(point.reason, "second")) << point.reason;
}

TEST_F(OpenedLaunches, AListLaunchesNothing) {
  OpenFile::Params params;
  params.list_only = true;
  const OpenedPoint point = open_text(two_kernels, params);
  ASSERT_EQ(point.kernels.size(), 2u);
  EXPECT_TRUE(point.kernels[0].occupancy && point.kernels[0].resources);
  EXPECT_FALSE(point.memory);
  EXPECT_TRUE(point.guesses.empty());
}

TEST_F(OpenedLaunches, ChosenValuesGoBeforeGuesses) {
  OpenFile::Params params;
  params.chosen = {{"block", "32"}, {"n", "7"}, {"x: elements", "7"}, {"x: fill", "3"}};
  const OpenedPoint point = open_text(two_kernels, params);
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 32u);
  for (const LaunchGuess& guess : point.guesses)
    EXPECT_FALSE(params.chosen.contains(guess.what)) << guess.what;
}

TEST_F(OpenedLaunches, AChoiceThatIsNoneIsRefused) {
  for (const auto& [what, value] :
       {std::pair{"n", "many"}, {"block", "0"}, {"grid", "1,2,3,4"}, {"x: fill", "blue"}}) {
    OpenFile::Params params;
    params.chosen[what] = value;
    const OpenedPoint point = open_text(two_kernels, params);
    EXPECT_TRUE(says(point.reason, value) && says(point.reason, std::string(what).substr(0, 1)))
        << point.reason;
    EXPECT_FALSE(point.memory);
  }
}

TEST_F(OpenedLaunches, AChoiceOfANameThatTheLaunchDoesNotHaveIsRefused) {
  const OpenedPoint point = open_text(two_kernels, with({{"nn", "7"}}));
  for (const char* text : {"'nn'", "block, grid, shared, x: elements, x: fill, x: expected, n", "host code"})
    EXPECT_TRUE(says(point.reason, text)) << point.reason;
  EXPECT_FALSE(point.memory);
  const OpenedPoint of_a_number = open_text(two_kernels, with({{"n: elements", "7"}}));
  EXPECT_TRUE(says(of_a_number.reason, "'n: elements'")) << of_a_number.reason;
}

TEST_F(OpenedLaunches, ANumberOfTheHostCodeCanBeChosen) {
  const char* const text =
      "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 2; }\n"
      "void run(float* x, int rows, int unused) { k<<<1, rows * 32>>>(x, rows); }\n";
  const OpenedPoint point = open_text(text, with({{"rows", "3"}}));
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 96u);
  EXPECT_TRUE(says(open_text(text, with({{"unused", "3"}})).reason, "'unused'"))
      << "the launch does not depend on it";
}

constexpr const char* with_constants =
    "#define TILE (32)  // threads\n"
    "constexpr int rows = 4, total = rows * TILE;\n"
    "#define OCTAL 010\n"
    "#if OCTAL == 8\n#define UNROLL 2\n#else\n#define UNROLL 4\n#endif\n"
    "__global__ void k(float* x) { if (threadIdx.x < TILE) x[blockIdx.x * TILE + threadIdx.x] = 2; }\n"
    "int main() { float* x; cudaMalloc(&x, total * sizeof(float)); k<<<rows, TILE>>>(x); }\n";

TEST_F(OpenedLaunches, ConstantsOfTheSourceAreFoundWithProposals) {
  const OpenedPoint point = open_text(with_constants);
  ASSERT_EQ(point.constants.size(), 2u)
      << "neither what is computed, an octal number nor a name with two definitions";
  EXPECT_EQ(point.constants[0], (OpenedConstant{"TILE", 32, 1, {8, 16, 32, 64, 128}}));
  EXPECT_EQ(point.constants[1], (OpenedConstant{"rows", 4, 2, {1, 2, 4, 8, 16}}));
}

TEST_F(OpenedLaunches, AConstantIsCompiledWithTheChosenValue) {
  const OpenedPoint point = open_text(with_constants, with({{"TILE", "48"}, {"rows", "2"}}));
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 48u);
  EXPECT_EQ(point.grid[0], 2u);
  EXPECT_EQ(point.constants[0].value, 32) << "as the file has it";
  EXPECT_EQ(point.constants[0].line, 1);
  ASSERT_TRUE(point.memory);
  EXPECT_EQ(point.memory->global_sectors, 2 * 48 * 4 / 32) << "the machine code has the value, too";
  for (const char* value : {"0", "1.5", "many"})
    EXPECT_TRUE(says(open_text(with_constants, with({{"TILE", value}})).reason, "TILE")) << value;
}

TEST_F(OpenedLaunches, ConstantsOfFunctionsAndTemplatesAreChosen) {
  const char* const text =
      "template <int TILE> __global__ void k(float* x) {\n"
      "  constexpr int items = 2;\n"
      "  for (int i = 0; i < items; ++i) x[(blockIdx.x * TILE + threadIdx.x) * items + i] = 2;\n}\n"
      "void run(float* x) { const int items = 2; k<32><<<8 / items, 32>>>(x); }\n";
  const OpenedPoint point = open_text(text);
  ASSERT_EQ(point.constants.size(), 2u) << point.reason;
  EXPECT_EQ(point.constants[0].name, "items");
  EXPECT_EQ(point.constants[1], (OpenedConstant{"TILE", 32, 5, {8, 16, 32, 64, 128}}));
  EXPECT_EQ(guessed(point, "x: elements"), "256");
  const OpenedPoint chosen = open_text(text, with({{"TILE", "64"}, {"items", "4"}}));
  ASSERT_EQ(chosen.status, Status::unchecked) << chosen.reason;
  EXPECT_EQ(chosen.entry, "_Z1kILi64EEvPf");
  EXPECT_EQ(chosen.grid[0], 2u) << "the host's constant of that name, too";
  EXPECT_EQ(guessed(chosen, "x: elements"), std::to_string((64 + 32) * 4));
}

// It is not offered, since it may follow from others, but what is asked for is compiled in.
TEST_F(OpenedLaunches, AMacroThatIsComputedIsReplacedAsAWhole) {
  const char* const text =
      "#define ROWS (2 * 4)\n#define COUNT 4 // one\n#if ROWS == 8\n#define UNROLL 2\n#else\n#define UNROLL "
      "4\n#endif\n"
      "__global__ void k(float* x) { x[threadIdx.x + ROWS * UNROLL] = COUNT; }\n"
      "void run(float* x) { k<<<1, ROWS>>>(x); }\n";
  const OpenedPoint point = open_text(text, with({{"ROWS", "16"}}));
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 16u);
  EXPECT_EQ(guessed(point, "x: elements"), std::to_string(16 + 16 * 4));
  const OpenedPoint several = open_text(text, with({{"UNROLL", "16"}}));
  EXPECT_TRUE(says(several.reason, "UNROLL (line 4)") && says(several.reason, "several")) << several.reason;
}

TEST_F(OpenedLaunches, AConstantThatAnOptionDefinesIsNotChosen) {
  OpenFile::Params params;
  params.options = {"-DTILE=16"};
  const char* const text =
      "#ifndef TILE\n#define TILE 32\n#endif\n"
      "__global__ void k(float* x) { x[threadIdx.x] = TILE; }\nvoid run(float* x) { k<<<1, TILE>>>(x); }\n";
  EXPECT_TRUE(open_text(text, params).constants.empty());
  params.chosen = {{"TILE", "64"}};
  const OpenedPoint point = open_text(text, params);
  EXPECT_TRUE(says(point.reason, "-DTILE")) << point.reason;
  EXPECT_FALSE(point.memory);
}

TEST_F(OpenedLaunches, ABlockOfTooManyThreadsIsNotReplacedInSilence) {
  const OpenedPoint point = open_text(with_constants, with({{"TILE", "2048"}}));
  EXPECT_EQ(point.status, Status::unsupported);
  for (const char* text : {"2048 threads", "1024", "line 10", "TILE = 2048"})
    EXPECT_TRUE(says(point.reason, text)) << point.reason;
  EXPECT_FALSE(point.memory);
}

TEST_F(OpenedLaunches, AGridIsFoundByTheBlocksThatStore) {
  const OpenedPoint point = open_text(
      "__global__ void fill(float* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = 0;\n"
      "}\n",
      with({{"n", "1000"}, {"block", "128"}}));
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.grid[0], 8u);
  EXPECT_EQ(guessed(point, "x: elements"), "1000");
}

TEST_F(OpenedLaunches, AGuessedGridOfTheHostIsMadeAsWideAsTheBlocksThatStore) {
  const std::string kernel =
      "__global__ void fill(float* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = 0;\n"
      "}\n"
      "void run(float* x) {\n"
      "  const int n = 100000, block_size = 128;\n"
      "  const int grid_size = n / (block_size * Packed::lanes) + 1;\n";
  const OpenedPoint point = open_text(kernel + "  fill<<<grid_size, block_size>>>(x, n);\n}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.grid[0], 782u);
  EXPECT_EQ(guessed(point, "x: elements"), "100000");
  const auto grid = std::ranges::find(point.guesses, "grid", &LaunchGuess::what);
  ASSERT_NE(grid, point.guesses.end());
  EXPECT_TRUE(says(grid->reason, "the launch in the file has [256, 1, 1] with guessed values"))
      << grid->reason;
  EXPECT_EQ(open_text(kernel + "  fill<<<4, block_size>>>(x, n);\n}\n").grid[0], 4u)
      << "the file has the value";
}

TEST_F(OpenedLaunches, ABlockIsFoundByWhatItsTilesStore) {
  const OpenedPoint point = open_text(
      "__global__ void transpose(const float* in, float* out, int width, int height) {\n"
      "  __shared__ float tile[32][32];\n"
      "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
      "  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];\n"
      "  __syncthreads();\n"
      "  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;\n"
      "  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];\n"
      "}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block, (std::array<std::uint32_t, 3>{32, 32, 1}));
  EXPECT_EQ(point.grid, (std::array<std::uint32_t, 3>{8, 8, 1}));
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(OpenedLaunches, BlocksOfALargeGridStandForIt) {
  const OpenedPoint point = open_text(
      "__global__ void add(const float* a, float* b, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) b[i] = a[i] + 1;\n"
      "}\n"
      "int main() { int n = 1 << 28; float *a, *b; add<<<n / 256, 256>>>(a, b, n); }\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  ASSERT_TRUE(point.memory);
  EXPECT_LT(point.memory->blocks_run, 20'000);
  EXPECT_EQ(point.memory->blocks_total, 1 << 20);
  EXPECT_EQ(point.memory->global_sectors, (std::int64_t{1} << 28) / 8 * 2);
  EXPECT_EQ(guessed(point, "b: elements"), "268435456");
  EXPECT_TRUE(point.findings.empty());
}

// The first block does nothing, so that it says little of the others.
TEST_F(OpenedLaunches, BlocksStandForTheGridOfAGivenLaunchToo) {
  OpenFile::Params params;
  params.subject.launch = SentFile{"/k.launch.json", R"({"grid": [16384, 1, 1], "block": [256, 1, 1],
      "arguments": [{"type": "buffer", "element": "f32", "count": 67108864, "fill": 0, "name": "y", "output": true}]})"};
  const std::string text =
      "extern \"C\" __global__ void fill(float* y) {\n"
      "  if (blockIdx.x == 0) return;\n"
      "#pragma unroll 1\n"
      "  for (int i = 0; i < 16; ++i) y[(blockIdx.x * 16 + i) * blockDim.x + threadIdx.x] = i;\n}\n";
  const OpenedPoint point = open_text(text, params);
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  ASSERT_TRUE(point.memory);
  EXPECT_LT(point.memory->blocks_run, 16384);
  EXPECT_EQ(point.memory->global_sectors, 16383 * 16 * 32);
  EXPECT_FALSE(finds(point, "unwritten_output")) << "a sample writes a part";
  params.blocks = 7;
  EXPECT_EQ(open_text(text, params).memory->blocks_run, 7);
}

// Each thread reads one number of a row of 200 KB: the sectors make the traffic, not the size of the buffer.
// Rows that no L2 holds until they are read again, and written ones that are read back.
TEST_F(OpenedLaunches, BlocksThatStandForAGridAreChargedForWhatL2Loses) {
  OpenFile::Params params;
  params.device = "L4";
  params.check = false;
  const auto predicted = [&](std::int64_t blocks) {
    params.blocks = blocks;
    const OpenedPoint point = open_text(
        "__global__ void rows(const float* in, float* out, int n) {\n"
        "  const float* from = in + (long)blockIdx.x * n;\n"
        "  float* to = out + (long)blockIdx.x * n;\n"
        "  float sum = 0;\n"
        "  for (int i = threadIdx.x; i < n; i += 32) sum += from[i];\n"
        "  for (int i = threadIdx.x; i < n; i += 32) to[i] = from[i] * sum;\n"
        "  for (int i = threadIdx.x; i < n; i += 32) to[i] = to[i] + 1;\n"
        "}\n"
        "void run(float* in, float* out) { rows<<<1500, 32>>>(in, out, 8192); }\n",
        params);
    return point.prediction ? point.prediction->p50_us : 0;
  };
  const double of_all = predicted(OpenFile::all_blocks), of_sample = predicted(100);
  // 5 passes of 49 MB at 300 GB/s.
  EXPECT_GT(of_all, 819);
  EXPECT_NEAR(of_sample / of_all, 1, 0.03);
}

TEST_F(OpenedLaunches, ABufferThatIsReadHereAndThereCostsWhatIsRead) {
  const OpenedPoint point = open_text(
      "__global__ void pick(const float* rows, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = rows[(long long)i * 50257 + i % 1000];\n}\n"
      "int main() {\n"
      "  const int n = 1 << 14; float *rows, *y; cudaMalloc(&rows, (size_t)n * 50257 * 4); cudaMalloc(&y, n "
      "* 4);\n"
      "  pick<<<n / 128, 128>>>(rows, y, n);\n}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  ASSERT_TRUE(point.prediction);
  // 16,384 sectors and the output are 0.6 MB; the rows are 3 GB.
  EXPECT_LT(point.prediction->p50_us, 30);
}

TEST_F(OpenedLaunches, SharedMemoryThatIsLackingIsFoundOut) {
  const OpenedPoint point = open_text(
      "extern __shared__ float shared[];\n"
      "__global__ void reverse(float* x) {\n"
      "  shared[threadIdx.x] = x[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  x[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];\n"
      "}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "shared"), "16384");
}

TEST_F(OpenedLaunches, IndicesThatLeadOutOfTheirBuffersBecomeZeros) {
  const OpenedPoint point = open_text(
      "__global__ void gather(const int* where, const float* x, float* y) {\n"
      "  y[threadIdx.x] = x[where[threadIdx.x] * 1000];\n"
      "}\n"
      "void run(const int* where, float* y) {\n"
      "  float* x; cudaMalloc(&x, 32 * sizeof(float)); gather<<<1, 32>>>(where, x, y);\n}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "where: fill"), "0");
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(OpenedLaunches, ABufferIsAsLargeAsItsUseWithContents) {
  const OpenedPoint point = open_text(
      "__global__ void gather(const int* where, const float* x, float* y, float* positive) {\n"
      "  const float value = x[where[threadIdx.x] * 1000];\n"
      "  y[threadIdx.x] = value;\n"
      "  if (value > 0) positive[threadIdx.x] = value;\n"
      "}\n"
      "void run(const int* where, const float* x, float* y, float* p) { gather<<<1, 32>>>(where, x, y, p); "
      "}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "where: fill"), "random");
  EXPECT_EQ(guessed(point, "x: elements"), "7001");
  EXPECT_GT(std::stoi(guessed(point, "positive: elements")), 1);
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(OpenedLaunches, SizesAreSmallerWhereTheUsualOnesMakeABlockRunLong) {
  const OpenedPoint point = open_text(
      "__global__ void sums(float* x, int n) {\n"
      "  float sum = 0;\n"
      "  for (int i = 0; i < n; ++i)\n"
      "    for (int j = 0; j < n; ++j)\n"
      "      for (int k = 0; k < n; ++k) sum = sum * 0.5f + x[i ^ j ^ k];\n"
      "  x[threadIdx.x] = sum;\n"
      "}\n"
      "void run(float* x, int n) { sums<<<1, 128>>>(x, n); }\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "n"), "64");
}

TEST_F(OpenedLaunches, SizesAreSmallerWhereTheUsualOnesMakeBuffersThatAreNotRun) {
  const OpenedPoint point = open_text(
      "__global__ void set(double* x, int n) { x[blockIdx.x * (long)blockDim.x + threadIdx.x] = 1; }\n"
      "void run(double* x, int n) { set<<<(size_t)n * n * n * n / 32, 64>>>(x, n); }\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "n"), "64");
}

TEST_F(OpenedLaunches, SizesOfLaunchesThatTheHostIsGivenAreFoundOut) {
  const OpenedPoint point = open_text(
      "__global__ void set(float* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = 1;\n"
      "}\n"
      "void run(dim3 grid, dim3 block, int sbytes, float* x, int n) { set<<<grid, block, sbytes>>>(x, n); "
      "}\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.grid[1], 1U);
  EXPECT_EQ(point.grid[2], 1U);
  EXPECT_EQ(point.grid[0] * point.block[0], 256U);
  EXPECT_EQ(point.dynamic_shared_bytes, 0);
}

TEST_F(OpenedLaunches, AWaitForAnotherKernelIsFoundWhileTheLaunchIsGuessed) {
  const OpenedPoint point = open_text(
      "__global__ void wait(volatile int* flag, float* x) {\n"
      "  while (*flag == 0) {}\n"
      "  x[threadIdx.x] = 1;\n"
      "}\n"
      "void run(int* flag, float* x) { wait<<<1, 32>>>(flag, x); }\n",
      with({{"flag: fill", "0"}}));
  EXPECT_TRUE(finds(point, "livelock")) << point.reason;
}

TEST_F(OpenedLaunches, APredictionSaysThatThePrintingIsNotInIt) {
  OpenFile::Params params;
  params.device = "L4";
  const OpenedPoint point = open_text(
      "#include <cstdio>\n"
      "__global__ void talk(float* x) { x[threadIdx.x] = 1; if (threadIdx.x == 0) printf(\"done\\n\"); }\n"
      "void run(float* x) { talk<<<1, 32>>>(x); }\n",
      params);
  ASSERT_TRUE(point.prediction) << point.reason;
  ASSERT_EQ(point.printed.size(), 1U);
  EXPECT_TRUE(says(point.notes.back(), "what printf takes on a GPU is not predicted"));
}

TEST_F(OpenedLaunches, ACooperativeLaunchIsTheReasonOfItsTrap) {
  const OpenedPoint point = open_text(
      "#include <cooperative_groups.h>\n"
      "__global__ void both(int* x) {\n"
      "  x[blockIdx.x] = 1;\n"
      "  cooperative_groups::this_grid().sync();\n"
      "  if (threadIdx.x == 0) x[blockIdx.x + 2] = x[1 - blockIdx.x];\n"
      "}\n"
      "int main() {\n"
      "  int* x; cudaMalloc(&x, 16); void* arguments[] = {&x};\n"
      "  cudaLaunchCooperativeKernel((void*)both, dim3(2), dim3(32), arguments, 0, 0);\n"
      "}\n");
  EXPECT_EQ(point.status, Status::launch_failed);
  EXPECT_TRUE(says(point.reason, "The file launches it cooperatively")) << point.reason;
}

TEST_F(OpenedLaunches, ATemplateArgumentMayBeSpelledInAnotherWay) {
  const OpenedPoint point = open_text(
      "#include <cstdint>\n"
      "template <typename T, int M> __global__ void sum(const T* a, T* d, int n) {\n"
      "  T sum = 0;\n"
      "  for (int i = threadIdx.x; i < n; i += 64) sum += a[i] * M;\n"
      "  d[threadIdx.x] = sum;\n"
      "}\n"
      "template <typename T, int M> void run(int elements) {\n"
      "  const int bytes = elements * sizeof(T);\n"
      "  T *a, *d; cudaMalloc(&a, bytes); cudaMalloc(&d, 64 * sizeof(T));\n"
      "  sum<T, M><<<1, 64>>>(a, d, elements);\n"
      "}\n"
      "int main() { run<uint32_t, 1>(500); run<int8_t, 1>(500); }\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "a: elements"), "500");
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(OpenedLaunches, MoreSharedMemoryThanABlockCanHaveIsNotGuessed) {
  const OpenedPoint point = open_text(
      "extern __shared__ float shared[];\n"
      "__global__ void far(float* x) { shared[40000 + threadIdx.x] = x[threadIdx.x]; x[0] = shared[40001]; "
      "}\n");
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_TRUE(says(point.reason, "shared memory")) << point.reason;
  EXPECT_EQ(guessed(point, "shared"), "");
}

TEST_F(OpenedLaunches, AFactorOfATemplateIsNoSize) {
  const OpenedPoint point = open_text(
      "template <typename T> __global__ void scale(T* x, int n, T alpha) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = alpha * x[i];\n"
      "}\n"
      "template <typename T> void run(int n, const T alpha) {\n"
      "  T* x; cudaMalloc(&x, n * sizeof(T)); scale<<<(n + 63) / 64, 64>>>(x, n, alpha);\n}\n"
      "void all(int n) { run<double>(n, 1); run<float>(n, 1); }\n"
      "template __global__ void scale(float*, int, float);\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "x: elements"), "256");
}

TEST_F(OpenedLaunches, ARaceIsFound) {
  const OpenedPoint point = open_text(
      "__global__ void race(float* x) {\n"
      "  __shared__ float s[64];\n"
      "  s[threadIdx.x] = x[threadIdx.x];\n"
      "  x[threadIdx.x] = s[63 - threadIdx.x];\n"
      "}\n"
      "void run(float* x) { race<<<1, 64>>>(x); }\n");
  EXPECT_TRUE(finds(point, "race"));
}

TEST_F(OpenedLaunches, ANullPointerOfTheLaunchIsPassed) {
  const OpenedPoint point = open_text(
      "__global__ void add(const float* bias, float* x) {\n"
      "  x[threadIdx.x] = bias == nullptr ? 1.0f : bias[threadIdx.x];\n"
      "}\n"
      "void run(float* x) { add<<<1, 32>>>(nullptr, x); }\n");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "bias"), "0");
}

TEST_F(OpenedLaunches, AnArrayOfPointersIsNamedAsTheReason) {
  const OpenedPoint point = open_text(
      "__global__ void set(float** rows) { rows[0][threadIdx.x] = 1; }\n"
      "void run(float** rows) { set<<<1, 32>>>(rows); }\n");
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_TRUE(says(point.reason, "array of pointers")) << point.reason;
}

// A pointer, a number and an array inside of two structures, set by the host.
constexpr const char* with_structures =
    "typedef struct { int width, height; float* elements; } Matrix;\n"
    "struct Base { short kind; };\n"
    "struct Params : public Base { Matrix from; float factors[2]; double scale; };\n"
    "__global__ void scale(Params p, Matrix to) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < to.width * to.height) to.elements[i] = p.from.elements[i] * p.factors[1] * "
    "(float)p.scale;\n}\n"
    "int main() {\n"
    "  Matrix d_to;\n  d_to.width = 20;\n  d_to.height = 30;\n"
    "  cudaMalloc(&d_to.elements, 600 * sizeof(float));\n"
    "  Params p;\n  p.scale = 3;\n"
    "  scale<<<5, 128>>>(p, d_to);\n}\n";

TEST_F(OpenedLaunches, MembersOfStructuresAreFoundOut) {
  const OpenedPoint point = open_text(with_structures);
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "to.width"), "20");
  EXPECT_EQ(guessed(point, "to.height"), "30");
  EXPECT_EQ(guessed(point, "to.elements: elements"), "600");
  EXPECT_EQ(guessed(point, "p.from.elements: elements"), "600");
  EXPECT_EQ(guessed(point, "p.scale"), "3.0");
  EXPECT_EQ(guessed(point, "p.factors[1]"), "1.0");
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(OpenedLaunches, MembersOfStructuresAreChosenAndLaunchedAgain) {
  const OpenedPoint point = open_text(
      with_structures, with({{"to.width", "10"},
                             {"p.factors[1]", "0.5"},
                             {"to_elements: expected", "to_elements[300] = 1.5 * p_from_elements[300]"}}));
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].elements, 300u);
  OpenFile::Params again;
  again.subject.launch = SentFile{"/k.launch.json", point.launch};
  EXPECT_EQ(open_text(with_structures, again).status, Status::ok) << "the launch file has the structures";
}

TEST_F(OpenedLaunches, AStructureThatIsNotThereIsZeros) {
  const OpenedPoint point = open_text(
      "template <class T> struct Box { T* x; };\n"
      "__global__ void k(Box<float> box, float* y) { y[threadIdx.x] = box.x == nullptr; }\n"
      "void run(Box<float> box, float* y) { k<<<1, 32>>>(box, y); }\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "box"), "0");
}

TEST_F(OpenedLaunches, ASourceThatDoesNotCompileSaysSoAtItsLine) {
  const OpenedPoint point = open_text("__global__ void broken(float* x) {\n  x[0] = undeclared;\n}\n");
  EXPECT_EQ(point.problem, FileProblem::code);
  EXPECT_TRUE(says(point.reason, "undeclared")) << point.reason;
}

TEST_F(OpenedLaunches, SpillsHaveTheirLineAndTheDepthOfTheirLoop) {
  const OpenedPoint point = open_text(
      "__global__ void __launch_bounds__(1024) spill(float* x, int n) {\n"
      "  float v[128];\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 128; ++i) v[i] = x[i];\n"
      "  for (int k = 0; k < n; ++k) {\n"
      "#pragma unroll\n"
      "    for (int i = 0; i < 128; ++i) v[i] = v[i] * v[(i * 7 + 3) % 128] + x[k];\n"
      "  }\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 128; ++i) x[i] = v[i];\n"
      "}\n",
      with({}, true));
  ASSERT_EQ(point.kernels.size(), 1u) << point.reason;
  const OpenedKernel& kernel = point.kernels[0];
  EXPECT_GT(kernel.resources->spill_bytes, 0);
  ASSERT_FALSE(kernel.spills.empty());
  EXPECT_EQ(kernel.spills[0].loop_depth, 1);
  EXPECT_EQ(kernel.spills[0].line, 7);
  ASSERT_FALSE(kernel.loops.empty());
}

TEST_F(OpenedLaunches, TensorsByValueHaveTheSizesOfTheHostsTensors) {
  const std::string text =
      "#include <torch/extension.h>\n"
      "template <class T> using Rows = torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits>;\n"
      "template <class T> __global__ void scale(const Rows<T> x, Rows<T> y, float by) {\n"
      "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row < x.size(0)) for (int i = 0; i < x.size(1); ++i) y[row][i] = by * x[row][i];\n}\n"
      "torch::Tensor run(torch::Tensor in) {\n"
      "  auto out = torch::empty_like(in);\n"
      "  auto y = out.packed_accessor32<float, 2, torch::RestrictPtrTraits>();\n"
      "  scale<float><<<(in.size(0) + 63) / 64, 64>>>(in.packed_accessor32<float, 2, "
      "torch::RestrictPtrTraits>(), y, 2.f);\n"
      "  return out;\n}\n";
  const OpenedPoint point = open_text(text);
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "x.size(0)"), "128");
  EXPECT_EQ(guessed(point, "x.size(1)"), "256");
  EXPECT_EQ(guessed(point, "x.stride(0)"), "256");
  EXPECT_EQ(guessed(point, "x.stride(1)"), "1");
  EXPECT_EQ(guessed(point, "y.data: elements"), "32768");
  EXPECT_EQ(point.grid[0], 2u);
  EXPECT_FALSE(finds(point, "out_of_bounds"));
  EXPECT_EQ(guessed(open_text(text, with({{"x.size(1)", "32"}})), "x.stride(0)"), "32");
}

TEST_F(OpenedLaunches, ATensorOfAnyDimensionsHasOne) {
  const OpenedPoint point = open_text(
      "#include <ATen/cuda/detail/IndexUtils.cuh>\n#include <ATen/cuda/detail/TensorInfo.cuh>\n"
      "__global__ void copy(at::cuda::detail::TensorInfo<float, int> x, float* y, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x.data[at::cuda::detail::IndexToOffset<float, int, -1>::get(i, x)];\n}\n"
      "void run(torch::Tensor in, torch::Tensor out) {\n"
      "  auto info = at::cuda::detail::getTensorInfo<float, int>(in);\n"
      "  copy<<<(in.numel() + 255) / 256, 256>>>(info, out.data_ptr<float>(), in.numel());\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "x.dims"), "1");
  EXPECT_EQ(guessed(point, "x.size(0)"), "65536");
  EXPECT_EQ(guessed(point, "x.data: elements"), "65536");
}

TEST_F(OpenedLaunches, AGuessedBlockHasAsManyThreadsAsItsRegistersLeaveRoomFor) {
  const OpenedPoint point = open_text(
      "__global__ void sums(const float* x, float* y, int n) {\n"
      "  __shared__ float s[1024];\n  float v[128];\n"
      "  for (int i = 0; i < 128; ++i) v[i] = x[threadIdx.x * 128 + i];\n  s[threadIdx.x] = v[0];\n"
      "  __syncthreads();\n  float sum = s[(threadIdx.x + n) % blockDim.x];\n"
      "  for (int i = 127; i >= 0; --i) sum = sum * v[i] + v[(i + 64) % 128];\n"
      "  if (threadIdx.x % 1024 == 1023 || n > 0) y[threadIdx.x] = sum;\n}\n");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_LE(point.block[0], 512u);
}

TEST_F(OpenedLaunches, IndicesByWhichThreadsStoreDiffer) {
  const std::string scatter =
      "__global__ void scatter(const float* x, const int* index, float* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[index[i]] = x[i];\n}\n";
  const OpenedPoint point = open_text(scatter, with({{"n", "1000"}}));
  EXPECT_EQ(guessed(point, "index: fill"), "iota");
  EXPECT_EQ(guessed(point, "out: elements"), "1000");
  EXPECT_TRUE(point.findings.empty());
  EXPECT_TRUE(finds(open_text(scatter, with({{"n", "1000"}, {"index: fill", "0"}})), "global_race"))
      << "the user's value stays";
}

}  // namespace
}  // namespace tilescope
