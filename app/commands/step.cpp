#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/launch_arguments.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/opening.hpp"
#include "app/commands/output.hpp"
#include "app/commands/step_source.hpp"
#include "app/commands/step_text.hpp"
#include "base/json.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/open_file.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

namespace tilescope {
namespace {

/// Parts that --show selects.
struct Shown {
  std::vector<std::string> tiles;
  bool registers = false, timeline = false;
  /// -1 for the row with the largest error.
  std::optional<std::int64_t> row;
};

constexpr const char* show_forms = "shared:TILE, registers, row, row:N or timeline";

constexpr std::uint64_t last_lane = 31;
constexpr auto last_row = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Shown shown_from(const std::vector<std::string>& texts) {
  Shown shown;
  for (const std::string& text : texts) {
    if (text.starts_with("shared:") && text.size() > 7) {
      shown.tiles.push_back(text.substr(7));
    } else if (text == "registers") {
      shown.registers = true;
    } else if (text == "timeline") {
      shown.timeline = true;
    } else if (text == "row") {
      shown.row = -1;
    } else if (text.starts_with("row:")) {
      shown.row =
          static_cast<std::int64_t>(read_whole_option("--show " + text, text.substr(4), {0, last_row}));
    } else {
      throw WrongUsage("--show " + text + ": use " + show_forms);
    }
  }
  return shown;
}

class StepCommand : public Command {
 public:
  std::string name() const override { return "step"; }
  std::string summary() const override {
    return "Stop inside a thread block and look: lines, barriers, registers, shared memory, the softmax of a "
           "row";
  }
  void declare_options(CLI::App& app) override {
    options_.declare(app);
    app.footer(
        "KERNEL may also be any file that `tilescope open` takes and that has CUDA C++ or PTX. Its launch is "
        "the one of --args, else the one beside the file, else a guess in which --set gives values. "
        "Its tiles are the turns of its main loop, since nothing names its keys.");
    launch_.declare(app, "(as `tilescope run --help` describes)");
    opening_.declare_compiling(app);
    output_.declare_json(app);
    app.add_option(
           "--to", to_,
           "Where to stop, one place after another: slot:N, round:N, warp:N, line:N, barrier, barrier:N, "
           "tile, tile:N, write:BYTE, start, end")
        ->type_name("PLACE");
    app.add_flag("--back", back_, "Look for the last place before the present one instead of the next one");
    app.add_option("--show", show_, std::string("What to show besides the warps: ") + show_forms)
        ->type_name("WHAT");
    add_whole_option(app, "--block", block_, "The thread block, by its linear index");
    add_whole_option(app, "--warp", view_.warp, "The warp whose registers and line are shown");
    add_whole_option(app, "--lane", lane_, "The lane whose registers are shown", {0, last_lane});
    app.add_option("--inputs", inputs_, "random, or large_logits: Q and K forty times as large")
        ->type_name("WHICH");
  }

  ExitCode run() override {
    const Shown shown = shown_from(show_);
    try {
      chosen_inputs_ = step_inputs_from(inputs_);
      for (const std::string& place : to_) targets_.push_back(step_target_from(place));
    } catch (const std::invalid_argument& error) {
      throw WrongUsage(error.what());
    }
    if (targets_.empty()) targets_.push_back(step_target_from("start"));
    view_.tiles = shown.tiles;
    if (shown.registers) view_.lane = lane_;
    listen_for_interrupts();
    return is_file() ? step_file(shown) : step_kernel(shown);
  }

 private:
  ExitCode step_kernel(const Shown& shown) const {
    launch_.refuse_without_file();
    const Installation installation = find_installation();
    SteppedBlockChoice block;
    block.experiment = options_.experiment(options_.find_kernel(installation));
    block.block = block_;
    block.inputs = chosen_inputs_;
    say_problems(installation);
    Client client(worker_options(installation));
    check_device_name(block.experiment.device, installation, client);
    StepSource source(client, block, options_.time_limit());
    return show(source, shown);
  }

  ExitCode step_file(const Shown& shown) const {
    const Experiment given = options_.unchecked_experiment();
    OpenFile::Params params;
    for (const auto& [name, value] : given.parameters) params.chosen[name] = to_string(value);
    opening_.add_to(params);
    params.device = given.device;
    LaunchArguments launch = launch_;
    if (launch.launch.empty()) launch.launch = declared_launch(options_.kernel(), !params.chosen.empty());
    params.subject = launch.subject(options_.kernel(), options_.time_limit());
    Client client(worker_options(find_installation()));
    SteppedBlockChoice block;
    block.block = block_;
    block.file = launched_file(client, std::move(params), launch);
    StepSource source(client, block, LaunchArguments::patience(block.file->subject));
    return show(source, shown);
  }

