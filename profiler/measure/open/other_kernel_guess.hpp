#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/caches/disassembly_cache.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/open/number_guesses.hpp"
#include "profiler/measure/open/opened_codes.hpp"

namespace tilescope {

/// How an argument of another kernel is found among the arguments of a launch.
enum class SharedArguments {
  /// It has the same name, else the host code passes the same variable to both, else, where both kernels have as many
  /// arguments, it has the same place.
  by_name_or_place,
  /// The host code passes the same variable to both, else, where it shows no variable, it has the same name. A pointer that
  /// is in neither gets a buffer of its own.
  by_variable,
};

/// All that the launch of another kernel is guessed from.
struct OtherKernelSources {
  const OpenedCodes& file;
  const FileKernels& kernels;
  DisassemblyCache& disassemblies;
  /// First words of what is guessed: "reference" of "reference grid".
  std::string role;
  /// The user's values of it: "kernel", "grid", "block", "shared", a number's name, or a pointer's with a buffer.
  std::map<std::string, std::string> choices;
  /// The user's values of the source's constants and of host code.
  std::map<std::string, std::string> chosen;
  /// See choose_kernel().
  bool has_other_constants = false;
  /// The launch document whose buffers it gets.
  std::string launch{};
  /// Variables of the host code: by argument of that launch, and by the names of its "buffers".
  std::vector<PassedVariable> passed{};
  std::map<std::string, PassedVariable> variables{};
  /// The function that has that launch.
  std::string host_function{};
  SharedArguments shared = SharedArguments::by_name_or_place;
  std::uint32_t most_shared_bytes = 227U << 10U;
  SuggestionBasis basis{};
  std::function<bool()> cancelled{};
};

/// The launch of another kernel, as it was guessed.
struct OtherKernelGuess {
  /// "entry", "grid", "block", "dynamic_shared_bytes" and "arguments".
  Json document;
  /// As it is shown.
  std::string name;
  struct Reach {
    /// Elements behind its pointer: of its buffer, and those that it touched in a trial run.
    std::uint64_t sized = 0, touched = 0;
  };
  /// By the name of the launch's buffer.
  std::map<std::string, Reach> reach;
  /// Buffers that it writes, and those whose contents before the launch it reads.
  std::vector<std::string> written, read;
  /// Entries of the launch's "buffers" that it needs beside those that are there.
  Json buffers;
  /// Variables of the host code behind them.
  std::map<std::string, PassedVariable> variables;
  /// Its grid, its block and its numbers, with the role before their names.
  std::vector<LaunchGuess> guesses;
};

/// Guesses how another kernel of the file is launched on the buffers of a launch. Throws UnknownEntry, and
/// std::invalid_argument with a sentence where it cannot be launched so.
OtherKernelGuess guess_other_kernel(const OtherKernelSources& sources);

/// Takes the choices that begin with the role and a blank out of all choices of `open`, and returns them without it. Throws
/// std::invalid_argument where they do not name a "kernel".
std::map<std::string, std::string> take_choices_of(const std::string& role,
                                                   std::map<std::string, std::string>& chosen);

/// Makes guessed buffers of a launch as long as another kernel needs them, but for those whose length the user chose; their
/// guesses say so.
void widen_buffers(const OtherKernelGuess& other, const std::map<std::string, std::string>& chosen,
                   GuessedLaunch& launch, std::vector<LaunchGuess>& guesses);

}  // namespace tilescope
