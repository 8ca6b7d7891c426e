// Random programs, compiled by NVRTC: their PTX and their machine code write the same bits. A difference is a bug of one
// of the two interpreters. More seeds: TILESCOPE_RANDOM_SEEDS=1000:500 takes 500 from 1000 on, and
// TILESCOPE_RANDOM_SOURCES=FOLDER keeps the sources of those that differ. TILESCOPE_RANDOM_SOURCE=FILE takes a source
// instead, of which kernel_0 is run, to make one shorter by hand.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "profiler/execution/sass/tests/random_programs/agreement.hpp"
#include "profiler/execution/sass/tests/random_programs/random_program.hpp"
#include "profiler/installation.hpp"

namespace tilescope::random_programs {
namespace {

constexpr int kernels_of_a_module = 8;

struct Seeds {
  std::uint64_t first = 1, count = 4;
};

Seeds chosen_seeds() {
  Seeds seeds;
  const char* text = std::getenv("TILESCOPE_RANDOM_SEEDS");
  if (text == nullptr) return seeds;
  char* end = nullptr;
  seeds.first = std::strtoull(text, &end, 10);
  if (*end == ':') seeds.count = std::strtoull(end + 1, nullptr, 10);
  return seeds;
}

void keep_source(std::uint64_t seed, const std::string& source) {
  const char* folder = std::getenv("TILESCOPE_RANDOM_SOURCES");
  if (folder != nullptr)
    std::ofstream(std::filesystem::path(folder) / (std::to_string(seed) + ".cu")) << source;
}

// The program of the seed, or an edited one with a kernel_0 alone.
RandomProgram chosen_program(std::uint64_t seed) {
  const char* file = std::getenv("TILESCOPE_RANDOM_SOURCE");
  if (file == nullptr) return random_program(seed, kernels_of_a_module);
  std::ifstream stream(file);
  return {{std::istreambuf_iterator<char>(stream), {}}, {"kernel_0"}};
}

class RandomPrograms : public testing::TestWithParam<std::string> {};

TEST_P(RandomPrograms, WriteTheSameAsPtxAndAsMachineCode) {
  const Installation installation = find_installation();
  const Nvrtc nvrtc = Nvrtc::open({"", installation.dependencies, {}});
  const auto nvdisasm = sass::Disassembler::find({"", installation.dependencies, ""});
  const Seeds seeds = chosen_seeds();
  std::uint64_t compared = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const RandomProgram program = chosen_program(seed);
    const Agreement found = agreement(program, seed, GetParam(), nvrtc, nvdisasm);
    compared += static_cast<std::uint64_t>(found.compared);
    for (const std::string& difference : found.differences) ADD_FAILURE() << difference;
    if (!found.differences.empty()) keep_source(seed, program.source);
  }
  EXPECT_GE(compared, seeds.count * kernels_of_a_module / 2) << "most kernels end soon enough";
  std::cout << compared << " kernels compared\n";
}

INSTANTIATE_TEST_SUITE_P(Architectures, RandomPrograms, testing::Values("sm_80", "sm_86", "sm_89", "sm_90a"),
                         [](const auto& architecture) { return architecture.param; });

TEST(RandomProgram, IsTheSameForASeed) {
  EXPECT_EQ(random_program(7, 3).source, random_program(7, 3).source);
  EXPECT_NE(random_program(7, 3).source, random_program(8, 3).source);
}

}  // namespace
}  // namespace tilescope::random_programs
