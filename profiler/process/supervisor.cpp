#include "profiler/process/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr int start_limit = 20'000;  // [ms]
/// Above the descriptors that a child gets, so that none is overwritten before it is copied.
constexpr int first_free_descriptor = 10;

bool can_run(const fs::path& program) {
  return access(program.c_str(), X_OK) == 0;
}

/// Beside this program, or where it was built; "" where it is in neither place.
fs::path find_supervise() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (fs::path beside = self.parent_path() / "tilescope-supervise"; !error && can_run(beside)) return beside;
  const fs::path built = TILESCOPE_SUPERVISE;
  return can_run(built) ? built : fs::path();
}

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "a socket for a child process cannot be made");
}

}  // namespace

Supervisor::Supervisor(const std::vector<std::string>& program, std::uint64_t memory_limit,
                       Leftovers leftovers, int control) {
  const fs::path supervise = find_supervise();
  if (!supervise.empty()) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) fail();
    child_end_ = fcntl(ends[1], F_DUPFD_CLOEXEC, first_free_descriptor);
    close(ends[1]);
    socket_ = ends[0];
    if (child_end_ < 0) {
      const int error = errno;
      end();
      errno = error;
      fail();
    }
    command_ = {supervise.string(), std::to_string(control), std::to_string(memory_limit),
                leftovers == Leftovers::killed ? "kill" : "await"};
  }
  command_.insert(command_.end(), program.begin(), program.end());
}

int Supervisor::wait_for_start() {
  close_child_end();
  if (!is_there()) return 0;
  pollfd wanted{socket_, POLLIN, 0};
  int ready = 0;
  do ready = poll(&wanted, 1, start_limit);
  while (ready < 0 && errno == EINTR);
  const std::optional<Event> event = ready == 1 ? next_event() : std::nullopt;
  if (!event) return ETIMEDOUT;
  if (event->kind == EventKind::not_started) return event->value;
  program_ = event->value;
  return 0;
}

std::optional<Supervisor::Event> Supervisor::next_event() {
  Event event;
  if (!is_there() || recv(socket_, &event, sizeof event, MSG_DONTWAIT) != sizeof event) return std::nullopt;
  return event;
}

void Supervisor::end() {
  close_child_end();
  if (const int socket = std::exchange(socket_, -1); socket >= 0) close(socket);
}

void Supervisor::close_child_end() {
  if (const int end = std::exchange(child_end_, -1); end >= 0) close(end);
}

}  // namespace tilescope
