// How far predicted latencies are from those that an H200 measured (sessions/examples/model_h200.json, recorded by
// profiler/explanation/model/hardware/record_points.sh), and how long a prediction takes. Every point is compiled for the H200 and
// executed here. The figures of the shipped table were fitted to four kernels at five shapes; the others are held out.
//
//   model_accuracy [--launches FOLDER] [--fit FILE] [--points FILE.csv] [--benchmark_format=json]
//   model_accuracy --predict FILE [--session FILE] [--launches FOLDER]
//   model_accuracy --published
//   model_accuracy --set FOLDER --table DEVICE.csv --device NAME [--stalls FILE.csv] [--launches FOLDER]
// --launches keeps what was executed there, and takes what an earlier run left. --fit fits the table anew to the first half
// and writes it; --predict writes the recorded session, or another one, with its predictions and diagnoses made again;
// --published prints what others measured, which needs nothing executed;
// --stalls compares the largest stall reasons with those that Nsight Compute measured.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/explanation/model/bench/accuracy.hpp"
#include "profiler/explanation/model/bench/launch_file.hpp"
#include "profiler/explanation/model/bench/published_report.hpp"
#include "profiler/explanation/model/bench/set_report.hpp"
#include "profiler/explanation/model/bench/stall_report.hpp"
#include "profiler/explanation/model/fit.hpp"
#include "profiler/explanation/model/predict.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/measure/interpret/executed_launch.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/session.hpp"

namespace {

using namespace tilescope;
using model::JudgedPoint;

const std::set<std::string> fitted_kernels = {"naive", "flash_scalar", "wmma_full", "mma_flash"};
const std::set<std::string> fitted_shapes = {"B1 H8 S512 D64 fp16", "B4 H16 S512 D64 fp16 causal",
                                             "B8 H16 S512 D64 fp16", "B2 H8 S1024 D128 fp16",
                                             "B1 H16 S333 D64 fp16 causal"};

bool is_of_fitted_kernel(const JudgedPoint& point) {
  return fitted_kernels.contains(point.kernel);
}
bool is_of_fitted_shape(const JudgedPoint& point) {
  return fitted_shapes.contains(point.shape);
}

struct Arguments {
  std::filesystem::path launches, table, predicted, points, session, stalls;
  std::filesystem::path set, times;
  std::string device = "H200";
  bool json = false, published = false;
};

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string value = values[i];
    if (value == "--launches" && i + 1 < count) arguments.launches = values[++i];
    if (value == "--fit" && i + 1 < count) arguments.table = values[++i];
    if (value == "--predict" && i + 1 < count) arguments.predicted = values[++i];
    if (value == "--points" && i + 1 < count) arguments.points = values[++i];
    if (value == "--set" && i + 1 < count) arguments.set = values[++i];
    if (value == "--table" && i + 1 < count) arguments.times = values[++i];
    if (value == "--session" && i + 1 < count) arguments.session = values[++i];
    if (value == "--stalls" && i + 1 < count) arguments.stalls = values[++i];
    if (value == "--device" && i + 1 < count) arguments.device = values[++i];
    if (value == "--benchmark_format=json") arguments.json = true;
    if (value == "--published") arguments.published = true;
  }
  return arguments;
}

std::optional<model::ExecutedLaunch> launch_of(Workbench& bench, const Measurement& point, std::size_t number,
                                               const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / (std::to_string(number) + ".cbor");
  if (!folder.empty()) {
    if (auto launch = model::read_launch(file)) return launch;
  }
  const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
  ExecutedPoint executed = execute_launch(bench, experiment_of(point), control);
  const bool is_same =
      executed.point.resources && executed.point.resources->sass_sha256 == point.resources->sass_sha256;
  if (!executed.launch || !is_same) {
    std::fprintf(stderr, "left out: %s %s: %s\n", point.kernel.c_str(), to_string(point.parameters).c_str(),
                 executed.launch ? "other machine code than was measured" : executed.point.reason.c_str());
    return std::nullopt;
  }
  if (!folder.empty()) model::write_launch(file, *executed.launch);
  return executed.launch;
}

double issue_rate_us(const model::ExecutedLaunch& launch, const model::ModelParameters& parameters) {
  double instructions = 0;
  for (const model::ExecutedInstruction& one : launch.kernel.code) instructions += one.executions;
  return instructions / (4 * parameters.sms * parameters.clock_mhz);
}

