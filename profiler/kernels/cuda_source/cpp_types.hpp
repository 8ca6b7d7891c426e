#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

struct ArithmeticType {
  bool is_floating = false, is_bool = false, is_signed = true;
  int bits = 32;
};

/// Width and signedness of an arithmetic type of C++, such as "const unsigned int" or "std::size_t". None for any other
/// type, also for "auto", pointers and half.
std::optional<ArithmeticType> arithmetic_type(std::string_view type);

/// Size of a type in bytes, such as "const float4", "unsigned long long" or "int*". None for one that is not built into
/// C++ or CUDA.
std::optional<int> size_of_type(std::string_view type);

/// Alignment of a type that has a size. [bytes]
int alignment_of_type(std::string_view type);

/// Whether a type is dim3 or one of CUDA's vectors of integers, such as uint2.
bool is_vector_type(std::string_view type);

/// A type without const, volatile, constexpr, static, inline, std:: and outer spaces.
std::string plain_type(std::string_view type);

}  // namespace tilescope