  // A kernel with a declaration is a name or a .cu file, unless a launch is given.
  bool is_file() const {
    const std::filesystem::path file = options_.kernel();
    if (file.extension() == ".ptx" || file.extension() == ".cubin") return true;
    std::error_code ignored;
    // A word alone names a kernel, whatever lies in the folder.
    const bool is_path = file.has_parent_path() || file.has_extension();
    if (file.extension() != ".cu") return is_path && std::filesystem::exists(file, ignored);
    return std::filesystem::is_regular_file(file, ignored) && (launch_.is_given() || !declares_kernel(file));
  }

  // Throws where the command line or a file is wrong, and where the worker of a file ended.
  ExitCode fail(const StepStop& stop) const {
    if (!is_file()) return fail(stop.status, stop.reason);
    const std::string reason = fmt::format("'{}' cannot be stepped: {}", options_.kernel(), stop.reason);
    if (stop.problem == FileProblem::code) throw UnreadableInput(reason);
    if (stop.problem == FileProblem::entry) throw WrongUsage(reason);
    if (stop.problem == FileProblem::launch) throw launch_.failure_of_launch(stop.reason);
    if (stop.status == Status::worker_lost) throw CannotRun(reason);
    return fail(stop.status, reason);
  }

  ExitCode show(StepSource& source, const Shown& shown) const {
    StepStop stop;
    for (StepTarget target : targets_) {
      target.from = stop.slot;
      target.backwards = back_;
      stop = source.go(target, view_);
      if (stop.status != Status::ok) return fail(stop);
      if (!stop.not_found.empty()) break;
    }
    check_warp(stop);
    check_tiles(stop, shown);
    Json document = stop;
    std::string text = stop_text(stop, view_);
    if (shown.timeline) {
      const StepTimeline timeline = source.timeline();
      if (timeline.status != Status::ok) return fail(timeline.status, timeline.reason);
      document["timeline"] = timeline;
      text += timeline_text(timeline);
    }
    if (shown.row) {
      const StepRowHistory row = source.row(*shown.row);
      if (row.status != Status::ok) return fail(row.status, row.reason);
      document["row"] = row;
      text += row_text(row, stop.slot);
    }
    if (output_.json) {
      print_json(document);
    } else {
      print(text);
    }
    if (!stop.not_found.empty()) {
      say("tilescope: " + stop.not_found);
      return ExitCode::check_failed;
    }
    return stop.findings.empty() && stop.cut_off.empty() ? ExitCode::done : ExitCode::check_failed;
  }

  ExitCode fail(Status status, const std::string& reason) const {
    if (output_.json) print_json({{"status", to_string(status)}, {"reason", reason}});
    if (status == Status::cancelled) return ExitCode::stopped;
    say("tilescope: " + reason);
    const bool is_of_kernel = status == Status::compile_failed || status == Status::invalid_configuration ||
                              status == Status::launch_failed;
    return is_of_kernel ? ExitCode::check_failed : ExitCode::cannot_run;
  }

  void check_warp(const StepStop& stop) const {
    if (stop.warps.empty() || view_.warp < stop.warps.size()) return;
    throw WrongUsage(fmt::format("--warp {}: there is no such warp: the block has warps 0 to {}", view_.warp,
                                 stop.warps.size() - 1));
  }

  static void check_tiles(const StepStop& stop, const Shown& shown) {
    for (const std::string& name : shown.tiles) {
      if (std::ranges::find(stop.tiles, name, &TileStop::name) != stop.tiles.end()) continue;
      std::string known;
      for (const TileStop& tile : stop.tiles) known += (known.empty() ? "" : ", ") + tile.name;
      throw WrongUsage("--show shared:" + name + ": the kernel declares " +
                       (known.empty() ? "no tiles" : "the tiles " + known));
    }
  }

  ExperimentOptions options_;
  OutputOptions output_;
  std::vector<std::string> to_, show_;
  std::vector<StepTarget> targets_;
  bool back_ = false;
  std::uint64_t block_ = 0, lane_ = 0;
  std::string inputs_ = "random";
  StepInputs chosen_inputs_ = StepInputs::random;
  LaunchArguments launch_;
  OpeningOptions opening_;
  StepView view_;
};

const RegisterCommand register_step{[] { return std::make_unique<StepCommand>(); }};

}  // namespace
}  // namespace tilescope
