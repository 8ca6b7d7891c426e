#include "profiler/explanation/model/explain.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "sessions/memory_counts.hpp"

namespace tilescope::model {
namespace {

// Share of the latency: without less than this the prediction would be equal.
constexpr double notable_part = 0.02;
// Share of all wavefronts, sectors or instructions.
constexpr double notable_excess = 0.02;
// Lines with the most of a cause.
constexpr std::size_t most_lines = 3;

Effect effect_of(const ExecutedInstruction& one) {
  return one.facts.opcode == nullptr ? Effect::none : one.facts.opcode->effect;
}

double conflicts_of(const ExecutedInstruction& one) {
  return one.executions * std::max(0.0, one.wavefronts - one.wavefronts_minimum);
}

double excess_sectors_of(const ExecutedInstruction& one) {
  return one.sectors_minimum > 0 ? one.executions * std::max(0.0, one.sectors - one.sectors_minimum) : 0;
}

double repeated_sectors_of(const ExecutedInstruction& one) {
  return effect_of(one) == Effect::global_load
             ? one.executions * std::max(0.0, one.missed_sectors - one.first_sectors)
             : 0;
}

double sum_of(const ExecutedKernel& kernel, double (*amount)(const ExecutedInstruction&)) {
  double sum = 0;
  for (const ExecutedInstruction& one : kernel.code) sum += amount(one);
  return sum;
}

bool executes(const ExecutedKernel& kernel, bool (*is_wanted)(const ExecutedInstruction&)) {
  return std::ranges::any_of(
      kernel.code, [&](const ExecutedInstruction& one) { return one.executions > 0 && is_wanted(one); });
}

// The instructions of each line with an amount, the line with the most of it first.
std::vector<std::vector<std::uint32_t>> worst_lines(const ExecutedKernel& kernel,
                                                    double (*amount)(const ExecutedInstruction&)) {
  struct Line {
    double amount = 0;
    std::vector<std::uint32_t> instructions;
  };
  std::map<std::int64_t, Line> by_line;
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const ExecutedInstruction& one = kernel.code[i];
    if (one.place.line == 0 || amount(one) <= 0) continue;
    Line& line = by_line[one.place.line];
    line.amount += amount(one);
    line.instructions.push_back(i);
  }
  std::vector<Line> lines;
  lines.reserve(by_line.size());
  for (auto& [number, line] : by_line) lines.push_back(std::move(line));
  std::ranges::stable_sort(lines, std::greater{}, &Line::amount);
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::vector<std::vector<std::uint32_t>> instructions;
  instructions.reserve(lines.size());
  for (Line& line : lines) instructions.push_back(std::move(line.instructions));
  return instructions;
}

class Causes {
 public:
  Causes(const ExecutedLaunch& launch, const LaunchTime& time)
      : kernel_(launch.kernel), plan_(launch.plan), time_(time) {}

  std::vector<Removal> find() {
    const auto all = [](const ExecutedInstruction& one) { return one.executions; };
    add_with_lines(Cause::bank_conflicts, conflicts_of, sum_of(kernel_, [](const ExecutedInstruction& one) {
                     return one.executions * one.wavefronts;
                   }));
    add_with_lines(
        Cause::excess_sectors, excess_sectors_of,
        sum_of(kernel_, [](const ExecutedInstruction& one) { return one.executions * one.sectors; }));
    if (sum_of(kernel_, repeated_sectors_of) > 0 &&
        is_notable(waited(Wait::global_memory) + waited(Wait::latency)))
      add(Cause::repeated_reads);
    if (executes(kernel_, [](const ExecutedInstruction& one) {
          return effect_of(one) == Effect::local_load || effect_of(one) == Effect::local_store;
        }))
      add(Cause::local_memory);
    if (is_notable(waited(Wait::barriers))) add(Cause::idle_warps);
    if (narrow_loads() > notable_excess * sum_of(kernel_, all)) add(Cause::narrow_loads);
    add_parts();
    return std::move(found_);
  }

 private:
  void add(Cause cause, std::vector<std::uint32_t> instructions = {}) {
    found_.push_back({cause, std::move(instructions)});
  }

  void add_with_lines(Cause cause, double (*amount)(const ExecutedInstruction&), double whole) {
    if (sum_of(kernel_, amount) <= notable_excess * whole) return;
    add(cause);
    std::vector<std::vector<std::uint32_t>> lines = worst_lines(kernel_, amount);
    for (std::vector<std::uint32_t>& line : lines) add(cause, std::move(line));
  }

