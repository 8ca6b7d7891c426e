#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/file_layouts.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/kernel_table_text.hpp"
#include "app/commands/launch_arguments.hpp"
#include "app/commands/launched_text.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/open_values.hpp"
#include "app/commands/opened_task.hpp"
#include "app/commands/opening.hpp"
#include "app/commands/output.hpp"
#include "app/commands/reference_command.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/vary_arguments.hpp"
#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/formula/formula.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/measure/open/launch_sidecar.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"
#include "profiler/service/requests/open_file.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"
#include "profiler/views/kernel_file/named_sources.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// How an unchecked point becomes a checked one: with the formula that its first output equals, or with an example.
std::string expect_text(const OpenedPoint& point) {
  if (point.status != Status::unchecked || point.outputs.empty()) return "";
  const std::string& output = point.outputs.front();
  const auto equal = std::ranges::find(point.guesses, output + ": expected", &LaunchGuess::what);
  const std::string formula = equal == point.guesses.end() ? "2 * x" : equal->value;
  std::string how =
      fmt::format("Compare the result with a formula by --expect \"{} = {}\"", formula_name(output), formula);
  if (point.kernels.size() > 1) how += ", or with what another kernel of the file leaves by --reference NAME";
  return prose(how + ".", 2) + "\n";
}

std::string opened_text(const OpenedPoint& point, const fs::path& file,
                        const std::vector<LayoutAnswer>& layouts) {
  std::string text =
      point.kernels.empty() ? "" : point.kind + "\n" + kernel_table_text(point.kernels, point.device.name);
  text += guesses_text(point.guesses) + constants_text(point.constants);
  if (!point.entry.empty() || point.status != Status::ok)
    text += launched_text(point, point.device.name, "", named_sources(point, file),
                          file_layouts_section(layouts));
  return text + expect_text(point);
}

class Open : public Command {
 public:
  std::string name() const override { return "open"; }
  std::string summary() const override {
    return "Open a kernel of your own: finds out how it is launched, executes it, and says what it costs";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("file", file_, "CUDA C++, PTX, a cubin, or a file that holds them")
        ->required()
        ->type_name("FILE");
    launch_.declare(app, "(see `tilescope run --help`)");
    app.add_option(
           "--set", settings_,
           "A value in the place of a guess: a number by its name, grid, block, shared, or \"x: "
           "elements\" and \"x: fill\" of a buffer x; or of a constant of the source, which is compiled "
           "with it")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app.add_option(
           "--vary", vary_,
           "A value to go through, and others in its place: a constant of the source with the values "
           "proposed for it, or anything that --set takes. A table of all combinations. May be repeated")
        ->type_name("NAME[=V1,V2,..]")
        ->allow_extra_args(false);
    app.add_option("--device", params_.device, "Predict the latency on this device of `tilescope devices`")
        ->type_name("NAME");
    opening_.declare(app);
    task_.declare(app);
    app.add_option(
           "--reference-command", reference_command_,
           "A program that computes what the outputs should hold, such as \"python3 ref.py\". It is called "
           "with a folder: x.npy is the buffer x before the launch, launch.json has the numbers, and what it "
           "writes to expected/y.npy is compared with the output y")
        ->type_name("COMMAND");
    app.add_flag("--list", params_.list_only, "Only list the kernels, with what their machine code says");
    app.add_flag("!--no-check", params_.check, "Do not look for races and other faults");
    app.add_option("--blocks", blocks_,
                   "Blocks to execute: a number or `all` (default: as many as take about a second)")
        ->type_name("N");
    app.add_flag("--declare", declares_,
                 "Write the launch to FILE.launch.json, which is then taken in place of guesses");
    add_seconds_option(app, "--time-limit", time_limit_s_,
                       "A run that takes longer ends as timed_out (default 120)");
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    task_.find(file_);
    if (task_.is_found()) file_ = task_.kernels();
    fill_params();
    listen_for_interrupts();
    const Installation installation = find_installation();
    if (!params_.list_only && !params_.subject.launch) task_.run(installation, params_);
    SessionFile session(output_.session, installation);
    if (!session.problem().empty()) throw CannotRun(session.problem());
    Client client(worker_options(installation));
    const ExitCode code = vary_.empty() ? open_one(client, session) : try_values(client, session);
    if (session.problem().empty()) return code;
    say("tilescope: the session is not complete: " + session.problem());
    return code == ExitCode::done ? ExitCode::cannot_run : code;
  }

