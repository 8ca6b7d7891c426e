#include "profiler/measure/interpret/ended_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/format.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/prepare/block_sample.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

using Kinds = std::span<const std::string_view>;

// Findings for which a GPU ends a launch.
constexpr std::array<std::string_view, 9> ending_kinds{
    "out_of_bounds",  "misaligned",        "read_only",         "trap", "deadlock", "livelock",
    "stack_overflow", "divergent_barrier", "instruction_budget"};
constexpr std::array<std::string_view, 3> kinds_of_address{"out_of_bounds", "read_only", "stack_overflow"};
constexpr std::array<std::string_view, 1> kinds_of_alignment{"misaligned"};
constexpr std::array<std::string_view, 1> kinds_of_assertion{"trap"};
constexpr std::array<std::string_view, 4> kinds_of_time{"deadlock", "livelock", "divergent_barrier",
                                                        "instruction_budget"};
// The driver gives the cause of such an end in no words; an access behind the shared memory may be one, too.
constexpr std::array<std::string_view, 5> kinds_of_others{"trap", "stack_overflow", "out_of_bounds",
                                                          "read_only", "misaligned"};

// Findings that explain an end, as the driver names it.
Kinds explaining_kinds(cuda::LaunchEnd end) {
  switch (end) {
    case cuda::LaunchEnd::bad_address:
      return kinds_of_address;
    case cuda::LaunchEnd::misaligned:
      return kinds_of_alignment;
    case cuda::LaunchEnd::failed_assertion:
      return kinds_of_assertion;
    case cuda::LaunchEnd::too_long:
      return kinds_of_time;
    case cuda::LaunchEnd::other_fault:
      return kinds_of_others;
    case cuda::LaunchEnd::unrelated:
    case cuda::LaunchEnd::refused:
      break;
  }
  return {};
}

bool is_of(const Finding& finding, Kinds kinds) {
  return std::ranges::find(kinds, finding.kind) != kinds.end();
}

bool has_ending(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& finding) { return is_of(finding, ending_kinds); });
}

std::string as_sentence(const Finding& finding) {
  std::string text = capitalised(finding.text);
  if (text.ends_with('.')) text.pop_back();
  if (!finding.threads.empty() && text.find("hread ") == std::string::npos)
    text += fmt::format(", by thread {}", finding.threads.front());
  if (finding.block.size() == 3 && text.find("block (") == std::string::npos)
    text += fmt::format(", in block ({}, {}, {})", finding.block[0], finding.block[1], finding.block[2]);
  return text + ".";
}

// Tiles that lie behind the shared memory of the launch may be its fault: the memory is then named by its symbols.
std::vector<NamedTile> tiles_of(const simt::Program& program, const Prepared& kernel) {
  try {
    return named_tiles(program, kernel);
  } catch (const DeclarationError&) {
    return {};
  }
}

// One launch in the interpreter: some blocks with the checkers, and all of them where those show no reason for its end.
class Search {
 public:
  Search(Workbench& bench, const Prepared& kernel, const MeasureControl& control)
      : bench_(bench), kernel_(kernel), control_(control), limit_(control.time_limit_s / 2, control) {}

  // Throws what failure_of() takes.
  void run() {
    control_.report({"interpret", 0.6});
    problem_ = kernel_.inputs(bench_.references());
    const CodeToRun code = bench_.programs().code_to_run(kernel_.compiled, kernel_.kernel.entry);
    why_ptx_ = code.why_ptx;
    const std::vector<SampledBlock> sample =
        sample_blocks(kernel_.experiment.blocks, kernel_.shape(), kernel_.geometry);
    take(execute(code.program, sample, true));
    if (sample.empty() || has_ending(findings_) || limit_.is_over()) return;
    // The checkers take several times as long, and faults that end a block show without them.
    take(execute(code.program, {}, false));
  }

  const std::vector<Finding>& findings() const { return findings_; }
  std::int64_t blocks_run() const { return blocks_run_; }
  bool is_cut_short() const { return is_cut_short_; }
  const std::string& why_ptx() const { return why_ptx_; }

 private:
  Traced execute(const std::shared_ptr<const simt::Program>& program, std::vector<SampledBlock> blocks,
                 bool check) const {
    ProblemLaunch launch(program, kernel_, *problem_);
    TraceOptions options;
    options.count = false;
    options.check = check;
    options.tiles = tiles_of(*program, kernel_);
    options.main_file = main_file(kernel_);
    options.blocks = std::move(blocks);
    options.instructions_per_block = instruction_budget(kernel_.shape(), kernel_.geometry);
    options.cancelled = [this] { return limit_.is_over(); };
    Traced traced = launch.run(options);
    // A wide load that ptxas makes of narrow ones may read more than is used.
    if (program->is_machine_code)
      std::erase_if(traced.findings, [](const Finding& found) { return found.kind == "uninitialised_read"; });
    return traced;
  }

  void take(Traced traced) {
    findings_.insert(findings_.end(), std::make_move_iterator(traced.findings.begin()),
                     std::make_move_iterator(traced.findings.end()));
    blocks_run_ = static_cast<std::int64_t>(traced.run.blocks_run);
    is_cut_short_ = traced.run.cancelled;
  }

