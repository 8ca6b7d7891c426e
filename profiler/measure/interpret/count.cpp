#include "profiler/measure/interpret/count.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>

#include "profiler/execution/memory/looked_for.hpp"
#include "profiler/execution/memory/stored_nan.hpp"
#include "profiler/explanation/model/launch_recording.hpp"
#include "profiler/measure/interpret/counted_machine_code.hpp"
#include "profiler/measure/interpret/interpreted_check.hpp"
#include "profiler/measure/interpret/output_coverage.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"
#include "profiler/measure/prepare/block_sample.hpp"
#include "profiler/measure/prepare/launch_plan.hpp"
#include "profiler/measure/prepare/prepare.hpp"

namespace tilescope {
namespace {

// A run of more than this, a few seconds, is first timed on one block. [warp instructions]
constexpr double worth_estimating = 100e6;

// If a sample does not account for every row, the whole grid is run up to this size, a few seconds. [warp instructions]
constexpr double worth_settling = 1e9;

const std::string no_machine_code = "the kernel was compiled to PTX alone";

constexpr const char* warp_barriers_of_ptx =
    "Machine code shows no missing __syncwarp(), because lanes of a warp that run together execute it in "
    "order, and no "
    "__syncthreads() that threads of a warp reach apart: both were looked for in the PTX of the kernel as "
    "well.";

std::string duration(double seconds) {
  const auto rounded = [](double value) {
    return std::to_string(static_cast<std::int64_t>(std::ceil(value)));
  };
  return seconds < 120 ? rounded(seconds) + " s" : rounded(seconds / 60) + " minutes";
}

// One kernel in the interpreter, with the state that all its runs share.
class Interpretation {
 public:
  Interpretation(std::shared_ptr<const simt::Program> program, const Prepared& kernel,
                 const ProblemInputs& problem, const CountOptions& counting, const MeasureControl& control,
                 const model::LaunchPlan* recorded = nullptr)
      : program_(std::move(program)), kernel_(kernel), problem_(problem), control_(control) {
    options_.check = counting.check;
    options_.schedule_seed = counting.schedule_seed;
    options_.tiles = named_tiles(*program_, kernel);
    options_.main_file = main_file(kernel);
    options_.instructions_per_block = instruction_budget(kernel.shape(), kernel.geometry);
    recorded_ = program_->is_machine_code ? recorded : nullptr;
    options_.by_instruction = program_->is_machine_code && (counting.machine_code || recorded != nullptr);
    options_.cancelled = control.cancelled;
  }

  // A sentence when the blocks would take longer than the caller's time limit.
  std::string why_too_long(const std::vector<SampledBlock>& blocks, const BlockChoice& choice) {
    const auto total = static_cast<double>(kernel_.geometry.blocks());
    const double count = blocks.empty() ? total : static_cast<double>(blocks.size());
    if (count * expected_block_instructions(kernel_.shape(), kernel_.geometry) < worth_estimating) return "";
    const auto last = static_cast<std::uint64_t>(kernel_.geometry.blocks() - 1);
    const Traced first = run({{last / 2, total}});
    if (first.run.fault) return "";  // the run itself reports it
    const double one = first.run.seconds;
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    const double needed = one * std::ceil(count / cores);
    if (needed <= control_.time_limit_s || control_.cancelled()) return "";
    const bool is_automatic = choice.kind == BlockChoice::Kind::automatic;
    return "interpreting " + std::to_string(static_cast<std::int64_t>(count)) + " of " +
           std::to_string(kernel_.geometry.blocks()) + " blocks would take about " + duration(needed) +
           ", a block " + duration(one) + ", and the limit is " + duration(control_.time_limit_s) + ": " +
           (is_automatic ? "" : "interpret representative blocks only (--blocks auto), or ") +
           "allow more time (--time-limit)";
  }

  Traced run(std::vector<SampledBlock> blocks) {
    launch_.emplace(program_, kernel_, problem_);
    options_.output = launch_->output_tensor();
    options_.blocks = std::move(blocks);
    if (recorded_ != nullptr) {
      recording_.emplace(*program_, *recorded_, representatives(options_.blocks),
                         options_.blocks.empty() ? &launch_->memory() : nullptr);
      options_.further_observer = [this] { return recording_->make_observer(); };
    }
    return launch_->run(options_);
  }
  // The kernel as the last run and its recording executed it.
  model::ExecutedLaunch take_executed(const Traced& traced) {
    return recording_->take(traced.by_instruction, options_.main_file);
  }

