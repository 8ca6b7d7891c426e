#include "profiler/kernels/compile/forked_compilation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope {
namespace {

constexpr std::chrono::milliseconds between_questions{20};

// Message of the process: texts, each behind its length.
std::string packed(std::string_view first, std::string_view second, std::string_view third) {
  std::string message;
  for (const std::string_view part : {first, second, third}) {
    const std::uint64_t size = part.size();
    std::array<char, sizeof size> bytes{};
    std::memcpy(bytes.data(), &size, sizeof size);
    message.append(bytes.data(), bytes.size()).append(part);
  }
  return message;
}

// Empty where the message is not whole.
std::array<std::string, 3> unpacked(std::string_view message, bool& is_whole) {
  std::array<std::string, 3> parts;
  is_whole = false;
  for (std::string& part : parts) {
    std::uint64_t size = 0;
    if (message.size() < sizeof size) return parts;
    std::memcpy(&size, message.data(), sizeof size);
    message.remove_prefix(sizeof size);
    if (message.size() < size) return parts;
    part = message.substr(0, size);
    message.remove_prefix(size);
  }
  is_whole = message.empty();
  return parts;
}

constexpr char has_compiled = 'o';
constexpr char has_failed = 'f';

std::string message_of(const std::function<CompilerOutput()>& compile) {
  try {
    const CompilerOutput output = compile();
    return has_compiled + packed({output.cubin.data(), output.cubin.size()}, output.ptx, output.log);
  } catch (const CompileFailed& failed) {
    return has_failed + packed(failed.what(), failed.log, "");
  } catch (const std::exception& error) {
    return has_failed + packed(error.what(), error.what(), "");
  }
}

[[noreturn]] void run_child(const std::function<CompilerOutput()>& compile, int pipe, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // A crash is NVRTC's: the handlers and the core of the parent's process are not for it.
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) ::signal(number, SIG_DFL);
  const std::string message = message_of(compile);
  for (std::size_t at = 0; at < message.size();) {
    const ssize_t written = ::write(pipe, message.data() + at, message.size() - at);
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  ::_exit(0);
}

class Child {
 public:
  Child(const std::function<CompilerOutput()>& compile, const std::function<bool()>& cancelled) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe2");
    read_end_ = ends[0];
    const pid_t parent = ::getpid();
    {
      std::unique_lock alone(running_compilations(), std::defer_lock);
      while (!alone.try_lock_for(between_questions)) {
        if (!cancelled || !cancelled()) continue;
        ::close(ends[0]);
        ::close(ends[1]);
        throw CompileCancelled();
      }
      process_ = ::fork();
      // A lock knows its owner by the thread's id, which is another one in the child.
      if (process_ == 0) new (alone.release()) std::shared_timed_mutex;
    }
    if (process_ == 0) run_child(compile, ends[1], parent);
    ::close(ends[1]);
    if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  }
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      wait();
    }
    ::close(read_end_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for its message.
  std::string message(const std::function<bool()>& cancelled) const {
    std::string message;
    std::array<char, 65536> buffer{};
    while (true) {
      pollfd descriptor{read_end_, POLLIN, 0};
      const int ready = ::poll(&descriptor, 1, static_cast<int>(between_questions.count()));
      if (cancelled && cancelled()) throw CompileCancelled();
      if (ready <= 0) continue;
      const ssize_t count = ::read(read_end_, buffer.data(), buffer.size());
      if (count == 0) return message;
      if (count > 0) message.append(buffer.data(), static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) return message;
    }
  }
  /// The signal that ended it, 0 for none.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  int read_end_ = -1;
  pid_t process_ = -1;
};

}  // namespace

std::shared_timed_mutex& running_compilations() {
  static std::shared_timed_mutex mutex;
  return mutex;
}

CompilerOutput compile_in_fork(const std::function<CompilerOutput()>& compile,
                               const std::function<bool()>& cancelled) {
  Child child(compile, cancelled);
  const std::string message = child.message(cancelled);
  const int ended_by = child.wait();
  bool is_whole = false;
  auto parts = unpacked(message.empty() ? "" : std::string_view(message).substr(1), is_whole);
  if (!is_whole) {
    const std::string reason = fmt::format("the compiler was ended by signal {} ({})", ended_by,
                                           ended_by == 0 ? "none" : ::strsignal(ended_by));
    throw CompileFailed(reason, reason);
  }
  if (message.front() == has_failed) throw CompileFailed(parts[0], parts[1]);
  return {{parts[0].begin(), parts[0].end()}, std::move(parts[1]), std::move(parts[2])};
}

CompilerOutput Nvrtc::compile_apart(const std::string& name, const std::string& source,
                                    const std::vector<std::pair<std::string, std::string>>& headers,
                                    const std::vector<std::string>& options,
                                    const std::function<bool()>& cancelled,
                                    const std::vector<std::string>& instances) const {
  return compile_in_fork([&] { return compile(name, source, headers, options, {}, instances); }, cancelled);
}

}  // namespace tilescope
