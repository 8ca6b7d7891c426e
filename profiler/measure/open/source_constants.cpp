#include "profiler/measure/open/source_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/open/chosen_values.hpp"

namespace tilescope {
namespace {

// A constant's number in the text: "32" of "#define TILE (32u)".
struct WrittenNumber {
  std::size_t begin = 0, end = 0;
  std::int64_t value = 0;
};

// None where the expression is more than a number in decimal digits.
std::optional<WrittenNumber> number_at(const std::string& text, const SourceConstant& constant,
                                       std::uint32_t position) {
  const std::size_t first = constant.value.find_first_not_of("( \t");
  const std::size_t behind = constant.value.find_first_not_of("0123456789", first);
  if (first == std::string::npos || first == behind) return std::nullopt;
  if (constant.value.find_first_not_of("uUlL) \t", behind) != std::string::npos) return std::nullopt;
  const std::size_t start = text.find_first_not_of(" \t", position);
  if (start == std::string::npos || text.compare(start, constant.value.size(), constant.value) != 0)
    return std::nullopt;
  WrittenNumber number{start + first, start + std::min(behind, constant.value.size())};
  const char* const end = text.data() + number.end;
  const auto [read, error] = std::from_chars(text.data() + number.begin, end, number.value);
  // A leading 0 makes an octal number.
  if (error != std::errc{} || read != end || number.value < 1 || text[number.begin] == '0')
    return std::nullopt;
  return number;
}

// In each of its places; empty where one of them is none, and where the name has different values: which of them the
// compiler takes is not known here.
std::vector<WrittenNumber> numbers_of(const std::string& text, const SourceConstant& constant) {
  std::vector<WrittenNumber> numbers;
  if (!constant.has_one_value) return numbers;
  for (const std::uint32_t position : constant.positions) {
    const auto number = number_at(text, constant, position);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

// The whole expression of a macro that is more than a number. Other constants are left to the host code's evaluation.
std::vector<WrittenNumber> expressions_of(const std::string& text, const SourceConstant& constant) {
  std::vector<WrittenNumber> expressions;
  if (constant.kind != SourceConstant::define) return expressions;
  for (const std::uint32_t position : constant.positions) {
    const std::size_t start = text.find_first_not_of(" \t", position);
    const bool is_there = constant.has_one_value && start != std::string::npos &&
                          text.compare(start, constant.value.size(), constant.value) == 0;
    if (!is_there)
      throw std::invalid_argument(
          fmt::format("{} (line {}) cannot be given another value: {}", constant.name, constant.line,
                      constant.has_one_value ? "its expression has comments or several lines"
                                             : "the file gives it several"));
    expressions.push_back({start, start + constant.value.size(), 0});
  }
  return expressions;
}

// Two powers of two on each side of the value, which is among them.
std::vector<std::int64_t> proposals_around(std::int64_t value) {
  std::vector<std::int64_t> proposals;
  std::int64_t power = 1;
  while (power <= value / 8) power *= 2;
  for (; power <= 4 * value && power < std::numeric_limits<std::int32_t>::max(); power *= 2) {
    if (power > value && (proposals.empty() || proposals.back() < value)) proposals.push_back(value);
    proposals.push_back(power);
  }
  return proposals;
}

std::int64_t chosen_constant(const std::string& name, const std::string& text) {
  const double value = chosen_number(name, text);
  if (value < 1 || value != std::floor(value) || value > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument(
        fmt::format("'{}' for {} must be a whole number from 1: a constant of the source", text, name));
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<OpenedConstant> constants_of(const std::string& text, const CudaSource& source) {
  std::vector<OpenedConstant> constants;
  for (const SourceConstant& constant : source.constants()) {
    const std::vector<WrittenNumber> numbers = numbers_of(text, constant);
    if (numbers.empty()) continue;
    const std::int64_t value = numbers.front().value;
    constants.push_back({constant.name, value, constant.line, proposals_around(value)});
  }
  return constants;
}

std::string with_constants(std::string text, const CudaSource& source,
                           const std::map<std::string, std::string>& chosen) {
  std::map<std::size_t, std::pair<WrittenNumber, std::int64_t>> from_the_end;
  for (const SourceConstant& constant : source.constants()) {
    const auto found = chosen.find(constant.name);
    if (found == chosen.end()) continue;
    std::vector<WrittenNumber> places = numbers_of(text, constant);
    if (places.empty()) places = expressions_of(text, constant);
    for (const WrittenNumber& number : places)
      from_the_end[text.size() - number.begin] = {number, chosen_constant(constant.name, found->second)};
  }
  for (const auto& [key, replacement] : from_the_end) {
    const auto& [number, value] = replacement;
    text.replace(number.begin, number.end - number.begin, std::to_string(value));
  }
  return text;
}

}  // namespace tilescope
