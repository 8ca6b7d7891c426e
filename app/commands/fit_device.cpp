#include "app/commands/fit_device.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/contribution.hpp"
#include "app/commands/device_details.hpp"
#include "app/commands/fit_points.hpp"
#include "app/commands/report_file.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/devices/fitted_parameters.hpp"
#include "profiler/service/client/worker_options.hpp"

namespace tilescope {
namespace {

std::string counts_text(const std::map<std::string, std::size_t>& points) {
  std::string text;
  for (const auto& [device, count] : points)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", format_points(count), device);
  return text;
}

// The table of the device, or what the worker's driver knows of a GPU that has none.
DeviceModel device_to_fit(const std::string& name, const std::vector<DeviceModel>& tables, Client& client,
                          const Installation& installation) {
  const DeviceModel* table = match_device(tables, name);
  if (table != nullptr) return *table;
  const DeviceModel device = find_device(name, installation, client);
  table = match_device(tables, device.name);  // for "gpu:0"
  return table == nullptr ? device : *table;
}

// The device that was named, or else the one of most points.
DeviceModel choose(const FitArguments& arguments, const std::map<std::string, std::size_t>& timed,
                   const std::vector<DeviceModel>& tables, Client& client, const Installation& installation) {
  if (!arguments.device.empty()) {
    DeviceModel device = device_to_fit(arguments.device, tables, client, installation);
    if (!timed.contains(device.name))
      throw CannotRun(fmt::format("{} has no measured point of {}: it has {}", arguments.session.string(),
                                  device.name, counts_text(timed)));
    return device;
  }
  const std::string name = most_frequent(timed);
  if (timed.size() > 1)
    say(fmt::format("{} has {}: {} is fitted; --device chooses another one",
                    arguments.session.filename().string(), counts_text(timed), name));
  try {
    return device_to_fit(name, tables, client, installation);
  } catch (const WrongUsage&) {
    throw CannotRun(
        fmt::format("{} has points of {}, of which there is no device table: run tilescope devices "
                    "--calibrate on it first",
                    arguments.session.string(), name));
  }
}

// Progress of a stage and the time left: one line that is rewritten on a terminal, a line for each tenth
// elsewhere.
class FitProgress {
 public:
  explicit FitProgress(std::size_t points) : points_(points) {}

