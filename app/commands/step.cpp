#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
#include "app/commands/step_text.hpp"
#include "profiler/client/worker_options.hpp"
#include "profiler/requests/step.hpp"
#include "profiler/requests/step_row.hpp"

namespace tilescope {
namespace {

/// What --show asks for.
struct Shown {
  std::vector<std::string> tiles;
  bool registers = false, timeline = false;
  /// -1 for the row with the largest error.
  std::optional<std::int64_t> row;
};

constexpr const char* show_forms = "shared:TILE, registers, row, row:N or timeline";

std::int64_t number_of(std::string_view digits, const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || number < 0)
    throw WrongUsage("--show " + text + ": '" + std::string(digits) + "' is no row");
  return number;
}

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
      shown.row = number_of(std::string_view(text).substr(4), text);
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
    output_.declare_json(app);
    app.add_option(
           "--to", to_,
           "Where to stop, one place after another: slot:N, round:N, warp:N, line:N, barrier, barrier:N, "
           "tile, tile:N, write:BYTE, start, end")
        ->type_name("PLACE");
    app.add_flag("--back", back_, "Look for the last place before the present one instead of the next one");
    app.add_option("--show", show_, std::string("What to show besides the warps: ") + show_forms)
        ->type_name("WHAT");
    app.add_option("--block", block_, "The thread block, by its linear index")->type_name("N");
    app.add_option("--warp", view_.warp, "The warp whose registers and line are shown")->type_name("N");
    app.add_option("--lane", lane_, "The lane whose registers are shown")->type_name("N");
    app.add_option("--inputs", inputs_, "random, or large_logits: Q and K forty times as large")
        ->type_name("WHICH");
  }

  ExitCode run() override {
    const Shown shown = shown_from(show_);
    const Installation installation = find_installation();
    SteppedBlockChoice block;
    block.experiment = options_.experiment(options_.find_kernel(installation));
    block.block = block_;
    try {
      block.inputs = step_inputs_from(inputs_);
      for (const std::string& place : to_) targets_.push_back(step_target_from(place));
    } catch (const std::invalid_argument& error) {
      throw WrongUsage(error.what());
    }
    if (targets_.empty()) targets_.push_back(step_target_from("start"));
    view_.tiles = shown.tiles;
    if (shown.registers) view_.lane = lane_;
    Client client(worker_options(installation));
    check_device_name(block.experiment.device, installation, client);
    listen_for_interrupts();
    return show(client, block, shown);
  }

 private:
  template <class Request>
  typename Request::Answer ask_about(Client& client, typename Request::Params params) const {
    ProgressLine line;
    const auto report = [&line](const RequestProgress& progress) {
      line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
    };
    return ask<Request>(client, std::move(params), report, options_.time_limit());
  }

  ExitCode show(Client& client, SteppedBlockChoice block, const Shown& shown) const {
    StepStop stop;
    for (StepTarget target : targets_) {
      target.from = stop.slot;
      target.backwards = back_;
      stop = ask_about<Step>(client, {block, target, view_});
      if (stop.status != Status::ok) return fail(stop.status, stop.reason);
      block.source_sha256 = stop.source_sha256;
      if (!stop.not_found.empty()) break;
    }
    check_tiles(stop, shown);
    Json document = stop;
    std::string text = stop_text(stop, view_);
    if (shown.timeline) {
      const StepTimeline timeline = ask_about<StepTimelineRequest>(client, {block, {}});
      if (timeline.status != Status::ok) return fail(timeline.status, timeline.reason);
      document["timeline"] = timeline;
      text += timeline_text(timeline);
    }
    if (shown.row) {
      const StepRowHistory row = ask_about<StepRow>(client, {block, *shown.row});
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
  StepView view_;
};

const RegisterCommand register_step{[] { return std::make_unique<StepCommand>(); }};

}  // namespace
}  // namespace tilescope
