#include "profiler/explanation/model/bench/set_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "profiler/explanation/model/bench/launch_file.hpp"
#include "profiler/explanation/model/bench/launch_set.hpp"
#include "profiler/explanation/model/predict.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope::model {
namespace {

ExecutedLaunch executed(Workbench& bench, const LaunchSet& set, const TimedCase& timed,
                        const DeviceModel& device) {
  const std::filesystem::path file = set.kept / (timed.name + "." + device.name + ".cbor");
  if (!set.kept.empty()) {
    if (auto launch = read_launch(file)) return std::move(*launch);
  }
  ExecutedLaunch launch = execute_case(bench, set.folder, timed, device);
  if (!set.kept.empty()) write_launch(file, launch);
  return launch;
}

void print_row(const std::string& name, const std::vector<const JudgedCase*>& cases) {
  double sum = 0, worst = 0;
  std::vector<double> errors;
  std::size_t inside = 0;
  for (const JudgedCase* one : cases) {
    errors.push_back(std::abs(one->log_error()));
    sum += errors.back();
    worst = std::max(worst, errors.back());
    inside += one->is_inside() ? 1 : 0;
  }
  std::ranges::sort(errors);
  const auto count = static_cast<double>(cases.size());
  const double ninety = errors[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
  std::printf("  %-24s %4zu  %10.3f  %10.3f  %6.2f  %5.0f\n", name.c_str(), cases.size(), sum / count, ninety,
              std::exp(worst), 100 * static_cast<double>(inside) / count);
}

}  // namespace

double JudgedCase::log_error() const {
  return std::log(predicted / measured);
}

std::vector<JudgedCase> judge_set(Workbench& bench, const LaunchSet& set, const DeviceModel& device) {
  std::vector<JudgedCase> cases;
  for (const TimedCase& timed : read_timed_cases(set.table)) {
    try {
      const Prediction prediction = predict(executed(bench, set, timed, device), {}, device, "").prediction;
      cases.push_back({timed.name, timed.kind, limiting_part(prediction), timed.us, prediction.p50_us,
                       prediction.low_us, prediction.high_us, prediction.stalls});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "left out: %s: %s\n", timed.name.c_str(), error.what());
    }
  }
  return cases;
}

void print_cases(const std::vector<JudgedCase>& cases) {
  std::printf("%-30s %10s %10s %7s  band\n", "case", "measured", "predicted", "ratio");
  for (const JudgedCase& one : cases)
    std::printf("%-30s %10.2f %10.2f %7.3f  %.2f to %.2f%s  %s\n", one.name.c_str(), one.measured,
                one.predicted, one.predicted / one.measured, one.low, one.high,
                one.is_inside() ? "" : " outside", one.limiter.c_str());
}

void print_kinds(const std::string& heading, const std::vector<JudgedCase>& cases) {
  if (cases.empty()) return;
  std::printf("%s: |log(predicted / measured)|\n  %-24s %4s  %10s  %10s  %6s  %5s\n", heading.c_str(), "kind",
              "n", "mean", "90 %", "worst", "in [%]");
  std::map<std::string, std::vector<const JudgedCase*>> kinds;
  std::vector<const JudgedCase*> all;
  for (const JudgedCase& one : cases) {
    all.push_back(&one);
    if (!one.kind.empty()) kinds[one.kind].push_back(&one);
  }
  for (const auto& [kind, of_kind] : kinds) print_row(kind, of_kind);
  print_row("all", all);
}

}  // namespace tilescope::model
