#include "profiler/kernels/compile/cuda_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/compiler_options.hpp"
#include "profiler/kernels/compile/host_code_signs.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Options = std::vector<std::string>;

constexpr const char* device_code = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] *= 2; }\n";
constexpr const char* program =
    "#include <stdio.h>\n"
    "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] *= 2; }\n"
    "int main() { k<<<1, 32>>>(nullptr); printf(\"%d\\n\", (int)cudaDeviceSynchronize()); }\n";

class CudaFiles : public testing::Test {
 protected:
  CudaFiles() : nvrtc(Nvrtc::open({{}, find_installation().dependencies, std::nullopt})) {}

  static NvccSearch here() {
    return {environment("TILESCOPE_CUDA"), environment("PATH"), std::nullopt,
            find_installation().dependencies};
  }
  /// No place in which nvcc could be.
  NvccSearch nowhere() const { return {folder.path() / "toolkit", "", std::nullopt, {}}; }
  CudaFileCode compile(const std::string& text, const NvccSearch& nvcc, const Options& options = {}) const {
    const fs::path file = folder.path() / "source" / "k.cu";
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return compile_cuda_file({file, text, "sm_89", options}, {[&]() -> const Nvrtc& { return nvrtc; }, nvcc});
  }
  std::string failure(const std::string& text, const NvccSearch& nvcc, const Options& options = {}) const {
    try {
      return compile(text, nvcc, options).note;
    } catch (const CompileFailed& failed) {
      return failed.what();
    }
  }
  void header(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  /// Skips with the reason where nvcc is missing.
  static void needs_nvcc() {
    try {
      Nvcc::find(here());
    } catch (const NvccUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  TemporaryFolder folder;
  Nvrtc nvrtc;
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(CudaFiles, DeviceCodeIsForNvrtc) {
  const CudaFileCode code = compile(device_code, nowhere());
  EXPECT_EQ(code.note, "Compiled with NVRTC 13.0 for sm_89.");
  EXPECT_FALSE(code.output.cubin.empty());
}

TEST_F(CudaFiles, WithoutNvccHostCodeNamesTheCommandThatFetchesIt) {
  const std::string sentence = failure(program, nowhere());
  expect_part(sentence,
              "it launches a kernel (<<<), and code for the host needs nvcc, which is missing here: run "
              "`./tilescope setup --nvcc`");
  expect_part(sentence, "NVRTC 13.0, which compiles device code alone, says: k.cu(3)");
  EXPECT_EQ(sentence.find("-I FOLDER"), std::string::npos) << sentence;
}

TEST_F(CudaFiles, TheOptionsReachNvrtc) {
  header("include/deep/size.h", "constexpr int size = N;\n");
  const std::string text =
      std::string("#include \"deep/size.h\"\n") + device_code + "static_assert(size == 4);\n";
  EXPECT_EQ(compile(text, nowhere(), {"-I", "../include", "-D", "N=4"}).note,
            "Compiled with NVRTC 13.0 for sm_89.");
  expect_part(failure(text, nowhere()), "\"deep/size.h\"");
  expect_part(failure(text, nowhere()), "give the folder in which deep/size.h lies: -I FOLDER");
}

TEST_F(CudaFiles, AnUneditedProgramIsForNvcc) {
  needs_nvcc();
  if (IsSkipped()) return;
  header("above.h", "#define FACTOR 3\n");
  const CudaFileCode code = compile(std::string("#include \"../above.h\"\n") + program, here());
  expect_part(code.note, "Compiled with nvcc ");
  EXPECT_FALSE(code.output.cubin.empty());
  expect_part(code.output.ptx, "\"k.cu\"");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "source"), {}), 1);
}

// CUB 3, of CUDA 13, no longer has them.
TEST_F(CudaFiles, OperationsOfAnOlderCubAreThere) {
  needs_nvcc();
  if (IsSkipped()) return;
  const std::string text =
      "#include <cub/block/block_reduce.cuh>\n"
      "__global__ void k(float* x) {\n"
      "  using Reduce = cub::BlockReduce<float, 128>;\n"
      "  __shared__ typename Reduce::TempStorage storage;\n"
      "  x[0] = Reduce(storage).Reduce(x[threadIdx.x], cub::Max());\n}\n"
      "int main() { k<<<1, 128>>>(nullptr); }\n";
  expect_part(compile(text, here()).note, "Compiled with nvcc");
  expect_part(failure(text + "cub::Maximum none;\n", here()), "Maximum");
}

TEST_F(CudaFiles, AFileThatIsNotThereIsCompiledAsACopyWithTheHeadersOfItsFolder) {
  needs_nvcc();
  if (IsSkipped()) return;
  header("source/beside.h", "#include <cstdio>\n");
  const std::string text = std::string("#include \"beside.h\"\n") + program;
  const CudaFileCode code = compile_cuda_file({folder.path() / "source/gone.cu", text, "", {}},
                                              {[&]() -> const Nvrtc& { return nvrtc; }, here()});
  EXPECT_TRUE(code.output.cubin.empty());
  expect_part(code.output.ptx, ".target sm_89");
  expect_part(code.output.ptx, "\"gone.cu\"");
}

TEST_F(CudaFiles, ErrorsNameTheCompilerTheLineAndTheOptionForAMissingHeader) {
  needs_nvcc();
  if (IsSkipped()) return;
  std::string sentence = failure(std::string(program) + "__global__ void bad() { missing(); }\n", here());
  expect_part(sentence, "nvcc ");
  expect_part(
      sentence,
      "says: k.cu(4): error: identifier \"missing\" is undefined: `__global__ void bad() { missing(); }`");
  sentence = failure(std::string("#include \"not/there.h\"\n") + program, here());
  expect_part(sentence,
              "k.cu:1:10: fatal error: not/there.h: No such file or directory; give the folder in which "
              "not/there.h lies: -I FOLDER");
}

TEST_F(CudaFiles, ErrorsNameTheMacrosThatABuildMayDefine) {
  const std::string text =
      "__global__ void k(float* x) { __shared__ float tile[TILE]; tile[0] = x[ROWS * TILE]; x[0] = "
      "tile[lost]; }\n";
  const std::string sentence = failure(text, nowhere());
  expect_part(sentence,
              "If the build of the file defines TILE, ROWS, give them: -D TILE=VALUE -D ROWS=VALUE");
  EXPECT_EQ(sentence.find("-D lost"), std::string::npos);
  expect_part(failure(text + "#include <cstdio>\nint main() { k<<<1, 1>>>(nullptr); }\n", nowhere()),
              "-D TILE=VALUE");
  EXPECT_EQ(failure("__global__ void k(float* x) { x[0] = lost; }\n", nowhere()).find("-D "),
            std::string::npos);
}

constexpr const char* extension =
    "#include <torch/extension.h>\n"
    "#include <c10/cuda/CUDAException.h>\n"
    "#include <cuda.h>\n#include <vector>\n"
    "template <class T> __global__ void scale(torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> "
    "x, T by) {\n"
    "  at::opmath_type<T> sum = x[blockIdx.x][threadIdx.x];\n"
    "  if (sum > at::numeric_limits<at::opmath_type<T>>::max() || x[0][0] < "
    "at::numeric_limits<T>::lower_bound()) return;\n"
    "  x[blockIdx.x][threadIdx.x] = sum * by;\n"
    "}\n"
    "void run(torch::Tensor x) {\n"
    "  scale<<<x.size(0), x.size(1)>>>(x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), 2.f);\n"
    "  C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
    "}\n"
    "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";

TEST_F(CudaFiles, AnExtensionOfPyTorchIsCompiledWithoutItsHostFunctionsAndItsHeaders) {
  const fs::path file = folder.path() / "k.cu";
  CudaSourceFile source{file, extension, "sm_89", {}, {{10, 13}, {14, 14}}, {"scale<c10::Half>"}};
  CudaFileCode code = compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; }, nowhere()});
  EXPECT_FALSE(code.output.cubin.empty());
  expect_part(
      code.note,
      "Small headers stood in for PyTorch's (torch/extension.h). Functions of the host were left out.");
  expect_part(failure(extension, nowhere()), "-I FOLDER");
  needs_nvcc();
  if (IsSkipped()) return;
  code = compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; }, here()});
  // A type of the host's headers is for nvcc.
  source.contents += "#include <unistd.h>\n__device__ off_t offset;\n";
  code = compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; }, here()});
  expect_part(code.note, "Compiled with nvcc ");
  expect_part(code.output.ptx, ".entry _Z5scaleIN3c104HalfEE");
}

