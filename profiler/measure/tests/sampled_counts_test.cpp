// Compares the counts of a sample of the blocks with the counts of all blocks, for every kernel of the
// catalogue that is interpreted, with every value of a parameter that changes the grid.

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {

// Prints a test's parameter by its name, not by its bytes.
void PrintTo(const KernelDeclaration& kernel, std::ostream* stream);
void PrintTo(const KernelDeclaration& kernel, std::ostream* stream) {
  *stream << kernel.name;
}

namespace {

// No number of queries is a multiple of a tile, except the last; grouped heads, a batch, more tiles than a persistent
// grid has blocks, queries that see no key. Large enough to be sampled.
const std::vector<Shape> shapes = {{1, 2, 1, 1000, 150, 64, DataType::fp16, false},
                                   {2, 4, 4, 1000, 40, 64, DataType::fp16, false},
                                   {1, 2, 2, 260, 648, 64, DataType::fp16, false},
                                   {2, 4, 2, 500, 300, 64, DataType::fp16, true},
                                   {1, 4, 4, 512, 512, 64, DataType::fp16, true}};

using Count = std::int64_t MemoryCounts::*;
constexpr Count counts[] = {&MemoryCounts::shared_instructions,
                            &MemoryCounts::shared_wavefronts,
                            &MemoryCounts::shared_wavefronts_minimum,
                            &MemoryCounts::shared_conflicts,
                            &MemoryCounts::global_requests,
                            &MemoryCounts::global_sectors,
                            &MemoryCounts::global_sectors_minimum,
                            &MemoryCounts::warp_instructions,
                            &MemoryCounts::barriers};

// With a causal mask the work grows in steps, which linear interpolation between two blocks misses.
constexpr double causal_bound = 0.03;
// Rows of LSE have one float each. If a head's rows are not a whole number of sectors, the next head begins inside a
// sector, and its blocks touch another number of sectors. A sample has blocks of only some heads.
constexpr double sector_bound = 0.001;
bool heads_begin_at_a_sector(const Shape& shape) {
  return shape.Sq * 4 % 32 == 0;
}
bool counts_sectors(Count count) {
  return count == &MemoryCounts::global_sectors || count == &MemoryCounts::global_sectors_minimum;
}
// Bound of the error of instructions by pipe, as a share of all instructions: they are counted in the blocks
// that ran and scaled by one factor, but a tail has another mix.
constexpr double mix_bound = 0.003;

double relative_difference(std::int64_t sampled, std::int64_t all, double of) {
  return sampled == all ? 0 : std::abs(static_cast<double>(sampled - all)) / std::max(of, 1.0);
}

double bound_of(Count count, const Shape& shape) {
  if (shape.causal) return causal_bound;
  return counts_sectors(count) && !heads_begin_at_a_sector(shape) ? sector_bound : 0;
}

// Expects each total within its bound. Conflicts, which can be few, are compared relative to the wavefronts.
void expect_counts(const MemoryCounts& sampled, const MemoryCounts& all, const Shape& shape) {
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    const Count count = counts[i];
    const std::int64_t of = count == &MemoryCounts::shared_conflicts ? all.shared_wavefronts : all.*count;
    EXPECT_LE(relative_difference(sampled.*count, all.*count, static_cast<double>(of)),
              bound_of(count, shape))
        << "counts[" << i << "]: " << sampled.*count << " of " << all.*count;
  }
  for (const auto& [key, bytes] : all.bytes) {
    const auto found = sampled.bytes.find(key);
    const std::int64_t here = found == sampled.bytes.end() ? 0 : found->second;
    EXPECT_LE(relative_difference(here, bytes, static_cast<double>(bytes)), shape.causal ? causal_bound : 0)
        << key;
  }
}

// The largest error of any pipe's count, as a share of all warp instructions: the blocks that ran must have the grid's
// mix.
double mix_difference(const MemoryCounts& sampled, const MemoryCounts& all) {
  double largest = 0;
  for (const auto& [pipe, count] : all.instructions) {
    const auto found = sampled.instructions.find(pipe);
    const std::int64_t here = found == sampled.instructions.end() ? 0 : found->second;
    largest = std::max(largest, relative_difference(here, count, static_cast<double>(all.warp_instructions)));
  }
  return largest;
}

std::vector<KernelDeclaration> interpreted_kernels() {
  std::vector<KernelDeclaration> kernels;
  const Catalogue catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels");
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    if (kernel.role != KernelRole::micro && !kernel.is_launched_by_library()) kernels.push_back(kernel);
  }
  return kernels;
}

