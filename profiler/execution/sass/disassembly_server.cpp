#include "profiler/execution/sass/disassembly_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace tilescope::sass {
namespace {

constexpr std::size_t kept = 2;               // each takes 40 MB
constexpr std::size_t instruction_size = 16;  // [B]
// The descriptor under which a server has its input, which is only looked at before it waits.
constexpr int input_descriptor = 3, control_descriptor = 4;
const std::string input_path = "/dev/fd/3";

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

bool write_all(int file, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return lseek(file, 0, SEEK_SET) == 0;
}

std::optional<std::string> contents_of(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  if (size < 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return text;
}

// This process's variables, and those that make nvdisasm a server.
std::vector<std::string> server_environment() {
  std::vector<std::string> variables;
  std::string preload = TILESCOPE_SERVE_DISASSEMBLY;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (variable.starts_with("LD_PRELOAD=")) {
      preload += ':' + variable.substr(variable.find('=') + 1);
    } else {
      variables.push_back(variable);
    }
  }
  variables.push_back("LD_PRELOAD=" + preload);
  variables.push_back("TILESCOPE_SERVED_INPUT=" + input_path);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0 where it could not be started.
pid_t spawn_server(const Supervisor& supervisor, int socket, int input) {
  std::vector<std::string> command = supervisor.command();
  std::vector<std::string> variables = server_environment();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, input, input_descriptor);
  if (supervisor.is_there())
    posix_spawn_file_actions_adddup2(&files, supervisor.child_end(), control_descriptor);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // Ctrl+C is its owner's
  pid_t process = 0;
  if (posix_spawn(&process, command.front().c_str(), &files, &attributes, pointers_to(command).data(),
                  pointers_to(variables).data()) != 0)
    process = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return process;
}

// nullptr where there are no descriptors left.
std::unique_ptr<Supervisor> start_supervisor(const std::vector<std::string>& command) {
  try {
    return std::make_unique<Supervisor>(command, 0, Supervisor::Leftovers::killed, control_descriptor);
  } catch (const std::system_error&) {
    return nullptr;
  }
}

bool send_request(int socket, std::array<int, 2> descriptors) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(descriptors))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(descriptors));
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof(descriptors));
  return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

// The wait status of the child that printed the code; nothing without an answer.
std::optional<int> receive_status(int socket, std::chrono::milliseconds limit) {
  pollfd wanted{socket, POLLIN, 0};
  int ready = 0;
  do ready = poll(&wanted, 1, static_cast<int>(limit.count()));
  while (ready < 0 && errno == EINTR);
  int status = -1;
  if (ready != 1 || recv(socket, &status, sizeof(status), 0) != sizeof(status)) return std::nullopt;
  return status;
}

}  // namespace

std::unique_ptr<DisassemblyServer> DisassemblyServer::start(const std::filesystem::path& program,
                                                            const std::string& architecture,
                                                            std::chrono::milliseconds limit) {
  if (!architecture.starts_with("sm_") || access(TILESCOPE_SERVE_DISASSEMBLY, R_OK) != 0) return nullptr;
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return nullptr;
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  const Descriptor input(memfd_create("input", MFD_CLOEXEC));
  constexpr std::array<char, instruction_size> some_code{};
  if (input.number() < 0 || !write_all(input.number(), some_code)) return nullptr;
  // Its memory is limited by serve_disassembly.c: nothing is to wake up while it waits.
  auto supervisor = start_supervisor({program.string(), "-b", "SM" + architecture.substr(3), input_path});
  if (!supervisor) return nullptr;
  const pid_t process = spawn_server(*supervisor, theirs.number(), input.number());
  supervisor->let_start();
  if (process == 0) return nullptr;
  return std::unique_ptr<DisassemblyServer>(
      new DisassemblyServer(std::move(supervisor), process, ours.release(), limit));
}

DisassemblyServer::~DisassemblyServer() {
  close(socket_);
  // It may still be making its tables, or reading code without an end.
  if (supervisor_->is_there()) {
    supervisor_->end();
  } else {
    kill(process_, SIGKILL);
  }
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<std::string> DisassemblyServer::print(std::span<const char> code) {
  const Descriptor input(memfd_create("code", MFD_CLOEXEC));
  const Descriptor output(memfd_create("text", MFD_CLOEXEC));
  if (input.number() < 0 || output.number() < 0 || !write_all(input.number(), code)) return std::nullopt;
  std::optional<int> status;
  if (send_request(socket_, {input.number(), output.number()})) status = receive_status(socket_, limit_);
  answers_ = status.has_value();
  if (!status || *status != 0) return std::nullopt;
  return contents_of(output.number());
}

std::shared_ptr<DisassemblyServers::Entry> DisassemblyServers::find(const std::string& architecture) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(latest_, [&](const auto& entry) { return entry->architecture == architecture; });
  if (found != latest_.end()) {
    latest_.splice(latest_.begin(), latest_, found);
    return latest_.front();
  }
  auto entry = std::make_shared<Entry>();
  entry->architecture = architecture;
  entry->server = DisassemblyServer::start(program_, architecture, limit_);
  latest_.push_front(std::move(entry));
  if (latest_.size() > kept) latest_.pop_back();
  return latest_.front();
}

void DisassemblyServers::prepare(const std::string& architecture) {
  find(architecture);
}

std::optional<std::string> DisassemblyServers::print(const std::string& architecture,
                                                     std::span<const char> code) {
  const std::shared_ptr<Entry> entry = find(architecture);
  const std::lock_guard lock(entry->mutex);
  if (!entry->server) return std::nullopt;
  std::optional<std::string> text = entry->server->print(code);
  if (!entry->server->answers()) entry->server.reset();
  return text;
}

}  // namespace tilescope::sass
