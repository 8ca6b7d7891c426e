#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/measure/files/run_file.hpp"

namespace tilescope::test_support {

/// Compiles small kernels with NVRTC, each once, and runs them with the nvdisasm of the downloaded packages.
class CubinRunTest : public ::testing::Test {
 protected:
  CubinRunTest() {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    std::filesystem::remove_all(folder().parent_path());
  }
  ~CubinRunTest() override { std::filesystem::remove_all(folder().parent_path()); }

  static std::vector<char> compile(const std::string& source, const std::string& architecture,
                                   const std::vector<std::string>& options = {}) {
    static std::map<std::tuple<std::string, std::string, std::vector<std::string>>, std::vector<char>> known;
    std::vector<char>& cubin = known[{source, architecture, options}];
    if (!cubin.empty()) return cubin;
    std::vector<std::string> all = {"--gpu-architecture=" + architecture, "--std=c++17"};
    all.insert(all.end(), options.begin(), options.end());
    cubin = Nvrtc::open({{}, find_installation().dependencies, std::pair(13, 9)})
                .compile("test.cu", source, {}, all)
                .cubin;
    return cubin;
  }

  /// Where texts of nvdisasm are kept during a test: in a folder that only the caller may write.
  static std::filesystem::path folder() {
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name) c = c == '/' ? '.' : c;
    return std::filesystem::temp_directory_path() / ("tilescope-run-" + name) / "disassemblies";
  }

  static FileRun run_cubin(const std::vector<char>& cubin, const Json& launch,
                           const FileRunOptions& options) {
    DisassemblyCache disassemblies({"", find_installation().dependencies, ""}, folder());
    return run_file({cubin.begin(), cubin.end()}, launch, options, disassemblies);
  }
};

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tilescope::test_support
