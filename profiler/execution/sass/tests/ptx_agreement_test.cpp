// The machine code that ptxas makes of a PTX instruction gives what the PTX interpreter gives, whose results agree with
// an H200's.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"
#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"

namespace tilescope::sass {
namespace {

struct MachineCode {
  std::string text;
  std::uint32_t immediate = 0;
};
struct Equivalent {
  std::string ptx;
  int result_bytes = 0;
  std::vector<int> source_bytes, source_registers;
  int result_register = 0;
  std::vector<MachineCode> code;
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}
std::vector<int> numbers_of(const std::string& text) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, ",")) numbers.push_back(std::stoi(part));
  return numbers;
}

std::vector<Equivalent> read_equivalents() {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) +
                     "/profiler/execution/sass/tests/ptxas_equivalents.txt");
  std::vector<Equivalent> equivalents;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> fields = split(line, " | ");
    Equivalent equivalent{fields.at(0),
                          std::stoi(fields.at(1)),
                          numbers_of(fields.at(2)),
                          numbers_of(fields.at(3)),
                          std::stoi(fields.at(4)),
                          {}};
    for (const std::string& text : split(fields.at(5), "; ")) {
      const std::vector<std::string> parts = split(text, " # ");
      equivalent.code.push_back(
          {parts[0], parts.size() < 2 ? 0 : static_cast<std::uint32_t>(std::stoul(parts[1], nullptr, 16))});
    }
    equivalents.push_back(std::move(equivalent));
  }
  return equivalents;
}

std::uint64_t input_bits(int bytes, unsigned lane, unsigned round, unsigned seed) {
  if (bytes == 2) return half_pair_bits(lane, round, seed) & 0xffffu;
  if (bytes == 8) return double_bits(lane, round, seed);
  return round % 2 == 0 ? float_bits(lane, round, seed) : half_pair_bits(lane, round, seed);
}

constexpr unsigned rounds = 32;

std::vector<std::uint64_t> by_ptx(const Equivalent& equivalent) {
  std::vector<ptx::SnippetColumn> columns;
  for (std::size_t k = 0; k < equivalent.source_bytes.size(); ++k) {
    ptx::SnippetColumn column{equivalent.source_bytes[k], {}};
    for (unsigned i = 0; i < 32 * rounds; ++i)
      column.values.push_back(input_bits(column.bytes, i % 32, i / 32, static_cast<unsigned>(k)));
    columns.push_back(std::move(column));
  }
  return ptx::run_snippet(equivalent.ptx, equivalent.result_bytes, columns,
                          std::vector<bool>(32 * rounds, true));
}

std::vector<Opcode> all_opcodes() {
  std::vector<Opcode> all;
  for (const auto family : {float_opcodes, double_opcodes, half_opcodes, convert_opcodes}) {
    const std::span<const Opcode> opcodes = family();
    all.insert(all.end(), opcodes.begin(), opcodes.end());
  }
  return all;
}

// A source of 16 bits has other bits above it.
std::vector<std::uint64_t> by_machine_code(SassSnippet& snippet, const Equivalent& equivalent) {
  std::vector<std::uint64_t> results;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < equivalent.source_bytes.size(); ++k) {
      const int bytes = equivalent.source_bytes[k], reg = equivalent.source_registers[k];
      const auto bits = [&](unsigned lane) {
        return input_bits(bytes, lane, round, static_cast<unsigned>(k));
      };
      snippet.set(reg, [&](unsigned lane) {
        return static_cast<std::uint32_t>(bits(lane)) | (bytes == 2 ? 0x12340000u : 0);
      });
      if (bytes == 8)
        snippet.set(reg + 1, [&](unsigned lane) { return static_cast<std::uint32_t>(bits(lane) >> 32); });
    }
    for (const MachineCode& code : equivalent.code) snippet.run(code.text, code.immediate);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint64_t result = equivalent.result_bytes == 8
                                       ? snippet.get64(equivalent.result_register, lane)
                                       : snippet.get(equivalent.result_register, lane);
      results.push_back(equivalent.result_bytes == 2 ? result & 0xffffu : result);
    }
  }
  return results;
}

