#include "app/commands/sibling.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/commands/command.hpp"

namespace tilescope {
namespace {

constexpr int signal_exit_base = 128;

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
  std::vector<std::string> words = whole_command(program, arguments);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) cannot_start(program, error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) cannot_start(program, errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_exit_base + WTERMSIG(status);
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
