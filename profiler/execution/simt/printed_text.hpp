#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Text that the kernel's printf writes.
namespace tilescope::simt {

/// One call of printf by one thread.
struct PrintedText {
  /// Index of the thread's block.
  std::uint64_t linear_block = 0;
  std::array<std::uint32_t, 3> block{};
  /// Linear index in its block.
  std::uint32_t thread = 0;
  /// Into Program::origins.
  std::uint32_t origin = 0;
  /// With the line ends that the kernel printed.
  std::string text;
};

/// All texts of a run. As much is kept as a GPU's buffer holds by default (cudaLimitPrintfFifoSize).
class PrintLog {
 public:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;
  /// Memory that a short text takes beside its characters.
  static constexpr std::size_t bytes_beside = 64;

  /// False where there is no room left; the text is dropped.
  bool add(PrintedText text) {
    const std::size_t bytes = text.text.size() + bytes_beside;
    if (bytes > most_bytes - bytes_) {
      ++dropped_;
      return false;
    }
    bytes_ += bytes;
    texts_.push_back(std::move(text));
    return true;
  }
  const std::vector<PrintedText>& texts() const { return texts_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::vector<PrintedText> texts_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tilescope::simt
