#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A program to be run to its end, without a shell.
struct ProgramCall {
  /// The program's path, and its arguments.
  std::vector<std::string> command;
  /// The contents of a file that the program may open as /dev/stdin, at any place of it.
  std::string_view input{};
  std::chrono::milliseconds time_limit{30'000};
  /// [B] of stdout
  std::size_t output_limit = std::size_t{256} << 20;
  /// Its working folder; "" for the folder of this process.
  std::filesystem::path folder{};
  /// Variables that it has beside this process's, or in their place.
  std::map<std::string, std::string> environment{};
  /// Asked every 20 ms; once it says so, the program is killed.
  std::function<bool()> cancelled{};
  /// [B] of its memory and the memory of the programs that it starts, together.
  std::uint64_t memory_limit = std::uint64_t{2} << 30;
};

struct ProgramResult {
  /// 0 for success.
  std::int64_t exit_code = 0;
  /// Signal that ended it; 0 for none.
  int signal = 0;
  std::string output;
  /// The first 64 KB of its stderr.
  std::string errors;

  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// It could not be started, took too long, took too much memory or wrote too much: what() is a sentence.
class ProgramFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run that was cancelled.
class ProgramCancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Waits for the program's end. One that goes over a limit is killed, and the programs that it has started with it; so
/// are they when this process ends meanwhile, however it ends. Throws ProgramFailed and ProgramCancelled.
ProgramResult run_program(const ProgramCall& call);

}  // namespace tilescope
