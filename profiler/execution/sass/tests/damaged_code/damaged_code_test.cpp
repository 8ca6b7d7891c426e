// Damaged machine code ends in a sentence. More seeds: TILESCOPE_RANDOM_SEEDS=1000:500 takes 500 from 1000 on, each of 100
// cases; a crash is found again with its seed, which TILESCOPE_RANDOM_VERBOSE=1 prints before it runs.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "profiler/execution/sass/tests/damaged_code/damaged_run.hpp"
#include "profiler/execution/sass/tests/damaged_code/intact_code.hpp"
#include "profiler/installation.hpp"

namespace tilescope::damaged_code {
namespace {

constexpr std::uint64_t cases_of_a_seed = 100;

struct Seeds {
  std::uint64_t first = 1, count = 1;
};

Seeds chosen_seeds(std::uint64_t usual) {
  Seeds seeds{1, usual};
  const char* text = std::getenv("TILESCOPE_RANDOM_SEEDS");
  if (text == nullptr) return seeds;
  char* end = nullptr;
  seeds.first = std::strtoull(text, &end, 10);
  if (*end == ':') seeds.count = std::strtoull(end + 1, nullptr, 10);
  return seeds;
}

// [B] The most that this process had in memory.
std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

/// State that all tests begin with.
struct Intact {
  sass::Disassembler nvdisasm;
  std::vector<IntactCode> codes;
  Vocabulary vocabulary;
};

const Intact& intact() {
  static const Intact made = [] {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    const std::filesystem::path dependencies = find_installation().dependencies;
    const auto nvdisasm = sass::Disassembler::find({"", dependencies, ""});
    std::vector<IntactCode> codes = intact_codes(Nvrtc::open({"", dependencies, {}}), nvdisasm);
    Vocabulary vocabulary = vocabulary_of(codes);
    return Intact{nvdisasm, std::move(codes), std::move(vocabulary)};
  }();
  return made;
}

class DamagedCode : public ::testing::Test {
 protected:
  void count(const DamagedRun& run) {
    ++ends_[static_cast<std::size_t>(run.end)];
    EXPECT_EQ(run.why.empty(), run.end == End::finished) << name_of(run.end);
  }
  std::uint64_t ended(End end) const { return ends_[static_cast<std::size_t>(end)]; }
  void print_ends() const {
    for (std::size_t i = 0; i < end_count; ++i)
      std::cout << name_of(static_cast<End>(i)) << ' ' << ends_[i] << (i + 1 < end_count ? ", " : "\n");
  }

 private:
  std::array<std::uint64_t, end_count> ends_{};
};

TEST_F(DamagedCode, IntactCodeRuns) {
  for (const IntactCode& code : intact().codes) {
    const DamagedRun run = run_damaged(code.cubin, code.text);
    EXPECT_TRUE(run.end == End::finished || run.end == End::fault) << name_of(run.end) << ": " << run.why;
  }
}

TEST_F(DamagedCode, EndsInASentence) {
  constexpr std::int64_t most_memory = std::int64_t{2} << 30;
  const bool is_verbose = std::getenv("TILESCOPE_RANDOM_VERBOSE") != nullptr;
  const Seeds seeds = chosen_seeds(6);
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    if (is_verbose) std::cerr << "seed " << seed << '\n';
    Choices choices(seed);
    for (std::uint64_t i = 0; i < cases_of_a_seed; ++i)
      count(damage_and_run(intact().codes, intact().vocabulary, choices));
    ASSERT_LT(peak_memory(), most_memory) << "seed " << seed;
  }
  print_ends();
  for (const End end : {End::finished, End::fault, End::refused_cubin, End::refused_text, End::unsupported})
    EXPECT_GE(ended(end), seeds.count / 4) << name_of(end);
}

// Words that no compiler wrote, as nvdisasm reads them.
TEST_F(DamagedCode, WordsThatNvdisasmReadsEndInASentence) {
  const Seeds seeds = chosen_seeds(12);
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    Choices choices(seed);
    const std::vector<char> cubin = damaged_words(choices.of(intact().codes).cubin, choices);
    try {
      count(run_damaged(cubin, intact().nvdisasm.print(cubin)));
    } catch (const sass::DisassemblyError& error) {
      count({End::refused_text, error.what()});
    }
  }
  print_ends();
}

}  // namespace
}  // namespace tilescope::damaged_code
