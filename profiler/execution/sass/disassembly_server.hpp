#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "profiler/process/supervisor.hpp"

namespace tilescope::sass {

/// An nvdisasm that has made the tables of its architecture, which is most of its time, and waits for code:
/// serve_disassembly.c says how. It ends with its owner, also with one that is killed.
class DisassemblyServer {
 public:
  static constexpr std::chrono::milliseconds time_limit{10'000};
  /// `program`: nvdisasm. `architecture`: "sm_89". `limit`: of an answer. Returns at once; nullptr where none can be
  /// started.
  static std::unique_ptr<DisassemblyServer> start(const std::filesystem::path& program,
                                                  const std::string& architecture,
                                                  std::chrono::milliseconds limit = time_limit);
  ~DisassemblyServer();
  DisassemblyServer(const DisassemblyServer&) = delete;
  DisassemblyServer& operator=(const DisassemblyServer&) = delete;

  /// Output of `nvdisasm --binary` for these instructions; nothing if it fails. Calls must not overlap.
  std::optional<std::string> print(std::span<const char> code);
  /// False once it did not answer.
  bool answers() const { return answers_; }

 private:
  DisassemblyServer(std::unique_ptr<Supervisor> supervisor, pid_t process, int socket,
                    std::chrono::milliseconds limit)
      : supervisor_(std::move(supervisor)), process_(process), socket_(socket), limit_(limit) {}

  std::unique_ptr<Supervisor> supervisor_;
  pid_t process_;  // the supervisor's
  int socket_;
  std::chrono::milliseconds limit_;
  bool answers_ = true;
};

/// Servers of one nvdisasm, by architecture. Any thread may call it.
class DisassemblyServers {
 public:
  /// `limit`: of an answer.
  DisassemblyServers(std::filesystem::path program, std::chrono::milliseconds limit)
      : program_(std::move(program)), limit_(limit) {}

  /// Starts the one for this architecture, if it does not run.
  void prepare(const std::string& architecture);
  /// See DisassemblyServer::print. One that did not answer is not asked again.
  std::optional<std::string> print(const std::string& architecture, std::span<const char> code);

 private:
  struct Entry {
    std::string architecture;
    std::mutex mutex;
    std::unique_ptr<DisassemblyServer> server;  // nullptr once it did not answer
  };
  std::shared_ptr<Entry> find(const std::string& architecture);

  const std::filesystem::path program_;
  const std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> latest_;  // newest first
};

}  // namespace tilescope::sass
