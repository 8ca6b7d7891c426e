// A worker whose service does what the experiment's kernel is called: the faults that real kernels and
// machines have.
//   fake_worker              serves as `tilescope worker` does
//   fake_worker MODE         a worker that is wrong from its start, see `misbehave`

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/requests/calibrate.hpp"
#include "profiler/service/requests/compile_ahead.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/service/worker/protocol.hpp"
#include "profiler/service/worker/server.hpp"

namespace {

using namespace std::chrono_literals;
using tilescope::Experiment;
using tilescope::Json;
using tilescope::MeasureControl;
using tilescope::Measurement;
using tilescope::Status;

/// Writes on the protocol's own stream, past the server: what a memory-corrupting library might do.
class RawOutput {
 public:
  RawOutput() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100)) {}
  void write(const std::string& text) const {
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = ::write(descriptor_, text.data() + written, text.size() - written);
      if (count <= 0) std::_Exit(4);
      written += static_cast<std::size_t>(count);
    }
  }
  void close() const { ::close(descriptor_); }

 private:
  int descriptor_;
};

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(1h);
}

/// Does what the experiment's kernel, or the device, is called.
class FakeWorker {
 public:
  explicit FakeWorker(const RawOutput& raw) : raw_(raw) {}

  tilescope::Service service() {
    using namespace tilescope;
    Service service;
    service.why_unusable = [this] { return poisoned_ ? "the context is poisoned" : ""; };
    service.answer<Devices>([](const Devices::Params&, const MeasureControl&) {
      Devices::Answer answer;
      answer.why_no_gpu = "this worker is a fake";
      return answer;
    });
    service.answer<Kernels>([this](const Kernels::Params&, const MeasureControl&) {
      return Kernels::Answer{
          Status::ok, "", {{"pid", ::getpid()}, {"ahead", ahead_}, {"ahead_lists", ahead_lists_}}};
    });
    service.answer<CompileAhead>([this](const CompileAhead::Params& params, const MeasureControl&) {
      ahead_.clear();
      ++ahead_lists_;
      for (const Experiment& experiment : params.experiments) {
        if (experiment.kernel == "throws") throw std::runtime_error("a worker without this method");
        if (experiment.kernel == "kills_compiler") compiler_faults_ = true;
        ahead_.push_back(experiment.source ? experiment.source->text : experiment.kernel);
      }
      return CompileAhead::Answer{Status::ok, "", static_cast<std::int64_t>(ahead_.size())};
    });
    service.answer<Measure>([this](const Measure::Params& params, const MeasureControl& control) {
      return measure(params.experiment, control);
    });
    service.answer<CountKernel>([this](const CountKernel::Params& params, const MeasureControl& control) {
      return trace(params.experiment, params.options, control);
    });
    service.answer<RecordBlock>([](const RecordBlock::Params& params, const MeasureControl& control) {
      return trace_window(params.experiment, params.selection, control);
    });
    service.answer<Calibrate>([this](const Calibrate::Params& params, const MeasureControl& control) {
      return calibrate(params.device, control);
    });
    return service;
  }

 private:
  tilescope::Calibrate::Answer calibrate(const std::string& device, const MeasureControl& control) const {
    control.report({"ffma", 0.5});
    if (device == "exit") {
      std::cerr << "a microbenchmark faulted\n";
      std::_Exit(7);
    }
    if (device == "slow") {
      while (!control.cancelled()) std::this_thread::sleep_for(1ms);
      return {Status::cancelled, "obeyed", {}};
    }
    if (device == "wrong_answer") {
      raw_.write(tilescope::protocol::result(2, Json::array({1, 2})));
      hang();
    }
    return {Status::ok, "", {{"device", device}, {"limit_s", control.time_limit_s}}};
  }