  // Runs blocks anew, only for what the checkers find.
  Traced findings(std::vector<SampledBlock> blocks) {
    launch_.emplace(program_, kernel_, problem_);
    TraceOptions options = options_;
    options.count = false;
    options.output = launch_->output_tensor();
    options.blocks = std::move(blocks);
    Traced traced = launch_->run(options);
    add_origin_of_nan(traced);
    return traced;
  }
  // Names the instruction in which a NaN of the output begins: runs its block again, in memory as it was before.
  void add_origin_of_nan(Traced& traced) const {
    if (!traced.block_with_nan || traced.run.cancelled) return;
    ProblemLaunch again(program_, kernel_, problem_);
    auto found = origin_of_nan(*program_, again.launch(), again.memory(), *traced.block_with_nan, options_);
    if (found) traced.findings.push_back(std::move(*found));
  }

  // Runs further blocks of the launch, only for what they write.
  Traced run_beside(std::vector<SampledBlock> blocks) {
    Traced traced;
    if (blocks.empty()) return traced;
    TraceOptions options = options_;
    options.count = options.check = false;
    options.blocks = std::move(blocks);
    return launch_->run(options);
  }

  std::vector<std::uint16_t> output() const { return launch_->output(); }
  bool is_whole(const Traced& traced) const {
    return static_cast<std::int64_t>(traced.run.blocks_run) == kernel_.geometry.blocks();
  }
  // Blocks communicate, and no group is declared that a sample could contain as a whole.
  bool communicates() const { return program_->has_global_atomics && kernel_.geometry.block_group == 1; }
  // Whether all blocks can be run, judging by the cost of the sample. If the sample wrote the whole result already (in
  // a grid that hands out tiles dynamically), the others have nothing left to do. If blocks may leave their work to
  // others that did not run, the shape gives the amount.
  bool can_run_whole(const Traced& sample, bool wrote_all) const {
    const auto run = static_cast<double>(std::max<std::uint64_t>(sample.run.warp_instructions, 1));
    double all = static_cast<double>(sample.memory.warp_instructions);
    if (wrote_all) {
      all = run;
    } else if (communicates()) {
      all = std::max(all, expected_block_instructions(kernel_.shape(), kernel_.geometry) *
                              static_cast<double>(kernel_.geometry.blocks()));
    }
    return all <= worth_settling && sample.run.seconds * all / run <= control_.time_limit_s / 2;
  }
  // Runs all blocks; returns nothing when they take longer than half of the caller's time limit.
  std::optional<Traced> run_whole() {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(std::max(0.0, control_.time_limit_s / 2));
    options_.cancelled = [this, end] {
      return control_.cancelled() || std::chrono::steady_clock::now() > end;
    };
    Traced whole = run({});
    options_.cancelled = control_.cancelled;
    if (whole.run.cancelled && !control_.cancelled()) return std::nullopt;
    return whole;
  }

 private:
  // The blocks whose paths are recorded: those that are run, or some of the whole grid.
  std::set<std::uint64_t> representatives(const std::vector<SampledBlock>& blocks) const {
    if (blocks.empty()) return model::recorded_blocks(static_cast<std::uint64_t>(kernel_.geometry.blocks()));
    std::set<std::uint64_t> chosen;
    for (const SampledBlock& block : blocks) chosen.insert(block.index);
    return chosen;
  }

