#pragma once

#include <sys/types.h>

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tilescope::sass {

/// An nvdisasm that has made the tables of its architecture, which is most of its time, and waits for code:
/// serve_disassembly.c says how. It ends with its owner, also with one that is killed.
class DisassemblyServer {
 public:
  /// `program`: nvdisasm. `architecture`: "sm_89". Returns at once; nullptr where none can be started.
  static std::unique_ptr<DisassemblyServer> start(const std::filesystem::path& program,
                                                  const std::string& architecture);
  ~DisassemblyServer();
  DisassemblyServer(const DisassemblyServer&) = delete;
  DisassemblyServer& operator=(const DisassemblyServer&) = delete;

  /// What `nvdisasm --binary` prints for these instructions; nothing where it fails. Calls must not overlap.
  std::optional<std::string> print(std::span<const char> code);
  /// False once it did not answer.
  bool answers() const { return answers_; }

 private:
  DisassemblyServer(pid_t process, int socket) : process_(process), socket_(socket) {}

  pid_t process_;
  int socket_;
  bool answers_ = true;
};

/// Those of one nvdisasm, by architecture. Any thread may call it.
class DisassemblyServers {
 public:
  explicit DisassemblyServers(std::filesystem::path program) : program_(std::move(program)) {}

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
  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> latest_;  // newest first
};

}  // namespace tilescope::sass
