#include "profiler/service/requests/measure.hpp"
#include "app/commands/point_command.hpp"

namespace tilescope {
namespace {

class MeasureCommand : public PointCommand {
 public:
  std::string name() const override { return "measure"; }
  std::string summary() const override {
    return "One point: compile, check and time a configuration of a kernel";
  }

 private:
  Measurement make_point(Client& client, const Experiment& experiment, const Progress& progress,
                         std::chrono::milliseconds time_limit) override {
    return ask<Measure>(client, {.experiment = experiment, .variants = true, .explain = true}, progress,
                        time_limit);
  }
  Measurement make_changed(Client& client, const Experiment& experiment, const Progress& progress,
                           std::chrono::milliseconds time_limit) override {
    return ask<Measure>(client, {.experiment = experiment}, progress, time_limit);
  }
  std::string text_of(const Measurement& point, const Installation&) const override {
    return point_text(point);
  }
};

const RegisterCommand register_measure{[] { return std::make_unique<MeasureCommand>(); }};

}  // namespace
}  // namespace tilescope
