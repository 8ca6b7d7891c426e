#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/sass/opcode.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// Collects the numbers of the code, for a load from a constant bank does not say which variable it counts from: ptxas
/// writes the variable's place into the load, or into a register.
class ConstantAddresses {
 public:
  /// Numbers among the operands: immediates, and words of the bank in which ptxas keeps further ones.
  void add(const simt::Program& program, const InstructionParts& parts);
  /// Sets `may_be_in_register` of the program's variables.
  void mark(simt::Program& program) const;

 private:
  std::vector<std::int64_t> numbers_;
};

}  // namespace tilescope::sass
