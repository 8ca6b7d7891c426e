// Files whose kernels another file launches: parts that do not compile alone, and headers.
#include "base/tests/scratch_folder.hpp"
#include "profiler/measure/open/tests/opened_files.hpp"

namespace tilescope {
namespace {

class IncludedFiles : public test_support::OpenedFiles {
 protected:
  OpenedPoint open_saved(const std::string& name) const {
    OpenFile::Params params;
    params.subject.code = {(scratch_.path() / name).string(), scratch_.text(name)};
    return open(std::move(params));
  }
  void save(const std::string& name, const std::string& text) const { scratch_.write(name, text); }
  static bool notes(const OpenedPoint& point, const std::string& words) {
    return std::ranges::any_of(
        point.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
  }

 private:
  test_support::ScratchFolder scratch_;
};

constexpr const char* part =
    "__global__ void scale(Pair* x, int n) {\n"
    "  int i = blockIdx.x * SIZE + threadIdx.x;\n"
    "  if (i < n) x[i].a *= 2;\n}\n";

TEST_F(IncludedFiles, APartIsCompiledWithTheFileThatIncludesIt) {
  save("scale_kernel.cu", part);
  save("main.cu",
       "#define SIZE 64\nstruct Pair { float a, b; };\n#include \"scale_kernel.cu\"\n"
       "__global__ void other(float* x) { x[threadIdx.x] = 1; }\n"
       "int main() {\n  int n = 200;\n  float* y;\n  Pair* x;\n  cudaMalloc(&y, 256);\n"
       "  cudaMalloc(&x, n * sizeof(Pair));\n  other<<<1, 64>>>(y);\n"
       "  scale<<<(n + SIZE - 1) / SIZE, SIZE>>>(x, n);\n}\n");
  const OpenedPoint point = open_saved("scale_kernel.cu");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.entry, "_Z5scaleP4Pairi") << "and not the first kernel that main.cu launches";
  EXPECT_EQ(guessed(point, "n"), "200");
  EXPECT_EQ(guessed(point, "grid"), "[4, 1, 1]");
  EXPECT_TRUE(notes(point, "main.cu was compiled, which includes scale_kernel.cu"));
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(IncludedFiles, AHeaderHasTheLaunchOfAFileInTheFolderAbove) {
  save("kernels/fill.cuh",
       "#pragma once\ntemplate <int N> __global__ void fill(float* x, float value) {\n"
       "  for (int i = 0; i < N; ++i) x[(blockIdx.x * blockDim.x + threadIdx.x) * N + i] = value;\n}\n");
  save("kernels.cuh", "#pragma once\n#include \"kernels/fill.cuh\"\n");
  save("runner.cu",
       "#include \"kernels.cuh\"\nvoid run() {\n  float* x;\n  cudaMalloc(&x, 6 * 96 * 5 * sizeof(float));\n"
       "  fill<5><<<6, 96>>>(x, 1.5f);\n}\n");
  const OpenedPoint point = open_saved("kernels/fill.cuh");
  EXPECT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "block"), "[96, 1, 1]");
  EXPECT_EQ(guessed(point, "value"), "1.5");
  EXPECT_EQ(guessed(point, "x: elements"), "2880");
}

// A few instances of templates are compiled, not all.
TEST_F(IncludedFiles, InstancesOfTheOpenedFileGoBeforeThoseOfOthers) {
  std::string launches;
  for (int i = 0; i < 12; ++i) launches += "  other<" + std::to_string(i) + "><<<1, 32>>>(x);\n";
  save("fill.cuh", "template <int N> __global__ void fill(float* x) { x[threadIdx.x] = N; }\n");
  save("run.cu",
       "#include \"fill.cuh\"\ntemplate <int N> __global__ void other(float* x) { x[threadIdx.x] = N; }\n"
       "void run() {\n  float* x;\n  cudaMalloc(&x, 256);\n" +
           launches + "  fill<3><<<1, 64>>>(x);\n}\n");
  EXPECT_EQ(open_saved("fill.cuh").entry, "_Z4fillILi3EEvPf");
}

// The error is the file's own where the including file does not compile either.
TEST_F(IncludedFiles, AFileThatNoOtherHelpsSaysWhatItLacks) {
  save("scale_kernel.cu", part);
  save("main.cu", "#include \"scale_kernel.cu\"\nint main() { scale<<<1, 64>>>(nullptr, 3); }\n");
  const OpenedPoint point = open_saved("scale_kernel.cu");
  EXPECT_TRUE(point.launch.empty());
  EXPECT_TRUE(test_support::says(point.reason, "Pair")) << point.reason;
}

TEST_F(IncludedFiles, AFileWithItsOwnLaunchStandsAlone) {
  save("twice.cu",
       "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n"
       "inline void run(float* x) { twice<<<1, 32>>>(x); }\n");
  save("main.cu", "#include \"twice.cu\"\nint main() { twice<<<7, 128>>>(nullptr); }\n");
  const OpenedPoint point = open_saved("twice.cu");
  EXPECT_EQ(guessed(point, "block"), "[32, 1, 1]") << point.reason;
  EXPECT_FALSE(notes(point, "main.cu"));
}

}  // namespace
}  // namespace tilescope
