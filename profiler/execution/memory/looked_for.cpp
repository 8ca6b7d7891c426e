#include "profiler/execution/memory/looked_for.hpp"

#include "profiler/execution/memory/memory_checker.hpp"

namespace tilescope {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace

LookedFor looked_for(const simt::Program& program, const KnownBuffers& buffers) {
  LookedFor checked;
  const bool is_machine_code = program.is_machine_code;
  auto& families = checked.families;
  auto& others = checked.not_looked_for;
  if (MemoryChecker::uses_mbarriers(program)) {
    families.emplace_back("races on global memory between blocks");
    others.emplace_back("races within a block (mbarriers order it)");
  } else {
    families.emplace_back("races on shared memory");
    families.emplace_back("races on global memory, also between blocks");
  }
  families.emplace_back("accesses out of bounds or misaligned");
  families.emplace_back("reads of unwritten shared memory");
  families.emplace_back(is_machine_code ? "deadlocks at barriers" : "barriers that not all threads reach");
  families.emplace_back("shuffles of absent lanes");
  if (buffers.outputs) families.emplace_back("unwritten elements of outputs");
  if (buffers.values.value_or(false))
    families.emplace_back("values other than the launch file's \"expected\" ones");
  if (buffers.types) families.emplace_back("where a stored NaN begins");
  if (is_machine_code) {
    others.emplace_back(
        "a missing __syncwarp(), barriers that threads of a warp reach apart and masks of shuffles and votes "
        "(run the PTX for them)");
  } else {
    families.emplace_back("masks that leave out their own threads");
  }
  if (!buffers.outputs) others.emplace_back("unwritten elements (mark a buffer with \"output\": true)");
  if (!buffers.values.value_or(true)) others.emplace_back("wrong values (give a buffer \"expected\" ones)");
  others.emplace_back("reads of unwritten global memory");
  if (!buffers.types) others.emplace_back("where a NaN begins");
  return checked;
}

std::string sentence_of(const LookedFor& checked) {
  std::string text = "Looked for: " + joined(checked.families) + ".";
  if (!checked.not_looked_for.empty()) text += " Not looked for: " + joined(checked.not_looked_for) + ".";
  return text;
}

}  // namespace tilescope