Prediction predict(const Measurement& point, const model::ExecutedLaunch& launch, const DeviceModel& device,
                   model::TableUse use = model::TableUse::all) {
  const model::LaunchWork work{attention_flops(point.shape), true};
  return model::predict(launch, work, device, sha256(to_table_document(device).dump()), use).prediction;
}

JudgedPoint judge(const Measurement& point, const model::ExecutedLaunch& launch, const DeviceModel& device) {
  // Processor time: other programs may run beside this one.
  const std::clock_t start = std::clock();
  const Prediction prediction = predict(point, launch, device);
  const double taken = static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
  JudgedPoint judged;
  judged.kernel = point.kernel;
  judged.shape = to_string(point.shape);
  judged.limiter = limiting_part(prediction);
  judged.measured = point.latency->p50_us;
  judged.predicted = prediction.p50_us;
  judged.low = prediction.low_us;
  judged.high = prediction.high_us;
  judged.by_datasheet = predict(point, launch, device, model::TableUse::datasheet).p50_us;
  judged.by_roofline = prediction.roofline_us.value_or(0);
  judged.by_issue_rate = issue_rate_us(launch, model::model_parameters(device));
  judged.milliseconds = taken;
  return judged;
}

Json row_of(const std::vector<JudgedPoint>& points) {
  const auto error = [&](double JudgedPoint::*prediction) {
    const model::ErrorSummary summary = summarise(points, prediction);
    return Json{{"mean", summary.mean}, {"p90", summary.p90}};
  };
  const model::RankSummary order = rank(points);
  const auto ratios = [&](double JudgedPoint::*prediction) {
    const model::RatioSummary summary = summarise_ratios(points, prediction);
    return Json{{"same_kernel", summary.same_kernel}, {"kernels", summary.kernels}};
  };
  return {{"points", points.size()},
          {"ratio_log_error_p95", ratios(&JudgedPoint::predicted)},
          {"ratio_log_error_p95_datasheet_alone", ratios(&JudgedPoint::by_datasheet)},
          {"error", error(&JudgedPoint::predicted)},
          {"inside_band", share_inside(points)},
          {"rank_correlation", {{"mean", order.mean_correlation}, {"least", order.least_correlation}}},
          {"regret", {{"mean", order.mean_regret}, {"most", order.most_regret}}},
          {"datasheet_alone", error(&JudgedPoint::by_datasheet)},
          {"roofline", error(&JudgedPoint::by_roofline)},
          {"issue_rate", error(&JudgedPoint::by_issue_rate)}};
}

void print_row(const std::string& name, const Json& row) {
  const auto percent = [](const Json& value) { return 100 * value.get<double>(); };
  std::printf("%-32s %4d  %5.1f %5.1f  %4.0f  %5.2f %5.2f  %5.1f %5.1f  %5.1f %5.1f  %5.1f  %5.1f\n",
              name.c_str(), row["points"].get<int>(), percent(row["error"]["mean"]),
              percent(row["error"]["p90"]), percent(row["inside_band"]),
              row["rank_correlation"]["mean"].get<double>(), row["rank_correlation"]["least"].get<double>(),
              percent(row["regret"]["mean"]), percent(row["regret"]["most"]),
              percent(row["datasheet_alone"]["mean"]), percent(row["datasheet_alone"]["p90"]),
              percent(row["roofline"]["mean"]), percent(row["issue_rate"]["mean"]));
}

class Report {
 public:
  explicit Report(bool json) : json_(json) {
    if (json_) return;
    std::printf("%-32s %4s  %-11s  %4s  %-11s  %-11s  %-11s  %5s  %5s\n", "[%]", "n", "error", "in",
                "rank corr.", "regret", "datasheet", "roof-", "issue");
    std::printf("%-32s %4s  %5s %5s  %4s  %5s %5s  %5s %5s  %5s %5s  %5s  %5s\n", "", "", "mean", "p90",
                "band", "mean", "least", "mean", "most", "mean", "p90", "line", "rate");
  }
  template <class Filter>
  void add(const std::string& name, const std::vector<JudgedPoint>& points, const Filter& filter) {
    std::vector<JudgedPoint> chosen;
    std::ranges::copy_if(points, std::back_inserter(chosen), filter);
    if (chosen.empty()) return;
    rows_[name] = row_of(chosen);
    if (!json_) print_row(name, rows_[name]);
  }
  void print_ratios(const std::string& name) const {
    const auto factors = [](const Json& error) {
      return fmt::format("{:.2f} within a kernel, {:.2f} between kernels",
                         std::exp(error["same_kernel"].get<double>()),
                         std::exp(error["kernels"].get<double>()));
    };
    const Json& row = rows_.at(name);
    std::printf("%s: 95 %% of the predicted ratios are within a factor of %s; datasheet alone %s\n",
                name.c_str(), factors(row["ratio_log_error_p95"]).c_str(),
                factors(row["ratio_log_error_p95_datasheet_alone"]).c_str());
  }
  const Json& rows() const { return rows_; }

