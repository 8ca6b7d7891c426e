#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/execution/memory/float_form.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "sessions/memory_counts.hpp"

namespace tilescope {

/// Follows NaNs through the registers, the shared and the local memory of a block, from the instruction that made them of
/// numbers to the store to global memory. A NaN that is not stored is left alone: masks make some and choose others.
/// One that was loaded, or came by a way that is not followed (ldmatrix, atomics, cp.async), has no origin.
class NanTracer : public simt::Observer {
 public:
  explicit NanTracer(const simt::Program& program);

  bool wants_instructions() const override { return true; }
  void before(const simt::Warp& warp, const simt::Instruction& at) override;
  void after(const simt::Warp& warp, const simt::Instruction& at) override;
  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override;
  bool fault(const simt::Fault& fault) override { return fault.kind == simt::FaultKind::out_of_bounds; }

  /// The instruction whose NaN was stored first.
  std::optional<Finding> finding(std::string_view main_file) const;

 private:
  using Lanes = std::array<std::uint32_t, simt::lane_count>;  // into makings_, or none or unknown
  // An instruction that made a NaN, the first time.
  struct Making {
    std::uint32_t origin = simt::no_index;
    std::uint32_t thread = 0;
    int lane = 0;
    std::string inputs;
    bool is_in_compiler_function = false;
  };
  struct Stored {
    std::uint32_t making = 0, origin = simt::no_index;
    std::uint64_t address = 0;
    std::string buffer;
    std::array<std::uint32_t, 3> block{};
  };
  bool is_of_compiler(const simt::Instruction& at) const;
  bool makes_literal(const simt::Warp& warp, const simt::Instruction& at, const FloatForm& form,
                     int lane) const;
  const FloatForm& form_of(const simt::Instruction& at);
  std::uint32_t making_of(const simt::Warp& warp, const simt::Instruction& at, const FloatForm& form,
                          int lane);
  std::uint32_t origin_in(const simt::Warp& warp, simt::Slot slot, int lane) const;
  void set_origin(const simt::Warp& warp, simt::Slot slot, int lane, std::uint32_t making);
  void note_sources(const simt::Warp& warp, const FloatForm& form, int lane);
  std::uint32_t result_of(const simt::Warp& warp, const simt::Instruction& at, const FloatForm& form,
                          std::size_t result, int lane);
  std::uint64_t place_of_access(const simt::Warp& warp, const simt::MemoryAccess& access, int lane,
                                std::uint64_t element) const;
  void keep_stored(const simt::Warp& warp, const simt::MemoryAccess& access, const FloatForm& form);

  const simt::Program& program_;
  std::vector<std::optional<FloatForm>> forms_;  // by Program::code
  // By warp: the last instruction outside the compiler's functions, which calls them.
  std::vector<std::uint32_t> callers_;
  std::vector<std::unordered_map<simt::Slot, Lanes>> registers_;  // by warp
  std::unordered_map<std::uint64_t, std::uint32_t> memory_;       // by place
  std::vector<Making> makings_;
  std::map<std::uint32_t, std::uint32_t> making_numbers_;  // by origin
  // NaNs among the sources of the instruction that is executed, by lane, and in the elements that it loads.
  Lanes sources_{};
  std::array<std::string, simt::lane_count> inputs_;
  std::array<std::array<std::uint32_t, 16>, simt::lane_count> loaded_{};
  std::optional<Stored> stored_;
  std::uint64_t stores_ = 0;
};

}  // namespace tilescope
