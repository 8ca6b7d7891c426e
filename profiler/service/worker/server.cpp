#include "profiler/service/worker/server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/worker/protocol.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

/// How long a service that does not obey a cancel may keep the process alive after its input has ended.
constexpr auto end_of_input_grace = 2s;

/// Limit of waiting messages while one request runs: a client sends one at a time, and a cancel.
constexpr std::size_t most_waiting = 1000;
constexpr std::size_t most_waiting_bytes = 4 * protocol::line_limit;

/// A request that is refused: becomes a JSON-RPC error.
struct Refusal : std::runtime_error {
  Refusal(protocol::ErrorCode error_code, const std::string& message)
      : std::runtime_error(message), code(error_code) {}
  protocol::ErrorCode code;
};

struct Request {
  Json id;
  std::string method;
  Json params;
  /// The length of its line.
  std::size_t bytes = 0;
};

/// The lines that go out. Progress comes from the service's thread, errors of unreadable requests from the
/// reader's.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  void write(const std::string& line) {
    const std::lock_guard lock(mutex_);
    std::size_t written = 0;
    while (!broken_ && written < line.size()) {
      const ssize_t count = ::write(descriptor_, line.data() + written, line.size() - written);
      if (count >= 0) {
        written += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        broken_ = true;  // The client is gone: `cancelled` says so to the service.
      }
    }
  }
  bool broken() const { return broken_; }

 private:
  int descriptor_;
  std::mutex mutex_;
  std::atomic<bool> broken_ = false;
};

/// State shared by the reading and the serving thread.
class Inbox {
 public:
  /// False when too much waits already.
  bool push(Request request) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == most_waiting || waiting_bytes_ + request.bytes > most_waiting_bytes) return false;
    waiting_bytes_ += request.bytes;
    waiting_.push_back(std::move(request));
    changed_.notify_all();
    return true;
  }

  /// The next request, none once the input has ended and all that came before has been taken.
  std::optional<Request> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    Request request = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= request.bytes;
    running_ = request.id;
    return request;
  }

  void finished(const Json& id) {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    cancelled_.erase(id);
  }

  /// A cancel for a request that is not here came too late and is forgotten.
  void cancel(const Json& id) {
    const std::lock_guard lock(mutex_);
    bool known = running_ == id;
    for (const Request& request : waiting_) known = known || request.id == id;
    if (known) cancelled_.insert(id);
  }

  bool cancelled(const Json& id) const {
    const std::lock_guard lock(mutex_);
    return ended_ || cancelled_.contains(id);
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::set<Json> cancelled_;
  Json running_;
  bool ended_ = false;
};

Json parsed(std::string_view line) {
  try {
    return parse_json(line);
  } catch (const JsonError& error) {
    throw Refusal(protocol::parse_error, "not JSON: " + protocol::excerpt(line) + " (" + error.what() + ")");
  }
}

/// Reads a message. Throws Refusal; `id` is set as soon as it is known, so that the refusal can be addressed.
Request read_message(std::string_view line, Json& id) {
  const Json message = parsed(line);
  if (!message.is_object()) {
    throw Refusal(protocol::invalid_request,
                  "not a request object (batches are not served): " + protocol::excerpt(line));
  }
  if (message.contains("id")) {
    const Json& given = message["id"];
    if (!given.is_string() && !given.is_number_integer()) {
      throw Refusal(protocol::invalid_request,
                    "an id must be a string or a whole number, not " + given.dump());
    }
    id = given;
  }
  if (message.value("jsonrpc", Json()) != "2.0") {
    throw Refusal(protocol::invalid_request, "\"jsonrpc\" must be \"2.0\"");
  }
  if (!message.contains("method") || !message["method"].is_string()) {
    throw Refusal(protocol::invalid_request, "\"method\" must be a string");
  }
  return {id, message["method"], message.value("params", Json::object()), line.size()};
}

/// The worker's two threads around one service: the reader, which hears cancels, and the caller's, which
/// serves.
class Server {
 public:
  Server(const Service& service, std::string folder, int input, int output)
      : service_(service), folder_(std::move(folder)), input_(input), output_(output) {}

  /// Until the input ends, the output breaks or the service cannot go on.
  void serve() {
    while (!output_.broken()) {
      const std::optional<Request> request = inbox_.next();
      if (!request) return;
      answer(*request);
      inbox_.finished(request->id);
      if (leaving_) return;
    }
  }

