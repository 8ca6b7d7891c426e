#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/diagnosis.hpp"
#include "sessions/experiment.hpp"
#include "sessions/memory_counts.hpp"
#include "sessions/prediction.hpp"
#include "sessions/status.hpp"
#include "sessions/tried_change.hpp"

namespace tilescope {

/// The device that a point belongs to.
struct DeviceIdentity {
  /// As in the device table, or the driver's name where no table matches.
  std::string name;
  /// "sm_89"
  std::string arch;
  /// Whether the GPU was in the machine.
  bool present = false;

  bool operator==(const DeviceIdentity&) const = default;
};

/// Resources of one block, as the compiler reports them.
struct Resources {
  /// Per thread.
  std::int64_t registers = 0;
  /// [B] per block
  std::int64_t static_shared_bytes = 0;
  /// [B] per block
  std::int64_t dynamic_shared_bytes = 0;
  /// [B] per thread, spill stores + spill loads
  std::int64_t spill_bytes = 0;
  /// [B] per thread
  std::int64_t stack_bytes = 0;
  /// Hash of the kernel's machine code: equal hashes are the same program.
  std::string sass_sha256;

  bool operator==(const Resources&) const = default;
};

enum class Limiter { registers, shared_memory, warps, blocks };
std::string to_string(Limiter limiter);
/// As it is said in a text: "shared memory".
std::string resource_words(Limiter limiter);
Limiter limiter_from(const std::string& text);

/// How many blocks an SM holds at a time, and how the grid falls on the GPU.
struct Occupancy {
  std::int64_t blocks_per_sm = 0;
  std::int64_t warps_per_sm = 0;
  /// warps_per_sm over the most warps that an SM holds, 0 to 1.
  double fraction = 0;
  Limiter limiter = Limiter::warps;
  /// Grid blocks over (SMs * blocks_per_sm).
  double waves = 0;
  /// How full the last wave is, (0, 1]. Like grid_blocks beyond the contract: an imported point may lack it.
  std::optional<double> tail_fraction;
  std::optional<std::int64_t> grid_blocks;
  /// Other resources that allow no more blocks either.
  std::vector<Limiter> also_limited_by{};

  bool operator==(const Occupancy&) const = default;
};

/// Whether an SM holds as many warps as it can: then no resource of the kernel's is to blame.
bool is_full(const Occupancy& occupancy);
/// "SM full (warps)", or else the resources that limit: "shared memory", "shared memory and registers".
std::string limiter_words(const Occupancy& occupancy);

/// The largest difference from the float64 reference.
struct Error {
  double max_abs = 0;
  /// max_abs over the largest magnitude of the reference.
  double max_rel = 0;
  double tolerance = 0;
  /// "gpu" or "interpreter"
  std::string checked_by;
  /// Checked rows, and all B * Hq * Sq rows of the result. Beyond the contract: an imported point may lack them.
  std::optional<std::int64_t> rows_checked;
  std::optional<std::int64_t> rows_total;

  bool operator==(const Error&) const = default;
};

/// The raw statistics of one series of latency samples. All times in [us].
struct SampleStatistics {
  std::int64_t count = 0;
  double mean_us = 0;
  double stddev_us = 0;
  double min_us = 0;
  double p10_us = 0;
  double q1_us = 0;
  double p50_us = 0;
  double q3_us = 0;
  double p90_us = 0;
  double max_us = 0;
  /// [MHz] sampled with the series; 0 where it could not be sampled.
  double sm_clock_mhz = 0;
  /// Samples dropped because the SM clock was under 75% of the default.
  std::int64_t dropped = 0;
  /// "converged", "stable_noise" or "time_limit"
  std::string stopped_by;
  std::int64_t launches_per_sample = 0;
  /// [us] Time of one sample by the host's clock, from before its launch until the GPU was done; the median. None where
  /// it was not taken, as in older points.
  std::optional<double> host_us{};

  bool operator==(const SampleStatistics&) const = default;
};

/// A predicted latency is none of these: it stands in Measurement::prediction.
enum class LatencyKind { measured, recorded };
std::string to_string(LatencyKind kind);
LatencyKind latency_kind_from(const std::string& text);

/// The latency of one launch. p10/p50/p90 belong to the L2-warm series, which `series` names.
struct Latency {
  LatencyKind kind = LatencyKind::measured;
  double p10_us = 0;
  double p50_us = 0;
  double p90_us = 0;
  /// 0 where it is not known, as of an imported point.
  std::int64_t samples = 0;
  /// attention_flops(shape) / p50
  double tflops = 0;
  std::string tflops_formula;
  std::string series = "l2_warm";
  /// Launches of a CUDA graph, back to back over the same buffers.
  std::optional<SampleStatistics> l2_warm;
  /// L2 cleared before every launch.
  std::optional<SampleStatistics> l2_cold;

