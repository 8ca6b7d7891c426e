#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/commands/advice_text.hpp"
#include "app/commands/command.hpp"
#include "app/commands/counted_code_text.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/launch_arguments.hpp"
#include "app/commands/memory_table_text.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/output.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/run_file.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/model/prediction_parts.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_values_shown = 64;

constexpr const char* footer =
    "LAUNCH.json has the launch and the arguments, in the order of the kernel's parameters:\n"
    "  {\"grid\": [2, 1, 1], \"block\": [32, 1, 1], \"dynamic_shared_bytes\": 0,\n"
    "   \"arguments\": [{\"type\": \"buffer\", \"element\": \"f32\", \"values\": [1, 2.5, \"nan\"]},\n"
    "                 {\"type\": \"buffer\", \"element\": \"u32\", \"count\": 64, \"fill\": 0, \"name\": "
    "\"out\"},\n"
    "                 {\"type\": \"u32\", \"value\": 3},\n"
    "                 {\"type\": \"bytes\", \"values\": [0, 255]}]}\n"
    "Elements and numbers are u8 to u64, s8 to s64, b8 to b64, f16, bf16, f32 and f64; \"0xff\" gives bits.\n"
    "grid and block are [1, 1, 1] by default.\n"
    "\n"
    "A cubin (ptxas, nvcc -cubin) is executed as it is, for sm_80 to sm_90a; its parameters have sizes and "
    "no types.\n"
    "\n"
    "Exit codes: 0 done, 1 a fault, a finding or invalid PTX, 2 wrong usage, or a file that cannot be used, "
    "3 not supported here, or out of time.\n"
    "`tilescope --help` names the variables.";

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_line(value);
}

// Lines of eight values, each line with the index of its first one.
std::string buffer_text(const Json& buffer) {
  constexpr std::size_t per_line = 8;
  const Json& values = buffer["values"];
  std::string text = fmt::format("{}, {} {}\n", shown_line(buffer["name"].get<std::string>()), values.size(),
                                 buffer["element"].get<std::string>());
  const std::size_t shown = std::min(values.size(), most_values_shown);
  std::size_t width = 1;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, text_of(values[i]).size());
  for (std::size_t i = 0; i < shown; ++i) {
    if (i % per_line == 0) text += fmt::format("{}{:>6}:", i == 0 ? "" : "\n", i);
    text += fmt::format(" {:>{}}", text_of(values[i]), width);
  }
  text += "\n";
  if (shown < values.size())
    text += fmt::format("        {} more; --json prints all\n", values.size() - shown);
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

std::string prediction_text(const Prediction& prediction, const std::string& device) {
  Measurement point;
  point.prediction = prediction;
  const std::optional<PartsView> view = prediction_parts(point);
  if (!view) return "";
  return "  " + prose(fmt::format("predicted on {}: {}", device, predicted_words(prediction)), 4) + "\n  " +
         prose("largest parts: " + largest_parts(*view), 4) + "\n  " + prose(view->summary, 4) + "\n";
}

