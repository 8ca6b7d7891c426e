#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Executes one instruction several times, with other values in undefined bits of its registers, to find what depends on
/// them. After each call the registers are as before it.
class RegisterTrial {
 public:
  /// A number above 0 for what made a byte undefined.
  using Source = std::uint16_t;
  using Bytes = std::vector<std::uint8_t>;
  /// Undefined bits of a warp's register file, with the source of each byte, and the number of bytes that have any.
  struct Undefined {
    Bytes bits;
    std::vector<Source> source;
    std::size_t count = 0;
    /// The number of such bytes in each slot.
    std::vector<std::uint16_t> of_slot;
    void make(std::uint32_t slots);
    void set(std::size_t byte, std::uint8_t mask, Source from);
  };
  /// Neighbouring bytes of the register file, and where they begin in the Bytes of all parts.
  struct Part {
    std::size_t first = 0, bytes = 0, begin = 0;
  };
  /// The addresses of a memory instruction.
  struct Addresses {
    simt::Space space = simt::Space::global;
    std::uint32_t lane_bytes = 0;
    simt::LaneMask lanes = 0;
    std::vector<std::uint64_t> of_lane;
    bool has_fault = false;
  };

  /// Whether registers that the instruction may read or write have undefined bits.
  static bool has_undefined(const simt::Warp& warp, const simt::Instruction& at, const Undefined& undefined);

  RegisterTrial(simt::Warp& warp, const simt::Instruction& at, const Undefined& undefined);

  /// All sources in the registers that the instruction may read or write.
  const std::vector<Source>& sources() const { return sources_; }
  /// Where those registers lie in the register file.
  const std::vector<Part>& parts() const { return parts_; }
  /// Bits of all parts() that differ after the instruction when bits of the source have other values; without one for a
  /// load with other bytes in `shared` memory at `changed`.
  Bytes results_depending_on(Source source);
  Bytes results_depending_on(std::span<std::byte> shared, const std::vector<std::size_t>& changed);
  /// None where the instruction reports no access. The second one: with other bits of the source.
  std::optional<Addresses> addresses();
  std::optional<Addresses> addresses_with_other(Source source);
  /// By lane of a store, of 16 B at most: a bit for each byte that is another one when the source has other bits.
  std::array<std::uint16_t, simt::lane_count> bytes_storing(Source source, simt::LaneMask lanes);
  /// Lanes with any such byte.
  simt::LaneMask lanes_storing(Source source, simt::LaneMask lanes);

 private:
  /// A word of 8 bytes of which some are undefined because of one source.
  struct Place {
    std::size_t byte = 0;      // of the register file
    std::size_t distance = 0;  // [B] from the named slot to which it belongs
    std::uint64_t bytes = 0;   // 0xff for each of them
    Source source = 0;
  };

  void add_part(simt::Slot slot);
  void add_undefined(simt::Slot slot);
  void clear_others(Source source);
  bool has_variant(int variant) const;
  template <class Word>
  void change_words(Source source, const Word& other);
  void change(Source source, int variant);
  void restore(const Bytes& bytes);
  Bytes current() const;
  void add_differences(const Bytes& results, Bytes& differing) const;
  void execute();
  std::optional<Addresses> listen();

  simt::Warp& warp_;
  const simt::Instruction& at_;
  const Undefined& undefined_;
  std::byte* file_;
  simt::LaneMask exec_, carry_;
  std::vector<simt::Slot> slots_;
  std::vector<Part> parts_;
  std::vector<Place> undefined_places_;  // by source
  std::vector<Source> sources_;
  Bytes before_;
};

}  // namespace tilescope
