#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "profiler/execution/memory/carried_reads.hpp"
#include "profiler/execution/memory/register_trial.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Follows bits of registers that a load took from shared memory which nothing had written, until they matter: until an
/// address, a branch or a value stored to global memory depends on them. A compiler joins narrow loads to wide ones of
/// which it uses a part, and loads before it knows whether the value is needed: neither is a fault.
///
/// Which results of an instruction depend on them is found by executing it again with other bits in their place
/// (RegisterTrial), so no instruction needs a rule of its own. A value that is stored to shared memory is followed to the
/// loads of it (CarriedReads); one in local memory is not. A load that took nothing but unwritten bytes, and of which no
/// instruction reads the register, is there for its own sake (volatile): it is reported too.
class UndefinedValues {
 public:
  /// Equal parts of the lanes of one load.
  struct Load {
    const simt::Instruction* instruction = nullptr;
    /// [B] from a lane's address to the part
    std::uint32_t part = 0;
    /// Lanes whose part nothing had written, or that depend on an earlier read of such a part; and the read of each.
    simt::LaneMask lanes = 0;
    std::array<UnwrittenRead, simt::lane_count> reads{};
    /// Lanes of which the whole load is unwritten.
    simt::LaneMask wholly = 0;
    bool is_read = false, is_reported = false;
    /// Instructions that were executed again for it, and whether any other register came to depend on it.
    std::uint32_t trials = 0;
    bool has_spread = false;
    bool is_given_up() const { return trials > (has_spread ? 20'000u : 400u); }
    /// Numbers of other loads that the same values depend on.
    std::vector<RegisterTrial::Source> with;
  };
  /// Called with a load and the lanes of it that are reported.
  using Report = std::function<void(const Load&, simt::LaneMask lanes)>;

  UndefinedValues(const simt::Program& program, Report report);

  void begin(const simt::Block& block);
  void end();
  /// See simt::ValueFollower.
  const bool* is_following() const { return &is_following_; }
  /// Lanes of a load that take `bytes` from `part` of their address on [B], which are unwritten or depend on unwritten ones.
  struct Taken {
    std::uint32_t part = 0, bytes = 0;
    simt::LaneMask unwritten = 0, carried = 0;
    /// Lanes of which the whole load is unwritten.
    simt::LaneMask wholly = 0;
  };
  /// Called within Observer::access.
  void loaded(const simt::Warp& warp, const simt::MemoryAccess& access, const Taken& taken);
  /// Called within Observer::access, for what writes shared memory.
  void written(const simt::MemoryAccess& access) { carried_.written(access); }
  const CarriedReads& carried() const { return carried_; }
  /// See simt::ValueFollower.
  void before(const simt::Warp& warp, const simt::Instruction& at, simt::LaneMask lanes);
  void execute(simt::Warp& warp, const simt::Instruction& at);

 private:
  using Source = RegisterTrial::Source;
  enum class Kind : std::uint8_t { plain, load, store, atomic, other_memory };
  struct Registers {
    RegisterTrial::Undefined undefined;
    std::vector<Load> loads;  // by source - 1
    std::map<std::pair<const simt::Instruction*, std::uint32_t>, Source> known;
  };

  using Results = std::vector<std::pair<Source, RegisterTrial::Bytes>>;

  Kind kind_of(const simt::Instruction& at) const;
  Source source_of(Registers& own, const simt::Instruction* load, std::uint32_t part);
  void mark_read(Registers& own, const simt::Warp& warp, const simt::Instruction& at);
  void use_predicate(Registers& own, simt::Slot slot, simt::LaneMask lanes);
  void use_lanes(Registers& own, simt::Slot slot, simt::LaneMask lanes);
  void use(Registers& own, Source source, simt::LaneMask lanes);
  static void forget(Registers& own, Source source);
  void follow(Registers& own, RegisterTrial& trial);
  void check_addresses(Registers& own, RegisterTrial& trial);
  void check_stored(Registers& own, RegisterTrial& trial);
  void carry_stored(const Registers& own, RegisterTrial& trial, const RegisterTrial::Addresses& addresses);
  static void add_undefined(Registers& own, const RegisterTrial& trial, const RegisterTrial::Bytes& depending,
                            Source source);
  static void take_results(Registers& own, const Results& results, const RegisterTrial& trial);
  static void take_byte(Registers& own, const Results& results, std::size_t at, std::size_t place);
  void report_unread(const Load& load);
  void report_of(const Load& load, simt::LaneMask lanes) const;
  void update();

  const simt::Program& program_;
  Report report_;
  std::vector<Kind> kinds_;  // by Program::code
  std::vector<Registers> warps_;
  CarriedReads carried_;
  bool is_following_ = false;
};

}  // namespace tilescope
