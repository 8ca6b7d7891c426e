#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/kernels/compile/prefetch_compiler.hpp"

namespace tilescope::test_support {

/// Compilers with a cache folder of their own, which they share.
class CompilerTest : public ::testing::Test {
 protected:
  CompilerTest()
      : cache(std::filesystem::temp_directory_path() /
              ("tilescope_compilations_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(cache);
    std::filesystem::create_directories(cache);
  }
  ~CompilerTest() override { std::filesystem::remove_all(cache); }

  static std::filesystem::path kernels_folder() {
    return std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels";
  }
  Compiler compiler(Compiler::Limits limits = {}) const {
    return {
        Nvrtc::open({{}, find_installation().dependencies, std::nullopt}), {kernels_folder(), cache}, limits};
  }
  CompilationAsker begin(const Compiler& with, CompileGoal goal) const { return begin(with, kernel, goal); }
  CompilationAsker begin(const Compiler& with, const KernelDeclaration& declared, CompileGoal goal) const {
    return with.begin(declared, declared.complete({}), shape, "sm_89", goal);
  }
  bool is_in_cache(const std::string& key) const {
    return BinaryCache(cache / "binaries").find(key).has_value();
  }
  /// A kernel of one file with this text.
  KernelDeclaration kernel_of(const std::string& name, const std::string& text) const {
    KernelDeclaration declared = kernel;
    declared.source_path = cache / (name + ".cu");
    std::ofstream(declared.source_path) << text;
    return declared;
  }
  PrefetchCompiler::Wish wish(const KernelDeclaration& declared) const {
    return {declared, declared.complete({}), shape, "sm_89"};
  }
  static void wait_for(const PrefetchCompiler& ahead) {
    while (ahead.pending() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Waits also for what was cancelled.
  static void wait_for(const Compiler& compiler) {
    while (!compiler.is_idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::filesystem::path cache;
  KernelDeclaration kernel = Catalogue(kernels_folder()).find("flash_scalar");
  Shape shape;
};

}  // namespace tilescope::test_support