  const std::shared_ptr<const simt::Program> program_;
  const Prepared& kernel_;
  const ProblemInputs& problem_;
  const MeasureControl& control_;
  TraceOptions options_;
  std::optional<ProblemLaunch> launch_;
  const model::LaunchPlan* recorded_ = nullptr;
  std::optional<model::LaunchRecording> recording_;
};

// The numbers are in the point's memory and error. Equal texts for all points make one line of a sweep's
// notes.
std::string describe_run(const MemoryCounts& memory) {
  if (memory.blocks_run == memory.blocks_total) {
    return "All blocks were interpreted: the results were checked, the memory accesses counted.";
  }
  return "Some of the blocks were interpreted: their results were checked, their memory accesses counted and "
         "scaled "
         "to the grid.";
}

// The rows written by the grid, as far as a sample shows them.
struct RowsOfGrid {
  std::string wrong;    // A sentence when the grid does not write all of them.
  std::string unknown;  // A sentence when that is unknown.
};

// Runs blocks in addition to a sample, as many as a quarter of the limit allows.
std::vector<SampledBlock> other_blocks(const LaunchGeometry& geometry, const MemoryCounts& sampled) {
  const double groups = static_cast<double>(geometry.blocks()) / static_cast<double>(geometry.block_group);
  const double of_group = static_cast<double>(sampled.warp_instructions) / groups;
  const double affordable = worth_settling / 4 / std::max(1.0, of_group);
  return other_blocks(geometry, static_cast<std::int64_t>(std::clamp(affordable, 8.0, 64.0)));
}

// `communicates`: a block may leave its rows to a later one that did not run.
RowsOfGrid judge_rows(const Coverage& coverage, const Traced& sample, const Traced& others, bool communicates,
                      const Prepared& kernel, const ProblemInputs& problem) {
  const auto rows = [&](double elements) {
    return std::to_string(std::llround(elements / static_cast<double>(problem.sizes.result_columns())));
  };
  const auto total = static_cast<double>(problem.sizes.result_elements());
  const std::string ran = std::to_string(sample.run.blocks_run) + " of " +
                          std::to_string(kernel.geometry.blocks()) + " blocks were interpreted";
  const std::string numbers = rows(coverage.elements) + " of " + rows(total) + " rows of the output";
  const bool is_short = coverage.elements < total - 0.5;
  const bool is_double = coverage.overlaps && coverage.elements < total + 0.5;
  if ((is_short || is_double) && !communicates && predicts(sample.writes, others.writes, kernel.geometry)) {
    const std::string what = is_short
                                 ? "the grid writes " + numbers
                                 : "blocks of the grid write the same rows of the output, so that others "
                                   "are not written";
    return {what + ": " + ran + ", and others, at the grid's corners and drawn at random, write as many rows",
            ""};
  }
  return {"", "It is unknown whether every row of the output is written: " + ran +
                  ". If they represent the others, the grid writes " + numbers +
                  (coverage.overlaps ? ", some of them more than once" : "") +
                  ". Interpret all blocks to know (--blocks all)."};
}

// The result of interpreting some or all blocks, and what it shows about the grid.
struct Interpreted {
  Traced traced;  // the counts and the findings
  InterpretedOutput output;
  RowsOfGrid rows;
  std::optional<Failure> failure;
};

// Runs the blocks. If the sample, scaled to the grid, does not account for every row, all blocks are run to decide; an
// automatic choice is then also counted over all of them.
Interpreted run_blocks(Interpretation& interpretation, const Prepared& kernel, const ProblemInputs& problem,
                       const std::vector<SampledBlock>& blocks, const BlockChoice& choice,
                       const MeasureControl& control) {
  Interpreted result;
  const auto end_at = [&](Traced& run) {
    result.failure = why_ended(run, control);
    if (result.failure && &run != &result.traced) result.traced = std::move(run);
    return result.failure.has_value();
  };
  const auto take_output = [&](const Traced& of) {
    result.output = {interpretation.output(), union_of(of.writes), interpretation.is_whole(of)};
  };
  result.traced = interpretation.run(blocks);
  if (end_at(result.traced)) return result;
  take_output(result.traced);
  const std::int64_t total = problem.sizes.result_elements();
  if (result.output.is_of_whole_grid) return result;

  Traced beside = interpretation.run_beside(neighbour_blocks(kernel.geometry, result.traced.writes));
  if (end_at(beside)) return result;
  const Coverage coverage = coverage_of(blocks, result.traced.writes, beside.writes, kernel.geometry);
  if (adds_up(coverage, total)) return result;
  const bool wrote_all = elements_in(result.output.written) == total;
  if (interpretation.can_run_whole(result.traced, wrote_all)) {
    control.report({"interpret", 0.7});
    if (std::optional<Traced> whole = interpretation.run_whole()) {
      if (end_at(*whole)) return result;
      take_output(*whole);
      if (choice.kind == BlockChoice::Kind::automatic) result.traced = std::move(*whole);
      return result;
    }
  }
  if (wrote_all) return result;
  Traced others = interpretation.run_beside(other_blocks(kernel.geometry, result.traced.memory));
  if (end_at(others)) return result;
  result.rows = judge_rows(coverage, result.traced, others, interpretation.communicates(), kernel, problem);
  return result;
}

std::string counted_from_ptx(const std::string& why) {
  return "Counted from the PTX, of which the GPU may need fewer instructions: " + why;
}

// A kernel that is run, checked and counted, in steps, each of which may end it.
class Counting {
 public:
  Counting(Workbench& bench, const Prepared& kernel, const CountOptions& counting,
           const MeasureControl& control)
      : bench_(bench), kernel_(kernel), counting_(counting), control_(control) {}

