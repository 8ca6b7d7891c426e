// Which NVRTC compiles a point, by the CUDA version of the driver, which a fake driver reports.
#include <dlfcn.h>

#include <ostream>

#include "profiler/gpu/calibrate/tests/fake_driver.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct DriverCase {
  int version;       // the result of cuDriverGetVersion
  const char* cuda;  // for people
  const char* fits;  // the version of NVRTC

  friend std::ostream& operator<<(std::ostream& stream, const DriverCase& one) { return stream << one.cuda; }
};

class DriverVersion : public test_support::ServiceTest {
 protected:
  DriverVersion() : downloads(installation.dependencies) {
    installation.dependencies = scratch / "dependencies";
    fs::create_directory(installation.dependencies);
    experiment.device = "RTX 4090";  // from the tables: compiled and interpreted, whatever GPU is present
    experiment.shape = {1, 1, 1, 64, 64, 64, DataType::fp16, false};
  }
  void SetUp() override {
    if (!fs::exists(downloads / "cuda12/lib") || !fs::exists(downloads / "cuda13/lib"))
      GTEST_SKIP() << "both NVRTC are downloaded by ./tilescope test";
  }
  /// Gives the test these downloads of the set-up.
  void fetched(std::initializer_list<const char*> folders) const {
    for (const char* folder : folders)
      fs::create_directory_symlink(downloads / folder, installation.dependencies / folder);
  }
  static bool system_has_nvrtc_12() {
    void* handle = dlopen("libnvrtc.so.12", RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) dlclose(handle);
    return handle != nullptr;
  }

  fs::path downloads;
};

class EveryDriver : public DriverVersion, public ::testing::WithParamInterface<DriverCase> {};

TEST_P(EveryDriver, GetsTheNvrtcThatFitsWhereBothAreHere) {
  fetched({"cuda", "cuda12", "cuda13"});
  const FakeDriver driver(GetParam().version);
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.provenance.nvrtc_version, GetParam().fits);
  EXPECT_GT(point.memory->shared_wavefronts, 0);
}

TEST_P(EveryDriver, SaysWhichCommandFetchesItWhereOnlyNvrtc13IsHere) {
  fetched({"cuda", "cuda13"});
  const FakeDriver driver(GetParam().version);
  const Measurement point = measure();
  if (GetParam().version >= 13000) {
    EXPECT_EQ(point.status, Status::ok) << point.reason;
    return;
  }
  if (system_has_nvrtc_12()) GTEST_SKIP() << "an NVRTC 12 of the system's is here";
  EXPECT_EQ(point.status, Status::unsupported);
  const std::string command = "./tilescope setup --for-driver " + std::string(GetParam().cuda);
  EXPECT_NE(point.reason.find("supports CUDA " + std::string(GetParam().cuda)), std::string::npos)
      << point.reason;
  EXPECT_NE(point.reason.find("NVRTC found is 13."), std::string::npos) << point.reason;
  EXPECT_NE(point.reason.find(command), std::string::npos) << point.reason;
  EXPECT_EQ(point.reason.find("TILESCOPE_CUDA"), std::string::npos) << point.reason;
}

TEST_P(EveryDriver, RunsTheCodeOfNvrtc12WhereOnlyThatIsHere) {
  fetched({"cuda", "cuda12"});
  const FakeDriver driver(GetParam().version);
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.provenance.nvrtc_version, "12.9");
}

INSTANTIATE_TEST_SUITE_P(Cuda, EveryDriver,
                         ::testing::Values(DriverCase{12000, "12.0", "12.9"},
                                           DriverCase{12040, "12.4", "12.9"},
                                           DriverCase{12080, "12.8", "12.9"},
                                           DriverCase{13000, "13.0", "13.0"}),
                         [](const auto& driver) { return std::to_string(driver.param.version); });

// The driver would compile PTX, and rejects PTX of a newer NVRTC: minor version compatibility only holds for
// machine code.
TEST_F(DriverVersion, OnlyMachineCodeIsLoaded) {
  fetched({"cuda", "cuda12", "cuda13"});
  const FakeDriver driver(12040);
  experiment.device = "gpu:0";
  const Measurement point = measure();
  EXPECT_EQ(point.provenance.nvrtc_version, "12.9") << point.reason;
  EXPECT_GT(driver.state->images, 0);
  EXPECT_EQ(driver.state->images_not_elf, 0);
}

TEST_F(DriverVersion, ADriverBeforeCuda12IsRefusedByName) {
  try {
    const FakeDriver driver(11080);
    FAIL() << "opened a driver of CUDA 11.8";
  } catch (const cuda::DriverUnavailable& unavailable) {
    const std::string why = unavailable.what();
    EXPECT_NE(why.find("CUDA 11.8, Tilescope needs driver 525 (CUDA 12.0) or newer"), std::string::npos)
        << why;
  }
}

// The headers of 13.0 do not compile with NVRTC 12.9: cooperative_groups.h includes cuda_fp8.h, which fails.
TEST_F(DriverVersion, AKernelThatIncludesCudasHeadersGetsThoseOfItsNvrtc) {
  fetched({"cuda", "cuda12"});
  const FakeDriver driver(12040);
  std::string text = flash_scalar();
  text.insert(text.find("#include"),
              "#include <cuda_fp8.h>\n#include <mma.h>\n#include <cooperative_groups.h>\n");
  experiment.kernel = write("with_headers.cu", text).string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason << "\n" << point.compiler_log;
  EXPECT_EQ(point.provenance.nvrtc_version, "12.9");
}

}  // namespace
}  // namespace tilescope