  bool operator==(const Latency&) const = default;
};

/// Data needed to repeat a point.
struct Provenance {
  std::string tilescope_version;
  /// ISO 8601
  std::string time_utc;
  /// Hash of the kernel's file; the key into Session::sources.
  std::string source_sha256;
  /// The cache key: the hash of all that went into the compilation.
  std::string binary_key;
  /// The one that the experiment names.
  KernelCompiler compiler = KernelCompiler::nvrtc;
  /// "13.0"; "" where nvcc compiled the kernel, or nothing did.
  std::string nvrtc_version;
  /// "13.0"; "" where NVRTC compiled the kernel, or nothing did.
  std::string nvcc_version;
  std::vector<std::string> compile_options;
  /// "cuDNN 9.19.0": the version of the library that the kernel uses; "" for none.
  std::string library_version;
  /// "580.159.04 (CUDA 13.0)", "" where there is none.
  std::string driver_version;
  /// Operating system and processor, no host name.
  std::string host;
  /// Input random seed.
  std::uint64_t seed = 1;
  /// [MHz] sampled under load; 0 where nothing ran.
  double sm_clock_mhz = 0;
  /// [ms] 0 when the binary came from the cache.
  double compile_ms = 0;
  bool binary_from_cache = false;

  bool operator==(const Provenance&) const = default;
};

/// "nvcc 13.0": what compiled the kernel. "nvcc" where it failed to; "" where nothing but NVRTC was asked for.
std::string compiler_words(const Provenance& provenance);

/// One point: the one currency that comes out.
struct Measurement {
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason;
  std::string kernel;
  /// Every parameter, defaults filled in.
  Configuration parameters;
  /// Meaningless where there are `arguments`.
  Shape shape;
  /// The launch of a kernel that computes something else than attention: numbers by their names, and the sizes
  /// of buffers, {"N": 4096, "x: elements": 8192}. None for attention.
  std::optional<Configuration> arguments{};
  DeviceIdentity device;
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
  std::optional<Error> error;
  std::optional<Latency> latency;
  /// Stands beside a latency, never in its place.
  std::optional<Prediction> prediction;
  /// Hardware counters by the profiler's name of them: "smsp__inst_executed.sum". None where none were read.
  std::optional<std::map<std::string, double>> counters;
  /// None where no kernel ran that was counted.
  std::optional<MemoryCounts> memory;
  /// Findings of the checkers, where they were requested.
  std::vector<Finding> findings;
  /// None until the point is diagnosed; empty where nothing was found.
  std::optional<std::vector<Diagnosis>> diagnoses;
  /// Changes of one parameter that were tried, or left; empty where none was asked for.
  std::vector<TriedChange> tries{};
  Provenance provenance;
  /// Parts that were not measured and why, in sentences.
  std::vector<std::string> notes;
  /// The compiler's output, kept on success too.
  std::string compiler_log;

  bool operator==(const Measurement&) const = default;
};

/// The name of a buffer's size in Measurement::arguments: "x: elements".
std::string elements_argument(const std::string& buffer);
/// Names the problem that was computed: the shape of attention, or the numbers of the arguments, "M=192 N=160 alpha=1", or without one the
/// sizes of the buffers, "x: elements 8192".
std::string problem_words(const Measurement& measurement);
/// The problem of a point that computes something else than attention, with its kernel: only points with the same one are
/// ranked together. "" for attention, whose problem is the shape.
std::string file_problem(const Measurement& measurement);
/// Whether some of its values differ from those that a launch file, a formula or another kernel says: it ran, and is not
/// ranked.
bool has_wrong_values(const Measurement& measurement);
/// Whether a point has a latency of a part of attention alone, such as the scores: it covers fewer operations than
/// attention_flops, and is not compared with others.
bool times_part_of_attention(const Measurement& measurement);

/// A point for an experiment that could not be carried out: everything but status and reason left out.
Measurement failed_measurement(const Experiment& experiment, Status status, std::string reason);

/// The contract of `--json`: every field present, what does not apply null.
void to_json(Json& json, const Measurement& measurement);
/// Throws std::exception (nlohmann's or std::invalid_argument) with the place when the document is not a
/// Measurement.
void from_json(const Json& json, Measurement& measurement);

/// The experiment that repeats a point.
Experiment experiment_of(const Measurement& measurement);

}  // namespace tilescope
