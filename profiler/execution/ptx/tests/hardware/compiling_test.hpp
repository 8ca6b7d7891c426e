#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "profiler/execution/ptx/tests/hardware/case_compiler.hpp"
#include "profiler/installation.hpp"

namespace tilescope::hardware {

/// A test that compiles cases; skipped with the reason where there is no NVRTC.
class CompilingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Installation installation = find_installation();
    root_ = installation.root;
    try {
      compiler_ = std::make_unique<CaseCompiler>(root_, installation.dependencies, installation.cache);
    } catch (const NvrtcUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  const std::filesystem::path& root() const { return root_; }
  const CaseCompiler& compiler() const { return *compiler_; }

 private:
  std::filesystem::path root_;
  std::unique_ptr<CaseCompiler> compiler_;
};

}  // namespace tilescope::hardware