// A line for each line that a thread printed: "block (0, 0, 0), thread 3, says.cu:4: text".
std::string printed_text(const FileRun& run) {
  std::string text;
  for (const FileRunText& one : run.printed) {
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

std::string run_text(const FileRun& run, const Json& document, const std::string& device) {
  const auto size = [](const simt::Dimensions& of) { return fmt::format("({}, {}, {})", of.x, of.y, of.z); };
  std::string text = run.entry.empty() ? "" : run.entry + ", " + run.target + "\n";
  text += "  " +
          prose("status: " + to_string(run.status) + (run.reason.empty() ? "" : ": " + run.reason), 4) + "\n";
  if (run.blocks_run > 0) {
    text += fmt::format("  launch: grid {}, block {}, {} B of dynamic shared memory\n", size(run.grid),
                        size(run.block), run.dynamic_shared_bytes);
    std::string pipes;
    for (const auto& [pipe, count] : run.instructions)
      pipes += fmt::format("{}{} {}", pipes.empty() ? "" : ", ", pipe, count);
    text += "  " +
            prose(fmt::format("instructions: {} by warps ({}), {} by lanes; {} barriers",
                              run.warp_instructions, pipes, run.lane_instructions, run.barriers),
                  4) +
            "\n";
  }
  if (run.prediction) text += prediction_text(*run.prediction, device);
  text += printed_text(run);
  for (const Json& buffer : document["buffers"]) text += buffer_text(buffer);
  for (const Finding& finding : run.findings) {
    if (finding.text == run.reason) continue;  // already printed with the status
    text += prose(finding.kind + ": " + finding.text, 2) + "\n";
  }
  if (run.checked && run.findings.empty() && run.status == Status::ok) text += "No findings.\n";
  text += advice_text(run.diagnoses);
  if (run.memory)
    text += capitalised(counts_origin(*run.memory, false)) + "\n" + memory_table_text(*run.memory, {});
  if (run.machine_code) text += counted_code_text(*run.machine_code, "");
  for (const std::string& note : run.notes) text += prose("Note: " + note, 2) + "\n";
  return text;
}

DeviceModel device_of_table(const Installation& installation, const std::string& name) {
  try {
    return choose_device(name, {}, load_device_tables(installation));
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--device: ") + error.what());
  }
}

ExitCode exit_code_of(const FileRun& run) {
  const bool is_about_the_machine =
      run.status == Status::unsupported || run.status == Status::cancelled || run.status == Status::timed_out;
  if (is_about_the_machine) return ExitCode::cannot_run;
  const bool has_fault = std::ranges::any_of(run.findings, is_fault);
  return run.status == Status::ok && !has_fault ? ExitCode::done : ExitCode::check_failed;
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
    app.add_option("file", file_, "PTX or a cubin: the contents decide, not the name")
        ->required()
        ->type_name("FILE");
    launch_.declare(app, "(see below)");
    app.add_flag(
        "--check", options_.check,
        "Look for races, accesses out of bounds, reads of uninitialised memory, and barriers that not all "
        "threads reach");
    app.add_flag(
        "--sass", options_.machine_code,
        "Print the machine code of a cubin: executions, lanes, wavefronts or sectors and stall cycles "
        "beside each instruction");
    app.add_option("--device", device_,
                   "Predict the latency of a cubin on this device of `tilescope devices`: its band, its "
                   "parts, and the "
                   "roofline of DRAM")
        ->type_name("NAME");
    add_whole_option(
        app, "--schedule-seed", options_.schedule_seed,
        "Run the warps in a random order of this seed, so that a race shows in the result (0: in order)");
    add_seconds_option(app, "--time-limit", time_limit_s_,
                       "A run that takes longer ends as timed_out (default 120)");
    output_.declare_json(app);
    app.footer(footer);
  }

  ExitCode run() override {
    const std::string contents = LaunchArguments::read_file(file_);
    const Json launch = launch_.read();
    options_.entry = launch_.entry;
    const Installation installation = find_installation();
    if (!device_.empty()) options_.device = device_of_table(installation, device_);
    listen_for_interrupts();
    options_.cancelled = interrupted;
    options_.time_limit = time_limit_of(time_limit_s_);
    DisassemblyCache disassemblies(installation);
    disassemblies.set_limits(disassembly_limits());
    const FileRun run = [&] {
      try {
        return run_file(contents, launch, options_, disassemblies);
      } catch (const UnusableFile& error) {
        throw UnreadableInput(fmt::format("'{}' cannot be run: {}", file_.string(), error.what()));
      } catch (const UnknownEntry& error) {
        throw WrongUsage(error.what());
      } catch (const LaunchFileError& error) {
        throw launch_.failure(error);
      }
    }();
    const Json document = to_json_document(run);
    if (output_.json) {
      if (std::string printed = printed_text(run); !printed.empty()) {
        printed.pop_back();
        say(printed);
      }
      print_json(document);
    } else {
      print(run_text(run, document, options_.device ? options_.device->name : ""));
    }
    return exit_code_of(run);
  }

 private:
  // nvdisasm is not given more time than the whole run.
  sass::NvdisasmLimits disassembly_limits() const {
    sass::NvdisasmLimits limits;
    limits.server = std::min(limits.server, options_.time_limit);
    limits.run = std::min(limits.run, options_.time_limit);
    return limits;
  }

  std::filesystem::path file_;
  LaunchArguments launch_;
  double time_limit_s_ = 120;
  std::string device_;
  FileRunOptions options_;
  OutputOptions output_;
};

const RegisterCommand register_run{[] { return std::make_unique<Run>(); }};

}  // namespace
}  // namespace tilescope
