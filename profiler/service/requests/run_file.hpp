#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/looked_for.hpp"
#include "profiler/service/requests/compared_buffer.hpp"
#include "profiler/service/requests/counted_code.hpp"
#include "profiler/service/requests/file_subject.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// A buffer of a launch after the run.
struct LaunchedBuffer {
  /// The argument that has its address; none for a buffer of the launch file's "buffers".
  std::optional<std::uint64_t> argument;
  std::string name;
  /// The type of its elements by its name in PTX: "f32".
  std::string element;
  /// Its bytes, which come in parts before the answer: see BufferParts.
  std::string contents;

  bool operator==(const LaunchedBuffer&) const = default;
};

/// Text that one call of printf wrote.
struct LaunchedText {
  std::array<std::uint32_t, 3> block{};
  /// Linear index in its block.
  std::uint32_t thread = 0;
  /// "kernel.cu:12"
  std::string place;
  std::string text;

  bool operator==(const LaunchedText&) const = default;
};

/// A point of a kernel without a declaration: its launch and the results. Diagnoses are from the counts and findings, and with a
/// device from the occupancy and the prediction. Only a cubin has `resources`. `memory` is none where the kernel did not run to its end. Where there is
/// no prediction for a device, a note begins with "No prediction:".
struct LaunchedPoint : Measurement {
  /// Where there is one, nothing was run, and `reason` describes it.
  FileProblem problem = FileProblem::none;
  /// As far as they are known when the file cannot be decoded.
  std::string entry, target;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  /// [B]
  std::uint32_t dynamic_shared_bytes = 0;
  std::int64_t blocks_run = 0, warp_instructions = 0, lane_instructions = 0, barriers = 0;
  /// Warp instructions by pipe: "fma", "alu" ...
  std::map<std::string, std::int64_t> instructions;
  std::vector<LaunchedBuffer> buffers;
  /// For each buffer that the launch file has "expected" values of; empty where the kernel did not run to its end.
  std::vector<ComparedBuffer> compared;
  /// By block, thread and time.
  std::vector<LaunchedText> printed;
  /// For RunFile::Params::machine_code, where there is `memory`. The launch has no GPU: SMs are unknown.
  std::optional<CountedCode> machine_code;
  /// Whether races and other faults were looked for.
  bool checked = false;
  /// Where `checked`.
  LookedFor looked_for;
};

/// Interprets one kernel of a PTX file or a cubin: buffers in, buffers out, and what its memory accesses cost.
struct RunFile {
  static constexpr const char* name = "run_file";
  static constexpr std::chrono::seconds time_limit{120};
  /// With the counts until then, and without buffers.
  static constexpr bool answers_when_cancelled = true;
  struct Params {
    FileSubject subject;
    /// Look for races and other faults.
    bool check = false;
    /// Answer with the machine code, of a cubin alone.
    bool machine_code = false;
    /// Runs the warps in a seeded random order; 0 for the plain one.
    std::uint64_t schedule_seed = 0;
    /// Predict the latency on this device of the tables; "" for no prediction.
    std::string device;
  };
  using Answer = LaunchedPoint;
};

/// A piece of a buffer's contents.
struct BufferPart {
  /// The index into LaunchedPoint::buffers.
  std::uint64_t buffer = 0;
  std::string contents;
};

/// The contents of the buffers, which are too long for one message, as their parts arrive.
class BufferParts {
 public:
  /// Never throws, as a callback of the client must not: move_into() reports a part that cannot be read.
  void add(const Json& part) noexcept;
  /// Throws DocumentError for parts that cannot be read or that belong to no buffer.
  void move_into(LaunchedPoint& point);

 private:
  std::map<std::uint64_t, std::string> contents_;
  std::string problem_;
};

/// The document of `run --json` but for the buffers' values. Reading throws DocumentError with the place.
void to_json(Json& json, const LaunchedPoint& point);
void from_json(const Json& json, LaunchedPoint& point);
void to_json(Json& json, const LaunchedText& text);
void from_json(const Json& json, LaunchedText& text);
void to_json(Json& json, const LaunchedBuffer& buffer);
void from_json(const Json& json, LaunchedBuffer& buffer);
void to_json(Json& json, const BufferPart& part);
void from_json(const Json& json, BufferPart& part);
void to_json(Json& json, const RunFile::Params& params);
void from_json(const Json& json, RunFile::Params& params);

}  // namespace tilescope
