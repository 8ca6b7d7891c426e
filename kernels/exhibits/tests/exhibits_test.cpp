// Every exhibit is correct without its fault. With the fault it is wrong or slow in the way that its card says.

#include <set>

#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"

namespace tilescope {
namespace {

const ParameterValue on = "on", off = "off";

Shape shape_of(std::int64_t B, std::int64_t Hq, std::int64_t Hkv, std::int64_t Sq, std::int64_t Sk,
               std::int64_t D = 64, DataType dtype = DataType::fp16, bool causal = false) {
  return {B, Hq, Hkv, Sq, Sk, D, dtype, causal};
}

class Exhibits : public KernelTest {
 protected:
  KernelDeclaration exhibit(const std::string& name) const { return catalogue().find(name); }
  KernelCase with(const KernelDeclaration& kernel, const ParameterValue& fault, Configuration others = {},
                  const Shape& shape = shape_of(1, 1, 1, 64, 64)) const {
    others["FAULT"] = fault;
    return {kernel, others, shape};
  }
  MemoryCounts counts(const KernelDeclaration& kernel, const ParameterValue& fault,
                      Configuration others = {}) const {
    return counted(with(kernel, fault, std::move(others)));
  }
};

std::int64_t conflicts_of_loads(const MemoryCounts& memory) {
  std::int64_t conflicts = 0;
  for (const MemorySite& site : memory.sites) {
    if (site.operation == "ld.shared") conflicts += site.conflicts;
  }
  return conflicts;
}

bool has_race(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& found) { return found.kind == "race"; });
}

TEST_F(Exhibits, AreRightWithoutTheirFault) {
  int exhibits = 0;
  for (const KernelDeclaration& kernel : catalogue().kernels()) {
    if (kernel.role != KernelRole::exhibit) continue;
    ++exhibits;
    for (const Shape& shape : {shape_of(1, 2, 1, 77, 130, 64, DataType::fp16, true),
                               shape_of(2, 2, 2, 40, 23, 32, DataType::bf16, true),
                               shape_of(1, 1, 1, 33, 65, 96, DataType::bf16)}) {
      expect_right({kernel, {}, shape, Inputs::random, TensorOrder::rows_first});
    }
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (parameter.name == "FAULT") continue;
      for (const ParameterValue& value : parameter.values) {
        expect_right(with(kernel, off, {{parameter.name, value}}, shape_of(1, 1, 1, 40, 50)));
      }
    }
  }
  EXPECT_GE(exhibits, 13);
}

TEST_F(Exhibits, RefuseAnOddHeadSizeInTheWordsOfTheirFile) {
  for (const KernelDeclaration& kernel : catalogue().kernels()) {
    if (kernel.role != KernelRole::exhibit) continue;
    const std::string why = why_illegal(with(kernel, off, {}, shape_of(1, 8, 8, 512, 512, 80)));
    EXPECT_EQ(why, kernel.constraints[0].text) << kernel.name;
    EXPECT_NE(why.find("D = 32, 64, 96, 128 or 256"), std::string::npos) << why;
  }
}

// A fault only costs time, except those that the card calls wrong or refused, which have tests of their own below.
TEST_F(Exhibits, AreRightThoughSlowWithAFaultThatOnlyCosts) {
  const std::set<std::string> wrong_or_refused = {"missing_barrier", "uneven_rows", "static_shared"};
  for (const KernelDeclaration& kernel : catalogue().kernels()) {
    if (kernel.role != KernelRole::exhibit || wrong_or_refused.contains(kernel.name)) continue;
    expect_right(with(kernel, on, {}, shape_of(2, 2, 1, 45, 70, 64, DataType::fp16, true)));
  }
}

TEST_F(Exhibits, SerialisedBatchHasAGridThatDoesNotGrow) {
  const KernelDeclaration kernel = exhibit("serialised_batch");
  const auto blocks = [&](const ParameterValue& fault, std::int64_t batches) {
    const KernelCase one = with(kernel, fault, {}, shape_of(batches, 8, 8, 512, 512));
    return launch_geometry(kernel, kernel.complete(one.chosen), one.shape, l4()).blocks();
  };
  EXPECT_EQ(blocks(off, 8), 8 * blocks(off, 1));
  EXPECT_EQ(blocks(on, 8), blocks(on, 1));
}

