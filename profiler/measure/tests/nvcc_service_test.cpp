#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "profiler/kernels/compile/nvcc.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/compile_ahead.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class NvccService : public test_support::ServiceTest {
 protected:
  NvccService() { experiment.compiler = KernelCompiler::nvcc; }

  static std::string why_no_nvcc() {
    try {
      Nvcc::find({environment("TILESCOPE_CUDA"), environment("PATH"), std::nullopt});
      return "";
    } catch (const NvccUnavailable& unavailable) {
      return unavailable.what();
    }
  }
  Measurement measure_with(KernelCompiler compiler) {
    experiment.compiler = compiler;
    return measure();
  }
};

std::set<std::int64_t> lines_of(const Measurement& point) {
  std::set<std::int64_t> lines;
  for (const MemorySite& site : point.memory->sites) lines.insert(site.line);
  return lines;
}

TEST_F(NvccService, APointOfNvccIsCorrectAndSaysSo) {
  if (const std::string why = why_no_nvcc(); !why.empty()) GTEST_SKIP() << why;
  experiment.parameters = {{"SMEM_LAYOUT", "row_major"}};
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.provenance.compiler, KernelCompiler::nvcc);
  EXPECT_FALSE(point.provenance.nvcc_version.empty());
  EXPECT_EQ(point.provenance.nvrtc_version, "");
  EXPECT_EQ(point.memory->counted_from, CountedFrom::machine_code);
  EXPECT_NE(point.compiler_log.find("Used "), std::string::npos);
  EXPECT_EQ(experiment_of(point).compiler, KernelCompiler::nvcc);
}

TEST_F(NvccService, ItsLinesAreThoseOfTheKernelsFile) {
  if (const std::string why = why_no_nvcc(); !why.empty()) GTEST_SKIP() << why;
  const Measurement of_nvcc = trace({}), of_nvrtc = [&] {
    experiment.compiler = KernelCompiler::nvrtc;
    return trace({});
  }();
  ASSERT_EQ(of_nvcc.status, Status::ok) << of_nvcc.reason;
  ASSERT_EQ(of_nvrtc.status, Status::ok) << of_nvrtc.reason;
  EXPECT_NE(of_nvcc.provenance.binary_key, of_nvrtc.provenance.binary_key);
  EXPECT_EQ(of_nvcc.provenance.source_sha256, of_nvrtc.provenance.source_sha256);
  EXPECT_EQ(lines_of(of_nvcc), lines_of(of_nvrtc));
  const std::int64_t read_of_k = line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k");
  EXPECT_TRUE(lines_of(of_nvcc).contains(read_of_k));
  for (const MemorySite& site : of_nvcc.memory->sites) {
    EXPECT_TRUE(site.file.empty() || site.file == "flash_scalar.cu") << site.file;
    for (const std::string& place : site.inlined) EXPECT_EQ(place.find('/'), std::string::npos) << place;
  }
}

TEST_F(NvccService, AKernelThatDoesNotCompileHasTheLogAndTheLine) {
  if (const std::string why = why_no_nvcc(); !why.empty()) GTEST_SKIP() << why;
  experiment.kernel = edited_copy("const float base", "const flaot base").string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::compile_failed);
  const std::int64_t line = line_with(flash_scalar(), "const float base");
  EXPECT_TRUE(point.reason.starts_with("copy.cu(" + std::to_string(line) + "): error")) << point.reason;
  EXPECT_NE(point.compiler_log.find("copy.cu("), std::string::npos) << point.compiler_log;
  EXPECT_EQ(point.compiler_log.find("/tmp"), std::string::npos) << point.compiler_log;
  EXPECT_EQ(point.provenance.compiler, KernelCompiler::nvcc);
  EXPECT_EQ(point.provenance.source_sha256.size(), 64U);
}

TEST_F(NvccService, WithoutNvccThePointIsUnsupported) {
  const std::string path = environment("PATH"), toolkit = environment("TILESCOPE_CUDA");
  // It has an NVRTC and no nvcc.
  ::setenv("TILESCOPE_CUDA", (installation.dependencies / "cuda13").c_str(), 1);
  ::setenv("PATH", "", 1);
  const Measurement point = measure();
  const Measurement of_nvrtc = measure_with(KernelCompiler::nvrtc);
  toolkit.empty() ? ::unsetenv("TILESCOPE_CUDA") : ::setenv("TILESCOPE_CUDA", toolkit.c_str(), 1);
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_TRUE(point.reason.starts_with("nvcc, which this point is to be compiled with, was not found in "))
      << point.reason;
  EXPECT_NE(point.reason.find("cuda13/bin (TILESCOPE_CUDA) or on the PATH"), std::string::npos)
      << point.reason;
  EXPECT_EQ(point.provenance.compiler, KernelCompiler::nvcc);
  EXPECT_EQ(point.provenance.nvcc_version, "");
  EXPECT_EQ(of_nvrtc.status, Status::ok) << of_nvrtc.reason;
}

TEST_F(NvccService, NothingIsCompiledAhead) {
  const auto waiting = [&](KernelCompiler compiler) {
    experiment.compiler = compiler;
    return test_support::ask<CompileAhead>(make_measure_service(installation), {{experiment}}, control)
        .waiting;
  };
  EXPECT_EQ(waiting(KernelCompiler::nvcc), 0);
  EXPECT_EQ(waiting(KernelCompiler::nvrtc), 1);
}

}  // namespace
}  // namespace tilescope
