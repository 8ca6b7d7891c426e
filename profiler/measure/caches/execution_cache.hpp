#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/file_cache.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Results of executing machine code without a GPU, on disk: the interpreter and the model are deterministic,
/// so that a program gives equal results for equal code, inputs and device.
class ExecutionCache {
 public:
  explicit ExecutionCache(const Installation& installation);

  /// The hash of everything that goes into an execution: the kernel's source and declaration, its code, the experiment,
  /// the device with all of its figures, this program, and whether the prediction is explained.
  std::string key(const Prepared& kernel, bool explain) const;
  /// Adds error, memory, findings, prediction and notes to a point, if they are known; else returns false.
  bool add(const std::string& key, Measurement& point) const;
  /// Keeps error, memory, findings, prediction and notes of a point that is correct and has a prediction,
  /// without the first `notes_before` notes.
  void keep(const std::string& key, const Measurement& point, std::size_t notes_before);

 private:
  const std::string program_;
  const FileCache files_;
  std::mutex mutex_;
  int kept_ = 0;
};

}  // namespace tilescope