TEST_F(Exhibits, IdleWarpsLeaveTheScoresToWarpZero) {
  const KernelDeclaration kernel = exhibit("idle_warps");
  const auto warps_of_scores = [&](const ParameterValue& fault) {
    const KernelCase one = with(kernel, fault);
    RecordingOptions options;
    options.tiles = {{"K", 0, 2 * 32 * (64 + 8)}};
    std::set<std::uint32_t> warps;
    const BlockRecording recording = CaseLaunch(one, compile(one), l4()).recording(options);
    for (const RecordedAccess& access : recording.accesses) {
      const RecordedSite& site = recording.sites[access.site];
      if (site.tile == "K" && site.operation == "ld.shared") warps.insert(access.warp);
    }
    return warps;
  };
  EXPECT_EQ(warps_of_scores(off).size(), 8U);
  EXPECT_EQ(warps_of_scores(on), (std::set<std::uint32_t>{0}));
}

TEST_F(Exhibits, AMissingBarrierIsARaceOfTheScores) {
  const KernelDeclaration kernel = exhibit("missing_barrier");
  const KernelCase one = with(kernel, on, {}, shape_of(1, 1, 1, 32, 128));
  const Checked found = checked(one);
  ASSERT_TRUE(has_race(found.findings));
  EXPECT_EQ(found.findings.front().lines.size(), 2U) << found.findings.front().text;
}

TEST_F(Exhibits, UnevenRowsAreWrongWithSixWarpsAlone) {
  const KernelDeclaration kernel = exhibit("uneven_rows");
  const Shape shape = shape_of(1, 1, 1, 64, 128);
  const auto warps = [&](std::int64_t count, const ParameterValue& fault) {
    return with(kernel, fault, {{"NUM_WARPS", count}}, shape);
  };
  const Checked six = checked(warps(6, on));
  EXPECT_TRUE(has_race(six.findings));
  EXPECT_NE(six.wrong, "");
  EXPECT_LT(counted(warps(6, on)).barriers, counted(warps(6, off)).barriers);
  expect_right(warps(4, on));
  expect_right(warps(8, on));
}

TEST_F(Exhibits, AnIdleSwizzleMovesNoBank) {
  const KernelDeclaration kernel = exhibit("idle_swizzle");
  const auto conflicts = [&](const ParameterValue& fault, std::int64_t swizzle) {
    return conflicts_of_loads(counts(kernel, fault, {{"SWIZZLE", swizzle}}));
  };
  EXPECT_EQ(conflicts(off, 1), 0);
  EXPECT_GT(conflicts(on, 0), 0);
  EXPECT_EQ(conflicts(on, 1), conflicts(on, 0));
}

TEST_F(Exhibits, ADeadKnobHasOneCodeForAllItsValues) {
  const KernelDeclaration kernel = exhibit("dead_knob");
  const auto count_codes = [&](const ParameterValue& fault) {
    std::set<std::string> codes;
    for (const std::int64_t width : {2, 4, 8}) {
      codes.insert(compile(with(kernel, fault, {{"VEC_WIDTH", width}})).resources.sass_sha256);
    }
    return codes.size();
  };
  EXPECT_EQ(count_codes(on), 1U);
  EXPECT_EQ(count_codes(off), 3U);
}

TEST_F(Exhibits, StridedLoadsTakeEightTimesTheSectors) {
  const KernelDeclaration kernel = exhibit("strided_loads");
  const auto worst = [&](const ParameterValue& fault) {
    double most = 0;
    for (const MemorySite& site : counts(kernel, fault).sites) {
      if (site.operation != "ld.global") continue;
      most = std::max(most, static_cast<double>(site.wavefronts) / static_cast<double>(site.minimum));
    }
    return most;
  };
  EXPECT_EQ(worst(off), 1);
  EXPECT_EQ(worst(on), 8);
}

