#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/gpu/timing/latency_timer.hpp"
#include "profiler/measure/gpu/gpu_sequence.hpp"
#include "sessions/sample_statistics.hpp"

namespace tilescope::test_support {

/// A GPU that computes by copying the reference, fails at a chosen step, or is wrong in a chosen way.
class FakeGpu {
 public:
  std::string fail_at;              // the step that throws
  int wrong_from_launch = 1 << 30;  // launches from this one on flip one index
  bool leaves_rows_unwritten = false;
  bool computes_nan = false;
  bool is_clock_rising = false;
  std::optional<double> sample_tolerance;
  int cancelled_in_check = 0;  // this check, counted from 1, is cancelled
  int wrong_element = 3;       // in row 0, which the sample has
  std::shared_ptr<const CheckedProblem> problem;
  const reference::AttentionReference* answer = nullptr;  // used when the problem does not have all rows
  std::function<void(const std::string&)> on_step = [](const std::string&) {};
  std::vector<std::string> steps;

  void load(const Prepared&) { step("load"); }
  int max_active_blocks(const Prepared&) {
    step("occupancy");
    return 3;
  }
  void upload(const GpuProblem& what) {
    step("upload");
    EXPECT_EQ(what.sizes, problem->sizes);
    EXPECT_EQ(what.seed, problem->seed);
    output_.assign(static_cast<std::size_t>(what.sizes.query_elements()), 0);
  }
  void poison() {
    step("poison");
    std::fill(output_.begin(), output_.end(), std::uint16_t{0xffff});
  }
  void launch(const Prepared&) {
    step("launch");
    run();
  }
  std::optional<ResultCheck> check(CheckedRows rows, const MeasureControl&) {
    step(rows == CheckedRows::sample ? "check sample" : "check");
    if (step_count("check") + step_count("check sample") == cancelled_in_check) return std::nullopt;
    ResultCheck checked =
        check_result(rows == CheckedRows::sample ? sample() : problem->reference, problem->sizes, output_);
    if (rows == CheckedRows::sample && sample_tolerance) {
      checked.comparison.tolerance = *sample_tolerance;
      checked.comparison.within = checked.comparison.max_abs <= *sample_tolerance;
    }
    return checked;
  }
  ProvisionalLatency time_provisional(const Prepared&, const MeasureControl&) {
    step("provisional");
    run();
    ProvisionalLatency provisional;
    provisional.latency = latency_of(statistics_of({110, 110}));
    provisional.is_clock_rising = is_clock_rising;
    return provisional;
  }
  Latency time(const Prepared&, const TimingBudget&, const MeasureControl&,
               const std::function<void(const Latency&)>& warm) {
    step("time");
    run();
    Latency latency = latency_of(statistics_of({100, 100}));
    warm(latency);
    latency.l2_cold = statistics_of({120, 120});
    return latency;
  }

  int step_count(const std::string& name) const {
    return static_cast<int>(std::count(steps.begin(), steps.end(), name));
  }

 private:
  void step(const std::string& name) {
    steps.push_back(name);
    on_step(name);
    if (name == fail_at) throw std::runtime_error(name + " failed");
  }
  // Rows 0 and 17, or all if there are fewer.
  reference::AttentionReference sample() const {
    const reference::AttentionReference& whole = problem->reference;
    if (whole.rows.size() < 18) return whole;
    reference::AttentionReference few = whole;
    few.rows = {0, 17};
    few.output.assign(whole.output.begin(), whole.output.begin() + 64);
    few.output.insert(few.output.end(), whole.output.begin() + 17 * 64, whole.output.begin() + 18 * 64);
    return few;
  }
  void run() {
    const std::size_t skipped = leaves_rows_unwritten ? 64 : 0;
    const reference::AttentionReference& known = answer != nullptr ? *answer : problem->reference;
    for (std::size_t i = skipped; i < output_.size(); ++i) {
      output_[i] = reference::from_float(static_cast<float>(known.output[i]), problem->sizes.format);
    }
    if (computes_nan) output_[3] = 0x7fff;
    const auto place = static_cast<std::size_t>(wrong_element);
    if (++launches_ >= wrong_from_launch) std::swap(output_[place], output_[place + 64 * 5]);
  }

  std::vector<std::uint16_t> output_;
  int launches_ = 0;
};

}  // namespace tilescope::test_support
