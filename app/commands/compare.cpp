#include "profiler/service/requests/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/compare_shapes.hpp"
#include "app/commands/compare_text.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
#include "app/commands/report_file.hpp"
#include "app/commands/resolved_side.hpp"
#include "app/commands/session_file.hpp"
#include "app/commands/shapes_option.hpp"
#include "app/commands/sources_of_sides.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "profiler/service/client/comparison_plan.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/measure.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/comparison_table.hpp"
#include "sessions/reports/comparison_report.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_sides = 6;
// Rows of a table in Markdown: more than there are figures.
constexpr std::size_t most_rows = 100;

class CompareCommand : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override {
    return "Configurations, kernels or recorded points side by side: which is faster, and why";
  }
  void declare_options(CLI::App& app) override {
    app.add_option(
           "A", texts_,
           "Two, or up to six, each of which is compared with the first: KERNEL[:NAME=VALUE,..]; a FILE that "
           "`open` takes, with values for its guesses and constants, where entry=NAME chooses a kernel; or "
           "the best point of SESSION.json[:NAME=VALUE,..], where kernel=NAME may be given too")
        ->required()
        ->expected(2, most_sides)
        ->option_text("B [C ...]");
    app.add_option("--set", settings_, "A value for each side that does not give it another one")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    options_.declare_conditions(app);
    shapes_.declare(app);
    opening_.declare(app);
    app.add_flag("--across", across_, "Compare different shapes or devices all the same");
    app.add_option("--format", format_, "text (default), markdown, csv or html")
        ->check(CLI::IsMember({"text", "markdown", "csv", "html"}))
        ->type_name("FORMAT");
    app.add_option("--to", to_,
                   "Write the report to this file, too: .md, .csv or .html, or in --format where the name "
                   "has no ending")
        ->type_name("FILE");
    output_.declare_json(app);
    output_.declare_session(app);
  }

  ExitCode run() override {
    const Installation installation = find_installation();
    const Experiment conditions = options_.conditions();
    if (!to_.empty()) format_of_file();
    refuse_second_document(output_, "--to", to_);
    const Catalogue catalogue(installation.kernels);
    sides_.emplace(catalogue, settings_);
    if (shapes_.is_given()) return run_at_shapes(installation, catalogue, conditions);
    std::vector<ResolvedSide> sides;
    sides.reserve(texts_.size());
    for (const std::string& text : texts_) sides.push_back(sides_->resolve(sides_->read(text), conditions));
    refuse_session_of_files(sides);
    say_problems(installation);
    Client client(worker_options(installation));
    check_device_name(conditions.device, installation, client);
    SessionFile session(output_.session, installation);
    listen_for_interrupts();
    for (ResolvedSide& side : sides) open_if_needed(side, client, conditions);
    std::vector<Comparison> comparisons;
    comparisons.reserve(sides.size());
    const SourceStore store(installation.cache / "sources");
    SourcesOfSides sources(*sides_, store);
    for (std::size_t i = 1; i < sides.size(); ++i) {
      comparisons.push_back(compared(sides[0], sides[i], client, catalogue, session));
      sources.add(sides[0], sides[i], comparisons.back());
    }
    deliver([&](const std::string& format) { return comparisons_in(format, comparisons, sources.all()); },
            [&] { return document_of(comparisons, sources.all()); });
    return concluded(session, outcome(comparisons));
  }

 private:
  ExitCode run_at_shapes(const Installation& installation, const Catalogue& catalogue,
                         Experiment conditions) {
    if (texts_.size() != 2) throw WrongUsage("--shapes compares two sides: give A and B alone");
    std::array<ComparedSide, 2> sides{sides_->read(texts_[0]), sides_->read(texts_[1])};
    for (const ComparedSide& side : sides) {
      if (is_opened(side, catalogue))
        throw WrongUsage(fmt::format("'{}' is no kernel of attention: it has no --shapes", side.name));
    }
    const ShapeSet set = shapes_.shapes(installation);
    Client client(worker_options(installation));
    check_device_name(conditions.device, installation, client);
    SessionFile session(output_.session, installation);
    listen_for_interrupts();
    const SourceStore store(installation.cache / "sources");
    SourcesOfSides sources(*sides_, store);
    const auto compare_at = [&](const Shape& shape) {
      for (ComparedSide& side : sides) side.shape = shape;
      conditions.shape = shape;
      const ResolvedSide a = sides_->resolve(sides[0], conditions), b = sides_->resolve(sides[1], conditions);
      Comparison comparison = compared(a, b, client, catalogue, session);
      // The comparison at which an interrupt arrives is dropped, and is the last one.
      sources.add(a, b, comparison);
      return comparison;
    };
    const ShapeComparisons compared_shapes = compare_at_shapes(set.shapes, compare_at);
    deliver(
        [&](const std::string& format) {
          return shape_comparisons_in(format, compared_shapes, sources.all());
        },
        [&] { return shape_comparisons_to_json(compared_shapes, sources.all()); });
    if (interrupted()) return ExitCode::stopped;
    const ExitCode code = outcome(compared_shapes.comparisons);
    const bool lacks_shapes = code == ExitCode::done && !compared_shapes.not_compared.empty();
    return concluded(session, lacks_shapes ? ExitCode::cannot_run : code);
  }

  static ExitCode concluded(const SessionFile& session, ExitCode code) {
    if (session.problem().empty()) return code;
    say("tilescope: the points are not in the session: " + session.problem());
    return ExitCode::cannot_run;
  }

  void refuse_session_of_files(const std::vector<ResolvedSide>& sides) const {
    if (output_.session.empty()) return;
    for (const ResolvedSide& side : sides) {
      if (side.is_file())
        throw WrongUsage(
            fmt::format("--session keeps no point of '{}': it declares no kernel", side.side.name));
    }
  }

  void open_if_needed(ResolvedSide& side, Client& client, const Experiment& conditions) const {
    if (!side.is_file()) return;
    side.opened = open_side(client, side.side, opening_, conditions, options_.time_limit());
    side.point = side.opened->point;
  }

  Comparison compared(const ResolvedSide& a, const ResolvedSide& b, Client& client,
                      const Catalogue& catalogue, SessionFile& session) {
    std::array<Measurement, 2> points{a.point, b.point};
    std::optional<PairedSeries> series;
    const ComparisonPlan plan = plan_comparison({PlannedSide{a.live}, {b.live}});
    if (plan.both) {
      Compare::Answer answer = ask_for_both(client, *plan.both);
      series = std::move(answer.series);
      points = compared_points(std::move(answer), *plan.both);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (plan.alone[i]) points[i] = measured_beside(client, plan.alone[i]->experiment, points[1 - i]);
    }
    keep(a.live, points[0], catalogue, session);
    keep(b.live, points[1], catalogue, session);
    refuse_different(points[0], points[1]);
    Comparison comparison = compare(std::move(points[0]), std::move(points[1]), std::move(series));
    if (a.opened && b.opened) {
      for (std::string& remark : result_remarks(*a.opened, *b.opened))
        comparison.remarks.push_back(std::move(remark));
    }
    warn_of_other_kernel("A", a.side, comparison.a, comparison.b, comparison);
    warn_of_other_kernel("B", b.side, comparison.b, comparison.a, comparison);
    return comparison;
  }

  void warn_of_other_kernel(const std::string& letter, const ComparedSide& side, const Measurement& chosen,
                            const Measurement& other, Comparison& comparison) {
    if (!side.is_session) return;
    std::string warning = other_kernel_warning(letter, side, sides_->session(side.name), chosen, other);
    if (!warning.empty()) comparison.remarks.insert(comparison.remarks.begin(), std::move(warning));
  }

  Compare::Answer ask_for_both(Client& client, const Compare::Params& params) const {
    ProgressLine line;
    return ask<Compare>(
        client, params,
        [&line](const RequestProgress& progress) {
          line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
        },
        2 * options_.time_limit());
  }

  // Under the conditions of the recorded one, where no option gives others.
  Measurement measured_beside(Client& client, Experiment experiment, const Measurement& recorded) const {
    if (!across_ && !recorded.arguments) {
      experiment.shape = recorded.shape;
      if (experiment.device.empty()) experiment.device = recorded.device.name;
    }
    return ask<Measure>(client, {experiment}, {}, options_.time_limit());
  }

  static void keep(const std::optional<Experiment>& live, const Measurement& point,
                   const Catalogue& catalogue, SessionFile& session) {
    if (!live || point.status == Status::cancelled || !session.is_open()) return;
    const KernelDeclaration kernel = find_kernel(catalogue, live->kernel);
    session.append(point, &kernel);
  }

  void refuse_different(const Measurement& a, const Measurement& b) const {
    if (across_) return;
    const std::string why = why_not_comparable(a, b);
    if (!why.empty()) throw WrongUsage(why + " Compare them all the same with --across.");
  }

  /// To the file of --to and to the terminal.
  void deliver(const std::function<std::string(const std::string& format)>& in_format,
               const std::function<Json()>& document) const {
    if (!to_.empty()) write_output_file(to_, in_format(format_of_file()));
    if (output_.json) return print_json(document());
    // A format that was asked for the file is not the terminal's.
    if (is_format_of_file() || format_ == "text") return print_beside(to_, in_format("text"));
    print_document(in_format(format_));
  }

  std::string format_of_file() const {
    const std::string ending = to_.extension().string();
    if (ending == ".md") return "markdown";
    if (ending == ".csv" || ending == ".html") return ending.substr(1);
    if (is_format_of_file()) return format_;
    throw WrongUsage(
        fmt::format("--to: '{}' does not end in .md, .csv or .html: name the file so, or give its --format",
                    to_.filename().string()));
  }

  /// The name of a pipe does not say a format.
  bool is_format_of_file() const { return !to_.empty() && to_.extension().empty() && format_ != "text"; }

  static std::string comparisons_in(const std::string& format, const std::vector<Comparison>& comparisons,
                                    std::span<const SideSources> sources) {
    if (format == "csv") return comparison_csv(comparisons);
    if (format == "markdown" || format == "html") {
      const ReportDocument report = comparison_report(comparisons, tilescope_version(), sources);
      return format == "html" ? to_html(report) : to_markdown(report, most_rows);
    }
    if (comparisons.size() > 1) return comparisons_text(comparisons, sources);
    return comparison_text(comparisons.front(), sources_at(sources, 0));
  }

  static Json document_of(const std::vector<Comparison>& comparisons, std::span<const SideSources> sources) {
    if (comparisons.size() == 1) return comparison_to_json(comparisons.front(), sources_at(sources, 0));
    Json list = Json::array();
    for (std::size_t i = 0; i < comparisons.size(); ++i)
      list.push_back(comparison_to_json(comparisons[i], sources_at(sources, i)));
    return {{"comparisons", std::move(list)}};
  }

  static ExitCode outcome(const std::vector<Comparison>& comparisons) {
    for (const Comparison& comparison : comparisons) {
      for (const Measurement* point : {&comparison.a, &comparison.b}) {
        if (!has_run(point->status)) return exit_code_of(*point);
      }
    }
    const bool all_apply = std::ranges::none_of(
        comparisons, [](const Comparison& comparison) { return comparison.basis == Basis::none; });
    return all_apply ? ExitCode::done : ExitCode::cannot_run;
  }

  std::vector<std::string> texts_, settings_;
  std::string format_ = "text";
  /// Empty for none.
  std::filesystem::path to_;
  ExperimentOptions options_;
  ShapesOption shapes_;
  OpeningOptions opening_;
  OutputOptions output_;
  /// Once the catalogue has been read.
  std::optional<SideResolver> sides_;
  bool across_ = false;
};

const RegisterCommand register_compare{[] { return std::make_unique<CompareCommand>(); }};

}  // namespace
}  // namespace tilescope
