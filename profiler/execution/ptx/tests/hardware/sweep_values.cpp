#include "profiler/execution/ptx/tests/hardware/sweep_values.hpp"

#include <array>
#include <bit>
#include <limits>

#include "kernels/device/random_input.cuh"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {
namespace {

/// Every special value with every other; then `moderate` numbers up to the middle; then `any` bits.
template <class T, std::size_t N, class Moderate, class Any>
std::vector<std::byte> sweep_values(const std::array<T, N>& specials, bool is_second, Moderate moderate,
                                    Any any) {
  std::vector<T> values;
  for (std::size_t i = 0; i < sweep_count; ++i) {
    if (i < N * N) {
      values.push_back(specials[is_second ? i / N : i % N]);
    } else {
      values.push_back(i < sweep_count / 2 ? moderate(i) : any(i));
    }
  }
  return bytes_of_all(values);
}

unsigned long long bits_at(bool is_second, std::size_t i) {
  return hash_bits(hash_bits(is_second ? 12 : 11) + i);
}

}  // namespace

std::vector<std::byte> float_values(bool is_second) {
  using Limits = std::numeric_limits<float>;
  const std::array<float, 24> specials = {0.0F,
                                          -0.0F,
                                          Limits::infinity(),
                                          -Limits::infinity(),
                                          Limits::quiet_NaN(),
                                          Limits::denorm_min(),
                                          -Limits::denorm_min(),
                                          Limits::min(),
                                          -Limits::min() / 2,
                                          Limits::max(),
                                          Limits::lowest(),
                                          1.0F,
                                          -1.0F,
                                          0.5F,
                                          -0.5F,
                                          1.5F,
                                          2.5F,
                                          -2.5F,
                                          3.1415927F,
                                          127.5F,
                                          65520.0F,
                                          2147483648.0F,
                                          -2147483904.0F,
                                          4294967296.0F};
  return sweep_values(
      specials, is_second, [=](std::size_t i) { return 4 * random_input(1, is_second ? 12 : 11, i); },
      [=](std::size_t i) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(is_second, i))); });
}

std::vector<std::byte> double_values(bool is_second) {
  using Limits = std::numeric_limits<double>;
  const std::array<double, 16> specials = {0.0,
                                           -0.0,
                                           Limits::infinity(),
                                           -Limits::infinity(),
                                           Limits::quiet_NaN(),
                                           Limits::denorm_min(),
                                           Limits::min(),
                                           Limits::max(),
                                           1.0,
                                           -1.0,
                                           0.5,
                                           1.5,
                                           2.5,
                                           -3.5,
                                           709.0,
                                           -745.0};
  return sweep_values(
      specials, is_second, [=](std::size_t i) { return 4.0 * random_input(1, is_second ? 12 : 11, i); },
      [=](std::size_t i) { return std::bit_cast<double>(bits_at(is_second, i)); });
}

std::vector<std::byte> word_values(bool is_second) {
  const std::array<std::uint32_t, 24> specials = {
      0,      1,       2,          3,          7,          8,          15,         31,
      32,     33,      63,         64,         255,        256,        0x7fff,     0x8000,
      0xffff, 0x10000, 0x00ffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  return sweep_values(
      specials, is_second,
      [=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(is_second, i) % 1000); },
      [=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(is_second, i)); });
}

std::vector<std::byte> packed_values(bool is_second) {
  constexpr std::array<std::uint16_t, 24> halves = {
      0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x8001, 0x0400, 0x03ff, 0x7bff, 0xfbff, 0x3c00,
      0xbc00, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x3f80, 0xbf80};
  std::array<std::uint32_t, 24> specials{};
  for (std::size_t i = 0; i < halves.size(); ++i) {
    specials[i] = halves[i] | static_cast<std::uint32_t>(halves[(i * 7 + 3) % halves.size()]) << 16;
  }
  return sweep_values(
      specials, is_second,
      [=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(is_second, i)) & 0xbfffbfff; },
      [=](std::size_t i) { return static_cast<std::uint32_t>(bits_at(is_second, i)); });
}

}  // namespace tilescope::hardware
