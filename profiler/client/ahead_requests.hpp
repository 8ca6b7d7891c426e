#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "profiler/client/client.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// How many points of a sweep are compiled ahead of the one that is measured: two for each core of this machine.
std::size_t points_compiled_ahead();

/// Names to the worker what is likely to be asked for next, so that idle cores compile it meanwhile: the one way for
/// sweeps and for sliders, see CompileAhead. Answers are not waited for, and what fails here costs time alone: whoever
/// asks for such a point hears why.
class AheadRequests {
 public:
  /// `client` must outlive it.
  explicit AheadRequests(Client& client) : client_(client) {}

  /// The likeliest first. Replaces what was named before; the same again is not sent, nor is an empty list: the last
  /// point of a sweep may be just being compiled.
  void name(std::vector<Experiment> experiments);
  /// Nothing more is compiled: the cores are needed.
  void stop();

 private:
  void send(std::vector<Experiment> experiments);

  Client& client_;
  std::vector<Experiment> named_;
  /// Answers in a row that were failures. Outlives this object, for those that come late.
  std::shared_ptr<std::atomic<int>> failures_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace tilescope
