#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "app/commands/report_file.hpp"
#include "app/commands/text_table.hpp"
#include "base/json_reader.hpp"
#include "base/output_file.hpp"
#include "base/text/format.hpp"
#include "base/typed_number.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/regression_gate.hpp"
#include "sessions/reports/junit.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_rows = 100;

// "2%", "2 %" or "0.02"
double read_share(const std::string& text) {
  constexpr double most = 10;
  std::string digits = text;
  const bool is_percentage = digits.ends_with('%');
  if (is_percentage) digits.pop_back();
  if (is_percentage && digits.ends_with(' ')) digits.pop_back();
  const std::optional<double> number = decimal_from(digits);
  const double share = number.value_or(0) / (is_percentage ? 100 : 1);
  if (!number || share >= most)
    throw WrongUsage("--max-regression '" + text + "': give a percentage below 1000 %, such as 2%");
  return share;
}

const SourceFile* source_in(const Session& session, const Measurement& point) {
  const auto found = session.sources.find(point.provenance.source_sha256);
  return found == session.sources.end() ? nullptr : &found->second;
}

Json point_json(const GatedPoint& point, const Session& baseline, const Session& current) {
  const SideSources sources{source_in(baseline, point.comparison.a), source_in(current, point.comparison.b)};
  Json json = comparison_to_json(point.comparison, sources);
  json["outcome"] = to_string(point.outcome);
  json["why_not_decided"] = text_or_null(point.why_not_decided);
  return json;
}

Json report_json(const GateReport& report, const Session& baseline, const Session& current) {
  Json points = Json::array();
  for (const GatedPoint& point : report.points) points.push_back(point_json(point, baseline, current));
  return {{"max_regression", report.max_regression},
          {"regressed", report.count(GateOutcome::regressed)},
          {"broken", report.count(GateOutcome::broken)},
          {"cannot_decide", report.count(GateOutcome::cannot_decide)},
          {"points", std::move(points)},
          {"only_in_baseline", report.only_in_baseline},
          {"only_in_current", report.only_in_current}};
}

std::string table_text(const GateReport& report) {
  TextTable table;
  table.add_column("outcome", TextTable::Align::left);
  for (const char* header : {"baseline", "current", "current / baseline"})
    table.add_column(header, TextTable::Align::right);
  table.add_column("point", TextTable::Align::left);
  std::size_t rows = 0;
  for (const GatedPoint& point : report.points) {
    if (point.outcome == GateOutcome::unchanged || ++rows > most_rows) continue;
    const Comparison& comparison = point.comparison;
    const auto& difference = comparison.difference;
    table.add_row({to_string(point.outcome), difference ? format_latency(difference->a_us) : "-",
                   difference ? format_latency(difference->b_us) : "-",
                   comparison.ratio ? format_number(1 / comparison.ratio->value, 3) : "-",
                   experiment_name(comparison.b)});
  }
  if (rows <= most_rows) return table.text();
  return table.text() + fmt::format("{} more points: --json prints all of them\n", rows - most_rows);
}

std::string summary_text(const GateReport& report) {
  std::string text = format_points(report.points.size()) + " compared";
  for (const GateOutcome outcome :
       {GateOutcome::regressed, GateOutcome::broken, GateOutcome::improved, GateOutcome::unchanged,
        GateOutcome::undecided, GateOutcome::cannot_decide}) {
    if (const std::size_t count = report.count(outcome); count > 0)
      text += fmt::format(", {} {}", count, to_string(outcome));
  }
  return text + fmt::format("; only in the baseline {}, only in the current session {}.\n",
                            report.only_in_baseline.size(), report.only_in_current.size());
}

class GateCommand : public Command {
 public:
  std::string name() const override { return "gate"; }
  std::string summary() const override {
    return "Compares a session with a baseline: exit code 1 where a point became slower beyond noise";
  }
  void declare_options(CLI::App& app) override {
    app.add_option("SESSION", current_, "The current session")->required()->type_name("");
    app.add_option("--against", baseline_, "The session to compare with")->required()->type_name("BASELINE");
    app.add_option("--max-regression", max_regression_, "How much slower a point may become (default 2%)")
        ->type_name("PERCENT");
    app.add_option("--junit", junit_, "Write the result as JUnit XML")->type_name("FILE.xml");
    output_.declare_json(app);
  }

  ExitCode run() override {
    const double max_regression = read_share(max_regression_);
    refuse_second_document(output_, "--junit", junit_);
    const Session baseline = load_session(baseline_), current = load_session(current_);
    const GateReport report = gate(baseline, current, max_regression);
    if (!junit_.empty()) write_output_file(junit_, junit_xml(report, "tilescope gate"));
    const std::string undecided = why_undecided(report);
    if (output_.json) {
      const Json document = report_json(report, baseline, current);
      print_json(undecided.empty() ? document : with_failure(document, "cannot_run", undecided));
    } else {
      print_beside(junit_, table_text(report) + summary_text(report));
    }
    if (report.has_regressed()) return ExitCode::check_failed;
    if (undecided.empty()) return ExitCode::done;
    say("tilescope: " + undecided);
    return ExitCode::cannot_run;
  }

 private:
  // A regression that was found stands, whatever else cannot be decided.
  static std::string why_undecided(const GateReport& report) {
    if (report.has_regressed()) return "";
    if (report.points.empty()) return "the sessions have no point in common: nothing was decided";
    const std::size_t undecided = report.count(GateOutcome::cannot_decide);
    if (undecided == 0) return "";
    const auto failed = std::ranges::find(report.points, GateOutcome::cannot_decide, &GatedPoint::outcome);
    return fmt::format("{} of {} points cannot be decided. The first one: {}", undecided,
                       report.points.size(), failed->why_not_decided);
  }

  std::string current_, baseline_, max_regression_ = "2%";
  std::filesystem::path junit_;
  OutputOptions output_;
};

const RegisterCommand register_gate{[] { return std::make_unique<GateCommand>(); }};

}  // namespace
}  // namespace tilescope