  /// Until the input ends or stop() is called; to be run on a thread of its own.
  void read(int stop_descriptor) {
    protocol::LineSplitter lines;
    std::string buffer(std::size_t{1} << 16, '\0');
    const auto line = [this](std::string_view text) { accept(text); };
    const auto too_long = [this](std::string_view text) {
      output_.write(protocol::error(nullptr, protocol::invalid_request,
                                    fmt::format("a request is longer than {} MiB: {}",
                                                protocol::line_limit >> 20, protocol::excerpt(text))));
    };
    while (true) {
      pollfd polled[] = {{input_, POLLIN, 0}, {stop_descriptor, POLLIN, 0}};
      if (::poll(polled, 2, -1) < 0 && errno == EINTR) continue;
      if (polled[1].revents != 0) break;
      const ssize_t count = ::read(input_, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      lines.feed({buffer.data(), static_cast<std::size_t>(count)}, line, too_long);
    }
    inbox_.end();
  }

 private:
  void accept(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    Json id;
    try {
      Request request = read_message(line, id);
      if (!id.is_null()) {
        if (!inbox_.push(std::move(request)))
          throw Refusal(protocol::invalid_request,
                        fmt::format("too much waits: at most {} requests of {} MiB together", most_waiting,
                                    most_waiting_bytes >> 20));
      } else if (request.method == "cancel" && request.params.is_object() && request.params.contains("id")) {
        inbox_.cancel(request.params["id"]);
      }  // Other notifications are not answered, by the rules of JSON-RPC: a newer client may send them.
    } catch (const Refusal& refusal) {
      output_.write(protocol::error(id, refusal.code, refusal.what()));
    }
  }

  void answer(const Request& request) {
    std::string line;
    try {
      line = protocol::result(request.id, call(request));
    } catch (const Refusal& refusal) {
      line = protocol::error(request.id, refusal.code, refusal.what());
    } catch (const std::exception& failure) {
      line = protocol::error(request.id, protocol::internal_error,
                             "the worker failed at '" + request.method + "': " + failure.what());
    }
    if (const std::string why = service_.why_unusable(); !why.empty()) {
      leaving_ = true;
      output_.write(protocol::notification("leaving", {{"reason", why}}));
    }
    output_.write(line);
  }

  Json call(const Request& request) {
    if (request.method == "hello") return hello(request.params);
    const Service::Handler* handler = service_.find(request.method);
    if (handler == nullptr) {
      throw Refusal(protocol::method_not_found,
                    "no method '" + request.method + "': there are hello, " + service_.methods_text());
    }
    try {
      return (*handler)(request.params, control_of(request));
    } catch (const BadParams& error) {
      throw Refusal(protocol::invalid_params, error.what());
    }
  }

  Json hello(const Json& params) const {
    // Only a worker that its client started itself dies with it: over ssh the parent is sshd, and the end of
    // the input ends the worker. Ctrl-C in their shared terminal is then handled by the client.
    if (params.is_object() && params.contains("pid") && params["pid"] == Json(::getppid())) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::signal(SIGINT, SIG_IGN);
    }
    const Json folder = params.is_object() ? params.value("folder", Json()) : Json();
    return {{"program", "tilescope"},
            {"version", tilescope_version()},
            {"protocol", protocol::version},
            {"shares_files", !folder_.empty() && folder == Json(folder_)}};
  }

  MeasureControl control_of(const Request& request) {
    MeasureControl control;
    control.cancelled = [this, &request] { return output_.broken() || inbox_.cancelled(request.id); };
    control.report = [this, &request](const RequestProgress& progress) {
      output_.write(protocol::notification(
          "progress", {{"id", request.id}, {"stage", progress.stage}, {"fraction", progress.fraction}}));
    };
    control.send = [this, &request](Json part) {
      output_.write(protocol::notification("part", {{"id", request.id}, {"part", std::move(part)}}));
    };
    const Json limit = request.params.is_object() ? request.params.value("time_limit_s", Json()) : Json();
    if (limit.is_number() && limit.get<double>() > 0) control.time_limit_s = limit.get<double>();
    return control;
  }

  const Service& service_;
  /// See protocol::folder_identity.
  std::string folder_;
  int input_;
  Output output_;
  Inbox inbox_;
  bool leaving_ = false;
};

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Moves a standard stream to a private descriptor and puts `replacement` in its place.
int take_over(int standard, int replacement) {
  const int taken = ::fcntl(standard, F_DUPFD_CLOEXEC, 3);
  if (taken < 0) throw_errno("the worker cannot duplicate its standard streams");
  if (::dup2(replacement, standard) < 0) throw_errno("the worker cannot redirect its standard streams");
  return taken;
}

int serve(const Service& service, const std::filesystem::path& shared_folder, int input, int output,
          std::optional<std::chrono::seconds> grace) {
  int stop[2];
  if (::pipe2(stop, O_CLOEXEC) != 0) throw_errno("the worker cannot make a pipe");
  Server server(service, protocol::folder_identity(shared_folder), input, output);
  std::mutex mutex;
  std::condition_variable changed;
  bool served = false;
  std::thread reader([&] {
    server.read(stop[0]);
    std::unique_lock lock(mutex);
    if (grace && !changed.wait_for(lock, *grace, [&] { return served; })) {
      std::_Exit(0);  // The service hangs, in a kernel maybe: nothing short of this ends it.
    }
  });
  server.serve();
  {
    const std::lock_guard lock(mutex);
    served = true;
    changed.notify_all();
  }
  ::close(stop[1]);
  reader.join();
  ::close(stop[0]);
  return 0;
}

}  // namespace

int serve_worker(const Service& service, int input, int output) {
  return serve(service, {}, input, output, std::nullopt);
}

int serve_worker(const Service& service, const std::filesystem::path& shared_folder) {
  std::signal(SIGPIPE, SIG_IGN);  // A client that is gone is an error of write(), not a death.
  std::fflush(stdout);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) throw_errno("the worker cannot open /dev/null");
  const int input = take_over(STDIN_FILENO, nothing);
  const int output = take_over(STDOUT_FILENO, STDERR_FILENO);
  ::close(nothing);
  return serve(service, shared_folder, input, output, end_of_input_grace);
}

}  // namespace tilescope