 private:
  const bool json_;
  Json rows_ = Json::object();
};

void print_report(const std::vector<JudgedPoint>& points, bool json) {
  Report report(json);
  const auto is_fitted = [](const JudgedPoint& p) { return is_of_fitted_kernel(p) && is_of_fitted_shape(p); };
  report.add("all", points, [](const JudgedPoint&) { return true; });
  report.add("fitted kernels at fitted shapes", points, is_fitted);
  report.add("held out", points, [&](const JudgedPoint& p) { return !is_fitted(p); });
  report.add("new kernels at new shapes", points,
             [](const JudgedPoint& p) { return !is_of_fitted_kernel(p) && !is_of_fitted_shape(p); });
  std::set<std::string> kernels, shapes, limiters;
  for (const JudgedPoint& point : points) {
    kernels.insert(point.kernel);
    shapes.insert(point.shape);
    limiters.insert(point.limiter);
  }
  for (const std::string& name : kernels)
    report.add(name, points, [&](const JudgedPoint& p) { return p.kernel == name; });
  for (const std::string& name : shapes)
    report.add(name, points, [&](const JudgedPoint& p) { return p.shape == name; });
  for (const std::string& name : limiters)
    report.add("limited by " + name, points, [&](const JudgedPoint& p) { return p.limiter == name; });
  std::vector<double> times;
  times.reserve(points.size());
  for (const JudgedPoint& point : points) times.push_back(point.milliseconds);
  std::ranges::sort(times);
  if (json) {
    std::printf("%s\n", Json{{"rows", report.rows()},
                             {"milliseconds", {{"median", times[times.size() / 2]}, {"most", times.back()}}}}
                            .dump(2)
                            .c_str());
  } else {
    report.print_ratios("held out");
    std::printf("a prediction takes %.1f ms of a core (median), %.1f ms at most\n", times[times.size() / 2],
                times.back());
  }
}

// A further recorded session of attention.
struct FurtherSession {
  const char *file, *device, *words;
};

void print_further(Workbench& bench, const std::filesystem::path& root, const std::filesystem::path& kept,
                   const std::vector<FurtherSession>& sessions) {
  Report report(false);
  for (const FurtherSession& one : sessions) {
    const std::filesystem::path folder = kept.empty() ? kept : kept / one.file;
    if (!folder.empty()) std::filesystem::create_directories(folder);
    const Session session = load_session(root / "sessions/examples" / (one.file + std::string(".json")));
    const DeviceModel& device = *match_device(bench.tables(), one.device);
    std::vector<JudgedPoint> points;
    for (std::size_t i = 0; i < session.points.size(); ++i) {
      if (const auto launch = launch_of(bench, *session.points[i], i, folder))
        points.push_back(judge(*session.points[i], *launch, device));
    }
    report.add(one.words, points, [](const JudgedPoint&) { return true; });
  }
}

// The launches of this repository that are not attention, on both GPUs that timed them.
void print_other_kernels(Workbench& bench, const std::filesystem::path& root,
                         const std::filesystem::path& kept) {
  const std::filesystem::path launches = root / "profiler/explanation/model/launches";
  for (const auto& [folder, words] :
       {std::pair("mechanisms", "not attention, looked at while the rules were found"),
        std::pair("held_out", "not attention, as people write it; ten of these were looked at")}) {
    for (const char* name : {"H200", "H100"}) {
      const std::filesystem::path table =
          launches / folder / (name == std::string("H200") ? "h200.csv" : "h100.csv");
      if (!std::filesystem::exists(table)) continue;
      const std::vector<model::JudgedCase> cases =
          model::judge_set(bench, {launches / folder, table, kept}, *match_device(bench.tables(), name));
      model::print_kinds(fmt::format("{} ({})", words, name), cases);
    }
  }
}

}  // namespace

