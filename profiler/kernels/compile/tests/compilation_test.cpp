#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/tests/compiler_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

using Compilations = test_support::CompilerTest;

TEST_F(Compilations, ThePtxComesFirstAndIsThatOfTheMachineCode) {
  const Compiler with = compiler();
  const CompilationAsker asked = begin(with, CompileGoal::ptx_first);
  const std::optional<CompiledKernel> first = asked->wait_for_ptx({});
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->ptx.empty());
  const CompiledKernel all = asked->wait({});
  EXPECT_EQ(first->ptx, all.ptx);
  EXPECT_EQ(first->key, all.key);
  EXPECT_FALSE(all.cubin.empty());
  EXPECT_GT(all.resources.registers, 0);
  EXPECT_TRUE(asked->is_done());
}

TEST_F(Compilations, AllKernelsHaveTheSamePtxForAVirtualArchitecture) {
  const Compiler with = compiler();
  const std::vector<DeviceModel> tables =
      load_device_tables(fs::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
  const Catalogue catalogue(kernels_folder());
  int compared = 0;
  for (const char* device_name : {"NVIDIA L4", "NVIDIA H200"}) {
    const DeviceModel device = *match_device(tables, device_name);
    for (const KernelDeclaration& declared : catalogue.kernels()) {
      const Configuration complete = declared.complete({});
      const bool is_compiled = !declared.entry.empty() && declared.library != KernelLibrary::cutlass;
      if (!is_compiled || !why_invalid(declared, complete, shape, device).empty()) continue;
      const CompilationAsker asked =
          with.begin(declared, complete, shape, device.arch, CompileGoal::ptx_first);
      const std::optional<CompiledKernel> first = asked->wait_for_ptx({});
      ASSERT_TRUE(first) << declared.name;
      EXPECT_TRUE(first->ptx == asked->wait({}).ptx) << declared.name << " for " << device.arch;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

TEST_F(Compilations, WhoAsksForWhatIsBeingCompiledSharesIt) {
  const Compiler with = compiler();
  const CompilationAsker one = begin(with, CompileGoal::prefetch),
                         other = begin(with, CompileGoal::machine_code);
  EXPECT_EQ(&*one, &*other);
  EXPECT_EQ(one->wait({}).cubin, other->wait({}).cubin);
  EXPECT_TRUE(begin(with, CompileGoal::machine_code)->wait({}).from_cache);
}

TEST_F(Compilations, WhatNobodyWaitsForIsCancelledAndCanBeAskedForAgain) {
  {
    const Compiler with = compiler();
    const CompilationAsker asked = begin(with, CompileGoal::machine_code);
    EXPECT_THROW(asked->wait([] { return true; }), CompileCancelled);
    EXPECT_EQ(asked->wait_for_ptx([] { return true; }), std::nullopt);
  }  // which waits until NVRTC has obeyed
  const Compiler with = compiler();
  const CompiledKernel compiled = begin(with, CompileGoal::machine_code)->wait({});
  EXPECT_FALSE(compiled.from_cache) << "a cancelled compilation was finished and kept";
  EXPECT_TRUE(is_in_cache(compiled.key));
}

TEST_F(Compilations, AnAskerThatGoesLeavesTheOthersTheirCode) {
  const Compiler with = compiler();
  const CompilationAsker stays = begin(with, CompileGoal::machine_code);
  { const CompilationAsker goes = begin(with, CompileGoal::ptx_first); }
  EXPECT_FALSE(stays->wait({}).cubin.empty());
}

TEST_F(Compilations, ASourceThatDoesNotCompileHasNoPtxAndSaysWhyToAll) {
  const Compiler with = compiler();
  const KernelDeclaration broken =
      kernel_of("broken", "extern \"C\" __global__ void flash_scalar() { nonsense; }");
  const auto ask = [&] {
    return with.begin(broken, broken.complete({}), shape, "sm_89", CompileGoal::ptx_first);
  };
  const CompilationAsker one = ask(), other = ask();
  EXPECT_EQ(one->wait_for_ptx({}), std::nullopt);
  for (const CompilationAsker* asked : {&one, &other}) {
    try {
      (*asked)->wait({});
      FAIL() << "it compiled";
    } catch (const CompileFailed& error) {
      EXPECT_NE(error.log.find("nonsense"), std::string::npos);
      EXPECT_FALSE(error.source_sha256.empty());
    }
  }
}

TEST_F(Compilations, CompiledAheadComesFromTheCacheAndWhatDoesNotCompileIsSilent) {
  const Compiler with = compiler();
  PrefetchCompiler ahead(with, 2);
  ahead.replace({wish(kernel_of("broken", "nonsense")), wish(kernel)});
  EXPECT_GT(ahead.pending(), 0u);
  wait_for(ahead);
  EXPECT_TRUE(begin(with, CompileGoal::machine_code)->wait({}).from_cache);
}

TEST_F(Compilations, WithoutACacheFolderTheLatestAreKeptInMemory) {
  std::ofstream(cache / "binaries") << "a file in the place of the folder";
  const Compiler with = compiler();
  const CompiledKernel first = begin(with, CompileGoal::machine_code)->wait({});
  EXPECT_FALSE(first.from_cache);
  const CompiledKernel second = begin(with, CompileGoal::machine_code)->wait({});
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.resources, first.resources);
  EXPECT_FALSE(begin(compiler(), CompileGoal::machine_code)->wait({}).from_cache);
}

TEST_F(Compilations, AnEmptyListCancelsWhatIsBeingCompiledAhead) {
  Compiler::Limits limits;
  limits.grace.until_cancelled = std::chrono::milliseconds(0);
  const Compiler with = compiler(limits);
  PrefetchCompiler ahead(with, 1);
  ahead.replace({wish(kernel)});
  ahead.replace({});
  wait_for(ahead);
  wait_for(with);
  EXPECT_FALSE(begin(with, CompileGoal::machine_code)->wait({}).from_cache);
  PrefetchCompiler::Wish next = wish(kernel);
  next.complete["BLOCK_M"] = std::int64_t{64};
  ahead.replace({next});
  wait_for(ahead);
  const CompilationAsker asked = with.begin(kernel, next.complete, shape, "sm_89", CompileGoal::machine_code);
  EXPECT_TRUE(asked->wait({}).from_cache) << "it goes on with the next list";
}

TEST_F(Compilations, ANewListReplacesWhatWaits) {
  const Compiler with = compiler();
  PrefetchCompiler ahead(with, 1);
  std::vector<PrefetchCompiler::Wish> many(8, wish(kernel));
  for (std::size_t i = 0; i < many.size(); ++i) many[i].complete["BLOCK_M"] = std::int64_t{8} << (i % 5);
  ahead.replace(many);
  ahead.replace({wish(kernel)});
  EXPECT_LE(ahead.pending(), 2u);
  wait_for(ahead);
  EXPECT_TRUE(begin(with, CompileGoal::machine_code)->wait({}).from_cache);
}

}  // namespace
}  // namespace tilescope
