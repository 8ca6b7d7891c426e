#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/explorer_driver.hpp"
#include "app/gui/panel.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/session.hpp"

namespace tilescope {

namespace fs = std::filesystem;

/// A temporary folder, removed with this object.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-panels-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

inline Measurement make_point(const KernelDeclaration& kernel, const Configuration& configuration,
                              const std::string& device) {
  Measurement point;
  point.kernel = kernel.name;
  point.parameters = configuration;
  point.device = {device, "sm_89", false};
  point.resources = Resources{64, 0, 32768, 0, 0, std::string(64, '0')};
  point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
  point.provenance.source_sha256 = "source";
  return point;
}

inline void add_latency(Measurement& point, double p50_us) {
  point.error = Error{1e-4, 1e-4, 1e-3, "gpu", 4096, 4096};
  Latency latency;
  latency.p10_us = p50_us * 0.95;
  latency.p50_us = p50_us;
  latency.p90_us = p50_us * 1.1;
  latency.samples = 100;
  latency.tflops = attention_flops(point.shape) / p50_us * 1e-6;
  latency.l2_warm = SampleStatistics{};
  latency.l2_cold = SampleStatistics{};
  point.latency = latency;
}

/// The panels with an explorer that measures nothing, and with the valid configurations of the first kernel as its
/// session.
class Panels : public ::testing::Test {
 protected:
  Panels() {
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    setenv("XDG_DATA_HOME", (scratch_.folder() / "data").c_str(), 1);
    setenv("XDG_CONFIG_HOME", (scratch_.folder() / "config").c_str(), 1);
    explorer_ = std::make_unique<Explorer>(find_installation(), Client::Options{});
    panels_ = make_registered_panels();
  }

  std::vector<Configuration> legal_configurations() const {
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    std::vector<std::pair<std::string, std::vector<ParameterValue>>> every_value;
    every_value.reserve(kernel.parameters.size());
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      every_value.emplace_back(parameter.name, parameter.values);
    }
    std::vector<Configuration> legal;
    for (Configuration& configuration : expand_grid(kernel, kernel.complete({}), every_value)) {
      if (why_invalid(kernel, configuration, Shape{}, explorer_->selection().device()).empty()) {
        legal.push_back(std::move(configuration));
      }
    }
    return legal;
  }

  /// With `predicted` every fifth point has a prediction.
  fs::path write_session(const std::string& name, const std::string& device, bool timed,
                         bool predicted = true) const {
    Session session;
    session.title = name;
    session.created_utc = "2026-01-01T00:00:00Z";
    session.sources["source"] = SourceFile{"flash_scalar.cu", "first\nsecond\n", {}};
    std::size_t i = 0;
    for (const Configuration& configuration : legal_configurations()) {
      Measurement point = make_point(explorer_->selection().kernel(), configuration, device);
      if (timed) add_latency(point, 50 + static_cast<double>(i * 7919 % 1000));
      if (predicted && i % 5 == 0)
        point.prediction = Prediction{60, 40, 90, 30, "model", "", {{"tensor cores", 60}}};
      if (i % 41 == 3) {
        point.status = Status::wrong_result;
        point.reason = "The largest error is 0.28.";
      }
      if (i % 97 == 5) {
        point = make_point(explorer_->selection().kernel(), configuration, device);
        point.status = Status::compile_failed;
        point.reason = "The kernel does not compile.";
        point.compiler_log = "flash_scalar.cu(2): error: identifier \"x\" is undefined\n";
        point.resources.reset();
        point.occupancy.reset();
      }
      session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
      ++i;
    }
    fs::path file = scratch_.folder() / (name + ".json");
    SessionWriter(file).write(session);
    return file;
  }

  /// A session of these points, whose source has one line.
  fs::path write_points(const std::string& name, std::vector<Measurement> points) const {
    Session session;
    session.created_utc = "2026-01-01T00:00:00Z";
    session.sources["source"] = SourceFile{"flash_scalar.cu", "first\n", {}};
    session.points.reserve(points.size());
    for (Measurement& point : points)
      session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
    fs::path file = scratch_.folder() / (name + ".json");
    SessionWriter(file).write(session);
    return file;
  }

  /// As if this machine had the device: a session with latencies of it is then no recorded one.
  void make_present(const std::string& device) {
    Devices::Answer answer;
    answer.present.push_back(*explorer_->selection().find_device(device));
    explorer_->selection().add_present(answer);
  }

  Panel& panel(const std::string& id) const {
    for (const auto& candidate : panels_) {
      if (candidate->id() == id) return *candidate;
    }
    throw std::out_of_range("no panel " + id);
  }

  void show(test_support::HeadlessGui& gui, const std::string& id) {
    gui.show([this, id] { panel(id).show_alone(*explorer_); });
    gui.frames();
    EXPECT_TRUE(gui.errors().empty()) << id << ": " << gui.errors().front();
  }

  void show_all(test_support::HeadlessGui& gui) {
    for (const auto& each : panels_) {
      show(gui, each->id());
      EXPECT_GT(gui.vertices(), 100) << each->id();
    }
  }

  /// With another worker, and the first point made.
  void start_with(std::vector<std::string> command) {
    Client::Options worker;
    worker.command = std::move(command);
    explorer_ = std::make_unique<Explorer>(find_installation(), worker);
    ASSERT_TRUE(settle());
  }
  template <class Condition>
  bool wait_for(Condition condition) {
    return tilescope::wait_for(*explorer_, condition);
  }
  bool settle() { return tilescope::settle(*explorer_); }

  const ParameterValue& value_of(const std::string& parameter) const {
    return explorer_->selection().experiment().parameters.at(parameter);
  }

  Scratch scratch_;
  std::unique_ptr<Explorer> explorer_;
  std::vector<std::unique_ptr<Panel>> panels_;
};

}  // namespace tilescope
