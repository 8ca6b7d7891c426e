#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include "app/gui/export_format.hpp"
#include "app/gui/graphics.hpp"
#include "app/window/picture.hpp"
#include "app/window/window.hpp"
#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "base/text/visible_text.hpp"
#include "base/typed_number.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/files/kernel_file_names.hpp"
#include "profiler/process/standard_descriptors.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "sessions/session.hpp"

namespace tilescope {

namespace {

constexpr int wrong_usage = 2;
constexpr int cannot_run_here = 3;

struct CommandLine {
  WindowOptions window;
  PictureOptions picture;
  bool take_picture = false;
  bool json = false;
  std::string size;
  float scale = 0;
  std::string theme;
  std::string worker;
};

/// Throws CLI::ValidationError, as the two below.
std::uint32_t read_line_number(const std::string& text) {
  try {
    return static_cast<std::uint32_t>(whole_number_in({1, std::numeric_limits<std::uint32_t>::max()}, text));
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--line", error.what());
  }
}

float read_scale(const std::string& text) {
  constexpr double smallest = 0.75, largest = 4;
  const std::optional<double> scale = decimal_from(text);
  if (scale && *scale >= smallest && *scale <= largest) return static_cast<float>(*scale);
  throw CLI::ValidationError(
      "--scale", fmt::format("'{}' is not a factor: write a number from {} to {}", text, smallest, largest));
}

void declare(CLI::App& app, CommandLine& line) {
  app.add_option("FILE", line.window.file, "The session or the kernel file to open");
  app.add_option("--screenshot", line.picture.panel, "Draw a panel, or 'window', as a picture and leave")
      ->type_name("PANEL");
  app.add_option("--workspace", line.picture.workspace, "The workspace in a picture of the window")
      ->type_name("NAME");
  app.add_option("--choose", line.picture.choices, "What to choose in the panel, such as view=cliffs")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--step", line.picture.step, "Where panels that step through a block stop, such as tile:2");
  app.add_option("--inputs", line.picture.inputs, "What Q, K and V of a stepped block hold")
      ->check(CLI::IsMember({"random", "large_logits"}));
  const auto read_line = [&line](const std::string& text) { line.picture.line = read_line_number(text); };
  app.add_option_function<std::string>(
         "--line", read_line,
         "The line of the kernel's file in pictures of its memory accesses; the worst one without it")
      ->type_name("N");
  app.add_option("--session", line.picture.session, "The session in the picture")->type_name("FILE");
  app.add_option("--kernel-file", line.picture.kernel_file, "The kernel file in the picture")
      ->type_name("FILE");
  app.add_option("--recorded", line.picture.recorded, "A session drawn behind it, as recorded")
      ->type_name("FILE");
  app.add_option("--to", line.picture.to,
                 "Where it goes: a picture (.png, .svg), or the table of a panel (.csv)")
      ->type_name("FILE");
  app.add_option("--size", line.size, "Pixels of the picture or the window")->type_name("WxH");
  const auto read = [&line](const std::string& text) { line.scale = read_scale(text); };
  app.add_option_function<std::string>("--scale", read,
                                       "How large text and controls are; 1 suits 96 dots per inch")
      ->type_name("FACTOR");
  app.add_option("--theme", line.theme, "The colours")->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--worker", line.worker, "The measuring process: \"ssh HOST tilescope worker\"")
      ->type_name("COMMAND");
  app.add_flag("--json", line.json, "Say in JSON what was drawn");
  // An empty group is not listed: for tests and benchmarks.
  app.add_option("--landmarks", line.window.landmarks)->group("");
  app.add_flag("--exit-after-first-frame", line.window.exit_after_first_frame)->group("");
}

/// "1280x720" into two positive numbers.
void read_size(const std::string& text, int& width, int& height) {
  constexpr std::uint64_t smallest = 64, largest = 16384;
  const std::size_t sign = std::min(text.find('x'), text.size() - 1);
  const auto read = [](const std::string& digits) {
    const std::uint64_t pixels = whole_number_from(digits).value_or(0);
    return pixels >= smallest && pixels <= largest ? static_cast<int>(pixels) : 0;
  };
  width = read(text.substr(0, sign));
  height = read(text.substr(sign + 1));
  if (width == 0 || height == 0) {
    throw CLI::ValidationError(
        "--size", fmt::format("'{}' is not a size: write WIDTHxHEIGHT in pixels, {} to {}, as 1280x720", text,
                              smallest, largest));
  }
}

// Also where stderr is closed or full.
void complain(const std::exception& error) {
  std::fputs(fmt::format("tilescope-window: {}\n", visible_text(error.what())).c_str(), stderr);
}

std::vector<std::string> worker_command(const CommandLine& line, const Installation& installation) {
  if (line.worker.empty()) return {(installation.executable.parent_path() / "tilescope").string(), "worker"};
  return split_command(line.worker);
}

int take_picture(CommandLine& line) {
  PictureOptions& options = line.picture;
  if (options.to.empty()) throw CLI::RequiredError("--to FILE.png");
  options.scale = line.scale > 0 ? line.scale : 1;
  options.light = line.theme == "light";
  if (options.kernel_file.empty() && holds_kernels(line.window.file)) options.kernel_file = line.window.file;
  if (options.session.empty() && options.kernel_file.empty()) options.session = line.window.file;
  const Installation installation = find_installation();
  options.worker = worker_command(line, installation);
  const Json made = make_picture(installation, options);
  if (line.json) {
    fmt::print("{}\n", visible_json(to_line(made)));
  } else {
    const std::string file = visible_line(made["file"].get<std::string>());
    const bool is_table = export_format_of(options.to) == ExportFormat::csv;
    fmt::print("{}\n", is_table ? file
                                : fmt::format("{}: {} x {} pixels", file, made["width"].get<int>(),
                                              made["height"].get<int>()));
  }
  return 0;
}

int open_window(CommandLine& line) {
  const Installation installation = find_installation();
  line.window.worker_command = worker_command(line, installation);
  line.window.scale = line.scale;
  line.window.theme = line.theme;
  return run_window(installation, line.window);
}

/// How the program ends for an exception, in the words of `tilescope`, which prints what this program prints.
struct Failure {
  int code;
  const char* status;
};

Failure failure_of(const std::exception& error) {
  const auto* exception = &error;
  if (dynamic_cast<const ExportError*>(exception) != nullptr ||
      dynamic_cast<const UnknownName*>(exception) != nullptr)
    return {wrong_usage, "usage"};
  if (dynamic_cast<const SessionError*>(exception) != nullptr ||
      dynamic_cast<const UnreadableFile*>(exception) != nullptr)
    return {wrong_usage, "unreadable"};
  return {cannot_run_here, "cannot_run"};
}

int report(const Failure& failure, const std::string& reason, bool as_json) {
  if (as_json) fmt::print("{}\n", to_line({{"status", failure.status}, {"reason", reason}}));
  return failure.code;
}

int run(int argc, char** argv) {
  keep_shaders_out_of_folder();
  CLI::App app(
      "Tilescope's window: move a slider, and the kernel is compiled, checked, launched and plotted.",
      "tilescope-window");
  CommandLine line;
  declare(app, line);
  try {
    app.parse(argc, argv);
    if (!line.size.empty()) {
      read_size(line.size, line.window.width, line.window.height);
      line.picture.width = line.window.width;
      line.picture.height = line.window.height;
    }
    return app.count("--screenshot") > 0 ? take_picture(line) : open_window(line);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const bool as_json = std::ranges::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    complain(error);
    std::fputs("Run with --help for more information.\n", stderr);
    return report({wrong_usage, "usage"}, error.what(), as_json);
  } catch (const std::exception& error) {
    complain(error);
    return report(failure_of(error), error.what(), line.json);
  }
}

}  // namespace

}  // namespace tilescope

int main(int argc, char** argv) {
  tilescope::open_standard_descriptors();
  const int code = tilescope::run(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("tilescope-window: the result cannot be written to standard output\n", stderr);
  return code == 0 ? tilescope::cannot_run_here : code;
}
