#include "app/commands/calibrate.hpp"

#include <fmt/format.h>

#include "app/commands/asking.hpp"
#include "app/commands/report_file.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/gpu/calibrate/calibration_report.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/service/client/worker_options.hpp"
#include "profiler/service/requests/calibrate.hpp"

namespace tilescope {
namespace {

// The GPU that is meant, as the worker knows it.
DeviceModel find_gpu(Client& client, const Installation& installation, const std::string& name) {
  const std::vector<DeviceModel> tables = load_device_tables(installation);
  const Devices::Answer here = ask_for_devices(client);
  DeviceModel chosen;
  try {
    chosen = choose_device(name, here.present, tables);
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--device: ") + error.what());
  }
  if (here.present.empty()) {
    throw CannotRun("there is no GPU to calibrate: " + here.why_no_gpu);
  }
  if (!chosen.present) {
    throw CannotRun(fmt::format(
        "no {} is installed to calibrate; `tilescope devices` lists the installed GPUs", chosen.name));
  }
  return chosen;
}

// Latencies and rates have 4 to 5 digits that mean something, whatever their size.
std::string number(double value) {
  return format_number(value, value < 100 ? 2 : value < 10000 ? 1 : 0);
}

std::string figures_text(const CalibrationReport& report) {
  TextTable table;
  table.add_column("figure", TextTable::Align::left);
  table.add_column("value", TextTable::Align::right);
  table.add_column("unit", TextTable::Align::left);
  table.add_column("p90 - p10", TextTable::Align::right);
  for (const auto& [name, figure] : report.figures) {
    table.add_row({name, number(figure.value), figure.unit, number(figure.spread)});
  }
  std::string text = table.text();
  for (const std::string& note : report.notes) text += prose(note, 0) + "\n";
  return text;
}

CalibrationReport report_from(const Json& answer) {
  try {
    return calibration_report_from(answer);
  } catch (const std::exception& error) {
    throw CannotRun(std::string("the worker's answer to a calibration cannot be read: ") + error.what());
  }
}

}  // namespace

ExitCode run_calibration(const Installation& installation, const std::string& device,
                         const std::filesystem::path& table, const OutputOptions& output) {
  refuse_second_document(output, "--to", table);
  Client client(worker_options(installation));
  const DeviceModel gpu = find_gpu(client, installation, device);
  listen_for_interrupts();
  Calibrate::Answer answer = [&] {
    ProgressLine line;
    const auto show = [&line](const RequestProgress& progress) {
      line.show(fmt::format("calibrate {} {:.0f} %", progress.stage, 100 * progress.fraction));
    };
    return ask<Calibrate>(client, {fmt::format("gpu:{}", gpu.ordinal)}, show);
  }();
  if (answer.status != Status::ok) {
    throw CannotRun(
        fmt::format("{} was not calibrated ({}): {}", gpu.name, to_string(answer.status), answer.reason));
  }
  const CalibrationReport report = report_from(answer.report);
  const std::filesystem::path file =
      table.empty() ? device_table_path(installation, report.device.name) : table;
  write_device_table(file, report.device);
  if (output.json) {
    answer.report["table"] = file.string();
    print_json(answer.report);
  } else {
    print_beside(file, figures_text(report));
  }
  say(fmt::format("The measured table of {} is {}", report.device.name, file.string()));
  return ExitCode::done;
}

}  // namespace tilescope