 private:
  void refuse(const OpenedPoint& point) const { refuse_unopened(point, file_, launch_); }

  ExitCode open_one(Client& client, SessionFile& session) const {
    const OpenedPoint point = reference_command_.empty() ? open(client) : open_with_reference(client);
    if (declares_) declare(point);
    keep(point, params_.chosen, session);
    const std::vector<LayoutAnswer> layouts = solve_file_conflicts(client, point, params_);
    if (output_.json) {
      Json document(point);
      if (!layouts.empty()) document["layouts"] = layouts;
      print_json(document);
    } else {
      print(opened_text(point, file_, layouts));
    }
    return exit_code_of_launch(point);
  }

  void keep(const OpenedPoint& point, const std::map<std::string, std::string>& chosen,
            SessionFile& session) const {
    if (params_.list_only || point.entry.empty() || point.status == Status::cancelled) return;
    session.append(file_measurement(point, file_.filename().string(), chosen), named_sources(point, file_));
  }

  OpenedPoint open(Client& client) const {
    OpenedPoint point = ask_to_open(client, params_);
    refuse(point);
    return point;
  }

  // Opens the file twice: the launch has to be known before the program can compute what it should leave.
  OpenedPoint open_with_reference(Client& client) const {
    if (declares_ || params_.list_only)
      throw WrongUsage("--reference-command goes with neither --declare nor --list");
    const OpenedPoint first = open(client);
    ReferenceCommand command(reference_command_);
    OpenedPoint point = ask_to_open(client, command.expect(first, params_));
    refuse(point);
    point.guesses = first.guesses;
    point.outputs = first.outputs;
    return point;
  }

  ExitCode try_values(Client& client, SessionFile& session) {
    if (declares_ || params_.list_only || !launch_.launch.empty() || !reference_command_.empty())
      throw WrongUsage("--vary goes with neither --declare, --list, --reference-command nor --args");
    OpenFile::Params listing = params_;
    listing.list_only = true;
    const OpenedPoint listed = ask_to_open(client, listing);
    refuse(listed);
    const std::vector<ValueCombination> combinations =
        tried_combinations(split_vary_arguments(vary_), listed.constants, params_.chosen);
    std::vector<TriedPoint> points;
    points.reserve(combinations.size());
    for (const ValueCombination& values : combinations) {
      OpenFile::Params params = params_;
      params.chosen.insert(values.begin(), values.end());
      OpenedPoint point = ask_to_open(client, params);
      if (point.status == Status::cancelled) break;
      keep(point, params.chosen, session);
      points.push_back({values, std::make_shared<const OpenedPoint>(std::move(point))});
    }
    const bool has_launch = std::ranges::any_of(
        points, [](const TriedPoint& tried) { return tried.point->problem == FileProblem::none; });
    if (!points.empty() && !has_launch) refuse(*points.front().point);
    add_entry_values(points);
    if (output_.json) {
      print_json(tried_document(points));
    } else {
      print(tried_text(points, listed.device.name));
    }
    if (points.size() < combinations.size()) {
      say(fmt::format("tilescope: cancelled: {} of {} points are done", points.size(), combinations.size()));
      return ExitCode::stopped;
    }
    return exit_code_of_tried(points);
  }

