#include "profiler/execution/memory/value_source.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "profiler/execution/memory/float_form.hpp"

namespace tilescope {
namespace {

using simt::DataUse;

constexpr std::size_t most_instructions = 400;

bool loads(const simt::DataFacts& data) {
  return data.use == DataUse::load || data.use == DataUse::constant_load || data.use == DataUse::matrix_load;
}
bool loads_global(const simt::DataFacts& data) {
  return data.use == DataUse::load &&
         (data.space == simt::Space::global || data.space == simt::Space::generic);
}

class LoadSearch {
 public:
  explicit LoadSearch(const simt::Program& program) : program_(program) {}

  bool reaches_load(std::size_t store) {
    want(float_form_of(program_, program_.code[store]).sources);
    const std::size_t first = store > most_instructions ? store - most_instructions : 0;
    for (std::size_t at = store; at-- > first && !wanted_.empty();) {
      const simt::Instruction& instruction = program_.code[at];
      if (instruction.flow != simt::Flow::enter_block && passes(instruction)) return true;
    }
    return false;
  }

 private:
  void want(const std::vector<simt::Slot>& registers) { wanted_.insert(registers.begin(), registers.end()); }

  // Whether it loads a wanted register; else what it computes it from is wanted.
  bool passes(const simt::Instruction& instruction) {
    const FloatForm form = float_form_of(program_, instruction);
    const auto is_wanted = [&](simt::Slot result) { return wanted_.contains(result); };
    if (std::ranges::none_of(form.results, is_wanted)) return false;
    const simt::DataFacts& data = program_.origins[instruction.origin].data;
    if (loads_global(data)) return true;
    if (instruction.guard == simt::no_slot) {
      for (const simt::Slot result : form.results) wanted_.erase(result);
    }
    if (!loads(data)) want(form.sources);
    return false;
  }

  const simt::Program& program_;
  std::set<simt::Slot> wanted_;
};

}  // namespace

bool stores_loaded_value(const simt::Program& program, std::size_t store) {
  return LoadSearch(program).reaches_load(store);
}

}  // namespace tilescope
