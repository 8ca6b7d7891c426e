#include "profiler/kernels/compile/nvcc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/kernels/compile/tests/compiler_fixture.hpp"
#include "profiler/process/child_program.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope::test_support {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string environment_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const std::vector<std::string> for_sm_89 = {"--gpu-architecture=sm_89", "-lineinfo", "--std=c++17",
                                            "--ptxas-options=-v"};

// A folder for temporary files, in which nothing may be left.
class Scratch {
 public:
  Scratch() : before_(environment_or_empty("TMPDIR")) { setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~Scratch() { before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1); }
  bool is_empty() const { return fs::is_empty(folder_.path()); }
  std::string path() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

class NvccTest : public CompilerTest {
 protected:
  void SetUp() override {
    try {
      nvcc.emplace(Nvcc::find(here()));
    } catch (const NvccUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }
  static NvccSearch here() {
    return {environment_or_empty("TILESCOPE_CUDA"), environment_or_empty("PATH"), std::nullopt};
  }
  Compiler compiler_with_nvcc() const {
    const fs::path dependencies = find_installation().dependencies;
    return Compiler(Nvrtc::open({{}, dependencies, std::nullopt}),
                    {kernels_folder(), cache, dependencies, here()});
  }
  CompiledKernel compile(const std::string& name, const std::string& arch = "sm_89") const {
    const KernelDeclaration declared = Catalogue(kernels_folder()).find(name);
    return compiler_with_nvcc().compile(declared, declared.complete({}), shape, arch, {},
                                        KernelCompiler::nvcc);
  }
  /// The failure of a source, whose log is `log`.
  std::string failure(const SourceFile& source, std::string& log) const {
    try {
      nvcc->compile(source, for_sm_89);
      return "it compiled";
    } catch (const CompileFailed& failed) {
      log = failed.log;
      return failed.what();
    }
  }

  std::optional<Nvcc> nvcc;
};

std::vector<std::string> files_of(const std::string& ptx) {
  std::vector<std::string> files;
  for (std::size_t at = ptx.find("\t.file"); at != std::string::npos; at = ptx.find("\t.file", at + 1)) {
    const std::size_t open = ptx.find('"', at) + 1;
    files.push_back(ptx.substr(open, ptx.find('"', open) - open));
  }
  return files;
}

bool contains(const std::vector<char>& bytes, const std::string& text) {
  return std::string_view(bytes.data(), bytes.size()).find(text) != std::string_view::npos;
}

TEST_F(NvccTest, CompilesARungWithItsOwnKeyAndTheNamesOfTheSource) {
  const Scratch scratch;
  const CompiledKernel compiled = compile("flash_scalar");
  EXPECT_EQ(compiled.compiler, KernelCompiler::nvcc);
  EXPECT_EQ(compiled.compiler_version, nvcc->version());
  EXPECT_GT(compiled.resources.registers, 16);
  EXPECT_EQ(compiled.resources.sass_sha256.size(), 64U);
  EXPECT_NE(compiled.ptx.find(".loc"), std::string::npos);
  const std::vector<std::string> files = files_of(compiled.ptx);
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files.front(), "flash_scalar.cu");
  EXPECT_NE(std::ranges::find(files, "device/warp_reduce.cuh"), files.end());
  EXPECT_TRUE(contains(compiled.cubin, "flash_scalar.cu"));
  for (const std::string& text :
       {compiled.ptx, compiled.log, std::string(compiled.cubin.begin(), compiled.cubin.end())})
    EXPECT_EQ(text.find(scratch.path()), std::string::npos);
  EXPECT_TRUE(scratch.is_empty());
}

TEST_F(NvccTest, TheTwoCompilersDoNotMeetInTheCache) {
  const Compiler compiler = compiler_with_nvcc();
  const auto compile_with = [&](KernelCompiler which) {
    return compiler.compile(kernel, kernel.complete({}), shape, "sm_89", {}, which);
  };
  const CompiledKernel of_nvcc = compile_with(KernelCompiler::nvcc);
  const CompiledKernel of_nvrtc = compile_with(KernelCompiler::nvrtc);
  EXPECT_NE(of_nvcc.key, of_nvrtc.key);
  EXPECT_FALSE(of_nvrtc.from_cache);
  EXPECT_EQ(of_nvrtc.compiler, KernelCompiler::nvrtc);
  const CompiledKernel again = compile("flash_scalar");
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.key, of_nvcc.key);
  EXPECT_EQ(again.compiler, KernelCompiler::nvcc);
  EXPECT_EQ(again.cubin, of_nvcc.cubin);
}

