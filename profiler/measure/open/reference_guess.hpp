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

/// Takes the choices on a reference out of all choices of `open`, and returns them without their first word: "kernel" of
/// "reference kernel", and "grid", "block", "shared", "tolerance" or a number of its arguments.
std::map<std::string, std::string> take_reference_choices(std::map<std::string, std::string>& chosen);

/// All that the launch of a reference kernel is guessed from.
struct ReferenceSources {
  const OpenedCodes& file;
  const FileKernels& kernels;
  DisassemblyCache& disassemblies;
  /// As take_reference_choices() returned them, with "kernel".
  std::map<std::string, std::string> choices;
  /// The user's values of the source's constants and of host code.
  std::map<std::string, std::string> chosen;
  /// See choose_kernel().
  bool has_other_constants = false;
  /// The document of the launch whose result is to be compared.
  std::string launch{};
  /// Buffers that it writes; empty where that is not known.
  std::vector<std::string> outputs{};
  std::uint32_t most_shared_bytes = 227U << 10U;
  SuggestionBasis basis{};
  std::function<bool()> cancelled{};
};

struct GuessedReference {
  /// "reference" of the launch document.
  Json document;
  /// Elements that it reaches behind its pointer, by the name of the launch's buffer.
  std::map<std::string, std::uint64_t> elements;
  /// "reference grid"
  std::vector<LaunchGuess> guesses;
};

/// Guesses how another kernel of the file is launched on the buffers of a launch: an argument is the one with the same
/// name, else, where both kernels have as many arguments, the one in the same place. Throws UnknownEntry, and
/// std::invalid_argument with a sentence where it cannot be launched so.
GuessedReference guess_reference(const ReferenceSources& sources);

/// Makes guessed buffers of a launch as long as the reference needs them, but for those whose length the user chose; their
/// guesses say so.
void widen_buffers(const GuessedReference& reference, const std::map<std::string, std::string>& chosen,
                   GuessedLaunch& launch, std::vector<LaunchGuess>& guesses);

/// Another kernel whose arguments have the same types, which may compute the same: the one that the file launches first,
/// often its plainest. Null where there is none.
const OpenedKernel* kernel_with_equal_arguments(const FileKernels& kernels, const std::string& entry,
                                                const std::vector<std::string>& launched);

}  // namespace tilescope
