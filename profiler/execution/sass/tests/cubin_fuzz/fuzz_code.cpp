// Called by libFuzzer: its bytes say what to damage in the code of one of the seeds, which is then read, decoded and executed.
// Only an end that damaged_run.hpp lists is right. The seeds are files NAME.cubin, each with nvdisasm's text in NAME.txt,
// in the folder TILESCOPE_FUZZ_SEEDS.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "profiler/execution/sass/tests/damaged_code/damaged_run.hpp"

namespace {

using namespace tilescope::damaged_code;

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<IntactCode> read_seeds() {
  const char* folder = std::getenv("TILESCOPE_FUZZ_SEEDS");
  std::vector<IntactCode> codes;
  if (folder != nullptr) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".cubin") continue;
      const std::string cubin = contents_of(entry.path());
      codes.push_back({{cubin.begin(), cubin.end()},
                       contents_of(std::filesystem::path(entry.path()).replace_extension(".txt"))});
    }
  }
  if (codes.empty()) {
    std::fputs("TILESCOPE_FUZZ_SEEDS must name a folder of cubins with their texts\n", stderr);
    std::exit(1);
  }
  return codes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<IntactCode> codes = read_seeds();
  static const Vocabulary vocabulary = vocabulary_of(codes);
  Choices choices(std::span(data, size));
  const DamagedRun run = damage_and_run(codes, vocabulary, choices);
  if (run.why.empty() != (run.end == End::finished)) std::abort();
  return 0;
}