  Counted run() {
    if (const auto thrown = failure_of([&] { run_code(); })) end(thrown->status, thrown->reason);
    if (counted_.status == Status::wrong_result && !counting_.check) find_reasons();
    return std::move(counted_);
  }

 private:
  void end(Status status, std::string reason) {
    counted_.status = status;
    counted_.reason = std::move(reason);
  }

  CodeToRun code_to_run() const {
    return bench_.programs().code_to_run(kernel_.compiled, kernel_.kernel.entry);
  }

  void run_code() {
    problem_ = kernel_.inputs(bench_.references());
    if (!kernel_.compiled.cubin.empty()) control_.report({"disassemble", 0.4});
    const CodeToRun code = code_to_run();
    control_.report({"interpret", 0.5});
    run_and_check(code.program);
    if (counting_.machine_code && !code.program->is_machine_code)
      counted_.machine_code.emplace().why_none = code.why_ptx.empty() ? no_machine_code : code.why_ptx;
    if (!code.why_ptx.empty() && counted_.memory) counted_.notes.push_back(counted_from_ptx(code.why_ptx));
    if (!counting_.check || counted_.status == Status::cancelled) return;
    if (code.program->is_machine_code) add_findings_of_ptx(kernel_.experiment.blocks, counting_);
    note_looked_for(code);
  }

  // Where machine code is run the PTX is checked beside it, which shows all that the machine code shows.
  void note_looked_for(const CodeToRun& code) {
    const std::shared_ptr<const simt::Program> program =
        code.program->is_machine_code ? bench_.programs().ptx(kernel_.compiled, kernel_.kernel.entry)
                                      : code.program;
    counted_.notes.push_back(sentence_of(looked_for(*program, {.outputs = true, .types = true})));
  }

  void run_and_check(const std::shared_ptr<const simt::Program>& code) {
    const simt::Program& program = *code;
    const BlockChoice& choice = kernel_.experiment.blocks;
    const model::LaunchPlan launch = launch_plan(kernel_);
    Interpretation interpretation(code, kernel_, *problem_, counting_, control_, &launch);
    const std::vector<SampledBlock> blocks = sample_blocks(choice, kernel_.shape(), kernel_.geometry);
    if (std::string why = interpretation.why_too_long(blocks, choice); !why.empty())
      return end(Status::timed_out, std::move(why));
    Interpreted result = run_blocks(interpretation, kernel_, *problem_, blocks, choice, control_);
    if (result.failure) end(result.failure->status, result.failure->reason);
    if (counted_.status == Status::cancelled) return;
    interpretation.add_origin_of_nan(result.traced);
    counted_.findings = std::move(result.traced.findings);
    if (!result.traced.unchecked.empty()) counted_.notes.push_back(result.traced.unchecked);
    counted_.notes.insert(counted_.notes.end(), result.traced.check_notes.begin(),
                          result.traced.check_notes.end());
    if (result.failure) return;
    if (program.is_machine_code) {
      counted_.launch = interpretation.take_executed(result.traced);
      if (counting_.machine_code) {
        counted_.machine_code =
            counted_machine_code(program, result.traced.by_instruction, main_file(kernel_),
                                 warp_places(kernel_.geometry, kernel_.device, kernel_.occupancy));
      }
    }
    check(program, result, blocks.empty());
  }

  // `at_length`: see check_output.
  void check(const simt::Program& program, Interpreted& result, bool at_length) {
    if (result.output.written.empty() && !result.rows.unknown.empty()) {
      counted_.memory = std::move(result.traced.memory);
      counted_.notes.emplace_back("The result was not checked: the interpreted blocks wrote no row of it.");
      counted_.notes.push_back(std::move(result.rows.unknown));
      return;
    }
    control_.report({"check", 0.9});
    const OutputCheck check = check_output(bench_.references(), *problem_, kernel_.shape(), result.output,
                                           at_length, control_.cancelled);
    if (check.cancelled) return end(Status::cancelled, "cancelled while the float64 reference was computed");
    counted_.error = check.error;
    counted_.memory = std::move(result.traced.memory);
    if (!check.wrong.empty()) return end(Status::wrong_result, check.wrong);
    if (!result.rows.wrong.empty()) return end(Status::wrong_result, result.rows.wrong);
    counted_.notes.push_back(describe_run(*counted_.memory));
    if (!result.rows.unknown.empty()) counted_.notes.push_back(result.rows.unknown);
    counted_.notes.insert(counted_.notes.end(), program.notes.begin(), program.notes.end());
    if (program.prints)
      counted_.notes.emplace_back("The kernel calls printf; `tilescope run` alone shows its text.");
  }

