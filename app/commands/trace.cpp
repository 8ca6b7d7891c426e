#include <CLI/CLI.hpp>

#include <optional>
#include <utility>

#include "app/commands/counted_code_text.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/point_command.hpp"
#include "app/commands/trace_text.hpp"
#include "base/json.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {
namespace {

class TraceCommand : public PointCommand {
 public:
  std::string name() const override { return "trace"; }
  std::string summary() const override {
    return "Interpret a kernel: wavefronts, conflicts and sectors per source line; with --check races and "
           "other faults";
  }
  void declare_options(CLI::App& app) override {
    PointCommand::declare_options(app);
    app.add_flag(
        "--check", counting_.check,
        "Look for races, accesses out of bounds, reads of uninitialised shared memory, and barriers that "
        "not all threads reach");
    add_whole_option(
        app, "--schedule-seed", counting_.schedule_seed,
        "Run the warps in a random order of this seed, so that a race shows in the result (0: in order)");
    app.add_flag(
        "--sass", counting_.machine_code,
        "Print the machine code: executions, lanes, wavefronts or sectors and stall cycles beside each "
        "instruction, and the fewest cycles that warps and SMs need to issue it");
  }

 private:
  Measurement make_point(Client& client, const Experiment& experiment, const Progress& progress,
                         std::chrono::milliseconds time_limit) override {
    CountedPoint counted =
        ask<CountKernel>(client, {experiment, counting_, true, true}, progress, time_limit);
    machine_code_ = std::move(counted.machine_code);
    return counted;
  }
  Measurement make_changed(Client& client, const Experiment& experiment, const Progress& progress,
                           std::chrono::milliseconds time_limit) override {
    return ask<CountKernel>(client, {experiment, CountOptions()}, progress, time_limit);
  }
  std::string text_of(const Measurement& point, const Installation& installation) const override {
    const SourceStore sources(installation.cache / "sources");
    const std::optional<SourceFile> source = sources.find(point.provenance.source_sha256);
    std::string text = trace_text(point, source, counting_.check);
    if (machine_code_) text += counted_code_text(*machine_code_, source ? source->name : "");
    return text + lanes_hint(point, source, session());
  }
  Json document_of(const Measurement& point) const override {
    CountedPoint counted(point);
    counted.machine_code = machine_code_;
    return counted;
  }

  CountOptions counting_;
  /// Machine code of the point, for --sass.
  std::optional<CountedCode> machine_code_;
};

const RegisterCommand register_count_kernel{[] { return std::make_unique<TraceCommand>(); }};

}  // namespace
}  // namespace tilescope
