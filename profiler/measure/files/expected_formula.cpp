#include "profiler/measure/files/expected_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "profiler/measure/files/launch_expected.hpp"

namespace tilescope {
namespace {

std::uint64_t count_of(const LaunchBuffer& buffer) {
  return buffer.bytes.size() / buffer.element.bytes;
}

// Elements before the launch, as one row.
SharedArray values_before(const LaunchBuffer& buffer) {
  NumberArray array;
  array.shape = {count_of(buffer)};
  const std::uint64_t count = elements_of(array.shape);
  std::vector<std::byte> written;
  if (buffer.bytes.pattern) {
    written.resize(buffer.bytes.size());
    buffer.bytes.pattern->write(written.data(), 0, written.size());
  }
  const std::vector<std::byte>& contents = buffer.bytes.pattern ? written : buffer.bytes.contents;
  array.values.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, contents.data() + i * buffer.element.bytes, buffer.element.bytes);
    array.values[i] = static_cast<double>(number_of(bits, buffer.element));
  }
  return std::make_shared<const NumberArray>(std::move(array));
}

// A value that is too large for the element is infinite in it; a whole number loses its fraction, as in C.
std::uint64_t bits_in(double value, const Element& element) {
  if (element.kind == Element::Kind::floating) {
    try {
      return floating_bits(value, element);
    } catch (const std::invalid_argument&) {
      return floating_bits(std::copysign(std::numeric_limits<double>::infinity(), value), element);
    }
  }
  constexpr double most = 9.2e18;
  if (!(std::fabs(value) < most))
    throw FormulaError(fmt::format("{} is no value of {}", value, element.name));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// Checks that the result fits the buffer.
void require_fit(const NumberArray& result, const Formula& formula, const LaunchBuffer& buffer) {
  const std::uint64_t whole = count_of(buffer);
  const bool is_part = !result.shape.empty() && result.size() < whole;
  if (result.size() <= whole && (!is_part || formula.gives_shape())) return;
  throw FormulaError(fmt::format("it gives {} elements, and '{}' has {}{}", result.size(), buffer.name, whole,
                                 is_part ? fmt::format(": for the first {0} alone write {1}[{0}] = ...",
                                                       result.size(), formula_name(buffer.name))
                                         : ""));
}

}  // namespace

SharedArray NamesOfLaunch::operator()(const std::string& name) {
  SharedArray& known = known_[name];
  if (known) return known;
  const auto buffer = std::ranges::find(launch_.buffers, name,
                                        [](const LaunchBuffer& one) { return formula_name(one.name); });
  if (buffer != launch_.buffers.end()) return known = values_before(*buffer);
  const auto number = launch_.numbers.find(name);
  if (number == launch_.numbers.end()) return nullptr;
  return known = std::make_shared<const NumberArray>(one_number(number->second));
}

FormulaValues values_of(const std::shared_ptr<const Formula>& formula, const LaunchBuffer& buffer,
                        NamesOfLaunch& names, const std::function<bool()>& cancelled) {
  NumberArray result = formula->value([&](const std::string& name) { return names(name); }, cancelled);
  require_fit(result, *formula, buffer);
  const bool is_one_for_all = result.shape.empty();
  FormulaValues of;
  of.values.formula = formula;
  of.values.tolerance = default_tolerance(buffer.element);
  of.values.count = is_one_for_all ? count_of(buffer) : result.size();
  const std::size_t bytes = buffer.element.bytes;
  of.values.values.resize(result.size() * bytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::uint64_t bits = bits_in(result.values[i], buffer.element);
    std::memcpy(of.values.values.data() + i * bytes, &bits, bytes);
  }
  if (!is_one_for_all) of.values.scales = std::move(result.scales);
  if (result.shape.size() > 1 && result.size() == count_of(buffer)) of.shape = std::move(result.shape);
  return of;
}

void compute_formulas(LaunchFile& launch, const std::function<bool()>& cancelled) {
  NamesOfLaunch names(launch);
  for (LaunchBuffer& buffer : launch.buffers) {
    if (!buffer.expected || !buffer.expected->formula) continue;
    try {
      FormulaValues computed = values_of(buffer.expected->formula, buffer, names, cancelled);
      computed.values.tolerance = buffer.expected->tolerance;
      computed.values.marks_output = buffer.expected->marks_output;
      if (!computed.shape.empty()) buffer.shape = std::move(computed.shape);
      buffer.is_output =
          buffer.is_output || (computed.values.marks_output && computed.values.count == count_of(buffer));
      buffer.expected = std::move(computed.values);
    } catch (const FormulaError& error) {
      throw LaunchFileError(fmt::format("the formula of '{}': {}", buffer.name, error.what()));
    }
  }
}

}  // namespace tilescope
