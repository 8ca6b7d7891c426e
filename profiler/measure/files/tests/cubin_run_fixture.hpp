#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/measure/files/tests/file_service_fixture.hpp"

namespace tilescope::test_support {

/// Compiles small kernels with NVRTC, each once, and runs them with the nvdisasm of the downloaded packages.
class CubinRunTest : public FileServiceTest {
 protected:
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

  /// `params` lacks the code and the launch.
  LaunchedPoint run_cubin(const std::vector<char>& cubin, const Json& launch,
                          RunFile::Params params = {}) const {
    params.subject = subject_of({cubin.begin(), cubin.end()}, launch, params.subject.entry);
    return run(params);
  }
};

}  // namespace tilescope::test_support
