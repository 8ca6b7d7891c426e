#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "profiler/service/client/client.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// How many points of a sweep are compiled ahead of the one that is measured: two for each core of this machine, at
/// least 4 and at most 64.
std::size_t points_compiled_ahead();

/// Names to the worker what is likely to be asked for next, so that idle cores compile it meanwhile: the one way for
/// sweeps and for sliders, see CompileAhead. Answers are not waited for, and what fails here costs time alone: a
/// request for such a point gets the reason. From one thread.
class PrefetchRequests {
 public:
  /// `client` must outlive it.
  explicit PrefetchRequests(Client& client);

  /// The likeliest first. Replaces what was named before; the same again is not sent, nor is an empty list: the last
  /// point of a sweep may be just being compiled.
  void name(std::vector<Experiment> experiments);
  /// Nothing more is compiled: the cores are needed.
  void stop();

  /// How each point ended that was asked for meanwhile. True where the worker was lost and may have died of what it
  /// compiled ahead: that is named no more, and the caller asks for the point once more, for which nothing is named. If
  /// the worker is then lost again, the point itself is the reason, and the others are named again.
  bool take_blame(Status status);
  /// The kernels changed: what was blamed is named again.
  void trust_all();

 private:
  struct State;
  void send(std::vector<Experiment> experiments);

  Client& client_;
  /// Outlives this object, for answers that come late.
  std::shared_ptr<State> state_;
};

}  // namespace tilescope
