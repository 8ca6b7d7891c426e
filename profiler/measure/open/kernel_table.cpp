#include "profiler/measure/open/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/sass/instruction_facts.hpp"
#include "profiler/explanation/occupancy/cliffs.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/measure/files/symbol_names.hpp"

namespace tilescope {
namespace {

constexpr std::int64_t usual_threads = 256;
constexpr std::size_t most_loops = 8;

// A loop by its instructions: [first, last].
struct Span {
  std::size_t first = 0, last = 0;
  bool holds(std::size_t at) const { return first <= at && at <= last; }
};

std::optional<std::size_t> target_of(const sass::Function& function, const sass::Instruction& jump) {
  for (const std::string& operand : jump.operands) {
    if (!operand.starts_with("`(") || !operand.ends_with(")")) continue;
    const std::string name = operand.substr(2, operand.size() - 3);
    const auto label = std::ranges::find(function.labels, name, &sass::Label::name);
    if (label != function.labels.end()) return label->before;
  }
  return std::nullopt;
}

// Jumps to one place end one loop: the last of them. A jump to itself behind the end of a kernel pads the code.
std::vector<Span> spans_of(const sass::Function& function) {
  std::map<std::size_t, std::size_t> last_of;
  for (std::size_t at = 0; at < function.instructions.size(); ++at) {
    const sass::Instruction& instruction = function.instructions[at];
    if (!instruction.opcode.starts_with("BRA")) continue;
    const std::optional<std::size_t> target = target_of(function, instruction);
    if (target && *target < at) last_of[*target] = std::max(last_of[*target], at);
  }
  std::vector<Span> spans;
  spans.reserve(last_of.size());
  for (const auto& [first, last] : last_of) spans.push_back({first, last});
  return spans;
}

int depth_at(const std::vector<Span>& spans, std::size_t at) {
  return static_cast<int>(std::ranges::count_if(spans, [&](const Span& span) { return span.holds(at); }));
}

// The kernel's own line of an instruction, none without line information.
std::optional<sass::Place> place_of(const sass::Disassembly& code, const sass::Instruction& instruction) {
  if (instruction.chain == sass::no_index || code.chains[instruction.chain].empty()) return std::nullopt;
  sass::Place place = code.chains[instruction.chain].back();
  if (place.line == 0) return std::nullopt;
  place.file = std::filesystem::path(place.file).filename().string();
  return place;
}

std::int64_t bytes_of_access(const std::string& opcode) {
  if (opcode.find(".128") != std::string::npos) return 16;
  return opcode.find(".64") != std::string::npos ? 8 : 4;
}

std::vector<SpilledLine> spills_of(const sass::Disassembly& code, const sass::Function& function) {
  const std::vector<Span> loops = spans_of(function);
  std::map<std::pair<std::string, std::int64_t>, SpilledLine> by_line;
  for (std::size_t at = 0; at < function.instructions.size(); ++at) {
    const sass::Instruction& instruction = function.instructions[at];
    if (instruction.remark != "SpillRefill") continue;
    const sass::Place place = place_of(code, instruction).value_or(sass::Place{});
    SpilledLine& line = by_line[{place.file, place.line}];
    line.file = place.file;
    line.line = place.line;
    line.loop_depth = std::max(line.loop_depth, depth_at(loops, at));
    line.bytes += bytes_of_access(instruction.opcode);
  }
  std::vector<SpilledLine> lines;
  lines.reserve(by_line.size());
  for (auto& [place, line] : by_line) lines.push_back(std::move(line));
  std::ranges::stable_sort(lines, [](const SpilledLine& a, const SpilledLine& b) {
    return std::pair(-a.loop_depth, -a.bytes) < std::pair(-b.loop_depth, -b.bytes);
  });
  return lines;
}

bool is_tensor(const std::string& opcode) {
  return opcode.starts_with("HMMA") || opcode.starts_with("IMMA") || opcode.starts_with("DMMA") ||
         opcode.starts_with("QMMA") || opcode.starts_with("BMMA") || opcode.find("GMMA") != std::string::npos;
}

bool is_async(const std::string& opcode) {
  return opcode.starts_with("LDGSTS") || opcode.starts_with("UTMA") || opcode.starts_with("UBLK");
}

std::string pipe_of(const sass::Instruction& instruction, int architecture) {
  try {
    const sass::HardwarePipes pipes =
        sass::pipes_of(sass::facts_of(sass::text_of(instruction)), architecture);
    for (std::size_t pipe = 0; pipe < sass::hardware_pipe_count; ++pipe) {
      if (pipes.test(pipe)) return std::string(name_of(static_cast<sass::HardwarePipe>(pipe)));
    }
    return "issue slot alone";
  } catch (const std::exception&) {
    return "unknown";
  }
}

void count_instructions(const sass::Function& function, int architecture, OpenedKernel& kernel) {
  std::map<std::string, std::string> pipes;  // by opcode: reading an instruction takes longer
  for (const sass::Instruction& instruction : function.instructions) {
    if (instruction.opcode == "NOP") continue;
    ++kernel.instructions;
    if (is_tensor(instruction.opcode)) ++kernel.tensor_instructions;
    if (is_async(instruction.opcode)) ++kernel.async_instructions;
    auto known = pipes.find(instruction.opcode);
    if (known == pipes.end())
      known = pipes.emplace(instruction.opcode, pipe_of(instruction, architecture)).first;
    ++kernel.mix[known->second];
  }
}

std::int64_t threads_of(const sass::CubinKernel& kernel) {
  const auto& given = kernel.required_threads ? kernel.required_threads : kernel.max_threads;
  if (!given) return usual_threads;
  return static_cast<std::int64_t>((*given)[0]) * (*given)[1] * (*given)[2];
}

// A change of one quantity that takes the kernel to another number of blocks.
struct Change {
  /// Relative to the amount.
  double size = 0;
  std::string words;
};

Change change_to(const Cliff& cliff, const CliffStep& step, std::int64_t amount, const Occupancy& now) {
  const double size = static_cast<double>(std::abs(amount - cliff.amount)) /
                      static_cast<double>(std::max<std::int64_t>(cliff.amount, 1));
  return {size,
          fmt::format("{}: {} instead of {} per SM with {} instead of {}", to_words(cliff.quantity),
                      count_blocks(step.occupancy.blocks_per_sm), now.blocks_per_sm,
                      amount_words(cliff.quantity, amount), amount_words(cliff.quantity, cliff.amount))};
}

// The nearest change, "" where no change does.
std::string nearest_cliff(const DeviceModel& device, const BlockNeeds& needs, const Occupancy& now) {
  std::optional<Change> nearest;
  for (const Cliff& cliff : occupancy_cliffs(device, needs)) {
    if (cliff.quantity == BlockQuantity::threads) continue;  // the launch decides them
    const std::size_t here = cliff.find(cliff.amount);
    const auto consider = [&](std::size_t step, bool is_more) {
      if (here >= cliff.steps.size() || step >= cliff.steps.size()) return;
      const CliffStep& there = cliff.steps[step];
      if (there.occupancy.blocks_per_sm == now.blocks_per_sm) return;
      Change change = change_to(cliff, there, is_more ? there.first : there.last, now);
      if (!nearest || change.size < nearest->size) nearest = std::move(change);
    };
    if (here > 0) consider(here - 1, false);
    consider(here + 1, true);
  }
  return nearest ? nearest->words : "";
}

void add_occupancy(const DeviceModel& device, OpenedKernel& kernel) {
  LaunchGeometry geometry;
  geometry.threads = kernel.threads;
  try {
    kernel.occupancy = occupancy(device, *kernel.resources, geometry);
    kernel.next_cliff = nearest_cliff(device, {*kernel.resources, geometry}, *kernel.occupancy);
  } catch (const std::exception&) {
    kernel.occupancy.reset();  // a block that the device does not take
  }
}

OpenedKernel row_of(const sass::Cubin& cubin, const sass::CubinKernel& kernel, const sass::Disassembly& code,
                    const DeviceModel& device) {
  OpenedKernel row;
  row.name = kernel.name;
  row.demangled = demangled_symbol(kernel.name);
  row.target = cubin.architecture;
  row.threads = threads_of(kernel);
  Resources& resources = row.resources.emplace();
  resources.registers = kernel.registers;
  resources.static_shared_bytes = kernel.static_shared_bytes;
  resources.stack_bytes = kernel.stack_bytes.value_or(0);
  if (const sass::Function* function = code.find(kernel.name)) {
    count_instructions(*function, sass::architecture_number(cubin.architecture), row);
    row.spills = spills_of(code, *function);
    row.loops = loops_of(code, *function);
    for (const SpilledLine& line : row.spills) resources.spill_bytes += line.bytes;
  }
  add_occupancy(device, row);
  return row;
}

}  // namespace

std::vector<CodeLoop> loops_of(const sass::Disassembly& code, const sass::Function& function) {
  const std::vector<Span> spans = spans_of(function);
  std::vector<CodeLoop> loops;
  for (const Span& span : spans) {
    CodeLoop loop;
    loop.depth = depth_at(spans, span.first);
    loop.instructions = static_cast<std::int64_t>(span.last - span.first + 1);
    for (std::size_t at = span.first; at <= span.last; ++at) {
      const std::optional<sass::Place> place = place_of(code, function.instructions[at]);
      if (!place || (!loop.file.empty() && place->file != loop.file)) continue;
      const std::int64_t line = place->line;
      loop.first_line = loop.file.empty() ? line : std::min(loop.first_line, line);
      loop.last_line = std::max(loop.last_line, line);
      loop.file = place->file;
    }
    loops.push_back(std::move(loop));
  }
  std::ranges::stable_sort(loops, std::ranges::greater{}, &CodeLoop::instructions);
  if (loops.size() > most_loops) loops.resize(most_loops);
  return loops;
}

std::vector<OpenedKernel> kernel_table(const sass::Cubin& cubin, const sass::Disassembly& code,
                                       const DeviceModel& device) {
  std::vector<OpenedKernel> rows;
  rows.reserve(cubin.kernels.size());
  for (const sass::CubinKernel& kernel : cubin.kernels) rows.push_back(row_of(cubin, kernel, code, device));
  return rows;
}

}  // namespace tilescope
