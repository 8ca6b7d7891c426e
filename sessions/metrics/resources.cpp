#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_registers{{
    .tag = "registers",
    .name = "registers",
    .per = "thread",
    .header = "regs",
    .label = "Registers",
    .description = "Registers per thread, from the compiler",
    .source = MetricSource::compiled,
    .place = 1,
    .ranks = false,
    .shown = true,
    .widest = "255",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->registers);
    },
}};

const RegisterMetric register_shared_memory{{
    .tag = "shared_memory",
    .name = "shared memory",
    .per = "block",
    .header = "shared",
    .description = "Shared memory per block, static and dynamic",
    .unit = Unit::bytes,
    .source = MetricSource::compiled,
    .place = 2,
    .ranks = false,
    .shown = true,
    .widest = "000,000",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->static_shared_bytes +
                                 point.resources->dynamic_shared_bytes);
    },
}};

const RegisterMetric register_spills{{
    .tag = "spills",
    .name = "spills",
    .per = "thread",
    .header = "spills",
    .label = "Spills",
    .description = "Spill stores and loads per thread: registers that went to local memory",
    .unit = Unit::bytes,
    .source = MetricSource::compiled,
    .place = 3,
    .widest = "0,000",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->spill_bytes);
    },
    .tone =
        [](const Measurement& point) { return point.resources->spill_bytes > 0 ? Tone::bad : Tone::plain; },
}};

}  // namespace
}  // namespace tilescope
