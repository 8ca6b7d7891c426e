#include "profiler/gpu/calibrate/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "profiler/gpu/cuda/cuda_error.hpp"
#include "sessions/sample_statistics.hpp"

namespace tilescope {
namespace {

// Below this fraction of the boost clock a GPU is throttled or was asleep, as in profiler/gpu/timing.
constexpr double least_clock_fraction = 0.75;

// A figure from the p10, p50 and p90 of its samples.
MeasuredFigure figure_of(double p10, double p50, double p90) {
  MeasuredFigure figure;
  figure.value = p50;
  figure.spread = std::max(p10, p90) - std::min(p10, p90);
  return figure;
}

// For a run timed by the SM's clock: clocks per repeat, ascending.
std::vector<double> sample_clocks(CalibrationPort& port, const MicroRun& run, int samples) {
  const auto difference = [&] {
    const double few = port.cycles(run.few), many = port.cycles(run.many);
    if (!(many > few)) {
      throw std::runtime_error(
          fmt::format("{} repeats took {:.0f} clocks and {} took {:.0f}: more work must take longer", run.few,
                      few, run.many, many));
    }
    return (many - few) / (run.many - run.few);
  };
  difference();  // warms the caches for the samples
  std::vector<double> clocks;
  clocks.reserve(static_cast<std::size_t>(samples));
  for (int sample = 0; sample < samples; ++sample) clocks.push_back(difference());
  std::sort(clocks.begin(), clocks.end());
  return clocks;
}

MeasuredFigure clock_figure(const std::vector<double>& clocks, FigureForm form, double work) {
  const auto value = [&](double q) {
    const double of_repeat = percentile_of_sorted(clocks, q);
    return form == FigureForm::cycles_per_work ? of_repeat / work : work / of_repeat;
  };
  return figure_of(value(0.1), value(0.5), value(0.9));
}

MeasuredFigure stream_figure(const StreamTiming& timing, FigureForm form, const DeviceModel& device) {
  const auto value = [&](double us) {
    const double bytes_per_us = timing.bytes / us;
    if (form == FigureForm::gb_per_s) return bytes_per_us * 1e-3;
    return bytes_per_us / timing.sm_clock_mhz / static_cast<double>(device.sm_count);
  };
  return figure_of(value(timing.p10_us), value(timing.p50_us), value(timing.p90_us));
}

class Calibrator {
 public:
  Calibrator(CalibrationPort& port, const DeviceModel& device, const CalibrationOptions& options)
      : port_(port), device_(device), options_(options) {}

  void run(const MicroRun& run) {
    try {
      measure(run);
    } catch (const cuda::CudaError& error) {
      if (error.is_sticky()) throw;
      note_missing(run, error.what());
    } catch (const std::exception& error) {
      note_missing(run, error.what());
    }
  }

  Calibration finish() {
    if (!slow_.empty()) {
      result_.notes.push_back(fmt::format(
          "The SM clock was {:.0f} MHz at its lowest, under 75% of the boost clock of {:.0f} MHz, during {}: "
          "the GPU is throttled or shared; bandwidths and the latency of L2 and DRAM depend on it.",
          lowest_clock_mhz_, device_.boost_clock_mhz, slow_));
    }
    return std::move(result_);
  }

 private:
  void measure(const MicroRun& run) {
    port_.prepare(run);
    std::vector<MeasuredFigure> figures;
    double clock_mhz = 0;
    if (run.timing == MicroTiming::sm_clock) {
      const std::vector<double> clocks = sample_clocks(port_, run, options_.samples);
      clock_mhz = port_.sm_clock_mhz();
      for (const PlannedFigure& planned : run.figures)
        figures.push_back(clock_figure(clocks, planned.form, run.work));
    } else {
      const StreamTiming timing = port_.stream();
      if (!(timing.p10_us > 0) || !(timing.sm_clock_mhz > 0)) {
        throw std::runtime_error(
            fmt::format("a launch took {} us at {} MHz: the events or the clock do not work", timing.p10_us,
                        timing.sm_clock_mhz));
      }
      clock_mhz = timing.sm_clock_mhz;
      for (const PlannedFigure& planned : run.figures) {
        figures.push_back(stream_figure(timing, planned.form, device_));
      }
    }
    for (std::size_t i = 0; i < figures.size(); ++i)
      add(run, run.figures[i], std::move(figures[i]), clock_mhz);
  }

  void add(const MicroRun& run, const PlannedFigure& planned, MeasuredFigure figure, double clock_mhz) {
    figure.unit = planned.unit;
    figure.source = fmt::format("measured: {}, {}, driver {}, {:.0f} MHz",
                                run.timing == MicroTiming::sm_clock ? "clock64" : "events", options_.date,
                                options_.driver_version, clock_mhz);
    result_.figures.push_back({planned.name, std::move(figure)});
    if (clock_mhz >= least_clock_fraction * device_.boost_clock_mhz) return;
    lowest_clock_mhz_ = slow_.empty() ? clock_mhz : std::min(clock_mhz, lowest_clock_mhz_);
    slow_ += (slow_.empty() ? "" : ", ") + planned.name;
  }

  void note_missing(const MicroRun& run, const std::string& reason) {
    for (const PlannedFigure& planned : run.figures) {
      result_.notes.push_back(fmt::format("{} was not measured: {}", planned.name, reason));
    }
  }

  CalibrationPort& port_;
  const DeviceModel& device_;
  const CalibrationOptions& options_;
  Calibration result_;
  std::string slow_;  // figures measured at a low clock
  double lowest_clock_mhz_ = 0;
};

}  // namespace

Calibration calibrate(CalibrationPort& port, const DeviceModel& device, const std::vector<MicroRun>& plan,
                      const CalibrationOptions& options) {
  Calibrator calibrator(port, device, options);
  port.warm_up();
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (options.cancelled()) {
      Calibration partial = calibrator.finish();
      partial.cancelled = true;
      return partial;
    }
    options.progress(plan[i].kernel, static_cast<double>(i) / static_cast<double>(plan.size()));
    calibrator.run(plan[i]);
  }
  return calibrator.finish();
}

}  // namespace tilescope
