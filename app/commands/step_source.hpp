#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "profiler/measure/files/stepped_file.hpp"
#include "profiler/service/client/client.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

namespace tilescope {

/// Source of answers about a stepped block. An error is the answer's status and reason.
class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual StepStop go(const StepTarget& target, const StepView& view) = 0;
  virtual StepTimeline timeline() = 0;
  virtual StepRowHistory row(std::int64_t row) = 0;
};

/// A block of a kernel with a declaration, stepped by a worker.
class WorkerSteps : public StepSource {
 public:
  /// `client` must outlive it.
  WorkerSteps(Client& client, SteppedBlockChoice block, std::chrono::milliseconds time_limit)
      : client_(client), block_(std::move(block)), time_limit_(time_limit) {}
  StepStop go(const StepTarget& target, const StepView& view) override;
  StepTimeline timeline() override;
  StepRowHistory row(std::int64_t row) override;

 private:
  template <class Request>
  typename Request::Answer ask_about(typename Request::Params params) const;

  Client& client_;
  SteppedBlockChoice block_;
  std::chrono::milliseconds time_limit_;
};

/// A block of a PTX file, stepped here.
class FileSteps : public StepSource {
 public:
  /// Throws what SteppedFile throws.
  FileSteps(const std::string& contents, const SteppedFile::Choice& choice) : file_(contents, choice) {}
  StepStop go(const StepTarget& target, const StepView& view) override;
  StepTimeline timeline() override;
  StepRowHistory row(std::int64_t row) override;

 private:
  SteppedFile file_;
};

}  // namespace tilescope