int main(int count, char** values) {
  const Arguments arguments = read_arguments(count, values);
  if (arguments.published) {
    model::print_published(model::read_published(std::filesystem::path(TILESCOPE_SOURCE_DIR) /
                                                 "profiler/explanation/model/published"),
                           true);
    return 0;
  }
  if (!arguments.launches.empty()) std::filesystem::create_directories(arguments.launches);
  if (!arguments.set.empty()) {
    Workbench bench(find_installation());
    const DeviceModel* const device = match_device(bench.tables(), arguments.device);
    if (device == nullptr) return 2;
    const std::vector<model::JudgedCase> cases =
        model::judge_set(bench, {arguments.set, arguments.times, arguments.launches}, *device);
    model::print_cases(cases);
    model::print_kinds(arguments.set.filename().string(), cases);
    if (!arguments.stalls.empty()) model::print_stalls(cases, arguments.stalls);
    return 0;
  }
  const std::filesystem::path root = TILESCOPE_SOURCE_DIR;
  Session session = load_session(arguments.session.empty() ? root / "sessions/examples/model_h200.json"
                                                           : arguments.session);
  Workbench bench(find_installation());
  DeviceModel device = *match_device(bench.tables(), session.points.front()->device.name);
  std::vector<model::ExecutedLaunch> fitted_launches;
  std::vector<double> fitted_us;
  std::vector<JudgedPoint> points;
  std::ofstream listed;
  if (!arguments.points.empty()) listed.open(arguments.points);
  for (std::size_t i = 0; i < session.points.size(); ++i) {
    const Measurement& point = *session.points[i];
    if (i % 20 == 0) std::fprintf(stderr, "\r%zu of %zu points", i, session.points.size());
    auto launch = launch_of(bench, point, i, arguments.launches);
    if (!launch) continue;
    if (!arguments.predicted.empty()) {
      Measurement with_prediction = point;
      with_prediction.prediction = predict(point, *launch, device);
      with_prediction.diagnoses = diagnoses_again(bench, with_prediction);
      session.points[i] = std::make_shared<const Measurement>(std::move(with_prediction));
    } else if (arguments.table.empty()) {
      points.push_back(judge(point, *launch, device));
      if (listed)
        listed << points.back().kernel << ';' << points.back().shape << ';' << to_string(point.parameters)
               << ';' << points.back().measured << ';' << points.back().predicted << ';'
               << points.back().limiter << '\n';
    } else if (fitted_kernels.contains(point.kernel) && fitted_shapes.contains(to_string(point.shape))) {
      fitted_launches.push_back(std::move(*launch));
      fitted_us.push_back(point.latency->p50_us);
    }
  }
  std::fprintf(stderr, "\n");
  if (!arguments.predicted.empty()) {
    SessionWriter(arguments.predicted).write(session);
    return 0;
  }
  if (!arguments.table.empty()) {
    std::vector<model::MeasuredLaunch> measured;
    measured.reserve(fitted_us.size());
    for (std::size_t i = 0; i < fitted_us.size(); ++i)
      measured.push_back({&fitted_launches[i], fitted_us[i]});
    model::FitOptions options;
    options.source = "sessions/examples/model_h200.json, 2026-11-23";
    options.most_launches = 160;
    options.rounds = 4;
    options.progress = [](double part) { std::fprintf(stderr, "\rfit %3.0f %%", 100 * part); };
    const model::Fit fitted = model::fit(measured, device, options);
    std::fprintf(stderr, "\nmean error of %zu points: %.1f %%, before %.1f %%\n", measured.size(),
                 100 * fitted.error_after, 100 * fitted.error_before);
    device.fitted = fitted.figures;
    write_device_table(arguments.table, device);
    return 0;
  }
  print_report(points, arguments.json);
  if (!arguments.json) {
    print_further(bench, root, arguments.launches,
                  {{"model_later_h200", "H200", "an H200 later, nothing chosen by it"},
                   {"model_h100", "H100", "an H100, not fitted"}});
    print_other_kernels(bench, root, arguments.launches);
    model::print_published(model::read_published(root / "profiler/explanation/model/published"), false);
  }
  return 0;
}