// Scaling around MUFU rounds once more than the PTX interpreter does. MUFU flushes denormals, also for an angle whose
// sine would be one.
bool is_near(std::uint64_t got, std::uint64_t want) {
  const float a = std::bit_cast<float>(static_cast<std::uint32_t>(got)),
              b = std::bit_cast<float>(static_cast<std::uint32_t>(want));
  return std::isfinite(a) && std::isfinite(b) && std::fabs(a - b) <= std::fabs(b) * 2.5e-7f + 8e-38f;
}

// Signs are changed by sums, which give the NaN of arithmetic, where the PTX interpreter keeps a NaN's payload.
bool changes_sign(const std::string& ptx) {
  return ptx.starts_with("abs.") || ptx.starts_with("neg.") || ptx.starts_with("cvt.ftz.f64.f32");
}
// Whether both are the same or both NaN, for numbers of `bits` whose infinity is `infinity`.
bool same_or_nan(std::uint64_t got, std::uint64_t want, int bits, std::uint64_t infinity) {
  const std::uint64_t size = (std::uint64_t{1} << (bits - 1)) - 1;
  return got == want || ((got & size) > infinity && (want & size) > infinity);
}
bool same_numbers(const Equivalent& equivalent, std::uint64_t got, std::uint64_t want) {
  if (equivalent.result_bytes == 8) return same_or_nan(got, want, 64, 0x7ff0000000000000);
  const bool is_bf16 = equivalent.ptx.find("bf16") != std::string::npos;
  if (!is_bf16 && equivalent.ptx.find("f16") == std::string::npos)
    return same_or_nan(got, want, 32, 0x7f800000);
  const std::uint64_t infinity = is_bf16 ? 0x7f80 : 0x7c00;
  return same_or_nan(got & 0xffffu, want & 0xffffu, 16, infinity) &&
         same_or_nan(got >> 16, want >> 16, 16, infinity);
}

bool agrees(const Equivalent& equivalent, std::uint64_t got, std::uint64_t want) {
  if (got == want) return true;
  if (changes_sign(equivalent.ptx)) return same_numbers(equivalent, got, want);
  const bool is_approximate = equivalent.ptx.find(".approx") != std::string::npos ||
                              equivalent.ptx.find(".full") != std::string::npos;
  return is_approximate && equivalent.result_bytes == 4 && is_near(got, want);
}

// Handlers are compiled for several vector targets, and decoded for the one that is chosen.
class SassAgreement : public testing::TestWithParam<std::int64_t> {
 protected:
  ~SassAgreement() override { hwy::GetChosenTarget().DeInit(); }
};

TEST_P(SassAgreement, GivesWhatThePtxInterpreterGives) {
  const std::int64_t target = GetParam();
  if (target != 0 && (hwy::SupportedTargets() & target) == 0)
    GTEST_SKIP() << "this processor does not have it";
  const std::vector<Equivalent> equivalents = read_equivalents();
  ASSERT_GT(equivalents.size(), 500u);
  const std::vector<Opcode> opcodes = all_opcodes();
  SassSnippet snippet(opcodes);
  int failures = 0;
  for (const Equivalent& equivalent : equivalents) {
    SCOPED_TRACE(equivalent.ptx + " as " + equivalent.code.front().text);
    std::vector<std::uint64_t> want, got;
    ASSERT_NO_THROW(want = by_ptx(equivalent));
    hwy::GetChosenTarget().Update(target);
    ASSERT_NO_THROW(got = by_machine_code(snippet, equivalent));
    unsigned differences = 0;
    for (unsigned i = 0; i < got.size(); ++i) {
      if (agrees(equivalent, got[i], want[i])) continue;
      if (++differences > 1) continue;
      std::ostringstream sources;
      for (std::size_t k = 0; k < equivalent.source_bytes.size(); ++k)
        sources << std::hex << ' '
                << input_bits(equivalent.source_bytes[k], i % 32, i / 32, static_cast<unsigned>(k));
      ADD_FAILURE() << "of" << sources.str() << ": " << std::hex << got[i] << " instead of " << want[i];
    }
    failures += differences != 0 ? 1 : 0;
    if (failures > 20) break;
  }
}

INSTANTIATE_TEST_SUITE_P(VectorTargets, SassAgreement,
                         testing::Values(std::int64_t{0}, std::int64_t{HWY_AVX2}));

}  // namespace
}  // namespace tilescope::sass
