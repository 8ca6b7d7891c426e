#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// The owner's side of a program that runs under `tilescope-supervise` (supervise.c): a small process in between, which
/// kills the program and all that it has started when this object, or this process, is gone. It also limits their
/// memory. The caller starts command() as it likes, with child_end() as the descriptor `control`.
///
/// Where `tilescope-supervise` is missing, because the program was moved away from it, command() is the program itself:
/// it then has neither.
class Supervisor {
 public:
  /// Treatment of processes that the program leaves running when it ends.
  enum class Leftovers { killed, awaited };
  enum class EventKind : std::int32_t { started, not_started, ended, over_memory };
  struct Event {
    EventKind kind = EventKind::started;
    /// Its process id, errno, or its wait status.
    std::int32_t value = 0;
  };

  /// `memory_limit`: [B] of all processes together, looked at four times a second; 0 for none. Throws std::system_error.
  Supervisor(const std::vector<std::string>& program, std::uint64_t memory_limit, Leftovers leftovers,
             int control = 3);
  /// None: for a program that ends with its owner by itself.
  explicit Supervisor(std::vector<std::string> program) : command_(std::move(program)) {}
  ~Supervisor() { end(); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  bool is_there() const { return socket_ >= 0; }
  const std::vector<std::string>& command() const { return command_; }
  int child_end() const { return child_end_; }

  /// To be called once command() was started: 0, or the errno of what kept the program from being started.
  int wait_for_start();
  /// To be called instead by a caller that does not wait.
  void let_start() { close_child_end(); }
  /// Known after wait_for_start().
  pid_t program() const { return program_; }

  /// Readable when there is an event, and when the supervisor has ended; -1 where it is not there.
  int socket() const { return socket_; }
  /// Does not wait.
  std::optional<Event> next_event();
  /// Kills the program and what it has started, as far as that still runs. Returns at once.
  void end();

 private:
  void close_child_end();

  std::vector<std::string> command_;
  int socket_ = -1;
  int child_end_ = -1;
  pid_t program_ = 0;
};

}  // namespace tilescope
