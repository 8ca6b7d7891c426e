#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sessions/measurement.hpp"
#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// The device's name; "a device without a name" where an imported file does not say it.
std::string device_words(const DeviceIdentity& device);

/// "measured on H200", "recorded on H200"; without a latency "predicted for L4" ("..., of the recorded session"),
/// without a prediction "compiled for L4", of one that was not compiled either "for L4".
std::string origin_words(const Measurement& point, bool recorded);

/// "Recorded on H200, 2026-01-31", "Compiled for L4": origin_words as a heading, with the day where it is known.
std::string origin_heading(const Measurement& point, bool recorded);

/// How a point ended: "Correct", "Compiled, result not checked", "Timed, result not checked" (an imported
/// point), "Incorrect result".
std::string status_words(const Measurement& point);

/// A status in a list of them: "Correct", "Incorrect result", "Timed out".
std::string status_label(Status status);
/// The status of a point, whose result may not have been checked: "Not checked".
std::string status_label(const Measurement& point);

/// Names the limiter of resident blocks and the change that would allow more, with the point's numbers. ""
/// for a point without occupancy.
std::string limiter_sentence(const Measurement& point);

/// A label and its value, for a tooltip.
using TextPair = std::pair<std::string, std::string>;

/// The figures of a point for a tooltip over the latency plot: status, latency with its spread,
/// prediction with its bounds and, beside a latency, its error, largest difference from the reference.
std::vector<TextPair> latency_tooltip(const Measurement& point, bool recorded);
/// For a tooltip over the occupancy plot: blocks and warps per SM, limiter, registers, shared memory.
std::vector<TextPair> occupancy_tooltip(const Measurement& point, bool recorded);
/// For a tooltip over a map of a metric: one of the two above, with the metric where they do not have it.
std::vector<TextPair> metric_tooltip(const Metric& metric, const Measurement& point, bool recorded);

/// The line that a tooltip adds for a point of an older source.
TextPair older_source_line();

/// An argument as a shell takes it: in single quotes if it has characters that are special there.
std::string shell_quoted(const std::string& argument);

/// The command that measures the same point, quoted for a POSIX shell: "tilescope measure flash_scalar --set BLOCK_M=64
/// ... --shape 1,8,512,64"; of a file "tilescope open gemm.cu --entry gemm --set TILE=16", for its folder. `program` is what
/// the shell is to run.
std::string command_line(const Measurement& point, const std::string& program);

/// "12.30 µs (10 to 90 % of the samples: 12.10 µs to 12.60 µs); with L2 cleared before each launch 15.20 µs"
std::string measured_words(const Latency& latency);

}  // namespace tilescope
