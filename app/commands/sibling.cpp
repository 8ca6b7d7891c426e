#include "app/commands/sibling.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

#include "app/commands/command.hpp"
#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "base/json.hpp"
#include "profiler/process/child_program.hpp"
#include "profiler/process/supervisor.hpp"

namespace tilescope {
namespace {

constexpr int signal_exit_base = 128;
// For a picture: the window may trace a point for it.
constexpr std::chrono::seconds time_limit{300};
constexpr std::uint64_t memory_limit = std::uint64_t{8} << 30;  // [B]

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> whole_command(const std::filesystem::path& program,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

[[noreturn]] void cannot_start(const std::filesystem::path& program, int error) {
  throw CannotRun(fmt::format("{} cannot be started: {}", program.string(), std::strerror(error)));
}

/// Null for a text that is not a document.
Json parsed_document(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const JsonError&) {
    return nullptr;
  }
}

/// Why it was killed; "" where it ended.
std::string wait_for_end(Supervisor& supervisor) {
  const auto end = std::chrono::steady_clock::now() + time_limit;
  while (supervisor.is_there()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wanted{supervisor.socket(), POLLIN, 0};
    if (left.count() <= 0) {
      supervisor.end();
      return fmt::format("did not end within {} s and was killed", time_limit.count());
    }
    if (::poll(&wanted, 1, static_cast<int>(left.count())) <= 0) continue;
    const std::optional<Supervisor::Event> event = supervisor.next_event();
    if (!event || event->kind == Supervisor::EventKind::ended) return "";
    if (event->kind == Supervisor::EventKind::over_memory)
      return fmt::format("took more than {} GiB of memory and was killed", memory_limit >> 30);
  }
  return "";
}

}  // namespace

std::filesystem::path window_program(const Installation& installation) {
  std::filesystem::path program = installation.executable.parent_path() / "tilescope-window";
  if (!std::filesystem::exists(program)) {
    throw CannotRun(
        fmt::format("there is no {}: this Tilescope was built without its window (TILESCOPE_WINDOW=OFF); "
                    "build it with the window, or open the session on a machine that has it",
                    program.string()));
  }
  return program;
}

int run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  Supervisor supervisor(whole_command(program, arguments), memory_limit, Supervisor::Leftovers::killed);
  std::vector<std::string> words = supervisor.command();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (supervisor.is_there()) posix_spawn_file_actions_adddup2(&actions, supervisor.child_end(), 3);
  pid_t child = 0;
  int error =
      posix_spawn(&child, words.front().c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) error = supervisor.wait_for_start();
  if (error != 0) cannot_start(program, error);
  const std::string why_killed = wait_for_end(supervisor);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) cannot_start(program, errno);
  }
  if (!why_killed.empty()) throw CannotRun(fmt::format("{} {}", program.string(), why_killed));
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_exit_base + WTERMSIG(status);
}

ExitCode print_document_of(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  listen_for_interrupts();
  ProgramCall call;
  call.command = whole_command(program, arguments);
  call.time_limit = time_limit;
  call.memory_limit = memory_limit;
  call.cancelled = interrupted;
  ProgramResult result;
  try {
    result = tilescope::run_program(call);
  } catch (const ProgramCancelled&) {
    throw Stopped();
  } catch (const ProgramFailed& error) {
    throw CannotRun(error.what());
  }
  while (result.errors.ends_with('\n')) result.errors.pop_back();
  if (!result.errors.empty()) say(result.errors);
  const Json document = parsed_document(result.output);
  if (document.is_object() && result.signal == 0) {
    print_json(document);
    return static_cast<ExitCode>(result.exit_code);
  }
  throw CannotRun(fmt::format("{} ended {} and printed no document", program.string(),
                              result.signal != 0 ? fmt::format("by signal {}", result.signal)
                                                 : fmt::format("with exit code {}", result.exit_code)));
}

void become_program(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = whole_command(program, arguments);
  ::execv(program.c_str(), pointers_to(words).data());
  cannot_start(program, errno);
}

std::vector<std::string> picture_arguments(const std::string& panel, const std::filesystem::path& session,
                                           const std::filesystem::path& picture) {
  return {"--screenshot", panel, "--session", session.string(), "--to", picture.string()};
}

}  // namespace tilescope
