#include "profiler/kernels/formula/formula_function.hpp"

#include <fmt/format.h>

#include <array>

namespace tilescope {
namespace {

std::array<std::span<const FormulaFunction>, 4> all_functions() {
  return {elementwise_functions(), row_functions(), product_functions(), shape_functions()};
}

}  // namespace

double FormulaArguments::number(std::size_t i) const {
  if ((*this)[i].size() != 1)
    fail(fmt::format("argument {} must be a number, and is {}", i + 1, shape_words((*this)[i].shape)));
  return (*this)[i].values[0];
}

std::int64_t FormulaArguments::whole(std::size_t i) const {
  const double value = number(i);
  if (value != std::floor(value) || std::fabs(value) > 1e15)
    fail(fmt::format("argument {} must be a whole number, and is {}", i + 1, value));
  return static_cast<std::int64_t>(value);
}

std::size_t FormulaArguments::axis(std::size_t i) const {
  const auto axes = static_cast<std::int64_t>((*this)[0].shape.size());
  if (axes == 0) fail("a number has no axis");
  std::int64_t axis = i < count() ? whole(i) : -1;
  if (axis < 0) axis += axes;
  if (axis < 0 || axis >= axes)
    fail(fmt::format("{} has {} axes, 0 to {}", shape_words((*this)[0].shape), axes, axes - 1));
  return static_cast<std::size_t>(axis);
}

void FormulaArguments::require_axes(std::size_t i, std::size_t fewest) const {
  if ((*this)[i].shape.size() >= fewest) return;
  fail(fmt::format("argument {} needs {} sizes and is {}: give its shape, as in x[M][N]", i + 1, fewest,
                   shape_words((*this)[i].shape)));
}

void FormulaArguments::fail(const std::string& sentence) const {
  throw FormulaError(fmt::format("{}: {}", usage_, sentence));
}

const FormulaFunction* formula_function(std::string_view name) {
  for (const auto& functions : all_functions()) {
    for (const FormulaFunction& function : functions)
      if (function.name == name) return &function;
  }
  return nullptr;
}

std::string formula_function_names() {
  std::string names;
  for (const auto& functions : all_functions()) {
    for (const FormulaFunction& function : functions) {
      if (!names.empty()) names += ", ";
      names += function.name;
    }
  }
  return names;
}

}  // namespace tilescope
