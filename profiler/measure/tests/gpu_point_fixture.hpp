#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/tests/ask_service.hpp"

namespace tilescope::test_support {

/// Points of flash_scalar on the first GPU; a test is skipped with the reason where there is none.
class OnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!host.why_none().empty()) GTEST_SKIP() << host.why_none();
    scratch = std::filesystem::temp_directory_path() / ("tilescope_gpu_" + std::to_string(::getpid()));
    std::filesystem::create_directories(scratch);
    experiment.kernel = "flash_scalar";
    experiment.timing_budget_s = 0.02;
  }
  void TearDown() override {
    if (!scratch.empty()) std::filesystem::remove_all(scratch);
  }

  Measurement measure() {
    if (!service) service = make_measure_service(installation);
    return ask<Measure>(*service, {experiment}, control);
  }
  Compiler compiler() const {
    const NvrtcSearch search{{}, installation.dependencies, host.driver_cuda()};
    return Compiler(Nvrtc::open(search),
                    {installation.kernels, installation.cache, installation.dependencies});
  }
  // A copy of flash_scalar with one place changed.
  std::string changed_copy(const std::string& from, const std::string& to) const {
    std::ifstream stream(installation.kernels / "attention/flash_scalar.cu");
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(scratch / "changed.cu") << text;
    return scratch / "changed.cu";
  }

  Installation installation = find_installation();
  std::vector<DeviceModel> tables = load_device_tables(installation.devices);
  GpuHost host{tables};
  std::filesystem::path scratch;
  std::optional<tilescope::Service> service;
  Experiment experiment;
  MeasureControl control{[](RequestProgress) {}, [] { return false; }};
};

}  // namespace tilescope::test_support