  Workbench& bench_;
  const Prepared& kernel_;
  const MeasureControl& control_;
  const RunLimit limit_;
  std::shared_ptr<const ProblemInputs> problem_;
  std::vector<Finding> findings_;
  std::int64_t blocks_run_ = 0;
  bool is_cut_short_ = false;
  std::string why_ptx_;
};

std::string sanitizer_words(Workbench& bench, const Measurement& point) {
  return "compute-sanitizer, which comes with the CUDA Toolkit, names the instruction on the GPU: "
         "compute-sanitizer --target-processes all " +
         command_line(point, shell_program(bench.installation()));
}

std::string not_interpreted(const std::string& why) {
  return "The launch was not interpreted: " + why + (why.ends_with('.') ? " " : ". ");
}

std::string why_refused(const Prepared& kernel) {
  const DeviceModel& device = kernel.device;
  std::string text = fmt::format("A block needs {} threads", format_count(kernel.geometry.threads));
  if (kernel.resources) {
    text += fmt::format(
        " of {} registers and {} B of shared memory", format_count(kernel.resources->registers),
        format_count(kernel.resources->static_shared_bytes + kernel.resources->dynamic_shared_bytes));
  }
  return text + fmt::format(
                    "; {} allows {} threads, {} registers and {} B of shared memory per block. Choose "
                    "smaller tiles or fewer warps per block.",
                    device.name, format_count(device.max_threads_per_block),
                    format_count(device.registers_per_block),
                    format_count(device.shared_bytes_per_block_optin));
}

std::string found_words(const std::vector<Finding>& findings, bool explains) {
  const auto ending =
      std::ranges::count_if(findings, [](const Finding& finding) { return is_of(finding, ending_kinds); });
  std::string text = explains ? "In the interpreter the same launch fails as well: "
                              : "In the interpreter the same launch fails for another reason: ";
  text += as_sentence(findings.front());
  if (ending > 1) text += fmt::format(" {} more such faults are among the findings.", ending - 1);
  return text;
}

std::string not_found_words(const Search& search, const Prepared& kernel,
                            const std::vector<Finding>& findings) {
  const std::int64_t run = search.blocks_run(), all = kernel.geometry.blocks();
  const std::string blocks = run == all
                                 ? fmt::format("all {} blocks", format_count(all))
                                 : fmt::format("{} of {} blocks", format_count(run), format_count(all));
  std::string text = fmt::format(
      "The interpreter executed {} of the same launch{} and found no access out of bounds, no misaligned "
      "access, no trap or failed assertion, no deadlock and no endless loop. ",
      blocks, search.is_cut_short() ? " within the time limit" : "");
  if (!findings.empty()) {
    text +=
        fmt::format("It found {}, which may lead to such a fault: {} ",
                    findings.size() == 1 ? "another fault" : "other faults", as_sentence(findings.front()));
  }
  return text +
         "It does not run blocks and warps in the order in which the GPU does: a fault that depends on this "
         "order does not show. ";
}

// Findings that explain the end come first, then the others for which a GPU ends a launch.
void sort_for(cuda::LaunchEnd end, std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [end](const Finding& finding) {
    return is_of(finding, explaining_kinds(end)) ? 0
           : is_of(finding, ending_kinds)        ? 1
           : is_fault(finding)                   ? 2
                                                 : 3;
  });
}

std::string explanation(Workbench& bench, const Prepared& kernel, cuda::LaunchEnd end,
                        const MeasureControl& control, Measurement& point) {
  if (kernel.kernel.is_launched_by_library())
    return not_interpreted(no_ptx(kernel.kernel)) + sanitizer_words(bench, point);
  if (const std::string why = why_not_interpreted(kernel); !why.empty())
    return why + " " + sanitizer_words(bench, point);
  Search search(bench, kernel, control);
  if (const auto failure = failure_of([&] { search.run(); }))
    return not_interpreted(failure->reason) + sanitizer_words(bench, point);
  if (control.cancelled()) return "";
  if (!search.why_ptx().empty())
    point.notes.push_back("The ended launch was interpreted from the PTX: " + search.why_ptx());
  std::vector<Finding> findings = search.findings();
  sort_for(end, findings);
  point.findings = findings;
  if (has_ending(findings)) return found_words(findings, is_of(findings.front(), explaining_kinds(end)));
  return not_found_words(search, kernel, findings) + sanitizer_words(bench, point);
}

}  // namespace

void explain_ended_launch(Workbench& bench, const Prepared& kernel, cuda::LaunchEnd end,
                          const MeasureControl& control, Measurement& point) {
  if (end == cuda::LaunchEnd::unrelated) return;
  if (end == cuda::LaunchEnd::refused) {
    if (!kernel.kernel.is_launched_by_library()) point.reason += " " + why_refused(kernel);
    return;
  }
  // The point has an error once the result of a launch was checked.
  if (point.error) point.reason += " An earlier launch of the point ran to its end.";
  const std::string why = explanation(bench, kernel, end, control, point);
  if (!why.empty()) point.reason += " " + why;
}

}  // namespace tilescope
