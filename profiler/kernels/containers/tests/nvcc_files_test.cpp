// Files that nvcc makes: compressed ones, those with several architectures, and those that are linked from parts.
#include <gtest/gtest.h>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvcc.hpp"
#include "profiler/kernels/containers/tests/container_fixture.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope::test_support {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class NvccFiles : public ContainerTest {
 protected:
  void SetUp() override {
    needs_cuobjdump();
    if (IsSkipped()) return;
    try {
      nvcc = Nvcc::find({environment("TILESCOPE_CUDA"), environment("PATH"), std::nullopt}).program();
    } catch (const NvccUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
    file("k.cu",
         "extern \"C\" __device__ float twice(float);\nextern \"C\" __global__ void k(float* x) { *x = "
         "twice(*x); }\n"
         "#ifndef LIBRARY\nint main() { k<<<1, 1>>>(nullptr); }\n#endif\n");
    file("twice.cu", "extern \"C\" __device__ float twice(float x) { return 2 * x; }\n");
    file("one.cu",
         "#include <stdio.h>\nextern \"C\" __global__ void one(float* x) { *x = 1; }\n"
         "int main() { one<<<1, 1>>>(nullptr); printf(\"1\"); }\n");
  }
  /// The file that nvcc makes.
  fs::path made(std::vector<std::string> options, const std::string& name) const {
    ProgramCall call{{nvcc.string(), "-o", name}};
    call.command.insert(call.command.end(), options.begin(), options.end());
    call.folder = folder.path();
    call.memory_limit = std::uint64_t{4} << 30U;
    const ProgramResult result = run_program(call);
    EXPECT_TRUE(result.succeeded()) << result.errors;
    return folder.path() / name;
  }

  fs::path nvcc;
};

TEST_F(NvccFiles, ACompressedProgramForSeveralArchitectures) {
  const FoundIn in =
      found_in(made({"-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_89,code=sm_89",
                     "-gencode", "arch=compute_90,code=compute_90", "-Xfatbin", "-compress-all", "one.cu"},
                    "one"));
  EXPECT_EQ(in.kind, "a program with device code");
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_80: one", "cubin sm_89: one", "PTX sm_90: one"}));
  EXPECT_EQ(in.notes, Texts{});
}

TEST_F(NvccFiles, AProgramThatIsLinkedFromPartsHasTheLinkedCode) {
  const FoundIn in = found_in(made({"-arch=sm_89", "-rdc=true", "k.cu", "twice.cu"}, "k"));
  EXPECT_EQ(summary(in.codes), Texts{"cubin sm_89: k"});
  const std::string sentence = refused(made({"-arch=sm_89", "-dc", "-DLIBRARY", "k.cu"}, "k.o"));
  EXPECT_NE(sentence.find("nvcc -cubin -dlink"), std::string::npos) << sentence;
}

TEST_F(NvccFiles, AStaticLibrary) {
  const FoundIn in = found_in(made({"-arch=sm_89", "-lib", "one.cu"}, "libone.a"));
  EXPECT_EQ(in.kind, "a static library");
  EXPECT_EQ(summary(in.codes), (Texts{"cubin sm_89: one", "PTX sm_89: one"}));
}

}  // namespace
}  // namespace tilescope::test_support
