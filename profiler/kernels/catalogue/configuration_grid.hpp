#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// The configurations that expand_grid() lists, in its order, made one by one: a grid of 40 parameters has more than
/// 64 bits can count.
class ConfigurationGrid {
 public:
  ConfigurationGrid(const KernelDeclaration& kernel, const Configuration& base,
                    const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary);

  /// UINT64_MAX where it is that or more.
  std::uint64_t size() const;
  /// "25", or "about 1.3e+36".
  std::string size_text() const;
  /// How many values each varied parameter has; the last one changes first.
  const std::vector<std::size_t>& counts() const { return counts_; }
  /// `choices`: which value of each varied parameter.
  Configuration at(std::span<const std::size_t> choices) const;
  /// The choices at a place of a grid whose size() is known.
  std::vector<std::size_t> choices_at(std::uint64_t place) const;

 private:
  Configuration base_;
  std::vector<std::pair<std::string, std::vector<ParameterValue>>> varied_;
  std::vector<std::size_t> counts_;
};

/// The product, or UINT64_MAX where 64 bits do not hold it.
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

}  // namespace tilescope
