#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "app/commands/advice_text.hpp"
#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/compared_text.hpp"
#include "app/commands/counted_code_text.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/launch_arguments.hpp"
#include "app/commands/launch_help.hpp"
#include "app/commands/memory_table_text.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/output.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/json_reader.hpp"
#include "base/text/format.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/files/element.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/run_file.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/model/prediction_parts.hpp"
#include "sessions/views/model/prediction_text.hpp"

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

// The parts that take the most, on one line.
std::string largest_parts(const PartsView& view) {
  constexpr std::size_t most_parts = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_parts, view.by_size.size()); ++i) {
    const PartShare& part = view.parts[view.by_size[i]];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, format_latency(part.microseconds));
  }
  return text;
}

std::string prediction_text(const LaunchedPoint& point, const std::string& device) {
  const std::optional<PartsView> view = prediction_parts(point);
  if (!view) return "";
  return "  " + prose(fmt::format("predicted on {}: {}", device, predicted_words(*point.prediction)), 4) +
         "\n  " + prose("largest parts: " + largest_parts(*view), 4) + "\n  " + prose(view->summary, 4) +
         "\n";
}

std::string resources_text(const LaunchedPoint& point, const std::string& device) {
  if (!point.resources) return "";
  const Resources& resources = *point.resources;
  std::string text = fmt::format(
      "resources: {} registers, {} of stack and {} of spills (stores and loads) per thread; {} of static "
      "shared memory per block",
      resources.registers, format_bytes(resources.stack_bytes), format_bytes(resources.spill_bytes),
      format_bytes(resources.static_shared_bytes));
  if (const auto& occupancy = point.occupancy)
    text += fmt::format(". Occupancy on {}: {} blocks and {} warps on an SM, {} ({})", device,
                        occupancy->blocks_per_sm, occupancy->warps_per_sm,
                        format_percent(occupancy->fraction), limiter_words(*occupancy));
  return "  " + prose(text, 4) + "\n";
}

std::string launch_text(const LaunchedPoint& point) {
  const auto size = [](const std::array<std::uint32_t, 3>& of) {
    return fmt::format("({}, {}, {})", of[0], of[1], of[2]);
  };
  std::string pipes;
  for (const auto& [pipe, count] : point.instructions)
    pipes += fmt::format("{}{} {}", pipes.empty() ? "" : ", ", pipe, count);
  return fmt::format("  launch: grid {}, block {}, {} B of dynamic shared memory\n", size(point.grid),
                     size(point.block), point.dynamic_shared_bytes) +
         "  " +
         prose(fmt::format("instructions: {} by warps ({}), {} by lanes; {} barriers",
                           point.warp_instructions, pipes, point.lane_instructions, point.barriers),
               4) +
         "\n";
}

// A line for each line that a thread printed: "block (0, 0, 0), thread 3, says.cu:4: text".
std::string printed_text(const LaunchedPoint& point) {
  std::string text;
  for (const LaunchedText& one : point.printed) {
    const std::string origin = fmt::format("block ({}), thread {}, {}: ", fmt::join(one.block, ", "),
                                           one.thread, shown_line(one.place));
    std::string_view rest = one.text;
    do {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += "  " + origin + shown_line(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
  }
  return text.empty() ? "" : "The kernel printed:\n" + text;
}

std::string run_text(const LaunchedPoint& point, const std::string& device) {
  std::string text = point.entry.empty() ? "" : demangled_symbol(point.entry) + ", " + point.target + "\n";
  text += "  " +
          prose("status: " + to_string(point.status) + (point.reason.empty() ? "" : ": " + point.reason), 4) +
          "\n";
  if (point.warp_instructions > 0) text += launch_text(point) + resources_text(point, device);
  if (point.prediction) text += prediction_text(point, device);
  text += printed_text(point);
  for (const LaunchedBuffer& buffer : point.buffers) text += buffer_text(buffer);
  text += compared_text(point);
  for (const Finding& finding : point.findings) {
    if (finding.text == point.reason) continue;  // already printed with the status
    text += prose(finding.kind + ": " + finding.text, 2) + "\n";
  }
  if (point.checked && point.findings.empty() && point.status == Status::ok) text += "No findings.\n";
  if (point.checked && point.status == Status::ok) text += prose(sentence_of(point.looked_for), 2) + "\n";
  if (point.diagnoses) text += advice_text(*point.diagnoses);
  if (point.memory)
    text += capitalised(counts_origin(*point.memory, false)) + "\n" + memory_table_text(*point.memory, {});
  if (point.machine_code) text += counted_code_text(*point.machine_code, "");
  for (const std::string& note : point.notes) text += prose("Note: " + note, 2) + "\n";
  return text;
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

ExitCode exit_code_of_run(const LaunchedPoint& point) {
  const bool is_about_the_machine = point.status == Status::unsupported ||
                                    point.status == Status::cancelled || point.status == Status::timed_out;
  if (is_about_the_machine) return ExitCode::cannot_run;
  const bool has_fault = std::ranges::any_of(point.findings, is_fault);
  return point.status == Status::ok && !has_fault ? ExitCode::done : ExitCode::check_failed;
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
      print(run_text(point, params_.device));
    }
    return exit_code_of_run(point);
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
