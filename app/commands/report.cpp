#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/contribution.hpp"
#include "app/commands/cut_list.hpp"
#include "app/commands/output.hpp"
#include "app/commands/report_file.hpp"
#include "app/commands/shape_argument.hpp"
#include "app/commands/shapes_option.hpp"
#include "app/commands/shown_text.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/text/format.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"
#include "profiler/views/points/ladder_kernels.hpp"
#include "sessions/reports/kernel_tuner_export.hpp"
#include "sessions/reports/session_report.hpp"

namespace tilescope {
namespace {

/// Rows of a table in Markdown: more do not help in a pull request.
constexpr std::size_t most_rows = 20;

/// Every name of points, without repetition.
std::vector<std::string> names_in(const Session& session, std::string (*name)(const Measurement&)) {
  std::vector<std::string> names;
  for (const auto& point : session.points) {
    const std::string one = name(*point);
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  return names;
}

class ReportCommand : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string summary() const override {
    return "A session as Markdown, CSV or a self-contained HTML page, or as a Kernel Tuner cache";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("SESSION", session_, "The session to report")->required()->type_name("");
    app.add_option("--to", to_, "The file to write: .md, .csv or .html; .json with --format kernel-tuner")
        ->type_name("FILE");
    app.add_option("--calibration", calibration_,
                   "Write what the model can be held against: the timed points of a GPU, with its "
                   "microbenchmarks and clocks, and nothing that says whose they are")
        ->type_name("FILE");
    app.add_option("--format", format_, "md, csv, html or kernel-tuner; by default what the file's name says")
        ->type_name("NAME");
    app.add_option("--kernel", choice_.kernel, "Points of this kernel alone")->type_name("NAME");
    app.add_option("--device", choice_.device, "Points of this device alone")->type_name("NAME");
    app.add_option("--shape", shape_, "Points of this shape alone, with --causal and --dtype")
        ->type_name("B,H,S,D");
    app.add_flag("--causal", causal_, "The shape of --shape is causal");
    app.add_option("--dtype", dtype_, "The element type of --shape: fp16 (default) or bf16")
        ->type_name("TYPE");
    shapes_.declare(app);
    output_.declare_json(app);
  }

  ExitCode run() override {
    if (to_.empty() == calibration_.empty())
      throw WrongUsage("report needs --to FILE, or --calibration FILE");
    if (!calibration_.empty()) return write_calibration();
    const std::string format = format_of_file();
    refuse_second_document(output_, "--to", to_);
    const Session whole = load_session(session_);
    const Session session = chosen_points(whole, choice(whole));
    if (session.points.empty() && !whole.points.empty())
      throw WrongUsage("no point of the session is of this kernel, device and shape together");
    say_missing(missing_shapes(session));
    std::vector<std::string> left_out;
    const std::string text = text_of(format, session, left_out);
    write_output_file(to_, text);
    print_result(format, session, text.size(), left_out);
    return ExitCode::done;
  }

 private:
  ExitCode write_calibration() const {
    const std::vector<DeviceModel> tables = load_device_tables(find_installation());
    const Contribution contribution = contribution_of(load_session(session_), choice_.device, tables);
    refuse_second_document(output_, "--calibration", calibration_);
    write_output_file(calibration_, session_text(contribution.session));
    const std::size_t points = contribution.session.points.size();
    if (output_.json) {
      print_json({{"file", calibration_.string()},
                  {"format", "calibration"},
                  {"device", contribution.device},
                  {"points", points},
                  {"left_out", contribution.left_out}});
      return ExitCode::done;
    }
    say(fmt::format(
        "{} has {} of {}; {} left out. It names no host, path or person: "
        "profiler/explanation/model/published/README.md says where to send it.",
        calibration_.string(), format_points(points), contribution.device, contribution.left_out));
    return ExitCode::done;
  }

  std::string format_of_file() const {
    const std::string ending = to_.extension().string();
    std::string format = !format_.empty() ? format_ : ending.empty() ? "" : ending.substr(1);
    for (const char* known : {"md", "csv", "html", "kernel-tuner"}) {
      if (format == known) return format;
    }
    if (format_.empty() && format == "json")
      throw WrongUsage("--to a .json file needs --format kernel-tuner");
    throw WrongUsage(fmt::format("'{}' is not a format of reports: there are md, csv, html and kernel-tuner",
                                 format.empty() ? to_.filename().string() : format));
  }

  ReportChoice choice(const Session& session) const {
    ReportChoice choice = choice_;
    check_name("--kernel", choice.kernel,
               names_in(session, [](const Measurement& point) { return point.kernel; }));
    check_name("--device", choice.device,
               names_in(session, [](const Measurement& point) { return point.device.name; }));
    if (shapes_.is_given()) choice.shapes = shapes_.shapes(find_installation()).shapes;
    if (shape_.empty()) {
      if (causal_ || !dtype_.empty()) throw WrongUsage("--causal and --dtype go with --shape: give it too");
      return choice;
    }
    Shape& shape = choice.shapes.emplace_back();
    read_shape_argument(shape_, shape);
    shape.causal = causal_;
    try {
      if (!dtype_.empty()) shape.dtype = data_type_from(dtype_);
    } catch (const std::invalid_argument& error) {
      throw WrongUsage(std::string("--dtype: ") + error.what());
    }
    return choice;
  }

  static void say_missing(const std::vector<Shape>& shapes) {
    const std::size_t shown = std::min(shapes.size(), most_listed);
    for (std::size_t i = 0; i < shown; ++i)
      say("No point of the session is of the shape " + to_string(shapes[i]) + ".");
    if (shown < shapes.size()) say(fmt::format("... and of {} more shapes.", shapes.size() - shown));
  }

  /// Shapes of --shapes that the session does not have.
  std::vector<Shape> missing_shapes(const Session& session) const {
    if (!shapes_.is_given()) return {};
    std::vector<Shape> missing = shapes_.shapes(find_installation()).shapes;
    for (const auto& point : session.points)
      if (!point->arguments) std::erase(missing, point->shape);
    return missing;
  }

  static void check_name(const std::string& option, const std::string& name,
                         const std::vector<std::string>& known) {
    if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
    throw WrongUsage(
        suggest_names(fmt::format("{}: the session has no point of '{}'", option, name), name, known));
  }

  static std::string text_of(const std::string& format, const Session& session,
                             std::vector<std::string>& left_out) {
    if (format == "csv") return session_csv(session);
    if (format == "kernel-tuner") {
      try {
        KernelTunerCache cache = kernel_tuner_cache(session);
        left_out = std::move(cache.left_out);
        return cache.text;
      } catch (const std::invalid_argument& error) {
        throw WrongUsage(error.what());
      }
    }
    const Catalogue catalogue(find_installation().kernels);
    const ReportDocument report =
        session_report(session, ladder_kernels(catalogue.kernels()), tilescope_version());
    return format == "html" ? to_html(report) : to_markdown(report, most_rows);
  }

  void print_result(const std::string& format, const Session& session, std::size_t bytes,
                    const std::vector<std::string>& left_out) const {
    if (output_.json) {
      print_json({{"file", to_.string()},
                  {"format", format},
                  {"points", session.points.size()},
                  {"bytes", bytes},
                  {"left_out", left_out}});
      return;
    }
    std::vector<std::string> sentences;
    sentences.reserve(left_out.size());
    for (const std::string& sentence : left_out) sentences.push_back("Left out: " + sentence);
    print_beside(to_,
                 fmt::format("{}: {}, {}\n", shown_line(to_.string()), format_points(session.points.size()),
                             format_short_bytes(static_cast<std::int64_t>(bytes))) +
                     cut_list(sentences, "that were left out: --json has all"));
  }

  std::filesystem::path session_;
  std::filesystem::path to_, calibration_;
  std::string format_;
  ReportChoice choice_;
  std::string shape_;
  bool causal_ = false;
  std::string dtype_;
  ShapesOption shapes_;
  OutputOptions output_;
};

const RegisterCommand register_report{[] { return std::make_unique<ReportCommand>(); }};

}  // namespace
}  // namespace tilescope
