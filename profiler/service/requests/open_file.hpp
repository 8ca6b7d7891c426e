#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "profiler/service/requests/host_call.hpp"
#include "profiler/service/requests/run_file.hpp"

namespace tilescope {

/// A line of the source whose values do not fit into registers: bytes per thread that its spills store and load.
struct SpilledLine {
  /// Without its folder; "" without line information.
  std::string file;
  std::int64_t line = 0;
  /// Loops around it, innermost included.
  int loop_depth = 0;
  /// [B] of all its spill instructions, each once.
  std::int64_t bytes = 0;

  bool operator==(const SpilledLine&) const = default;
};

/// A loop of the machine code, by the lines of the source that it was made from.
struct CodeLoop {
  std::string file;
  std::int64_t first_line = 0, last_line = 0;
  /// 1: outermost.
  int depth = 1;
  std::int64_t instructions = 0;

  bool operator==(const CodeLoop&) const = default;
};

/// A kernel of an opened file: what its machine code says before it is launched.
struct OpenedKernel {
  std::string name, demangled;
  /// "sm_89"
  std::string target;
  /// The part of the file that it is in, "libx.so: 2nd cubin"; "" where the file is the code itself.
  std::string origin;
  /// None for PTX.
  std::optional<Resources> resources;
  /// On the device, for `threads` per block.
  std::optional<Occupancy> occupancy;
  std::int64_t threads = 0;
  /// The least change that takes a block more or fewer on an SM, a sentence; "" for none.
  std::string next_cliff;
  /// Instructions of the code, not executions.
  std::int64_t instructions = 0;
  /// By pipe, most first.
  std::map<std::string, std::int64_t> mix;
  std::int64_t tensor_instructions = 0, async_instructions = 0;
  std::vector<SpilledLine> spills;
  /// The largest first.
  std::vector<CodeLoop> loops;
  /// Why it cannot be executed here, a sentence; "" where it can.
  std::string problem;

  bool operator==(const OpenedKernel&) const = default;
};

/// A part of the launch that was guessed.
struct LaunchGuess {
  /// "N", "grid", "x: size"
  std::string what;
  /// As it can be given back: "4096", "[16, 16, 1]".
  std::string value;
  /// "from the launch in line 88"
  std::string reason;

  bool operator==(const LaunchGuess&) const = default;
};

/// A whole number with a name in the opened source, in the place of which another one can be compiled in; or in which the
/// entries of a compile cache differ, so that another entry can be taken.
struct OpenedConstant {
  std::string name;
  std::int64_t value = 0;
  /// From 1; 0 for what no source has: cache_entry_choice, num_warps.
  std::int64_t line = 0;
  /// Powers of two around the value, or the values of the entries, ascending.
  std::vector<std::int64_t> proposals;

  bool operator==(const OpenedConstant&) const = default;
};

/// A kernel of any file, launched with what could be found out: its point, and what had to be guessed for it. Where the
/// result was compared with nothing its status is `unchecked`.
struct OpenedPoint : LaunchedPoint {
  /// By the order of the file.
  std::vector<OpenedKernel> kernels;
  std::vector<LaunchGuess> guesses;
  /// Constants at file scope, in the file's order, with their values there; or what entries of a compile cache
  /// differ in, with the values of the executed entry, cache_entry_choice first.
  std::vector<OpenedConstant> constants;
  /// Buffers that the launch writes: a formula of what one should hold is chosen as "NAME: expected".
  std::vector<std::string> outputs;
  /// The launch, a document for `run --args`; "" where there is none.
  std::string launch;
  /// "CUDA C++", "an executable with embedded cubins"
  std::string kind;
};

/// OpenFile::Params::chosen with this name is a kernel of the file: its result is what the outputs should hold. Values of
/// its launch are "reference grid", "reference block", "reference shared", "reference NAME" for a number NAME, and
/// "reference tolerance".
inline constexpr const char* reference_kernel_choice = "reference kernel";

/// OpenFile::Params::chosen with this name is an entry of a compile cache, by its number, from 1 for the oldest one of its
/// kernel.
inline constexpr const char* cache_entry_choice = "cache_entry";

/// Opens a file that holds kernels, finds out how one of them is launched, and interprets it.
struct OpenFile {
  static constexpr const char* name = "open_file";
  static constexpr std::chrono::seconds time_limit{300};
  static constexpr bool answers_when_cancelled = true;
  /// Params::blocks for the whole grid.
  static constexpr std::int64_t all_blocks = std::numeric_limits<std::int64_t>::max();
  struct Params {
    /// A folder has no contents. Without an entry the kernel is the one that the file launches first; without a launch, it
    /// is found out.
    FileSubject subject;
    /// Values that go before what is guessed, by the guesses' `what`, and values to compile in, by the constants' names.
    std::map<std::string, std::string> chosen;
    /// Options of the compiler: "-I", "-DTILE=64".
    std::vector<std::string> options;
    /// "" for the default device.
    std::string device;
    /// Look for races and other faults.
    bool check = true;
    /// Answer with the kernels alone.
    bool list_only = false;
    /// Calls of the file's host code that a program makes, the first one of each function: their sizes and tensors go before
    /// what is guessed. `subject` has the arrays.
    std::vector<HostCall> calls;
    /// Blocks that stand for the grid; 0 for an automatic choice. The whole grid is run where it has no more.
    std::int64_t blocks = 0;
  };
  using Answer = OpenedPoint;
};

/// The document of `open --json`. Reading throws DocumentError with the place.
void to_json(Json& json, const OpenedPoint& point);
void from_json(const Json& json, OpenedPoint& point);
void to_json(Json& json, const OpenedKernel& kernel);
void from_json(const Json& json, OpenedKernel& kernel);
void to_json(Json& json, const LaunchGuess& guess);
void from_json(const Json& json, LaunchGuess& guess);
void to_json(Json& json, const OpenedConstant& constant);
void from_json(const Json& json, OpenedConstant& constant);
void to_json(Json& json, const SpilledLine& line);
void from_json(const Json& json, SpilledLine& line);
void to_json(Json& json, const CodeLoop& loop);
void from_json(const Json& json, CodeLoop& loop);
void to_json(Json& json, const OpenFile::Params& params);
void from_json(const Json& json, OpenFile::Params& params);

}  // namespace tilescope