TEST_F(CudaFiles, AHeaderThatMayIncludePyTorchDoesNotKeepAFileFromCompilingAsItStands) {
  needs_nvcc();
  if (IsSkipped()) return;
  const std::string header =
      "#include <unistd.h>\n#ifdef WITH_TORCH\n#include <torch/extension.h>\n#endif\nstruct Log {\n  int "
      "level() { return 1; "
      "}\n};\n";
  std::ofstream(folder.path() / "log.h") << header;
  const std::string text =
      "#include \"log.h\"\n__global__ void k(float* x, off_t n) { x[0] = n; }\n"
      "template <class T> int level(T log) { return log.level(); }\nint checked = level(Log());\n";
  std::ofstream(folder.path() / "k.cu") << text;
  CudaSourceFile source{folder.path() / "k.cu", text, "sm_89", {}, {{3, 3}}, {}};
  // Its function is left out with the host's.
  source.headers = {
      {"log.h",
       "#include <unistd.h>\n#ifdef WITH_TORCH\n#include <torch/extension.h>\n#endif\nstruct Log {};\n"}};
  const CudaFileCode code = compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; }, here()});
  expect_part(code.output.ptx, ".entry _Z1kPfl");
  expect_part(code.note, "Compiled with nvcc ");
}

TEST_F(CudaFiles, AtomicsAndShufflesOfPyTorchAreThereWhereTheirHeadersAre) {
  const std::string kernel =
      "#include <torch/extension.h>\n"
      "__global__ void add(at::Half* x, at::BFloat16* y, long* n, float* z) {\n"
      "  gpuAtomicAdd(x, at::Half(1.f));\n  gpuAtomicAddNoReturn(y, at::BFloat16(1.f));\n"
      "  gpuAtomicAdd(n, 1L);\n  gpuAtomicAdd(z, WARP_SHFL_XOR(*z, 1) + WARP_SHFL(*z, 0));\n"
      "}\n";
  const CudaSourceFile source{
      folder.path() / "k.cu",
      "#include <ATen/cuda/Atomic.cuh>\n#include <ATen/cuda/DeviceUtils.cuh>\n" + kernel, "sm_89"};
  const CudaFileCode code = compile_cuda_file(source, {[&]() -> const Nvrtc& { return nvrtc; }, nowhere()});
  EXPECT_FALSE(code.output.cubin.empty());
  expect_part(failure(kernel, nowhere()), "gpuAtomicAdd");
}

