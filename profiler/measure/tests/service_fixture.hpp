#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "profiler/measure/register_answer.hpp"
#include "profiler/measure/tests/process_cache.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/tests/ask_service.hpp"

namespace tilescope::test_support {

/// A service for a device of the tables, even when a GPU is present.
class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest()
      : scratch(std::filesystem::temp_directory_path() /
                ("tilescope_service_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(scratch);
    std::filesystem::create_directories(scratch);
    installation.kernels = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels";
    installation.devices = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices";
    installation.dependencies = find_installation().dependencies;
    installation.cache = process_cache();
    experiment.kernel = "flash_scalar";
    experiment.device = "RTX 4090";
  }
  ~ServiceTest() override { std::filesystem::remove_all(scratch); }

  /// For a test of what is done the first time.
  void use_empty_cache() { installation.cache = scratch / "cache"; }
  /// Measures with a new service.
  Measurement measure() { return measure(make_measure_service(installation)); }
  Measurement measure(const tilescope::Service& service) const {
    return ask<Measure>(service, {experiment}, control);
  }
  Measurement trace(const CountOptions& counting) {
    return ask<CountKernel>(make_measure_service(installation), {experiment, counting}, control);
  }

  std::string flash_scalar() const {
    std::ifstream stream(installation.kernels / "attention/flash_scalar.cu");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// A copy of flash_scalar in which one text, which must exist, is replaced by another.
  std::filesystem::path edited_copy(const std::string& from, const std::string& to) const {
    std::string text = flash_scalar();
    text.replace(text.find(from), from.size(), to);
    return write("copy.cu", text);
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch / name) << text;
    return scratch / name;
  }
  /// The line of flash_scalar.cu that contains a text.
  static std::int64_t line_with(const std::string& source, const std::string& text) {
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find(text));
    return 1 + std::count(source.begin(), end, '\n');
  }

  std::filesystem::path scratch;
  Installation installation;
  Experiment experiment;
  MeasureControl control{[](RequestProgress) {}, [] { return false; }};
};

/// While it lives, there is no nvdisasm, wherever it is looked for: only PTX is executed.
class WithoutNvdisasm {
 public:
  WithoutNvdisasm(Installation& installation, const std::filesystem::path& scratch) {
    const std::filesystem::path without = scratch / "dependencies";
    std::filesystem::create_directories(without);
    for (const auto& entry : std::filesystem::directory_iterator(installation.dependencies)) {
      const std::filesystem::path name = entry.path().filename();
      if (name != "nvdisasm") std::filesystem::create_directory_symlink(entry.path(), without / name);
    }
    installation.dependencies = without;
    if (const char* path = std::getenv("PATH")) path_ = path;
    ::setenv("PATH", scratch.c_str(), 1);
  }
  ~WithoutNvdisasm() { ::setenv("PATH", path_.c_str(), 1); }
  WithoutNvdisasm(const WithoutNvdisasm&) = delete;
  WithoutNvdisasm& operator=(const WithoutNvdisasm&) = delete;

 private:
  std::string path_;
};

}  // namespace tilescope::test_support
