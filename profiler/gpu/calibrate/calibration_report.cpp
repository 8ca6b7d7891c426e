#include "profiler/gpu/calibrate/calibration_report.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/json_reader.hpp"
#include "profiler/gpu/calibrate/gpu_calibration_port.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"

namespace tilescope {
namespace {

constexpr std::size_t date_letters = 10;  // of 2026-11-21T14:03:59Z

CalibrationReport ended(Status status, std::string reason) {
  CalibrationReport report;
  report.status = status;
  report.reason = std::move(reason);
  return report;
}

CalibrationReport report_of(Calibration calibration, const DeviceModel& device) {
  if (calibration.cancelled) {
    return ended(Status::cancelled, fmt::format("cancelled after {} figures", calibration.figures.size()));
  }
  if (calibration.figures.empty()) {
    const std::string first = calibration.notes.empty() ? "the plan is empty" : calibration.notes.front();
    return ended(Status::launch_failed, "no figure could be measured; the first: " + first);
  }
  CalibrationReport report;
  report.device = device;
  report.device.measured.clear();
  for (const CalibratedFigure& figure : calibration.figures)
    report.device.measured[figure.name] = figure.figure;
  report.figures = std::move(calibration.figures);
  report.notes = std::move(calibration.notes);
  return report;
}

}  // namespace

Json to_json_document(const CalibrationReport& report) {
  Json names = Json::array();
  for (const CalibratedFigure& figure : report.figures) names.push_back(figure.name);
  Json document = {{"status", to_string(report.status)},
                   {"reason", report.reason},
                   {"device", nullptr},
                   {"figures", std::move(names)},
                   {"notes", report.notes}};
  if (report.status == Status::ok) document["device"] = to_json_document(report.device);
  return document;
}

CalibrationReport calibration_report_from(const Json& document) {
  CalibrationReport report;
  const ObjectReader object(document);
  object.required("status", report.status, status_from);
  object.required("reason", report.reason);
  if (report.status != Status::ok) return report;
  report.device = at_place("device", [&] { return device_model_from(object.find_required("device")); });
  std::vector<std::string> names;
  object.required("figures", names);
  object.required("notes", report.notes);
  for (const std::string& name : names) {
    const auto figure = report.device.measured.find(name);
    if (figure == report.device.measured.end()) {
      throw DocumentError("/figures", "'" + name + "' is not in /device/measured");
    }
    report.figures.push_back({name, figure->second});
  }
  return report;
}

CalibrationReport calibrate_device(const DeviceModel& device, const Compiler& compiler,
                                   const std::filesystem::path& kernels, const std::string& driver_version,
                                   const MeasureControl& control, std::string& why_unusable) {
  CalibrationOptions options;
  options.date = utc_now().substr(0, date_letters);
  options.driver_version = driver_version;
  options.cancelled = control.cancelled;
  options.progress = [&](const std::string& kernel, double fraction) { control.report({kernel, fraction}); };
  try {
    GpuCalibrationPort port(device, compiler, kernels);
    return report_of(calibrate(port, device, calibration_plan(), options), device);
  } catch (const cuda::CudaError& error) {
    if (error.is_sticky()) {
      why_unusable = "a microbenchmark poisoned the CUDA context: " + std::string(error.what());
    }
    return ended(Status::launch_failed, error.what());
  } catch (const CompileFailed& error) {
    return ended(Status::compile_failed, error.what());
  } catch (const std::exception& error) {
    return ended(Status::unsupported, error.what());
  }
}

}  // namespace tilescope
