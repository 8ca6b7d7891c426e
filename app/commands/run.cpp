#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/launch_arguments.hpp"
#include "app/commands/launch_help.hpp"
#include "app/commands/launched_text.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/output.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/json_reader.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/files/element.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/run_file.hpp"
#include "profiler/views/kernel_file/named_sources.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_values_shown = 64;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_line(value);
}

// The type of a buffer's elements. Throws CannotRun for one that only another version of this program knows.
Element element_of(const LaunchedBuffer& buffer) {
  const std::optional<Element> element = element_named(buffer.element);
  if (!element) throw CannotRun(fmt::format("the worker answered with elements of '{}'", buffer.element));
  return *element;
}

std::vector<Json> values_of(const LaunchedBuffer& buffer, std::size_t most) {
  const Element element = element_of(buffer);
  const std::size_t count = std::min(most, buffer.contents.size() / element.bytes);
  std::vector<Json> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.contents.data() + i * element.bytes, element.bytes);
    values.push_back(value_of(bits, element));
  }
  return values;
}

// Lines of eight values, each line with the index of its first one.
std::string buffer_text(const LaunchedBuffer& buffer) {
  constexpr std::size_t per_line = 8;
  const std::vector<Json> values = values_of(buffer, most_values_shown);
  const std::size_t count = buffer.contents.size() / element_of(buffer).bytes;
  std::string text = fmt::format("{}, {} {}\n", shown_line(buffer.name), count, buffer.element);
  std::size_t width = 1;
  for (const Json& value : values) width = std::max(width, text_of(value).size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % per_line == 0) text += fmt::format("{}{:>6}:", i == 0 ? "" : "\n", i);
    text += fmt::format(" {:>{}}", text_of(values[i]), width);
  }
  text += "\n";
  if (values.size() < count)
    text += fmt::format("        {} more; --json prints all\n", count - values.size());
  return text;
}

std::string run_text(const LaunchedPoint& point, const std::string& device,
                     const std::filesystem::path& file) {
  std::string buffers;
  for (const LaunchedBuffer& buffer : point.buffers) buffers += buffer_text(buffer);
  return launched_text(point, device, buffers, named_sources(point, file));
}

Json document_of(const LaunchedPoint& point) {
  Json document = point;
  for (std::size_t i = 0; i < point.buffers.size(); ++i)
    document["buffers"][i]["values"] = values_of(point.buffers[i], std::numeric_limits<std::size_t>::max());
  return document;
}

DeviceModel device_of_table(const Installation& installation, const std::string& name) {
  try {
    return choose_device(name, {}, load_device_tables(installation));
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--device: ") + error.what());
  }
}

class Run : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override {
    return "Interpret a kernel of any PTX file or cubin: buffers in, buffers out, memory accesses; with "
           "--check "
           "races and other faults";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("file", file_,
                   "PTX, a cubin, or CUDA C++ without host code: the contents decide, not the name")
        ->required()
        ->type_name("FILE");
    launch_.declare(app, "(see below)");
    app.add_flag("--check", params_.check,
                 "Look for races, accesses out of bounds, reads of uninitialised shared memory, and barriers "
                 "that not all "
                 "threads reach");
    app.add_flag(
        "--sass", params_.machine_code,
        "Print the machine code of a cubin: executions, lanes, wavefronts or sectors and stall cycles "
        "beside each instruction");
    app.add_option("--device", device_,
                   "Predict the latency of a cubin on this device of `tilescope devices`: its band, its "
                   "parts, and its "
                   "roofline")
        ->type_name("NAME");
    add_whole_option(
        app, "--schedule-seed", params_.schedule_seed,
        "Run the warps in a random order of this seed, so that a race shows in the result (0: in order)");
    add_seconds_option(app, "--time-limit", time_limit_s_,
                       "A run that takes longer ends as timed_out (default 120)");
    output_.declare_json(app);
    app.footer(launch_help);
  }

  ExitCode run() override {
    std::error_code ignored;
    if (std::filesystem::is_directory(file_, ignored))
      throw UnreadableInput(fmt::format(
          "cannot read '{}': it is a folder; `tilescope open` finds the kernels in one", file_.string()));
    params_.subject = launch_.subject(file_, time_limit_of(time_limit_s_));
    const Installation installation = find_installation();
    if (!device_.empty()) params_.device = device_of_table(installation, device_).name;
    listen_for_interrupts();
    Client client(worker_options(installation));
    const LaunchedPoint point = ask_worker(client);
    if (output_.json) {
      if (std::string printed = printed_text(point); !printed.empty()) {
        printed.pop_back();
        say(printed);
      }
      print_json(document_of(point));
    } else {
      print(run_text(point, params_.device, file_));
    }
    return exit_code_of_launch(point);
  }

 private:
  LaunchedPoint ask_worker(Client& client) const {
    BufferParts parts;
    ProgressLine line;
    LaunchedPoint point =
        ask<RunFile>(client, params_, shown_on(line), LaunchArguments::patience(params_.subject),
                     [&parts](const Json& part) { parts.add(part); });
    line.clear();
    refuse(point);
    if (point.status == Status::cancelled) return point;  // a part of the buffers may have come
    try {
      parts.move_into(point);
    } catch (const DocumentError& error) {
      throw CannotRun(std::string("the worker's answer cannot be read: ") + error.what());
    }
    return point;
  }

  // Throws where the command line or a file is wrong, and where the worker ended.
  void refuse(const LaunchedPoint& point) const {
    if (point.problem == FileProblem::code)
      throw UnreadableInput(fmt::format("'{}' cannot be run: {}", file_.string(), point.reason));
    if (point.problem == FileProblem::entry) throw WrongUsage(point.reason);
    if (point.problem == FileProblem::launch) throw launch_.failure_of_launch(point.reason);
    if (point.status == Status::worker_lost) throw CannotRun(point.reason);
  }

  std::filesystem::path file_;
  LaunchArguments launch_;
  double time_limit_s_ = 120;
  std::string device_;
  RunFile::Params params_;
  OutputOptions output_;
};

const RegisterCommand register_run{[] { return std::make_unique<Run>(); }};

}  // namespace
}  // namespace tilescope
