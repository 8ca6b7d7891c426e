#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// Meaning of an instruction that accesses memory for the order of the accesses of several threads.
struct GlobalSite {
  std::uint32_t origin = simt::no_index;
  bool is_atomic = false;
  /// An atomic, or volatile, relaxed, acquire, release: two of them never race.
  bool is_strong = false;
  /// A release without a fence before it (st.release, atom.acq_rel): orders what its thread did before.
  bool releases = false;
  /// A store by st, of which the value is known.
  bool has_value = false;
};

/// The sites of a program by small numbers.
class GlobalSites {
 public:
  explicit GlobalSites(const simt::Program& program);

  /// In a program with more sites than numbers the last ones share one.
  std::uint16_t number_of(const simt::Instruction& instruction, simt::Access access);
  const GlobalSite& operator[](std::uint16_t number) const { return sites_[number]; }
  /// Whether it is a store of a value that is computed from a load of global memory. Searched for where it is first asked:
  /// few stores meet another access.
  bool stores_loaded(std::uint16_t number);

  /// Whether threads may order accesses otherwise than by barriers: the program has a fence or a release.
  static bool has_messages(const simt::Program& program);
  /// Whether blocks may wait for each other, or find out which of them is the last: it has atomics on global memory, or
  /// loads and stores that are strong.
  static bool orders_blocks(const simt::Program& program);

 private:
  GlobalSite site_of(const simt::Instruction& instruction, simt::Access access) const;

  const simt::Program& program_;
  std::vector<std::uint16_t> numbers_;  // by instruction
  std::vector<GlobalSite> sites_;
  std::vector<std::uint32_t> codes_;                // of sites_, into Program::code
  std::vector<std::optional<bool>> stores_loaded_;  // of sites_
};

}  // namespace tilescope
