#pragma once

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "profiler/explanation/model/sm_simulation.hpp"

/// Traffic of a launch between its SMs, L2 and DRAM, and the data that it finds in L2.
namespace tilescope::model {

/// [B] that all blocks load from L2, as far as no block finds them in L1, and that they store; and the traffic of local memory.
struct Traffic {
  double loads = 0, stores = 0, local = 0;
};

/// The data of the launch before that a launch finds in L2.
struct L2State {
  Traffic traffic;
  /// [B] that the launch touches, and of them those that it writes.
  double touched = 0, written = 0;
  /// The part of it that is lost before the next launch reads it.
  double lost = 0;
  /// [B] touched before any of it is lost, and from there until all is.
  double kept = 0, transition = 0;
  /// [B] of local memory that is in use at a time.
  double local = 0;

  /// The part of so many bytes that is lost before the next launch.
  double lost_of(double bytes) const;
};

L2State l2_state(const ExecutedKernel& kernel, const LaunchPlan& plan, const ModelParameters& parameters);

/// [1e9 B/s] DRAM loses time when it turns from reading to writing: nothing where a launch does one of them alone, most
/// where it does as much of both.
double dram_rate(double read, double written, const ModelParameters& p);

/// [cycles] that the atomic operations of a launch take at least, because they meet.
double atomic_cycles(const AtomicQueue& queue, const ModelParameters& p);

/// `active`: SMs that run.
MemoryShare memory_share(const ExecutedKernel& kernel, const L2State& l2, const LaunchPlan& plan,
                         const ModelParameters& parameters, double active);

/// Latencies behind L1. Heads of a group read the same at the same time, and all of them wait. Data that blocks store for
/// others is read soon after: L2 still has it.
void add_latencies(const L2State& l2, const LaunchPlan& plan, const ModelParameters& parameters, SmWork& sm);

}  // namespace tilescope::model