  void add_parts() {
    const std::pair<Cause, double> parts[] = {{Cause::barriers, waited(Wait::barriers)},
                                              {Cause::tail, time_.tail_us},
                                              {Cause::issue_slots, time_.issue_us},
                                              {Cause::tensor, waited(Wait::tensor)},
                                              {Cause::arithmetic, waited(Wait::arithmetic)},
                                              {Cause::mufu, waited(Wait::xu)},
                                              {Cause::shared_memory, waited(Wait::shared_memory)},
                                              {Cause::l2, waited(Wait::global_memory)},
                                              {Cause::dram, time_.bounds.dram_us},
                                              {Cause::launch, time_.launch_us + time_.fetch_us},
                                              {Cause::block_start, waited(Wait::start)}};
    for (const auto& [cause, us] : parts) {
      if (is_notable(us)) add(cause);
    }
    const bool has_queue = kernel_.atomics.turns_in_one_slice > 1;
    if (has_queue) add(Cause::atomics);
    const double waits = waited(Wait::latency) + waited(Wait::global_memory) + waited(Wait::barriers);
    if (is_notable(waits) && plan_.blocks() > plan_.blocks_per_sm) add(Cause::few_warps);
  }

  double narrow_loads() const {
    return sum_of(kernel_, [](const ExecutedInstruction& one) {
      const bool is_narrow = effect_of(one) == Effect::global_load && one.facts.lane_bytes <= 4;
      return is_narrow ? one.executions : 0;
    });
  }
  double waited(Wait wait) const { return time_.waits_us[static_cast<std::size_t>(wait)]; }
  bool is_notable(double us) const { return us > notable_part * time_.us; }

  const ExecutedKernel& kernel_;
  const LaunchPlan& plan_;
  const LaunchTime& time_;
  std::vector<Removal> found_;
};

std::vector<std::int64_t> lines_of(const ExecutedKernel& kernel, const Removal& removal) {
  std::vector<std::int64_t> lines;
  lines.reserve(removal.instructions.size());
  for (const std::uint32_t i : removal.instructions) lines.push_back(kernel.code[i].place.line);
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

Removal removal_at(const ExecutedKernel& kernel, const CauseAtLines& at) {
  Removal removal{at.cause, {}};
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const std::int64_t line = kernel.code[i].place.line;
    if (std::ranges::find(at.lines, line) != at.lines.end()) removal.instructions.push_back(i);
  }
  return removal;
}

std::vector<LineTime> line_times(const ExecutedKernel& kernel, const LaunchTime& time) {
  std::map<std::tuple<std::string, std::int64_t, std::string>, LineTime> by_place;
  for (std::size_t i = 0; i < time.by_instruction.size(); ++i) {
    const ExecutedInstruction& one = kernel.code[i];
    if (one.executions <= 0) continue;
    std::string inlined = accessing_place(one.place.inlined);
    LineTime& line = by_place[{one.place.file, one.place.line, inlined}];
    line.line = one.place.line;
    line.file = one.place.file;
    line.inlined_place = std::move(inlined);
    line.issue_us += time.by_instruction[i].issue_us;
    line.wait_us += time.by_instruction[i].wait_us;
    line.executions += one.executions;
  }
  std::vector<LineTime> lines;
  lines.reserve(by_place.size());
  for (auto& [place, line] : by_place) lines.push_back(std::move(line));
  std::ranges::stable_sort(lines, std::greater{}, &LineTime::us);
  return lines;
}

std::vector<InstructionTime> instruction_times(const ExecutedKernel& kernel, const LaunchTime& time) {
  std::vector<InstructionTime> times;
  times.reserve(kernel.code.size());
  for (std::size_t i = 0; i < time.by_instruction.size(); ++i) {
    const ExecutedInstruction& one = kernel.code[i];
    if (one.executions <= 0) continue;
    times.push_back({one.address, one.ptx_line, one.executions, time.by_instruction[i].issue_us,
                     time.by_instruction[i].wait_us});
  }
  return times;
}

}  // namespace

std::vector<Removal> causes_of(const ExecutedLaunch& launch, const LaunchTime& time) {
  return Causes(launch, time).find();
}

void explain(const ExecutedLaunch& launch, const DeviceModel& device,
             const std::vector<CauseAtLines>& further, PredictedPoint& point, TableUse use) {
  const ModelParameters parameters = model_parameters(device, use);
  Prediction& prediction = point.prediction;
  prediction.lines = line_times(launch.kernel, point.time);
  point.instructions = instruction_times(launch.kernel, point.time);
  prediction.without.clear();
  std::vector<Removal> removals = causes_of(launch, point.time);
  for (const CauseAtLines& cause : further) {
    if (Removal removal = removal_at(launch.kernel, cause); !removal.instructions.empty())
      removals.push_back(std::move(removal));
  }
  for (const Removal& removal : removals) {
    const LaunchTime time = launch_time(launch.kernel, launch.plan, parameters, removal);
    prediction.without.push_back({to_string(removal.cause), lines_of(launch.kernel, removal), time.us});
  }
}

}  // namespace tilescope::model