  Measurement measure(const Experiment& experiment, const MeasureControl& control) {
    const std::string& does = experiment.kernel;
    if (compiler_faults_ || does == "kills_compiler") std::_Exit(7);
    if (does == "slow") return slow(experiment, control);
    if (does == "hang") {
      control.report({"time", 0.5});
      hang();
    }
    if (does.starts_with("hang at ")) {
      control.report({does.substr(8), 0.5});
      hang();
    }
    if (does == "hang silently") hang();
    if (does == "exit") {
      std::cerr << "first words\nthe disk is full\n";
      std::_Exit(7);
    }
    if (does == "signal") {
      std::cerr << "about to fault\n";
      ::signal(SIGSEGV, SIG_DFL);
      ::raise(SIGSEGV);
    }
    if (does == "malformed") raw_.write("Segfault at \x01\xff not json\n");
    if (does == "huge_line") {
      const std::string part(std::size_t{1} << 20, 'x');
      for (int i = 0; i < 100; ++i) raw_.write(part);
    }
    if (does == "wrong_answer") {
      raw_.write(tilescope::protocol::result(1, {{"status", 17}}));
      hang();
    }
    if (does == "other_id") raw_.write(tilescope::protocol::result(4711, Json::object()));
    if (does == "chatty") {
      std::cout << "a library's greeting on stdout" << std::endl;
      std::printf("and another\n");
      std::fflush(stdout);
    }
    if (does == "throws") throw std::runtime_error("a bug in the service");
    if (does == "poison") poisoned_ = true;
    Measurement point;
    point.kernel = does;
    point.shape = experiment.shape;
    point.parameters = experiment.parameters;
    if (does == "log") point.compiler_log.assign(std::size_t{3} << 20, 'y');
    if (does == "bytes") point.compiler_log = "not UTF-8: \xff\xfe";
    if (experiment.source) point.compiler_log = experiment.source->text;
    point.notes.push_back("pid " + std::to_string(::getpid()));
    return point;
  }

  Measurement trace(const Experiment& experiment, const tilescope::CountOptions& counting,
                    const MeasureControl& control) {
    Measurement point = measure(experiment, control);
    point.notes.push_back("seed " + std::to_string(counting.schedule_seed));
    point.notes.push_back("limit " + std::to_string(static_cast<int>(control.time_limit_s)));
    return point;
  }

  static tilescope::RecordingSummary trace_window(const Experiment& experiment,
                                                  const tilescope::AccessSelection& selection,
                                                  const MeasureControl& control) {
    tilescope::RecordingSummary summary;
    for (std::uint64_t i = 0; i < selection.count && !control.cancelled(); ++i) {
      if (experiment.kernel == "slow") std::this_thread::sleep_for(10ms);
      control.send(Json::array({selection.first + i}));
      ++summary.sent;
    }
    if (experiment.kernel == "exit") std::_Exit(7);
    summary.matching = selection.count;
    return summary;
  }

  static Measurement slow(const Experiment& experiment, const MeasureControl& control) {
    for (int step = 0; step < 1000; ++step) {
      control.report({"time", step / 1000.0});
      if (control.cancelled()) return failed_measurement(experiment, Status::cancelled, "Obeyed.");
      std::this_thread::sleep_for(10ms);
    }
    return {};
  }

  const RawOutput& raw_;
  bool poisoned_ = false;
  /// Configurations named to be compiled ahead: the kernel, or the text that it carries.
  std::vector<std::string> ahead_;
  int ahead_lists_ = 0;
  /// A thread that compiles ahead is about to end the process.
  bool compiler_faults_ = false;
};

int misbehave(const std::string& mode) {
  std::string line;
  if (mode == "exit_at_once") {
    std::cerr << "no such kernels folder\n";
    return 3;
  }
  if (mode == "silent") hang();
  if (mode == "banner") {
    std::cout << "Welcome to node 7, please behave\n" << std::flush;
    hang();
  }
  if (mode == "old") {
    std::getline(std::cin, line);
    std::cout
        << R"({"jsonrpc":"2.0","id":"hello","result":{"program":"tilescope","version":"0.0.1","protocol":0}})"
        << std::endl;
    hang();
  }
  if (mode == "ancient") {
    std::getline(std::cin, line);
    std::cout << R"({"jsonrpc":"2.0","id":"hello","error":{"code":-32601,"message":"no method hello"}})"
              << std::endl;
    hang();
  }
  if (mode == "closes_output") {
    std::cout.flush();
    ::close(STDOUT_FILENO);
    hang();
  }
  if (mode == "closes_input") {
    std::getline(std::cin, line);
    ::close(STDIN_FILENO);
    std::cout << tilescope::protocol::result("hello", {{"protocol", tilescope::protocol::version}})
              << std::flush;
    hang();
  }
  std::cerr << "no mode " << mode << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return misbehave(argv[1]);
  const RawOutput raw;
  FakeWorker worker(raw);
  const char* folder = std::getenv("FAKE_WORKER_FOLDER");
  return tilescope::serve_worker(worker.service(), folder == nullptr ? "" : folder);
}
