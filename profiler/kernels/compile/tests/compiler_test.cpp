#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/kernels/compile/cutlass.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path kernels_folder = fs::path(TILESCOPE_SOURCE_DIR) / "kernels";

fs::path dependencies() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  return (cache != nullptr ? fs::path(cache) : fs::path(std::getenv("HOME")) / ".cache") /
         "tilescope/dependencies";
}

ParameterValue number(std::int64_t value) {
  return value;
}

class Compiling : public ::testing::Test {
 protected:
  Compiling() : cache(fs::temp_directory_path() / ("tilescope_compile_" + std::to_string(::getpid()))) {
    fs::remove_all(cache);
    fs::create_directories(cache);
  }
  ~Compiling() override { fs::remove_all(cache); }

  Compiler compiler(const fs::path& folder) const {
    return Compiler(Nvrtc::open({{}, dependencies(), std::nullopt}), {kernels_folder, folder});
  }
  Compiler compiler() const { return compiler(cache); }
  CompiledKernel compile(const Configuration& chosen, const std::string& arch = "sm_89") const {
    return compiler().compile(kernel, kernel.complete(chosen), shape, arch);
  }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(cache / name) << text;
    return cache / name;
  }

  fs::path cache;
  KernelDeclaration kernel = Catalogue(kernels_folder).find("flash_scalar");
  Shape shape;
};

TEST_F(Compiling, ReadsTheResourcesFromTheCompiler) {
  const CompiledKernel compiled = compile({});
  EXPECT_GT(compiled.resources.registers, 16);
  EXPECT_EQ(compiled.resources.spill_bytes, 0);
  EXPECT_EQ(compiled.resources.sass_sha256.size(), 64u);
  EXPECT_NE(compiled.ptx.find(".target sm_89"), std::string::npos);
  EXPECT_NE(compiled.ptx.find(".loc"), std::string::npos);
  EXPECT_FALSE(compiled.from_cache);
}

// NVRTC's own cache once returned binaries without the log of ptxas. They were cached, and every later compilation
// failed.
TEST_F(Compiling, ABinaryThatWasKeptWithoutItsLogIsCompiledAgain) {
  const CompiledKernel compiled = compile({});
  ASSERT_TRUE(BinaryCache(cache / "binaries").keep(compiled.key, {compiled.cubin, compiled.ptx, ""}));
  const CompiledKernel again = compile({});
  EXPECT_FALSE(again.from_cache);
  EXPECT_EQ(again.resources.registers, compiled.resources.registers);
  EXPECT_TRUE(compile({}).from_cache);
}

TEST_F(Compiling, StaticSharedMemorySpillsAndStackAreTold) {
  const fs::path file = write("big.cu",
                              "extern \"C\" __global__ void __launch_bounds__(1024) f(float* a, int n) {\n"
                              "  __shared__ float s[128]; float x[200];\n"
                              "  for (int i = 0; i < 200; ++i) x[i] = a[i * n];\n"
                              "  s[threadIdx.x % 128] = x[n]; __syncthreads();\n"
                              "  for (int i = 0; i < 200; ++i) a[i] = x[i] * s[i % 128];\n}\n");
  const CompiledKernel compiled = compiler().compile_file(file, "f", {}, "sm_89");
  EXPECT_EQ(compiled.resources.static_shared_bytes, 512);
  EXPECT_GE(compiled.resources.stack_bytes, 800);
}

TEST_F(Compiling, TheSecondTimeComesFromTheCacheWithTheSameCode) {
  const CompiledKernel first = compile({}), second = compile({});
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.cubin, second.cubin);
  EXPECT_EQ(first.resources, second.resources);
  EXPECT_EQ(first.key, second.key);
}

TEST_F(Compiling, TheKeyCoversEveryThingThatGoesIn) {
  write("h.cuh", "#define VALUE 1\n");
  const fs::path file =
      write("k.cu", "#include \"h.cuh\"\nextern \"C\" __global__ void f(int* a) { *a = VALUE; }\n");
  const auto key = [&](const char* arch, const char* macro) {
    return compiler().compile_file(file, "f", {{"M", macro}}, arch).key;
  };
  std::set<std::string> keys{key("sm_89", "1"), key("sm_80", "1"), key("sm_89", "2")};
  write("h.cuh", "#define VALUE 2\n");
  keys.insert(key("sm_89", "1"));
  EXPECT_EQ(keys.size(), 4u);
}

