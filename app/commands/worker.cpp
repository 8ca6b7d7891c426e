#include <malloc.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command.hpp"
#include "profiler/installation.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/service/worker/server.hpp"

namespace tilescope {
namespace {

// Each compilation takes and frees some 20 MB in small pieces. Memory that goes back to the system in between is
// cleared page by page when it is taken again, which costs some 4 % of the compilation.
void keep_freed_memory() {
  constexpr int as_much = 256 << 20, at_a_time = 16 << 20;  // [B]
  mallopt(M_TRIM_THRESHOLD, as_much);
  mallopt(M_MMAP_THRESHOLD, as_much);
  mallopt(M_TOP_PAD, at_a_time);
}

/// The process that owns the GPU: it may die with a kernel without taking a window or a session along.
class WorkerCommand : public Command {
 public:
  std::string name() const override { return "worker"; }
  std::string summary() const override { return "The measuring process: JSON-RPC 2.0 on stdin and stdout"; }
  void declare_options(CLI::App&) override {}

  ExitCode run() override {
    keep_freed_memory();
    const Installation installation = find_installation();
    const Service service = make_measure_service(installation);
    return static_cast<ExitCode>(serve_worker(service, installation.kernels));
  }
};

const RegisterCommand register_worker_command{[] { return std::make_unique<WorkerCommand>(); }};

}  // namespace
}  // namespace tilescope
