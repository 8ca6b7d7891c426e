#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/interpret/grid_sample.hpp"
#include "profiler/measure/open/known_parameters.hpp"
#include "profiler/measure/open/launch_probe.hpp"
#include "profiler/measure/open/number_guesses.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A buffer that host code allocates [B].
struct WrittenBuffer {
  SuggestedNumber bytes;
  /// From the buffer's start to where the kernel's pointer points.
  std::uint64_t offset_bytes = 0;
  /// The number in all its elements before the launch, "0" or "-inf"; "" where that is not known.
  std::string fill{};
  /// The .npy file with its elements, by SentArray::name; "" where the file does not give them.
  std::string contents{};
};

/// A member of a structure that is passed by value, as the host code sets it.
struct WrittenMember {
  std::optional<SuggestedNumber> number;
  std::optional<WrittenBuffer> buffer;
};

/// A variable of the host code that a launch passes.
struct PassedVariable {
  /// "" for an expression.
  std::string name;
  /// Tells variables with the same name apart: the line of a buffer's allocation, else the function of the launch.
  std::string scope;

  bool operator==(const PassedVariable&) const = default;
};

/// A kernel as its file writes it, and its first launch there with the values that the file gives.
struct WrittenKernel {
  std::vector<WrittenParameter> parameters;
  CompiledIn compiled_in{};
  /// None where the file launches it nowhere, or with a value that it does not have.
  std::array<std::optional<SuggestedNumber>, 3> grid, block;
  std::optional<SuggestedNumber> shared;
  /// By parameter.
  std::vector<std::optional<SuggestedNumber>> arguments;
  /// By parameter: the buffer that the host code allocated for it.
  std::vector<std::optional<WrittenBuffer>> buffers;
  /// By parameter, and in it by WrittenParameter::members.
  std::vector<std::vector<WrittenMember>> members;
  /// By parameter.
  std::vector<PassedVariable> passed;
  /// The function that has the launch.
  std::string host_function;
  /// Kernels that this function launches before it, by their names in the source, each once, in the order of their last
  /// launches.
  std::vector<std::string> earlier;
  /// The blocks of its launch may wait for each other.
  bool is_cooperative = false;
  /// Names in the source whose chosen values the launch was evaluated with or that were compiled in.
  std::set<std::string> taken;
};

/// Axes along which a kernel's threads and blocks differ: it reads those indices.
struct UsedAxes {
  bool thread_y = false, thread_z = false, block_y = false, block_z = false;
};

/// All that a launch is guessed from.
struct GuessSources {
  const simt::Program& program;
  std::string entry{};
  WrittenKernel written{};
  UsedAxes axes{};
  /// The user's values, by LaunchGuess::what.
  std::map<std::string, std::string> chosen{};
  std::function<bool()> cancelled{};
  /// Numbers of the source that formulas may name.
  std::map<std::string, double> constants{};
  /// Blocks to run; 0 for an automatic choice.
  std::uint64_t blocks = 0;
  /// [B] The most that a block can have.
  std::uint32_t most_shared_bytes = 227U << 10U;
  /// `written` was evaluated with it, too.
  SuggestionBasis basis{};
};

/// A buffer behind a pointer.
struct GuessedBuffer {
  Element element;
  /// All elements, and how many of them lie before the one that the pointer points to.
  std::uint64_t count = 1, before = 0;
  /// "random", "iota", or a number.
  std::string fill = "0";
  /// The .npy file with its elements, by SentArray::name, in the place of `fill`; "" for none.
  std::string contents{};
  /// The formula of what the kernel should leave in it; "" for none.
  std::string expected{};
  /// The .npy file that has it, in the place of a formula, and how far values may differ.
  struct ExpectedArray {
    std::string name;
    double absolute = 0, relative = 0;
  };
  ExpectedArray expected_array{};
  TouchedRegion touched;
};

struct GuessedLaunch {
  simt::Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<KnownParameter> parameters;
  /// By parameter; none for pointers and structures.
  std::vector<std::optional<double>> numbers;
  /// By parameter; none for numbers.
  std::vector<std::optional<GuessedBuffer>> buffers;
  /// Numbers of the source that the formulas name.
  std::map<std::string, double> formula_numbers;
  /// Values that were guessed, in the order of the launch; the user's are none of them.
  std::vector<LaunchGuess> guesses;
  /// Blocks that stand for the grid; none for all of it.
  std::vector<SampledBlock> sample;
  /// Why it cannot be launched so, a sentence that says what to give; "" where it can.
  std::string problem;
  /// As WrittenKernel::is_cooperative.
  bool is_cooperative = false;
  /// With sizes that names suggest its buffers do not fit, or one of its blocks runs long.
  bool is_too_large = false;
};

/// Finds out how a kernel is launched: from the launch in its file, from its names and from what a few of its blocks touch
/// when they run. Throws std::invalid_argument for a chosen value that is none, and what probe_launch() throws.
GuessedLaunch guess_launch(const GuessSources& sources);

/// Runs the blocks of a guessed launch once more, on buffers with their contents: what the values lead to belongs to the
/// buffers, too. The buffers are as large as both runs need them. Throws what probe_launch() throws.
GuessedLaunch with_reach_of_contents(const GuessSources& sources, GuessedLaunch launch);

/// The launch as a document for `run --args`.
std::string launch_document(const GuessedLaunch& launch);

}  // namespace tilescope