TEST_F(Compiling, ADamagedEntryIsCompiledAgain) {
  const CompiledKernel first = compile({});
  const fs::path entry = cache / "binaries" / (first.key + ".cbor");
  ASSERT_TRUE(fs::exists(entry));
  {
    std::fstream stream(entry, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(5000);
    stream.put('\x55');
  }
  const CompiledKernel second = compile({});
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(first.cubin, second.cubin);
}

TEST_F(Compiling, WithoutAWritableCacheItCompiles) {
  write("a_file", "");
  const CompiledKernel compiled =
      compiler(cache / "a_file").compile(kernel, kernel.complete({}), shape, "sm_89");
  EXPECT_GT(compiled.resources.registers, 0);
}

TEST_F(Compiling, AnErrorHasTheOffendingLineAndTheWholeLog) {
  const fs::path file =
      write("bad.cu", "extern \"C\" __global__ void f(int* a) {\n  *a = undeclared_thing;\n}\n");
  try {
    compiler().compile_file(file, "f", {}, "sm_89");
    FAIL() << "it compiled";
  } catch (const CompileFailed& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("bad.cu(2)"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("*a = undeclared_thing;"), std::string::npos) << sentence;
    EXPECT_NE(error.log.find("1 error detected"), std::string::npos);
  }
}

TEST_F(Compiling, ErrorsOfPtxasAndOfAMissingEntryAreTold) {
  const fs::path shared = write("shared.cu",
                                "extern \"C\" __global__ void f(float* a) { __shared__ float s[14344];"
                                " s[threadIdx.x] = a[0]; __syncthreads(); a[1] = s[a[0] > 1 ? 7 : 3]; }\n");
  const auto error_of = [&](const fs::path& file, const char* entry) -> std::string {
    try {
      compiler().compile_file(file, entry, {}, "sm_89");
    } catch (const CompileFailed& error) {
      return error.what();
    }
    return "";
  };
  const std::string too_much = error_of(shared, "f");  // 57,376 B
  EXPECT_NE(too_much.find("too much shared data (0xe020 bytes"), std::string::npos) << too_much;
  EXPECT_NE(too_much.find("dynamic_shared_bytes"), std::string::npos) << too_much;
  const fs::path named =
      write("named.cu", "extern \"C\" __global__ void g() {}\n__global__ void h(int) {}\n");
  EXPECT_EQ(
      error_of(named, "f"),
      "the code of named.cu has no extern \"C\" kernel 'f': it has 'h(int)' (without extern \"C\"), 'g'; the "
      "declaration's \"entry\" must be the function's name");
  const fs::path empty = write("empty.cu", "__device__ int f() { return 1; }\n");
  EXPECT_NE(error_of(empty, "f").find("it has none: write extern \"C\" __global__"), std::string::npos);
}

// The macros of the shape are part of the key if the kernel gets them, else not.
TEST_F(Compiling, OnlyTheDeclaredMacrosOfTheShapeAreDefined) {
  kernel = {};
  kernel.name = kernel.entry = "f";
  kernel.source_path =
      write("own.cu",
            "constexpr int HEAD_DIM = 64; enum { DTYPE }; template <bool CAUSAL> struct Mask {};\n"
            "extern \"C\" __global__ void f(int* a) { *a = HEAD_DIM; }\n");
  const CompiledKernel plain = compile({});
  shape.D = 128;
  EXPECT_EQ(compile({}).key, plain.key) << "D reaches no code";

  kernel.source_path =
      write("asks.cu", "extern \"C\" __global__ void f(int* a) { *a = HEAD_DIM + CAUSAL; }\n");
  EXPECT_THROW(compile({}), CompileFailed);
  kernel.macros = {"HEAD_DIM", "CAUSAL"};
  const CompiledKernel wide = compile({});
  EXPECT_EQ(wide.options.back(), "-DCAUSAL=0");
  EXPECT_EQ(wide.options.end()[-2], "-DHEAD_DIM=128");
  shape.D = 64;
  EXPECT_NE(compile({}).key, wide.key);
}

TEST_F(Compiling, TheSourceThatWasCompiledIsKeptWhateverHappensToTheFile) {
  const fs::path file =
      write("k.cu", "#include \"device/element.cuh\"\nextern \"C\" __global__ void f() {}\n");
  const CompiledKernel compiled = compiler().compile_file(file, "f", {}, "sm_89");
  write("k.cu", "edited");
  const auto source = SourceStore(cache / "sources").find(compiled.source_sha256);
  ASSERT_TRUE(source);
  EXPECT_NE(source->text.find("void f()"), std::string::npos);
  EXPECT_TRUE(source->headers.contains("device/element.cuh"));
  EXPECT_FALSE(SourceStore(cache / "sources").find("0123"));
}

TEST_F(Compiling, PruningRemovesWhatWasUsedLongestAgo) {
  const CompiledKernel a = compile({{"VEC_WIDTH", number(1)}}), b = compile({{"VEC_WIDTH", number(2)}});
  const fs::path old = cache / "binaries" / (a.key + ".cbor"),
                 recent = cache / "binaries" / (b.key + ".cbor");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
  BinaryCache(cache / "binaries").prune(fs::file_size(recent));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
}

// No parameter is dead: each changes the machine code. Its values are compared with all other parameters at their
// defaults.
TEST_F(Compiling, EveryParameterChangesTheMachineCode) {
  const DeviceModel l4 =
      *match_device(load_device_tables(fs::path(TILESCOPE_SOURCE_DIR) / "assets/devices"), "NVIDIA L4");
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    std::set<std::string> codes;
    std::size_t legal = 0;
    for (const ParameterValue& value : parameter.values) {
      const Configuration chosen = kernel.complete({{parameter.name, value}});
      if (!why_invalid(kernel, chosen, shape, l4).empty()) continue;
      ++legal;
      codes.insert(compile(chosen).resources.sass_sha256);
    }
    EXPECT_EQ(codes.size(), legal) << parameter.name;
    EXPECT_GT(legal, 1u) << parameter.name;
  }
}