  void fill_params() {
    for (const std::string& setting : settings_) {
      const auto [name, value] = split_assignment("--set", setting);
      if (!params_.chosen.emplace(name, value).second)
        throw WrongUsage(fmt::format("--set gives '{}' twice: give it once", name));
    }
    opening_.add_to(params_);
    if (blocks_ == "all") {
      params_.blocks = OpenFile::all_blocks;
    } else if (!blocks_.empty()) {
      params_.blocks =
          static_cast<std::int64_t>(read_whole_option("--blocks", blocks_, {1, OpenFile::all_blocks}));
    }
    if (launch_.launch.empty()) launch_.launch = declared_launch(file_, changes_launch() || !vary_.empty());
    if (launch_.launch.empty()) take_options_beside();
    params_.subject = launch_.subject(file_, time_limit_of(time_limit_s_));
  }

  // A declared launch that is left aside still says how its source is compiled.
  void take_options_beside() {
    std::error_code ignored;
    const fs::path sidecar = launch_sidecar(file_);
    if (!fs::exists(sidecar, ignored)) return;
    try {
      params_.options = with_launch_options(SentFile{fs::absolute(sidecar).string(), std::nullopt},
                                            std::move(params_.options));
    } catch (const std::runtime_error& error) {
      throw UnreadableInput(fmt::format("'{}': {}", sidecar.string(), error.what()));
    }
  }

  // With the options of the compiler that a launch may give.
  std::string declared_document(const OpenedPoint& point, const fs::path& folder) const {
    Json options = Json::array();
    for (const std::string& option : params_.options) {
      if (!may_be_in_launch(option)) {
        say(fmt::format("'{}' is for the command line alone: give it each time.", option));
      } else if (option.starts_with("-I")) {
        options.push_back("-I" + fs::path(option.substr(2)).lexically_proximate(folder).string());
      } else {
        options.push_back(option);
      }
    }
    if (options.empty()) return point.launch;
    Json document = parse_json(point.launch);
    document["options"] = std::move(options);
    return document.dump(2) + "\n";
  }

  // Other kernels of the file go with any launch.
  bool changes_launch() const {
    return std::ranges::any_of(params_.chosen, [](const auto& choice) {
      return choice.first != reference_kernel_choice && !earlier_kernel_of(choice.first);
    });
  }

  void declare(const OpenedPoint& point) const {
    const fs::path sidecar = launch_sidecar(file_);
    if (point.launch.empty()) throw CannotRun("there is no launch to declare: " + point.reason);
    if (!params_.calls.empty())
      throw WrongUsage("--declare writes a launch without the tensors of a task: leave --trust out");
    for (const OpenedConstant& constant : point.constants) {
      if (!params_.chosen.contains(constant.name)) continue;
      if (point.constants.front().name == cache_entry_choice)
        throw WrongUsage(fmt::format(
            "--declare writes a launch of the newest entry of the cache, and --set {} takes another one: "
            "open the folder of that entry alone",
            constant.name));
      throw WrongUsage(fmt::format(
          "--declare writes a launch of the source as it stands: write {} into line {} of '{}' first, "
          "without --set {}",
          params_.chosen.at(constant.name), constant.line, file_.string(), constant.name));
    }
    if (fs::exists(sidecar))
      throw CannotRun(
          fmt::format("'{}' is there already: move it away to declare the launch anew", sidecar.string()));
    try {
      replace_file(sidecar, {declared_document(point, fs::absolute(sidecar).parent_path())});
    } catch (const std::system_error& error) {
      throw CannotRun(fmt::format("'{}' cannot be written: {}", sidecar.string(), error.what()));
    }
    say(fmt::format("The launch is in {}; `tilescope open {}` takes it from now on.", sidecar.string(),
                    file_.string()));
  }

  fs::path file_;
  LaunchArguments launch_;
  double time_limit_s_ = 120;
  std::vector<std::string> settings_, vary_;
  OpeningOptions opening_;
  OpenedTask task_;
  std::string blocks_;
  bool declares_ = false;
  std::string reference_command_;
  OpenFile::Params params_;
  OutputOptions output_;
};

const RegisterCommand register_open{[] { return std::make_unique<Open>(); }};

}  // namespace
}  // namespace tilescope