// Explicit instances of the functions that launch it are all that names its arguments.
TEST_F(CudaFiles, AnExtensionWhoseHostNamesTheInstancesKeepsIt) {
  needs_nvcc();
  if (IsSkipped()) return;
  const std::string text =
      "#include <c10/util/Half.h>\n"
      "template <class T> __global__ void scale(T* x) { x[threadIdx.x] = x[threadIdx.x] * T(2); }\n"
      "template <class T> void run(T* x) {\n  auto kernel = &scale<T>;\n  kernel<<<1, 32>>>(x);\n}\n"
      "template void run<c10::Half>(c10::Half*);\n";
  const fs::path file = folder.path() / "k.cu";
  const CudaFileCode code = compile_cuda_file({file, text, "sm_89", {}, {{3, 7}}},
                                              {[&]() -> const Nvrtc& { return nvrtc; }, here()});
  expect_part(code.output.ptx, "_Z5scaleIN3c104HalfEEvPT_");
  EXPECT_EQ(code.note.find("left out"), std::string::npos) << code.note;
}

TEST_F(CudaFiles, ATemplateKernelIsInstantiatedOnDemand) {
  const std::string text = "namespace { template <class T, int N> __global__ void add(T* x) { *x += N; } }";
  const CudaFileCode code =
      compile_cuda_file({folder.path() / "k.cu", text, "", {}, {}, {"add<float, 3>", "add<double, 4>"}},
                        {[&]() -> const Nvrtc& { return nvrtc; }, nowhere()});
  expect_part(code.output.ptx, "addIfLi3E");
  expect_part(code.output.ptx, "addIdLi4E");
}

