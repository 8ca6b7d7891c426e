// The plan, carried out on a GPU with known times.

#include "profiler/gpu/calibrate/calibration.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>

#include "base/json_reader.hpp"
#include "profiler/gpu/calibrate/calibration_report.hpp"
#include "profiler/gpu/calibrate/tests/fake_driver.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// 100 clocks for a launch and 12.8 for a repeat; 10 us for a launch timed by events; tests override these.
class FakePort : public CalibrationPort {
 public:
  void warm_up() override { log.push_back("warm_up"); }
  void prepare(const MicroRun& run) override {
    log.push_back(run.kernel);
    if (on_prepare) on_prepare(run);
  }
  double cycles(int repeats) override {
    ++launches;
    return 100 + jitter(launches) + clocks_of_repeat * repeats;
  }
  StreamTiming stream() override { return {8, 10, 12.5, 1e6, clock_mhz}; }
  double sm_clock_mhz() override { return clock_mhz; }

  std::vector<std::string> log;
  std::function<void(const MicroRun&)> on_prepare;
  std::function<double(int)> jitter = [](int) { return 0.0; };
  double clocks_of_repeat = 12.8;
  double clock_mhz = 2000;
  int launches = 0;
};

DeviceModel device() {
  DeviceModel model;
  model.name = "Fake";
  model.sm_count = 50;
  model.boost_clock_mhz = 2000;
  return model;
}

CalibrationOptions options() {
  CalibrationOptions made;
  made.date = "2026-11-21";
  made.driver_version = "580.1";
  return made;
}

MicroRun clock_run(const std::string& name, FigureForm form, double work) {
  MicroRun run;
  run.kernel = name;
  run.few = 10;
  run.many = 110;
  run.work = work;
  run.figures = {{name, form == FigureForm::cycles_per_work ? "cycles" : "1/clk/SM", form}};
  return run;
}

MicroRun stream_run() {
  MicroRun run;
  run.kernel = "streams";
  run.timing = MicroTiming::events;
  run.many = 1;
  run.figures = {{"gb", "GB/s", FigureForm::gb_per_s}, {"bytes", "B/clk/SM", FigureForm::bytes_per_clk_sm}};
  return run;
}

Calibration run_plan(FakePort& port, const std::vector<MicroRun>& plan) {
  return calibrate(port, device(), plan, options());
}

TEST(Calibration, DividesTheDifferenceOfTwoLengthsByTheWorkBetweenThem) {
  FakePort port;
  const Calibration done = run_plan(port, {clock_run("latency", FigureForm::cycles_per_work, 4),
                                           clock_run("rate", FigureForm::work_per_cycle, 256)});
  ASSERT_EQ(done.figures.size(), 2u);
  EXPECT_EQ(done.figures[0].name, "latency");
  EXPECT_NEAR(done.figures[0].figure.value, 3.2, 1e-9);
  EXPECT_NEAR(done.figures[0].figure.spread, 0, 1e-9);
  EXPECT_EQ(done.figures[0].figure.unit, "cycles");
  EXPECT_EQ(done.figures[0].figure.source, "measured: clock64, 2026-11-21, driver 580.1, 2000 MHz");
  EXPECT_NEAR(done.figures[1].figure.value, 20, 1e-9);
  EXPECT_TRUE(done.notes.empty());
  EXPECT_EQ(port.log, (std::vector<std::string>{"warm_up", "latency", "rate"}));
  EXPECT_EQ(port.launches, 2 * 2 * (1 + options().samples)) << "a first pair of each that does not count";
}

TEST(Calibration, TheMedianCountsAndTheSpreadIsKept) {
  FakePort port;
  // Every eighth launch is late: of one run's seven pairs, those that begin or end with it are off by one clock per
  // repeat.
  port.jitter = [](int launch) { return launch % 8 == 0 ? 100.0 : 0.0; };
  const Calibration done = run_plan(port, {clock_run("latency", FigureForm::cycles_per_work, 1)});
  EXPECT_NEAR(done.figures.at(0).figure.value, 12.8, 1e-9);
  EXPECT_GT(done.figures.at(0).figure.spread, 0.3);
  EXPECT_LE(done.figures.at(0).figure.spread, 1.0);
}

