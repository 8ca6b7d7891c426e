#include <gtest/gtest.h>

#include <fstream>
#include <istream>
#include <map>
#include <sstream>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"

// Instructions with one bit or more of their words changed at random, besides those that compilers emit, executed by an
// H200: see the file's first lines.
namespace tilescope::sass {
namespace {

constexpr unsigned threads = 128;

using Inputs = std::map<std::string, std::vector<std::uint32_t>>;

std::span<const Opcode> family_of(const std::string& opcode) {
  for (const auto family : {integer_opcodes, logic_opcodes, move_opcodes}) {
    for (const Opcode& known : family()) {
      if (known.name == opcode) return family();
    }
  }
  return {};
}

// FNV-1a
class Hash {
 public:
  void add(std::uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) value_ = (value_ ^ (word >> shift & 0xffu)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

std::uint64_t hash_of_results(const Inputs& inputs, const std::string& text, const InstructionWord& word) {
  Hash hash;
  for (unsigned first = 0; first < threads; first += 32) {
    SassSnippet snippet(family_of(text.substr(0, text.find_first_of(". "))), 90);
    for (const auto& [name, values] : inputs) {
      if (name == "P") continue;
      snippet.set(std::stoi(name.substr(1)),
                  [first, &of = values](unsigned lane) { return of[first + lane]; });
    }
    for (int p = 0; p < true_predicate; ++p) {
      simt::LaneMask mask = 0;
      for (unsigned lane = 0; lane < 32; ++lane) mask |= (inputs.at("P")[first + lane] >> p & 1u) << lane;
      snippet.set_predicate(p, mask);
    }
    snippet.run(text, word);
    for (unsigned lane = 0; lane < 32; ++lane) {
      hash.add(snippet.get(24, lane));
      hash.add(snippet.get(25, lane));
      std::uint32_t bits = 0;
      for (int p = 0; p < true_predicate; ++p) bits |= (snippet.get_predicate(p) >> lane & 1u) << p;
      hash.add(bits);
    }
  }
  return hash.value();
}

TEST(IntegerRecordedTest, GivesWhatAnH200Gave) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) +
                     "/profiler/execution/sass/tests/recorded/integer_h200.txt");
  Inputs inputs;
  std::string line;
  int instructions = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> std::hex;
    if (line.starts_with('#')) continue;
    if (line.starts_with('R') || line.starts_with('P')) {
      std::string name;
      words >> name;
      for (std::uint32_t value = 0; words >> value;) inputs[name].push_back(value);
      ASSERT_EQ(inputs[name].size(), threads);
      continue;
    }
    InstructionWord word;
    std::uint64_t recorded = 0;
    std::string text;
    words >> word.low >> word.high >> recorded;
    std::getline(words >> std::ws, text);
    EXPECT_EQ(hash_of_results(inputs, text, word), recorded) << text;
    ++instructions;
  }
  EXPECT_GE(instructions, 1000);
}

}  // namespace
}  // namespace tilescope::sass
