#include "profiler/execution/step/code_places.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

struct PhaseName {
  StepPhase phase;
  const char* name;
  char letter;
};
constexpr std::array phase_names = {
    PhaseName{StepPhase::load, "load", 'l'},       PhaseName{StepPhase::scores, "scores", 'c'},
    PhaseName{StepPhase::softmax, "softmax", 'm'}, PhaseName{StepPhase::accumulate, "accumulate", 'a'},
    PhaseName{StepPhase::store, "store", 's'},     PhaseName{StepPhase::other, "other", 'o'},
};

const PhaseName& row_of(StepPhase phase) {
  return *std::ranges::find(phase_names, phase, &PhaseName::phase);
}

// "load" of "void load<SharedTile<0, 64, 8> >(half*, ...)" and of "MmaKeyLoop<T>::load": the function's own name.
std::string_view bare_name(std::string_view function) {
  std::size_t end = 0;
  int depth = 0;
  std::size_t begin = 0;
  for (; end < function.size(); ++end) {
    const char c = function[end];
    if (c == '(' && depth == 0) break;
    if (c == '<' && depth == 0) {
      // The name ends here, unless more follows behind the arguments of a class.
      std::size_t behind = end;
      int open = 0;
      do {
        if (function[behind] == '<') ++open;
        if (function[behind] == '>') --open;
        ++behind;
      } while (open > 0 && behind < function.size());
      if (behind >= function.size() || function.substr(behind, 2) != "::") break;
      end = behind + 1;
      begin = end + 1;
      continue;
    }
    if (c == ' ' || c == ':') begin = end + 1;
  }
  return function.substr(begin, end - begin);
}

std::optional<StepPhase> phase_named(std::string_view name) {
  const auto found = std::ranges::find(phase_names, name, &PhaseName::name);
  if (found == phase_names.end() || found->phase == StepPhase::other) return std::nullopt;
  return found->phase;
}

std::optional<StepPhase> declared_phase(std::string_view function,
                                        const std::vector<PhaseDeclaration>& phases) {
  for (const PhaseDeclaration& declared : phases) {
    if (std::ranges::find(declared.functions, function) != declared.functions.end())
      return phase_named(to_string(declared.phase));
  }
  return std::nullopt;
}

StepPhase phase_of_instruction(const simt::DataFacts& data) {
  if (data.use == simt::DataUse::async_copy) return StepPhase::load;
  if (data.space != simt::Space::global) return StepPhase::other;
  if (data.use == simt::DataUse::load) return StepPhase::load;
  return data.use == simt::DataUse::store ? StepPhase::store : StepPhase::other;
}

StepPhase phase_of(const simt::Program& program, const simt::Origin& origin,
                   const std::vector<PhaseDeclaration>& phases) {
  std::optional<StepPhase> phase;
  for (const simt::SourceLine& line : source_lines(program, origin.location)) {  // innermost first
    const std::string_view function = bare_name(line.function);
    if (!phases.empty()) {
      if (const auto declared = declared_phase(function, phases)) return *declared;
    } else if (const auto named = phase_named(function)) {
      phase = named;
    }
  }
  return phase.value_or(phase_of_instruction(origin.data));
}

}  // namespace

std::string to_string(StepPhase phase) {
  return row_of(phase).name;
}

char letter_of(StepPhase phase) {
  return row_of(phase).letter;
}

CodePlaces::CodePlaces(const simt::Program& program, std::string_view main_file,
                       const std::vector<PhaseDeclaration>& phases)
    : program_(program) {
  places_.reserve(program.origins.size());
  for (std::uint32_t i = 0; i < program.origins.size(); ++i) {
    const SitePlace place = place_of(program, i, main_file);
    const bool in_main_file = main_file.empty() || place.file == main_file;
    places_.push_back({in_main_file ? place.line : 0,
                       place.ptx_line,
                       phase_of(program, program.origins[i], phases),
                       place.inlined.empty() ? "" : place.inlined.front(),
                       {}});
    // Without the names of the functions.
    for (const std::string& frame : place.inlined)
      places_.back().frames.push_back(frame.substr(0, frame.find(' ')));
  }
  places_of_code_.reserve(program.code.size());
  for (const simt::Instruction& instruction : program.code) places_of_code_.push_back(instruction.origin);
}

}  // namespace tilescope