  // The machine code shows what the compiler moved; the PTX, in which only synchronisation orders the lanes
  // of a warp, what another compiler may make of the source. Reads of unwritten memory are taken from the PTX
  // alone: a wide load that ptxas makes of narrow ones may read more than is used.
  void add_findings_of_ptx(const BlockChoice& choice, const CountOptions& counting) {
    Interpretation interpretation(bench_.programs().ptx(kernel_.compiled, kernel_.kernel.entry), kernel_,
                                  *problem_, counting, control_);
    Traced traced = interpretation.findings(sample_blocks(choice, kernel_.shape(), kernel_.geometry));
    std::vector<Finding>& found = traced.findings;
    std::vector<Finding>& known = counted_.findings;
    const bool finds_races = traced.unchecked.empty();
    std::erase_if(known, [&](const Finding& finding) {
      return finding.kind == "uninitialised_read" || (finding.kind == "race" && !finds_races);
    });
    if (!finds_races) counted_.notes.push_back(traced.unchecked);
    if (finds_races && !traced.run.cancelled) counted_.notes.emplace_back(warp_barriers_of_ptx);
    std::erase_if(found, [&](const Finding& finding) {
      return std::ranges::any_of(known, [&](const Finding& other) {
        return other.kind == finding.kind && other.lines == finding.lines;
      });
    });
    known.insert(known.begin(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }

  // Why a result is wrong: races and other faults in the blocks that represent the grid.
  void find_reasons() {
    failure_of([&] {
      const CountOptions checked{.check = true};
      const CodeToRun code = code_to_run();
      Interpretation interpretation(code.program, kernel_, *problem_, checked, control_);
      counted_.findings =
          interpretation.findings(sample_blocks({}, kernel_.shape(), kernel_.geometry)).findings;
      if (!code.program->is_machine_code || control_.cancelled()) return;
      add_findings_of_ptx({}, checked);
    });
  }

  Workbench& bench_;
  const Prepared& kernel_;
  const CountOptions& counting_;
  const MeasureControl& control_;
  std::shared_ptr<const ProblemInputs> problem_;
  Counted counted_;
};

}  // namespace

std::optional<Failure> why_ended(const Traced& traced, const MeasureControl& control) {
  if (traced.run.cancelled || control.cancelled()) {
    return Failure{Status::cancelled, "cancelled while interpreting"};
  }
  const std::optional<simt::Fault>& fault = traced.run.fault;
  if (!fault) return std::nullopt;
  const bool is_endless = fault->kind == simt::FaultKind::instruction_budget;
  return Failure{is_endless ? Status::timed_out : Status::launch_failed, fault->text};
}

std::uint64_t instruction_budget(const Shape& shape, const LaunchGeometry& geometry) {
  constexpr double least = 50e6, most = 1e15;
  const double expected = 200 * expected_block_instructions(shape, geometry);
  return static_cast<std::uint64_t>(std::clamp(expected, least, most));
}

std::string why_counted_from_ptx(Workbench& bench, const Prepared& kernel) {
  std::string why;
  const auto failure =
      failure_of([&] { why = bench.programs().code_to_run(kernel.compiled, kernel.kernel.entry).why_ptx; });
  if (failure) return failure->reason;
  return why.empty() ? "" : counted_from_ptx(why);
}

Counted count(Workbench& bench, const Prepared& kernel, const CountOptions& counting,
              const MeasureControl& control) {
  Counted counted;
  counted.notes = {why_not_interpreted(kernel)};
  if (!counted.notes.front().empty()) return counted;
  return Counting(bench, kernel, counting, control).run();
}

void add_counted(Counted counted, Measurement& point) {
  point.status = counted.status;
  point.reason = std::move(counted.reason);
  point.error = std::move(counted.error);
  point.memory = std::move(counted.memory);
  point.findings = std::move(counted.findings);
  point.notes.insert(point.notes.end(), std::make_move_iterator(counted.notes.begin()),
                     std::make_move_iterator(counted.notes.end()));
}

}  // namespace tilescope