TEST_F(NvccTest, TheCodeIsTheSameWhereverItIsCompiled) {
  const SourceFile source{"k.cu", "extern \"C\" __global__ void f(const char** a) { *a = __FILE__; }\n", {}};
  const CompilerOutput first = nvcc->compile(source, for_sm_89), second = nvcc->compile(source, for_sm_89);
  EXPECT_EQ(first.ptx, second.ptx);
  EXPECT_EQ(first.cubin, second.cubin);
}

// Machine code of a build with nvcc by hand, in one run and from the file itself.
TEST_F(NvccTest, TheMachineCodeIsThatOfABuildWithNvcc) {
  const CompiledKernel compiled = compile("flash_scalar");
  const fs::path cubin = cache / "built.cubin";
  ProgramCall call{{nvcc->program().string()}};
  call.command.insert(call.command.end(), compiled.options.begin(), compiled.options.end());
  call.command.insert(call.command.end(), {"-I" + kernels_folder().string(), "-cubin", "-o", cubin.string(),
                                           kernel.source_path.string()});
  ASSERT_TRUE(run_program(call).succeeded());
  std::ifstream file(cubin, std::ios::binary);
  const std::vector<char> code{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(compiled.resources.sass_sha256, sass_sha256(code, "flash_scalar"));
}

TEST_F(NvccTest, AKernelThatIsAskedForWithItsPtxFirstHasBothAtOnce) {
  const Compiler compiler = compiler_with_nvcc();
  const CompilationAsker asker = compiler.begin(kernel, kernel.complete({}), shape, "sm_89",
                                                CompileGoal::ptx_first, KernelCompiler::nvcc);
  const std::optional<CompiledKernel> ptx = asker->wait_for_ptx({});
  ASSERT_TRUE(ptx);
  EXPECT_FALSE(ptx->cubin.empty());
}

TEST_F(NvccTest, HeadersComeFromTheSourceAlone) {
  const SourceFile source{
      "my kernel.cu",
      "#include \"sub/../up.cuh\"\n#include \"../../far.cuh\"\n#include \"sub/near.cuh\"\n"
      "extern \"C\" __global__ void f(int* a) { *a = up() + far() + near(); }\n",
      {{"sub/../up.cuh", "__device__ inline int up() {\n return clock(); }\n"},
       {"../../far.cuh", "__device__ inline int far() {\n return clock(); }\n"},
       {"sub/near.cuh", "#include \"flat.cuh\"\n__device__ inline int near() {\n return flat(); }\n"},
       {"flat.cuh", "__device__ inline int flat() {\n return clock(); }\n"},
       {"my kernel.json", "{}"}}};
  const CompilerOutput output = nvcc->compile(source, for_sm_89);
  const std::vector<std::string> files = files_of(output.ptx);
  for (const char* name : {"my kernel.cu", "up.cuh", "../../far.cuh", "sub/near.cuh", "flat.cuh"})
    EXPECT_NE(std::ranges::find(files, name), files.end()) << name;
}

TEST_F(NvccTest, AnErrorNamesTheFileAndTheLine) {
  const Scratch scratch;
  std::string log;
  const std::string own =
      failure({"bad.cu", "extern \"C\" __global__ void f(int* a) {\n  *a = undeclared_thing;\n}\n", {}}, log);
  EXPECT_TRUE(own.starts_with("bad.cu(2): error")) << own;
  EXPECT_NE(own.find("undeclared_thing"), std::string::npos) << own;
  EXPECT_EQ(log.find(scratch.path()), std::string::npos) << log;
  const std::string in_header = failure(
      {"k.cu", "#include \"sub/a.cuh\"\n", {{"sub/a.cuh", "#include \"b.cuh\"\n"}, {"b.cuh", "int x = ;\n"}}},
      log);
  EXPECT_TRUE(in_header.starts_with("b.cuh(1): error")) << in_header;
  const std::string missing = failure({"k.cu", "\n#include \"nowhere.cuh\"\n", {}}, log);
  EXPECT_TRUE(missing.starts_with("k.cu:2:10: fatal error: nowhere.cuh")) << missing;
  const std::string shared = failure({"k.cu",
                                      "extern \"C\" __global__ void f(int* a) { __shared__ int s[100000]; "
                                      "s[*a] = 1; __syncthreads(); a[1] = s[*a]; }\n",
                                      {}},
                                     log);
  EXPECT_NE(shared.find("too much shared data"), std::string::npos) << shared;
  EXPECT_EQ(log.find(scratch.path()), std::string::npos) << log;
  EXPECT_TRUE(scratch.is_empty());
}

TEST_F(NvccTest, ASessionCannotRunCommands) {
  const fs::path made = cache / "made";
  const std::string command = "$(touch " + made.string() + ")";
  std::string log;
  const std::string text = "extern \"C\" __global__ void f(int* a) { *a = 1; }\n";
  EXPECT_NE(failure({command + ".cu", text, {}}, log).find("shell"), std::string::npos);
  EXPECT_NE(failure({"`touch x`.cu", text, {}}, log).find("shell"), std::string::npos);
  EXPECT_NE(failure({"../k.cu", text, {}}, log).find("without folders"), std::string::npos);
  EXPECT_NE(failure({"k.cu", text, {{(cache / "h.cuh").string(), ""}}}, log).find("relative"),
            std::string::npos);
  EXPECT_EQ(failure({"-o;touch x &.cu", text, {{command, ""}}}, log), "it compiled");
  std::vector<std::string> options = for_sm_89;
  options.push_back("-DX=" + command);
  EXPECT_THROW(nvcc->compile({"k.cu", text, {}}, options), CompileFailed);
  EXPECT_FALSE(fs::exists(made));
  EXPECT_FALSE(fs::exists(cache / "h.cuh"));
}

// A source that the compiler takes many seconds for.
const SourceFile& slow_source() {
  static const SourceFile source{
      "slow.cu",
      "template <int n> struct Long { static __device__ float of(float x) { return Long<n - 1>::of(x * n + "
      "1) * "
      "Long<n - 2>::of(x - n); } };\n"
      "template <> struct Long<0> { static __device__ float of(float x) { return x; } };\n"
      "template <> struct Long<1> { static __device__ float of(float x) { return x + 1; } };\n"
      "extern \"C\" __global__ void f(float* a) { *a = Long<26>::of(*a); }\n",
      {}};
  return source;
}

TEST_F(NvccTest, ACancelEndsItWithinASecond) {
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(nvcc->compile(slow_source(), for_sm_89,
                             [&] { return std::chrono::steady_clock::now() - start > 1500ms; }),
               CompileCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2500ms);
  EXPECT_TRUE(scratch.is_empty());
}

TEST_F(NvccTest, ARequestThatIsCancelledStopsItWithinASecond) {
  const KernelDeclaration slow = kernel_of("slow", slow_source().text);
  const Compiler compiler = compiler_with_nvcc();
  auto start = std::chrono::steady_clock::now();
  const auto cancelled = [&] { return std::chrono::steady_clock::now() - start > 1500ms; };
  EXPECT_THROW(compiler.compile(slow, slow.complete({}), shape, "sm_89", cancelled, KernelCompiler::nvcc),
               CompileCancelled);
  start = std::chrono::steady_clock::now();
  wait_for(compiler);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
}

TEST_F(NvccTest, ItsOwnComplaintsAreNotTheKernels) {
  const SourceFile source{"k.cu", "extern \"C\" __global__ void f(int* a) { *a = 1; }\n", {}};
  try {
    nvcc->compile(source, {"--gpu-architecture=sm_12"});
    FAIL() << "it compiled";
  } catch (const NvccUnavailable& unavailable) {
    const std::string text = unavailable.what();
    EXPECT_NE(text.find("nvcc fatal: "), std::string::npos) << text;
    EXPECT_NE(text.find("sm_12"), std::string::npos) << text;
    EXPECT_NE(text.find(nvcc->program().string()), std::string::npos) << text;
  }
}

TEST_F(NvccTest, WithoutAHostCompilerItSaysWhatNvccSays) {
  const SourceFile source{"k.cu", "extern \"C\" __global__ void f(int* a) { *a = 1; }\n", {}};
  const std::string before = environment_or_empty("PATH");
  setenv("PATH", "/nowhere", 1);
  std::string text;
  try {
    nvcc->compile(source, for_sm_89);
  } catch (const NvccUnavailable& unavailable) {
    text = unavailable.what();
  }
  setenv("PATH", before.c_str(), 1);
  EXPECT_NE(text.find("nvcc fatal: Failed to preprocess host compiler properties. "), std::string::npos)
      << text;
  EXPECT_NE(text.find("install g++"), std::string::npos) << text;
}

TEST_F(NvccTest, TooOldADriverIsNamed) {
  NvccSearch search = here();
  search.driver_cuda = {11, 4};
  try {
    Nvcc::find(search);
    FAIL() << "it was found";
  } catch (const NvccUnavailable& unavailable) {
    const std::string text = unavailable.what();
    EXPECT_NE(text.find("supports CUDA 11.4"), std::string::npos) << text;
    EXPECT_NE(text.find("needs driver 5"), std::string::npos) << text;
    EXPECT_NE(text.find("--compiler nvrtc"), std::string::npos) << text;
  }
}

class NvccSearching : public CompilerTest {
 protected:
  /// A program in the place of nvcc that prints this.
  void write_program(const fs::path& folder, const std::string& prints) const {
    fs::create_directories(folder);
    std::ofstream(folder / "nvcc") << "#!/bin/sh\necho '" << prints << "'\n";
    fs::permissions(folder / "nvcc", fs::perms::owner_all);
  }
  NvccSearch search() const { return {cache / "toolkit", (cache / "path").string(), std::nullopt}; }
};

TEST_F(NvccSearching, TheToolkitGoesBeforeThePath) {
  write_program(cache / "path", "release 12.9, V12.9.41");
  EXPECT_EQ(Nvcc::find(search()).version(), "12.9");
  EXPECT_EQ(Nvcc::find(search()).full_version(), "12.9.41");
  write_program(cache / "toolkit/bin", "release 13.0, V13.0.88");
  EXPECT_EQ(Nvcc::find(search()).version(), "13.0");
  EXPECT_EQ(Nvcc::find(search()).program(), cache / "toolkit/bin/nvcc");
}

TEST_F(NvccSearching, WhereThereIsNoneItSaysWhereItLookedAndWhatToDo) {
  write_program(cache / "path", "I am something else");
  try {
    Nvcc::find(search());
    FAIL() << "there is none";
  } catch (const NvccUnavailable& unavailable) {
    const std::string text = unavailable.what();
    for (const std::string& words :
         {(cache / "toolkit/bin").string() + " (TILESCOPE_CUDA)", std::string("PATH"),
          std::string("does not report a version of nvcc"), std::string("Install a CUDA Toolkit"),
          std::string("--compiler nvrtc")}) {
      EXPECT_NE(text.find(words), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace tilescope::test_support
