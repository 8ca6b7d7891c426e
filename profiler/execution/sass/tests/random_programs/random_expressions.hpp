#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace tilescope::random_programs {

/// Types of expressions; in a pattern "%i" stands for one of type i32.
enum class Type : char {
  i32 = 'i',
  u32 = 'u',
  i64 = 'l',
  u64 = 'm',
  f32 = 'f',
  f64 = 'd',
  halves = 'h',
  truth = 'c'
};

/// Random CUDA expressions over the variables a0 to a3, u0 to u3, l0, l1, m0, m1, f0 to f2, d0, d1 and h0, h1 (halves in
/// an unsigned), an array `local` of 8 ints, and the kernel's `in`.
class Expressions {
 public:
  explicit Expressions(std::uint64_t seed) : random_(seed) {}

  /// With at most `depth` operations inside each other.
  std::string expression(Type type, int depth);
  /// The name of a variable.
  std::string variable(Type type);
  /// 0 to count - 1
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
  bool one_in(unsigned count) { return below(count) == 0; }

  /// Calls to functions are among the expressions of i32 and f32.
  int functions = 0;

 private:
  std::string leaf(Type type);
  std::string fill(std::string_view pattern, int depth);

  std::mt19937_64 random_;
};

/// Definitions that every program begins with.
extern const char* const helpers;

}  // namespace tilescope::random_programs
