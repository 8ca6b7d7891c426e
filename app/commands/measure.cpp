#include "app/commands/point_command.hpp"

namespace tilescope {
namespace {

class Measure : public PointCommand {
 public:
  std::string name() const override { return "measure"; }
  std::string summary() const override {
    return "One point: compile, check and time a configuration of a kernel";
  }

 private:
  Measurement make_point(Measuring& measuring, const Experiment& experiment,
                         const WorkerClient::Progress& progress) const override {
    return measuring.measure(experiment, progress);
  }
  std::string text_of(const Measurement& point, const Installation&) const override {
    return point_text(point);
  }
};

const RegisterCommand register_measure{[] { return std::make_unique<Measure>(); }};

}  // namespace
}  // namespace tilescope
