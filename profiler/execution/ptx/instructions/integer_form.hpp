#pragma once

#include <cstdint>

namespace tilescope::ptx {

/// The operations of integer arithmetic, for the choice of a handler.
enum class IntegerForm : std::uint8_t {
  add,
  subtract,
  add_saturated,
  subtract_saturated,
  minimum,
  maximum,
  minimum_relu,
  maximum_relu,
  negate,
  absolute,
  multiply_low,
  multiply_high,
  multiply_wide,
  multiply_add_low,
  multiply_add_high,
  multiply_add_high_saturated,
  multiply_add_wide,
  multiply_24_low,
  multiply_24_high,
  multiply_add_24_low,
  multiply_add_24_high,
  multiply_add_24_high_saturated,
};

}  // namespace tilescope::ptx