  void show(const RequestProgress& progress) {
    if (progress.stage != stage_) {
      stage_ = progress.stage;
      start_ = Clock::now();
      next_tenth_ = 1;
    }
    const std::string text = words(progress.fraction) + remaining(progress.fraction);
    line_.show(text);
    if (line_.on_terminal() || progress.fraction * 10 < next_tenth_) return;
    next_tenth_ = static_cast<int>(progress.fraction * 10) + 1;
    say(text);
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string words(double fraction) const {
    if (stage_ == Fit::fitting) return fmt::format("fit: {:.0f} %", 100 * fraction);
    const double executed = std::round(fraction * static_cast<double>(points_));
    return fmt::format("execute: {:.0f} of {} points", executed, points_);
  }
  // The first parts of a stage say little of its length.
  std::string remaining(double fraction) const {
    const double spent_s = std::chrono::duration<double>(Clock::now() - start_).count();
    if (spent_s < 1 || fraction < 0.02 || fraction >= 1) return "";
    const std::string left = format_duration(spent_s * (1 - fraction) / fraction);
    return fmt::format(", about {} left{}", left, stage_ == Fit::fitting ? "" : ", then the fit");
  }

  const std::size_t points_;
  std::string stage_;
  Clock::time_point start_ = Clock::now();
  int next_tenth_ = 1;
  ProgressLine line_;
};

Fit::Answer ask_for_fit(Client& client, const FitArguments& arguments, const DeviceModel& device,
                        FitPoints points) {
  const std::size_t count = points.experiments.size();
  const std::string day = utc_now().substr(0, 10);
  FitProgress progress(count);
  return ask<Fit>(
      client,
      {device, fmt::format("{}, {}", arguments.session.filename().string(), day),
       std::move(points.experiments), std::move(points.recorded)},
      [&progress](const RequestProgress& now) { progress.show(now); }, Fit::time_limit_of(count));
}

constexpr std::size_t most_reasons = 5;

std::string skipped_text(const std::vector<Fit::Skipped>& skipped) {
  std::string text;
  for (std::size_t i = 0; i < skipped.size() && i < most_reasons; ++i)
    text += prose(fmt::format("Skipped: {}: {}", format_points(static_cast<std::size_t>(skipped[i].points)),
                              skipped[i].reason),
                  2) +
            "\n";
  if (skipped.size() > most_reasons)
    text += fmt::format("Skipped: others, for {} more reasons (--json lists them)\n",
                        skipped.size() - most_reasons);
  return text;
}

std::string meaning_of(const std::string& name) {
  for (const FittedFigure& figure : fitted_figures()) {
    if (name == figure.name) return figure.meaning;
  }
  return "";
}

// The figure's previous value: fitted earlier, or assumed.
std::string value_before(const std::string& name, const DeviceModel& before) {
  const auto earlier = before.fitted.find(name);
  if (earlier != before.fitted.end()) return figure_number(earlier->second.value);
  for (const FittedParameter& parameter : fitted_parameters()) {
    if (name == parameter.name) return figure_number(parameter.assumed);
  }
  return "";
}

std::string fit_text(const Fit::Answer& answer, const DeviceModel& before) {
  std::string text = fmt::format(
      "The model of {} was fitted to {}.\nMean error |predicted / measured - 1|: {} before, {} after.\n",
      answer.device.name, format_points(static_cast<std::size_t>(answer.points)),
      format_percent(answer.error_before), format_percent(answer.error_after));
  text += skipped_text(answer.skipped) + "\n";
  TextTable table;
  table.add_column("figure", TextTable::Align::left);
  table.add_column("before", TextTable::Align::right);
  table.add_column("fitted", TextTable::Align::right);
  table.add_column("unit", TextTable::Align::left);
  table.add_column("meaning", TextTable::Align::left);
  for (const auto& [name, figure] : answer.device.fitted) {
    table.add_row({name, value_before(name, before), figure_number(figure.value),
                   figure.unit == "1" ? "" : figure.unit, meaning_of(name)});
  }
  return text + table.text();
}

Json fit_document(const Fit::Answer& answer, const std::filesystem::path& table) {
  Json document = answer;
  Json figures = Json::array();
  for (const auto& [name, figure] : answer.device.fitted) figures.push_back(name);
  document["figures"] = std::move(figures);
  document["table"] = table.string();
  return document;
}

// Points without recorded machine code were never sent: they are skipped points all the same.
void count_those_without_code(std::size_t points, Fit::Answer& answer) {
  if (points == 0) return;
  answer.skipped.push_back({"no machine code is recorded with it: a library's kernel, or an imported point",
                            static_cast<std::int64_t>(points)});
}

FitPoints points_to_fit(const Session& session, const DeviceModel& device,
                        const std::vector<DeviceModel>& tables, const Installation& installation,
                        const std::filesystem::path& file) {
  FitPoints points = fit_points(session, device, tables, installation);
  const std::size_t count = points.experiments.size();
  if (count < Fit::least_points)
    throw CannotRun(fmt::format("{} has {} of {} with machine code that can be executed, and a fit needs {}",
                                file.string(), format_points(count), device.name, Fit::least_points));
  return points;
}

}  // namespace

ExitCode run_fit(const Installation& installation, const FitArguments& arguments,
                 const OutputOptions& output) {
  refuse_second_document(output, "--to", arguments.table);
  const Session session = load_session(arguments.session);
  std::vector<DeviceModel> tables = load_device_tables(installation);
  // A contribution has the table of a GPU that is unknown here.
  if (auto device = contributed_device(arguments.session);
      device && match_device(tables, device->name) == nullptr)
    tables.push_back(std::move(*device));
  const auto timed = timed_points(session, tables);
  if (timed.empty())
    throw CannotRun(fmt::format("{} has no point with a latency to fit to", arguments.session.string()));
  Client client(worker_options(installation));
  const DeviceModel device = choose(arguments, timed, tables, client, installation);
  FitPoints points = points_to_fit(session, device, tables, installation, arguments.session);
  const std::size_t without_code = points.without_code;
  say(fmt::format("Fitting the model of {} to {} of {}: each is compiled and executed, without a GPU",
                  device.name, format_points(points.experiments.size()),
                  arguments.session.filename().string()));
  listen_for_interrupts();
  Fit::Answer answer = ask_for_fit(client, arguments, device, std::move(points));
  count_those_without_code(without_code, answer);
  if (answer.status != Status::ok)
    throw CannotRun(
        fmt::format("{} was not fitted ({}): {}", device.name, to_string(answer.status), answer.reason));
  const std::filesystem::path file =
      arguments.table.empty() ? device_table_path(installation, device.name) : arguments.table;
  write_device_table(file, answer.device);
  if (output.json) {
    print_json(fit_document(answer, file));
  } else {
    print_beside(file, fit_text(answer, device));
  }
  say(fmt::format("The fitted table of {} is {}", device.name, file.string()));
  return ExitCode::done;
}

}  // namespace tilescope
