#include "sessions/measurement.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sessions/clock.hpp"

namespace tilescope {
namespace {

template <typename Enum, std::size_t count>
using Names = std::array<std::pair<Enum, std::string_view>, count>;

constexpr Names<Status, 9> status_names{{{Status::ok, "ok"},
                                         {Status::invalid_configuration, "invalid_configuration"},
                                         {Status::compile_failed, "compile_failed"},
                                         {Status::launch_failed, "launch_failed"},
                                         {Status::wrong_result, "wrong_result"},
                                         {Status::unsupported, "unsupported"},
                                         {Status::timed_out, "timed_out"},
                                         {Status::worker_lost, "worker_lost"},
                                         {Status::cancelled, "cancelled"}}};

constexpr Names<Limiter, 4> limiter_names{{{Limiter::registers, "registers"},
                                           {Limiter::shared_memory, "shared_memory"},
                                           {Limiter::warps, "warps"},
                                           {Limiter::blocks, "blocks"}}};

constexpr Names<LatencyKind, 3> latency_kind_names{{{LatencyKind::measured, "measured"},
                                                    {LatencyKind::predicted, "predicted"},
                                                    {LatencyKind::recorded, "recorded"}}};

template <typename Enum, std::size_t count>
std::string name_of(Enum value, const Names<Enum, count>& names) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return std::string(name);
  }
  throw std::logic_error("an enumeration holds a value that has no name");
}

template <typename Enum, std::size_t count>
Enum value_of(const std::string& text, const Names<Enum, count>& names, const char* what) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known += (known.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  throw std::invalid_argument("'" + text + "' is not a " + what + ": there are " + known);
}

}  // namespace

std::string to_string(Status status) {
  return name_of(status, status_names);
}
Status status_from(const std::string& text) {
  return value_of(text, status_names, "status");
}

bool is_about_the_kernel(Status status) {
  return status == Status::wrong_result || status == Status::compile_failed ||
         status == Status::invalid_configuration;
}

std::string to_string(Limiter limiter) {
  return name_of(limiter, limiter_names);
}
Limiter limiter_from(const std::string& text) {
  return value_of(text, limiter_names, "limiter");
}

std::string to_string(LatencyKind kind) {
  return name_of(kind, latency_kind_names);
}
LatencyKind latency_kind_from(const std::string& text) {
  return value_of(text, latency_kind_names, "kind of latency");
}

Measurement failed_measurement(const Experiment& experiment, Status status, std::string reason) {
  Measurement measurement;
  measurement.status = status;
  measurement.reason = std::move(reason);
  measurement.kernel = experiment.kernel;
  measurement.parameters = experiment.parameters;
  measurement.shape = experiment.shape;
  measurement.device.name = experiment.device;
  measurement.provenance.time_utc = utc_now();
  measurement.provenance.seed = experiment.seed;
  return measurement;
}

Experiment experiment_of(const Measurement& measurement) {
  Experiment experiment;
  experiment.kernel = measurement.kernel;
  experiment.parameters = measurement.parameters;
  experiment.shape = measurement.shape;
  experiment.device = measurement.device.name;
  experiment.seed = measurement.provenance.seed;
  return experiment;
}

}  // namespace tilescope
