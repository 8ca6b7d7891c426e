#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tilescope::damaged_code {

/// Decisions of a generator: random ones of a seed, or those that a fuzzer's bytes say.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed), is_random_(true) {}
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint64_t bits(int bytes = 8) {
    if (is_random_) return random_();
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | next();
    return value;
  }
  /// 0 to count - 1; 0 when the bytes are used up.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : bits(count > 256 ? 4 : 1) % count; }
  bool one_in(std::size_t count) { return below(count) == count - 1; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  std::mt19937_64 random_;
  std::span<const std::uint8_t> bytes_;
  bool is_random_ = false;
};

}  // namespace tilescope::damaged_code