TEST_F(Compiling, Nvrtc12CompilesTheSameKernel) {
  if (!fs::exists(dependencies() / "cuda12/lib"))
    GTEST_SKIP() << "NVRTC 12 is downloaded by ./tilescope test";
  const Compiler of_cuda12(Nvrtc::open({{}, dependencies(), std::pair{12, 2}}), {kernels_folder, cache});
  const CompiledKernel compiled = of_cuda12.compile(kernel, kernel.complete({}), shape, "sm_89");
  EXPECT_TRUE(compiled.compiler_version.starts_with("12.")) << compiled.compiler_version;
  EXPECT_GT(compiled.resources.registers, 16);
  EXPECT_EQ(compiled.resources.spill_bytes, 0);
  EXPECT_NE(compiled.key, compile({}).key);
}

// The NVRTC that the set-up fetches for a CUDA 12 driver compiles the whole catalogue, with the headers that came with
// it.
class Nvrtc12 : public Compiling, public ::testing::WithParamInterface<std::string> {};

TEST_P(Nvrtc12, CompilesTheWholeCatalogue) {
  if (!fs::exists(dependencies() / "cuda12/lib"))
    GTEST_SKIP() << "NVRTC 12 is downloaded by ./tilescope test";
  const Nvrtc nvrtc = Nvrtc::open({{}, dependencies(), std::pair{12, 4}});
  EXPECT_EQ(nvrtc.toolkit_headers(), fs::canonical(dependencies() / "cuda12/include"));
  const Compiler of_cuda12(nvrtc, {kernels_folder, cache, dependencies()});
  const Catalogue catalogue(kernels_folder);
  std::size_t compiled = 0;
  for (const KernelDeclaration& one : catalogue.kernels()) {
    if (one.entry.empty()) continue;  // launched by a library, which brings its own machine code
    ++compiled;
    try {
      EXPECT_EQ(of_cuda12.compile(one, one.complete({}), shape, GetParam()).compiler_version, "12.9");
    } catch (const CompileFailed& failed) {
      ADD_FAILURE() << one.name << ": " << failed.log;
    }
  }
  EXPECT_GT(compiled, 20u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Nvrtc12, ::testing::Values("sm_80", "sm_86", "sm_89", "sm_90a"),
                         [](const auto& arch) { return arch.param; });

TEST_F(Compiling, AKernelMadeWithCutlassSaysWhichAndWhatIsMissingWithoutIt) {
  kernel = Catalogue(kernels_folder).find("cutlass_gemm");
  const Compiler with_cutlass(Nvrtc::open({{}, dependencies(), std::nullopt}),
                              {kernels_folder, cache, dependencies()});
  for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    shape.dtype = shape.dtype == DataType::fp16 ? DataType::bf16 : DataType::fp16;
    const CompiledKernel compiled = with_cutlass.compile(kernel, {}, shape, arch);
    EXPECT_EQ(compiled.library_version, "CUTLASS 4.2.0");
    EXPECT_EQ(compiled.resources.spill_bytes, 0) << arch;
  }
  try {
    compile({});  // by a compiler without a dependencies folder
    FAIL() << "compiled without CUTLASS";
  } catch (const CutlassUnavailable& unavailable) {
    EXPECT_NE(std::string(unavailable.what()).find("cutlass/include"), std::string::npos)
        << unavailable.what();
  }
}

struct Target {
  const char* arch;
  std::int64_t head_dim;
  DataType dtype;
  bool causal;
};

class EveryTarget : public Compiling, public ::testing::WithParamInterface<Target> {};

TEST_P(EveryTarget, CompilesWithoutSpills) {
  const Target target = GetParam();
  shape.D = target.head_dim;
  shape.dtype = target.dtype;
  shape.causal = target.causal;
  for (const char* layout : {"row_major", "padded", "xor_swizzle"}) {
    for (const std::int64_t width : {1, 8}) {
      const CompiledKernel compiled =
          compile({{"SMEM_LAYOUT", std::string(layout)}, {"VEC_WIDTH", number(width)}}, target.arch);
      EXPECT_EQ(compiled.resources.spill_bytes, 0) << layout << " " << width;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget,
                         ::testing::Values(Target{"sm_80", 64, DataType::fp16, false},
                                           Target{"sm_86", 32, DataType::bf16, true},
                                           Target{"sm_89", 128, DataType::fp16, true},
                                           Target{"sm_90a", 64, DataType::bf16, false}),
                         [](const auto& target) { return std::string(target.param.arch); });

}  // namespace
}  // namespace tilescope
