#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// One part of a launch, constant of the source or formula of an output, as a row of a form: its value was guessed or
/// written, or is the user's.
struct LaunchRow {
  /// entry: something in which the entries of a compile cache differ.
  enum class Kind { guess, constant, entry, formula, reference, earlier };
  /// As LaunchGuess.
  std::string what, value, reason;
  bool is_chosen = false;
  /// Values to choose from: for a constant of the source, another kernel, and a guess that is a size and that
  /// no other row or constant gives.
  std::vector<std::string> proposals{};
  Kind kind = Kind::guess;
  /// One of `proposals` that is offered with `reason`; "" for none.
  std::string suggestion{};
  /// The guess in whose place a chosen value is; "" for other rows.
  std::string guess{};

  bool operator==(const LaunchRow&) const = default;
};

/// Whether the machine code depends on the row's value.
inline bool is_compiled_in(LaunchRow::Kind kind) {
  return kind == LaunchRow::Kind::constant || kind == LaunchRow::Kind::entry;
}

/// The values that the user chose, by LaunchRow::what.
using ChosenValues = std::map<std::string, std::string>;

/// The rows of a launch after an answer, without the kernel, which is chosen in the table; then the formulas of outputs, which
/// need none, the kernel to compare with where the file has another one, the source's constants, and kernels that are launched
/// before it, with a row for one more.
/// An answer names only what is still guessed: chosen parts keep their place in `before`, with the reason of the guess
/// that they replace. An answer that has no launch, as to a value that is not a number, keeps all rows.
std::vector<LaunchRow> launch_rows(const std::vector<LaunchRow>& before, const OpenedPoint& point,
                                   const ChosenValues& chosen);

}  // namespace tilescope