TEST(HostLines, AreLeftOutAndTheOthersKeepTheirNumbers) {
  EXPECT_EQ(without_lines("1\n2\n3\n4", {{2, 3}}), "1\n\n\n4");
  EXPECT_EQ(without_lines("1\n2", {{2, 9}}), "1\n");
  EXPECT_EQ(without_lines("", {{1, 1}}), "");
}

TEST_F(CudaFiles, TheDownloadedNvccNeedsNoToolkit) {
  const fs::path dependencies = find_installation().dependencies;
  if (!fs::exists(dependencies / "nvcc")) GTEST_SKIP() << "nvcc is downloaded by ./tilescope setup --nvcc";
  NvccSearch search = nowhere();
  search.dependencies = dependencies;
  EXPECT_EQ(Nvcc::find(search).program(), dependencies / "nvcc/bin/nvcc");
  EXPECT_FALSE(compile(program, search).output.cubin.empty());
}

TEST(HostCodeSigns, AreFoundOutsideOfCommentsAndTexts) {
  const std::vector<fs::path> none;
  EXPECT_EQ(sign_of_host_code(device_code, none), "");
  EXPECT_EQ(
      sign_of_host_code("// k<<<1, 1>>>()\n/* <<< main( */ const char* s = \"<<<\"; int n = 1'000;", none),
      "");
  EXPECT_EQ(sign_of_host_code("void f() { k<<<1, 1>>>(); }", none), "it launches a kernel (<<<)");
  EXPECT_EQ(sign_of_host_code("int main () {}", none), "it has a function main");
  EXPECT_EQ(sign_of_host_code("int domain(int);", none), "");
  EXPECT_EQ(sign_of_host_code("#include <vector>\n", none), "it includes <vector>");
  EXPECT_EQ(sign_of_host_code("#include \"cuda_runtime.h\"\n", none), "it includes \"cuda_runtime.h\"");
  EXPECT_EQ(sign_of_host_code("#error don't\nvoid f() { k<<<1, 1>>>(); }", none),
            "it launches a kernel (<<<)");
}

TEST(CompilerOptions, AreJoinedWithAbsoluteFolders) {
  EXPECT_EQ(
      joined_options({"-I", "a", "-Ib", "--include-path=/c", "-D", "X=1", "-DY", "-Xptxas", "-v"}, "/home/k"),
      (Options{"-I/home/k/a", "-I/home/k/b", "-I/c", "-DX=1", "-DY", "-Xptxas", "-v"}));
}

TEST(CompilerOptions, ThatChangeTheOutputAreRefused) {
  EXPECT_NO_THROW(
      check_compiler_options({"-I", "a", "-DX=1", "-Xptxas", "-v", "--use_fast_math", "-std=c++20"}));
  for (const Options& options :
       {Options{"-o", "x"}, Options{"-c"}, Options{"-E"}, Options{"--run"}, Options{"-arch=sm_80"},
        Options{"other.cu"}, Options{"-DX=1", "other.cu"}, Options{"--output-file=x"}})
    EXPECT_THROW(check_compiler_options(options), OptionRefused) << options.front();
}

TEST(CompileErrors, AreTheFirstThreeWithoutWarnings) {
  EXPECT_EQ(compile_errors("k.cu(1): warning #1: error_count was declared\nk.cu(2): error: a\n    line two\n"
                           "k.cu(3): error: b\nk.cu(4): error: c\nk.cu(5): error: d\n"),
            "k.cu(2): error: a: `line two`\nk.cu(3): error: b\nk.cu(4): error: c");
}

}  // namespace
}  // namespace tilescope
