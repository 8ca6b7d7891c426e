#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command.hpp"
#include "profiler/installation.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/worker/server.hpp"

namespace tilescope {
namespace {

/// The process that owns the GPU: it may die with a kernel without taking a window or a session along.
class WorkerCommand : public Command {
 public:
  std::string name() const override { return "worker"; }
  std::string summary() const override { return "The measuring process: JSON-RPC 2.0 on stdin and stdout"; }
  void declare_options(CLI::App&) override {}

  ExitCode run() override {
    const Installation installation = find_installation();
    const Service service = make_measure_service(installation);
    return static_cast<ExitCode>(serve_worker(service, installation.kernels));
  }
};

const RegisterCommand register_worker_command{[] { return std::make_unique<WorkerCommand>(); }};

}  // namespace
}  // namespace tilescope