TEST(Calibration, BandwidthIsBytesOverTheTimeOfALaunch) {
  FakePort port;
  const Calibration done = run_plan(port, {stream_run()});
  ASSERT_EQ(done.figures.size(), 2u);
  EXPECT_NEAR(done.figures[0].figure.value, 100, 1e-9);        // 1e6 B in 10 us
  EXPECT_NEAR(done.figures[0].figure.spread, 125 - 80, 1e-9);  // 8 us and 12.5 us
  EXPECT_NEAR(done.figures[1].figure.value, 1e5 / 2000 / 50,
              1e-9);  // 100,000 B/us over 2000 clocks/us and 50 SMs
  EXPECT_EQ(done.figures[1].figure.source, "measured: events, 2026-11-21, driver 580.1, 2000 MHz");
}

TEST(Calibration, WhatGoesWrongInOneRunIsANoteAndTheOthersGoOn) {
  const FakeDriver driver;  // an error of the driver queries its text
  FakePort port;
  port.on_prepare = [](const MicroRun& run) {
    if (run.kernel == "bad") throw std::runtime_error("does not compile");
    if (run.kernel == "memory") throw cuda::CudaError(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc()", "x.cpp", 1);
  };
  const auto form = FigureForm::cycles_per_work;
  const Calibration done =
      run_plan(port, {clock_run("bad", form, 1), clock_run("memory", form, 1), clock_run("good", form, 1)});
  ASSERT_EQ(done.figures.size(), 1u);
  EXPECT_EQ(done.figures[0].name, "good");
  ASSERT_EQ(done.notes.size(), 2u);
  EXPECT_EQ(done.notes[0], "bad was not measured: does not compile");
  EXPECT_NE(done.notes[1].find("memory was not measured: "), std::string::npos);
}

TEST(Calibration, ARunWithoutWorkIsANoteAndNoInfinity) {
  FakePort port;
  port.clocks_of_repeat = 0;
  const Calibration done = run_plan(port, {clock_run("empty", FigureForm::work_per_cycle, 1)});
  EXPECT_TRUE(done.figures.empty());
  ASSERT_EQ(done.notes.size(), 1u);
  EXPECT_EQ(
      done.notes[0],
      "empty was not measured: 10 repeats took 100 clocks and 110 took 100: more work must take longer");
}

TEST(Calibration, AClockThatCannotBeReadIsANote) {
  FakePort port;
  port.clock_mhz = 0;
  EXPECT_TRUE(run_plan(port, {stream_run()}).figures.empty());
}

TEST(Calibration, AFaultThatPoisonsTheContextEndsIt) {
  const FakeDriver driver;
  FakePort port;
  port.on_prepare = [](const MicroRun&) {
    throw cuda::CudaError(CUDA_ERROR_ILLEGAL_ADDRESS, "cuStreamSynchronize()", "x.cpp", 1);
  };
  EXPECT_THROW(run_plan(port, {stream_run(), stream_run()}), cuda::CudaError);
  EXPECT_EQ(port.log.size(), 2u) << "nothing after the first run";
}

TEST(Calibration, ALowClockIsSaid) {
  FakePort port;
  port.clock_mhz = 1499;
  const Calibration slow = run_plan(port, {clock_run("latency", FigureForm::cycles_per_work, 1)});
  ASSERT_EQ(slow.notes.size(), 1u);
  EXPECT_NE(
      slow.notes[0].find("1499 MHz at its lowest, under 75% of the boost clock of 2000 MHz, during latency"),
      std::string::npos)
      << slow.notes[0];
  EXPECT_EQ(slow.figures.size(), 1u);
  port.clock_mhz = 1501;
  EXPECT_TRUE(run_plan(port, {clock_run("latency", FigureForm::cycles_per_work, 1)}).notes.empty());
}

TEST(Calibration, ACancelIsHeardBetweenTwoRuns) {
  FakePort port;
  CalibrationOptions cancelling = options();
  cancelling.cancelled = [&] { return port.log.size() == 3; };
  std::vector<double> fractions;
  cancelling.progress = [&](const std::string&, double fraction) { fractions.push_back(fraction); };
  const Calibration done =
      calibrate(port, device(), {stream_run(), stream_run(), stream_run(), stream_run()}, cancelling);
  EXPECT_TRUE(done.cancelled);
  EXPECT_EQ(done.figures.size(), 4u);
  EXPECT_EQ(fractions, (std::vector<double>{0, 0.25}));
}

TEST(CalibrationPlan, EveryFigureHasOneNameAndOneUnit) {
  const std::set<std::string> units{"cycles", "1/clk/SM", "FLOP/clk/SM", "B/clk/SM", "GB/s"};
  std::set<std::string> names;
  for (const MicroRun& run : calibration_plan()) {
    EXPECT_FALSE(run.figures.empty()) << run.kernel;
    for (const PlannedFigure& figure : run.figures) {
      EXPECT_TRUE(names.insert(figure.name).second) << figure.name << " twice";
      EXPECT_TRUE(units.contains(figure.unit)) << figure.name << " " << figure.unit;
    }
  }
  EXPECT_EQ(names.size(), 77u);
  for (const char* name :
       {"ffma_latency_cycles", "hfma2_lanes_per_clk_sm", "mufu_ex2_lanes_per_clk_sm",
        "shared_load_4B_32way_cycles", "shared_load_16B_8way_latency_cycles", "ldmatrix_x4_trans_cycles",
        "mma_m16n8k16_fp16_flops_per_clk_sm", "mma_m16n8k16_bf16_4warps_flops_per_clk_sm",
        "cp_async_16B_bytes_per_clk_sm", "block_barrier_8warps_cycles", "l1_latency_cycles",
        "l2_read_bytes_per_clk_sm", "dram_copy_gb_per_s"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(CalibrationPlan, EveryRunIsLegalOnEveryDevice) {
  const std::filesystem::path root = TILESCOPE_SOURCE_DIR;
  const Catalogue catalogue(root / "kernels");
  for (const DeviceModel& model : load_device_tables(root / "assets/devices")) {
    for (const MicroRun& run : calibration_plan()) {
      const KernelDeclaration kernel = catalogue.find(run.kernel);
      EXPECT_NO_THROW(check_values(kernel, run.parameters));
      Shape shape;
      shape.dtype = run.dtype;
      EXPECT_EQ(why_invalid(kernel, kernel.complete(run.parameters), shape, model), "")
          << run.figures.front().name;
    }
  }
}

TEST(CalibrationReport, ReadsBackWhatItWrote) {
  FakePort port;
  const Calibration done =
      run_plan(port, {stream_run(), clock_run("a_latency", FigureForm::cycles_per_work, 1)});
  CalibrationReport report;
  report.device = device();
  report.figures = done.figures;
  report.notes = {"a note"};
  for (const CalibratedFigure& figure : done.figures) report.device.measured[figure.name] = figure.figure;
  const Json document = to_json_document(report);
  const CalibrationReport again = calibration_report_from(document);
  EXPECT_EQ(to_json_document(again), document);
  ASSERT_EQ(again.figures.size(), 3u);
  EXPECT_EQ(again.figures[2].name, "a_latency") << "in the order of the plan, not of the alphabet";
  EXPECT_EQ(again.figures[2].figure, done.figures[2].figure);

  Json broken = document;
  broken["figures"].push_back("absent");
  EXPECT_THROW(calibration_report_from(broken), DocumentError);
}

TEST(CalibrationReport, OneThatDidNotEndWellIsAStatusAndASentence) {
  CalibrationReport report;
  report.status = Status::cancelled;
  report.reason = "cancelled after 3 figures";
  const CalibrationReport again = calibration_report_from(to_json_document(report));
  EXPECT_EQ(again.status, Status::cancelled);
  EXPECT_EQ(again.reason, report.reason);
  EXPECT_EQ(calibration_report_from({{"status", "worker_lost"}, {"reason", "gone"}}).reason, "gone");
  EXPECT_THROW(calibration_report_from({{"status", "ok"}, {"reason", ""}}), DocumentError);
}

}  // namespace
}  // namespace tilescope