class SampledCounts : public test_support::ServiceTest,
                      public ::testing::WithParamInterface<KernelDeclaration> {
 protected:
  SampledCounts() {
    installation.cache = find_installation().cache;  // many kernels: compiled once
    experiment.kernel = GetParam().name;
    experiment.device = "L4";
    service = make_measure_service(installation);
    for (const DeviceModel& device : load_device_tables(installation)) {
      if (device.name.find("L4") != std::string::npos && device.arch == "sm_89") l4 = device;
    }
  }

  // The defaults, and each single change of a parameter that changes the grid.
  std::vector<Configuration> configurations(const Shape& shape) const {
    const KernelDeclaration& kernel = GetParam();
    std::vector<Configuration> chosen;
    const auto add = [&](const Configuration& one) {
      if (why_invalid(kernel, one, shape, l4).empty()) chosen.push_back(one);
    };
    const Configuration defaults = kernel.complete({});
    add(defaults);
    if (chosen.empty()) return chosen;
    const LaunchGeometry usual = launch_geometry(kernel, defaults, shape, l4);
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      for (const ParameterValue& value : parameter.values) {
        Configuration one = defaults;
        one[parameter.name] = value;
        if (!why_invalid(kernel, one, shape, l4).empty()) continue;
        const LaunchGeometry geometry = launch_geometry(kernel, one, shape, l4);
        const bool is_same = geometry.grid_x == usual.grid_x && geometry.grid_y == usual.grid_y &&
                             geometry.grid_z == usual.grid_z && geometry.block_group == usual.block_group;
        if (!is_same) add(one);
      }
    }
    return chosen;
  }

  std::optional<tilescope::Service> service;
  DeviceModel l4;
};

TEST_P(SampledCounts, AreThoseOfAllBlocks) {
  int compared = 0, sampled_ones = 0;
  for (const Shape& shape : shapes) {
    for (const Configuration& configuration : configurations(shape)) {
      SCOPED_TRACE(to_string(configuration) + " " + to_string(shape));
      experiment.shape = shape;
      experiment.parameters = configuration;
      experiment.blocks = {};
      const Measurement sampled = test_support::ask<Measure>(*service, {experiment}, control);
      if (sampled.status == Status::unsupported) GTEST_SKIP() << sampled.reason;
      experiment.blocks = {BlockChoice::Kind::all, 0};
      const Measurement all = test_support::ask<Measure>(*service, {experiment}, control);
      ASSERT_TRUE(sampled.memory && all.memory) << sampled.reason << all.reason;
      EXPECT_EQ(sampled.status, all.status) << sampled.reason << all.reason;
      ++compared;
      if (sampled.memory->blocks_run < all.memory->blocks_run) ++sampled_ones;
      expect_counts(*sampled.memory, *all.memory, shape);
      EXPECT_LE(mix_difference(*sampled.memory, *all.memory), shape.causal ? causal_bound : mix_bound);
    }
  }
  EXPECT_GT(compared, 0) << "no shape is taken by this kernel: add one";
  EXPECT_GT(sampled_ones, 0) << "every grid was run whole: the shapes are too small to test a sample";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SampledCounts, ::testing::ValuesIn(interpreted_kernels()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tilescope