TEST_F(Exhibits, NoStagingReadsGlobalMemoryForEveryRow) {
  const KernelDeclaration kernel = exhibit("no_staging");
  const MemoryCounts staged = counts(kernel, off), direct = counts(kernel, on);
  EXPECT_GT(direct.global_sectors, 20 * staged.global_sectors);
  EXPECT_LT(direct.shared_wavefronts, staged.shared_wavefronts);
}

TEST_F(Exhibits, NeedlessBarriersAreWaitedAt) {
  const KernelDeclaration kernel = exhibit("needless_barriers");
  const MemoryCounts few = counts(kernel, off), many = counts(kernel, on);
  EXPECT_GT(many.barriers, 2 * few.barriers);
  EXPECT_EQ(many.shared_wavefronts, few.shared_wavefronts);
  EXPECT_EQ(many.global_sectors, few.global_sectors);
}

TEST_F(Exhibits, DivergentBranchesExecuteBothSides) {
  const KernelDeclaration kernel = exhibit("divergent_branches");
  const MemoryCounts together = counts(kernel, off), apart = counts(kernel, on);
  EXPECT_GT(static_cast<double>(apart.warp_instructions),
            1.4 * static_cast<double>(together.warp_instructions));
  const auto half_warps = [](const MemoryCounts& memory) {
    std::int64_t executions = 0;
    for (const MemorySite& site : memory.sites) {
      if (site.operation == "ld.shared" && site.lanes == 16 * site.executions) executions += site.executions;
    }
    return executions;
  };
  // Two tiles of rows by two of keys, of each 32 rows to read a key's and a query's 8 pieces in two branches.
  EXPECT_EQ(half_warps(together), 0);
  EXPECT_EQ(half_warps(apart), 2 * 2 * 32 * 2 * 8 * 2);
}

TEST_F(Exhibits, SpillingUnrollSpills) {
  const KernelDeclaration kernel = exhibit("spilling_unroll");
  const auto spills = [&](const ParameterValue& fault, std::int64_t size) {
    return compile(with(kernel, fault, {}, shape_of(1, 1, 1, 64, 64, size))).resources.spill_bytes;
  };
  EXPECT_EQ(spills(off, 128), 0);
  EXPECT_EQ(spills(on, 32), 0);
  EXPECT_GT(spills(on, 64), 0);
  EXPECT_GT(spills(on, 128), spills(on, 64));
}

TEST_F(Exhibits, TinyBlocksFillHalfAnSmAndReadEverythingAgain) {
  const KernelDeclaration kernel = exhibit("tiny_blocks");
  const KernelCase one = with(kernel, on);
  Resources resources = compile(one).resources;
  const LaunchGeometry geometry = launch_geometry(kernel, kernel.complete(one.chosen), one.shape, l4());
  resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  const Occupancy resident = occupancy(l4(), resources, geometry);
  EXPECT_EQ(resident.blocks_per_sm, 24) << "the most that an SM of the L4 takes";
  EXPECT_EQ(resident.fraction, 0.5);
  EXPECT_EQ(resident.limiter, Limiter::blocks);
  EXPECT_GT(counts(kernel, on).global_sectors, 20 * counts(kernel, off).global_sectors);
}

TEST_F(Exhibits, StaticSharedMemoryEndsAt48Kilobytes) {
  const KernelDeclaration kernel = exhibit("static_shared");
  for (const char* arch : {"sm_80", "sm_86", "sm_89"}) {
    try {
      compile(with(kernel, on), arch);
      FAIL() << arch << " took static shared memory over 48 KB";
    } catch (const CompileFailed& failed) {
      EXPECT_NE(std::string(failed.what()).find("uses too much shared data"), std::string::npos)
          << failed.what();
    }
  }
  EXPECT_NO_THROW(compile(with(kernel, on, {}, shape_of(1, 1, 1, 64, 64, 32))));
  EXPECT_NO_THROW(compile(with(kernel, off)));
}

}  // namespace
}  // namespace tilescope
