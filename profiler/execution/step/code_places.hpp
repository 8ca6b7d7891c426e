#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// Task of a part of an attention kernel.
enum class StepPhase : std::uint8_t { load, scores, softmax, accumulate, store, other };
std::string to_string(StepPhase phase);
/// The letter of StepTimeline::warps: 'l', 'c', 'm', 'a', 's', 'o'.
char letter_of(StepPhase phase);

/// Source place of each instruction of a program.
class CodePlaces {
 public:
  /// The innermost function that belongs to one of the declared `phases` decides; without any, the outermost function
  /// that has a phase's name. Instructions of no such function are judged by what they do: copies from global memory
  /// load, stores to it store.
  CodePlaces(const simt::Program& program, std::string_view main_file,
             const std::vector<PhaseDeclaration>& phases);

  struct Place {
    /// In the kernel's own file; 0: unknown.
    std::uint32_t line = 0;
    std::uint32_t ptx_line = 0;
    StepPhase phase = StepPhase::other;
    /// "mma_key_loop.cuh:225" for code of another file, else "".
    std::string inlined;
    /// As WarpStop::frames.
    std::vector<std::string> frames;
  };
  /// By index into Program::code.
  const Place& at(std::uint32_t code) const { return places_[places_of_code_[code]]; }
  /// Into all().
  std::uint32_t number_of(std::uint32_t code) const { return places_of_code_[code]; }
  const std::vector<Place>& all() const { return places_; }
  const std::string& text(std::uint32_t code) const {
    return program_.origins[program_.code[code].origin].text;
  }
  const simt::DataFacts& data(std::uint32_t code) const {
    return program_.origins[program_.code[code].origin].data;
  }

 private:
  const simt::Program& program_;
  std::vector<Place> places_;  // by origin
  std::vector<std::uint32_t> places_of_code_;
};

}  // namespace tilescope
