#include "profiler/explanation/model/fit.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <thread>

#include "profiler/explanation/model/latency_model.hpp"

namespace tilescope::model {
namespace {

constexpr int most_steps = 6;
// Kernels and shapes to which nothing was fitted err more. With this factor 95 % of the held-out points of an H200 lie
// inside the band; with 1.25 it would be 92 %.
constexpr double widened = 1.5;
// A step must gain as much as this in the mean error: what the launches do not show keeps its assumed value.
constexpr double worthwhile = 3e-4;

// log(predicted / measured), on all cores.
std::vector<double> log_errors(const std::vector<MeasuredLaunch>& launches,
                               const ModelParameters& parameters) {
  std::vector<double> errors(launches.size());
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> parts;
  parts.reserve(threads);
  for (std::size_t part = 0; part < threads; ++part) {
    parts.push_back(std::async(std::launch::async, [&, part] {
      for (std::size_t i = part; i < launches.size(); i += threads) {
        const ExecutedLaunch& launch = *launches[i].launch;
        errors[i] = std::log(launch_time(launch.kernel, launch.plan, parameters).us / launches[i].us);
      }
    }));
  }
  for (std::future<void>& part : parts) part.get();
  return errors;
}

double mean_of_magnitudes(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::vector<double> relative(const std::vector<double>& log_errors) {
  std::vector<double> errors;
  errors.reserve(log_errors.size());
  for (const double error : log_errors) errors.push_back(std::abs(std::exp(error) - 1));
  return errors;
}

double percentile_90(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(0.9 * static_cast<double>(values.size() - 1))];
}

class Descent {
 public:
  Descent(const std::vector<MeasuredLaunch>& launches, const ModelParameters& start,
          const FitOptions& options)
      : launches_(launches), options_(options), parameters_(start), best_(error()) {}

  ModelParameters run() {
    const std::size_t all = fitted_parameters().size() * static_cast<std::size_t>(options_.rounds);
    std::size_t done = 0;
    for (int round = 0; round < options_.rounds; ++round) {
      for (const FittedParameter& parameter : fitted_parameters()) {
        if (options_.cancelled()) return parameters_;
        const double step = std::ldexp(parameter.step, -round);
        if (!move(parameter, step)) move(parameter, -step);
        options_.progress(static_cast<double>(++done) / static_cast<double>(all));
      }
    }
    return parameters_;
  }

 private:
  double error() const { return mean_of_magnitudes(log_errors(launches_, parameters_)); }

  bool move(const FittedParameter& parameter, double step) {
    double& value = parameters_.*parameter.member;
    bool moved = false;
    for (int i = 0; i < most_steps && !options_.cancelled(); ++i) {
      const double old = value;
      value = std::clamp(old + step, parameter.least, parameter.most);
      const double now = value == old ? best_ : error();
      if (now >= best_ - worthwhile) {
        value = old;
        return moved;
      }
      best_ = now;
      moved = true;
    }
    return moved;
  }

  const std::vector<MeasuredLaunch>& launches_;
  const FitOptions& options_;
  ModelParameters parameters_;
  double best_;
};

}  // namespace

Fit fit(const std::vector<MeasuredLaunch>& launches, const DeviceModel& device, const FitOptions& options) {
  const std::size_t most = options.most_launches == 0 ? launches.size() : options.most_launches;
  std::vector<MeasuredLaunch> chosen, others;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    // Evenly spread: whenever i * most / size reaches a new number.
    const bool is_chosen =
        launches.size() <= most || i == 0 || i * most / launches.size() != (i - 1) * most / launches.size();
    (is_chosen ? chosen : others).push_back(launches[i]);
  }
  Fit result;
  if (chosen.empty()) return result;
  const ModelParameters before = model_parameters(device, TableUse::all);
  result.error_before = mean_of_magnitudes(relative(log_errors(launches, before)));
  const ModelParameters fitted = Descent(chosen, model_parameters(device, TableUse::measured), options).run();
  if (options.cancelled()) return result;

  const std::vector<double> all = relative(log_errors(launches, fitted));
  result.error_after = mean_of_magnitudes(all);
  const double error = widened * percentile_90(others.empty() ? all : relative(log_errors(others, fitted)));
  const std::string source = "fitted: " + options.source;
  const auto add = [&](const char* name, double value, const char* unit) {
    result.figures[name] = {value, unit, 0, source};
  };
  for (const FittedParameter& parameter : fitted_parameters())
    add(parameter.name, fitted.*parameter.member, parameter.unit);
  const auto [least, longest] = std::ranges::minmax(launches, {}, &MeasuredLaunch::us);
  add(fitted_error, error, "1");
  add(fitted_least_us, least.us, "us");
  add(fitted_most_us, longest.us, "us");
  return result;
}

}  // namespace tilescope::model
