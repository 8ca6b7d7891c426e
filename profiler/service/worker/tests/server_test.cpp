#include "profiler/service/worker/server.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/record_block.hpp"
#include "profiler/service/worker/protocol.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

/// "wait" runs until it is cancelled, everything else returns at once.
struct ScriptedService {
  ScriptedService() {
    service.answer<Devices>([](const Devices::Params&, const MeasureControl&) { return Devices::Answer{}; });
    service.answer<Kernels>([](const Kernels::Params&, const MeasureControl&) -> Kernels::Answer {
      throw std::runtime_error("the folder is unreadable");
    });
    service.answer<Measure>([this](const Measure::Params& params, const MeasureControl& control) {
      return measure(params.experiment, control);
    });
    service.answer<CountKernel>([](const CountKernel::Params& params, const MeasureControl& control) {
      Measurement point;
      point.kernel = params.experiment.kernel;
      point.notes = {params.options.check ? "checked" : "not checked",
                     std::to_string(params.options.schedule_seed), std::to_string(control.time_limit_s)};
      return point;
    });
    service.answer<RecordBlock>([](const RecordBlock::Params& params, const MeasureControl& control) {
      RecordingSummary summary;
      for (std::uint64_t i = 0; i < params.selection.count; ++i) {
        control.send(Json::array({Json{{"execution", params.selection.first + i}}}));
        ++summary.sent;
      }
      summary.matching = 1000;
      summary.sites = Json::array({Json{{"line", params.selection.lines.at(0)}}});
      return summary;
    });
  }
  Measurement measure(const Experiment& experiment, const MeasureControl& control) {
    control.report({"compile", 0.25});
    if (experiment.kernel == "wait") {
      started.release();
      while (!control.cancelled()) std::this_thread::sleep_for(1ms);
      return failed_measurement(experiment, Status::cancelled, "Obeyed.");
    }
    Measurement point;
    point.kernel = experiment.kernel;
    return point;
  }

  Service service;
  std::binary_semaphore started{0};
};

/// A server on its own thread with both pipes in the test's hands.
class Conversation {
 public:
  Conversation() {
    if (::pipe2(to_server_, O_CLOEXEC) != 0 || ::pipe2(from_server_, O_CLOEXEC) != 0) std::abort();
    server_ = std::thread([this] {
      serve_worker(script.service, to_server_[0], from_server_[1]);
      ::close(from_server_[1]);
    });
  }
  ~Conversation() {
    end_input();
    server_.join();
    ::close(to_server_[0]);
    ::close(from_server_[0]);
  }
  void send(const std::string& text) {
    ASSERT_EQ(::write(to_server_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end_input() {
    if (to_server_[1] >= 0) ::close(std::exchange(to_server_[1], -1));
  }
  /// The next message, null when the output has ended.
  Json receive() {
    std::string line;
    char byte = 0;
    while (::read(from_server_[0], &byte, 1) == 1) {
      if (byte == '\n') return Json::parse(line);
      line += byte;
    }
    return nullptr;
  }
  Json ask(const std::string& line) {
    send(line + '\n');
    return receive();
  }

  ScriptedService script;

 private:
  int to_server_[2], from_server_[2];
  std::thread server_;
};

std::string measure_request(const Json& id, const std::string& kernel) {
  Experiment experiment;
  experiment.kernel = kernel;
  return protocol::request(id, "measure", {{"experiment", experiment}});
}

TEST(Server, AnswersDeepNestingAndGoesOn) {
  Conversation worker;
  const std::string braces(100'000, '{'), brackets = std::string(60'000, '[') + std::string(60'000, ']');
  for (const std::string& params : {brackets, R"({"experiment": )" + brackets + "}", braces}) {
    std::thread writer([&] {
      worker.send(R"({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": )" + params + "}\n");
    });
    const Json answer = worker.receive();
    writer.join();
    EXPECT_EQ(answer["error"]["code"], protocol::parse_error) << answer.dump();
  }
  EXPECT_EQ(worker.ask(R"({"jsonrpc":"2.0","id":"a","method":"hello","params":{}})")["id"], "a");
}

TEST(Server, RefusesWhatWaitsTooLong) {
  Conversation worker;
  worker.send(measure_request(0, "wait"));
  worker.script.started.acquire();
  EXPECT_EQ(worker.receive()["method"], "progress");
  constexpr int most = 1000;
  for (int id = 1; id <= most; ++id) worker.send(measure_request(id, "quick"));
  worker.send(measure_request("one more", "quick"));
  const Json refused = worker.receive();
  EXPECT_EQ(refused["id"], "one more");
  EXPECT_EQ(refused["error"]["code"], protocol::invalid_request);
  EXPECT_NE(refused["error"]["message"].get<std::string>().find("at most 1000 requests"), std::string::npos);
  worker.end_input();
  while (!worker.receive().is_null()) {
  }
}

TEST(Server, SaysHelloWithItsVersionAndProtocol) {
  Conversation worker;
  const Json answer = worker.ask(R"({"jsonrpc":"2.0","id":"a","method":"hello","params":{}})");
  EXPECT_EQ(answer["id"], "a");
  EXPECT_EQ(answer["result"]["program"], "tilescope");
  EXPECT_EQ(answer["result"]["protocol"], protocol::version);
  EXPECT_FALSE(answer["result"]["version"].get<std::string>().empty());
}

TEST(Server, AnswersMalformedRequestsWithTheErrorsOfJsonRpc) {
  const std::map<std::string, std::pair<int, Json>> cases{
      {"not json", {-32700, nullptr}},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,", {-32700, nullptr}},
      {"[1,2]", {-32600, nullptr}},
      {"[]", {-32600, nullptr}},
      {"17", {-32600, nullptr}},
      {R"({"jsonrpc":"1.0","id":1,"method":"devices"})", {-32600, 1}},
      {R"({"id":1,"method":"devices"})", {-32600, 1}},
      {R"({"jsonrpc":"2.0","id":2})", {-32600, 2}},
      {R"({"jsonrpc":"2.0","id":2,"method":5})", {-32600, 2}},
      {R"({"jsonrpc":"2.0","id":{"x":1},"method":"devices"})", {-32600, nullptr}},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"devices"})", {-32600, nullptr}},
      {R"({"jsonrpc":"2.0","id":3,"method":"format_disk"})", {-32601, 3}},
      {R"({"jsonrpc":"2.0","id":4,"method":"measure"})", {-32602, 4}},
      {R"({"jsonrpc":"2.0","id":4,"method":"measure","params":[1]})", {-32602, 4}},
      {R"({"jsonrpc":"2.0","id":4,"method":"measure","params":{"experiment":7}})", {-32602, 4}},
      {R"({"jsonrpc":"2.0","id":6,"method":"trace","params":{"experiment":7,"options":{}}})", {-32602, 6}},
      {R"({"jsonrpc":"2.0","id":6,"method":"trace","params":{"options":{}}})", {-32602, 6}},
      {R"({"jsonrpc":"2.0","id":6,"method":"trace_window","params":[]})", {-32602, 6}},
      {R"({"jsonrpc":"2.0","id":5,"method":"kernels"})", {-32603, 5}},
  };
  Conversation worker;
  for (const auto& [line, expected] : cases) {
    const Json answer = worker.ask(line);
    ASSERT_TRUE(answer.contains("error")) << line << " got " << answer;
    EXPECT_EQ(answer["error"]["code"], expected.first) << line;
    EXPECT_EQ(answer["id"], expected.second) << line;
    EXPECT_FALSE(answer["error"]["message"].get<std::string>().empty()) << line;
  }
  EXPECT_TRUE(worker.ask(R"({"jsonrpc":"2.0","id":6,"method":"devices"})").contains("result"))
      << "it goes on serving";
}

TEST(Server, IgnoresBlankLinesAndUnknownNotifications) {
  Conversation worker;
  worker.send("\n  \r\n");
  worker.send(protocol::notification("weather", {{"sun", true}}));
  worker.send(protocol::notification("cancel", {{"id", 99}}));
  EXPECT_EQ(worker.ask(R"({"jsonrpc":"2.0","id":6,"method":"devices"})")["id"], 6);
}

TEST(Server, ReportsProgressBeforeTheResult) {
  Conversation worker;
  worker.send(measure_request(7, "quick"));
  const Json progress = worker.receive();
  EXPECT_EQ(progress["method"], "progress");
  EXPECT_EQ(progress["params"]["id"], 7);
  EXPECT_EQ(progress["params"]["stage"], "compile");
  EXPECT_EQ(progress["params"]["fraction"], 0.25);
  const Json answer = worker.receive();
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["result"]["kernel"], "quick");
}

Json trace_params() {
  Experiment experiment;
  experiment.kernel = "traced";
  return {{"experiment", experiment}};
}

TEST(Server, TracesWithItsOptions) {
  Conversation worker;
  Json params = trace_params();
  params["options"] = CountOptions{true, 17};
  params["time_limit_s"] = 2.5;
  worker.send(protocol::request(1, "trace", params));
  const auto point = worker.receive()["result"].get<Measurement>();
  EXPECT_EQ(point.kernel, "traced");
  EXPECT_EQ(point.notes, (std::vector<std::string>{"checked", "17", "2.500000"}));

  params["options"] = {{"check", "yes"}};
  worker.send(protocol::request(2, "trace", params));
  const Json refusal = worker.receive()["error"];
  EXPECT_EQ(refusal["code"], -32602);
  EXPECT_EQ(refusal["message"],
            "the parameters of 'trace' cannot be read: /options/check: expected true or false, found string");
}

TEST(Server, NamesWhatItAnswersWhereItIsAskedForSomethingElse) {
  Conversation worker;
  const Json error =
      worker.ask(R"({"jsonrpc":"2.0","id":1,"method":"calibrate","params":{"device":"gpu:0"}})")["error"];
  EXPECT_EQ(error["code"], -32601);
  EXPECT_EQ(error["message"],
            "no method 'calibrate': there are hello, devices, kernels, measure, trace and trace_window");
}

TEST(Server, StreamsAWindowBeforeItsSummary) {
  Conversation worker;
  Json params = trace_params();
  AccessSelection selection;
  selection.lines = {125};
  selection.first = 40;
  selection.count = 3;
  params["selection"] = selection;
  worker.send(protocol::request(9, "trace_window", params));
  for (int i = 0; i < 3; ++i) {
    const Json chunk = worker.receive();
    EXPECT_EQ(chunk["method"], "part");
    EXPECT_EQ(chunk["params"]["id"], 9);
    EXPECT_EQ(chunk["params"]["part"][0]["execution"], 40 + i);
  }
  const auto summary = worker.receive()["result"].get<RecordingSummary>();
  EXPECT_EQ(summary.status, Status::ok);
  EXPECT_EQ(summary.sent, 3U);
  EXPECT_EQ(summary.matching, 1000U);
  EXPECT_EQ(summary.sites[0]["line"], 125);

  params["selection"]["lines"] = "all";
  worker.send(protocol::request(10, "trace_window", params));
  EXPECT_EQ(worker.receive()["error"]["message"],
            "the parameters of 'trace_window' cannot be read: /selection/lines: expected a list of whole "
            "numbers, found string");
}

TEST(Server, HearsACancelWhileItMeasures) {
  Conversation worker;
  worker.send(measure_request(1, "wait"));
  worker.send(measure_request(2, "wait"));
  worker.script.started.acquire();
  worker.send(protocol::notification("cancel", {{"id", 2}}));
  worker.send(protocol::notification("cancel", {{"id", 1}}));
  EXPECT_EQ(worker.receive()["method"], "progress");
  const Json first = worker.receive();
  EXPECT_EQ(first["id"], 1);
  EXPECT_EQ(first["result"]["reason"], "Obeyed.");
  const Json second = worker.receive();
  EXPECT_EQ(second["id"], 2);
  EXPECT_EQ(second["result"]["status"], "cancelled");
  EXPECT_EQ(second["result"]["reason"], "Cancelled before it started.");
}

TEST(Server, AnswersWhatWaitsAndEndsWhenTheInputEnds) {
  Conversation worker;
  worker.send(measure_request("a", "wait"));
  worker.send(R"({"jsonrpc":"2.0","id":"b","method":"devices"})"
              "\n");
  worker.script.started.acquire();
  worker.end_input();
  EXPECT_EQ(worker.receive()["method"], "progress");
  EXPECT_EQ(worker.receive()["result"]["status"], "cancelled");
  EXPECT_EQ(worker.receive()["id"], "b");
  EXPECT_TRUE(worker.receive().is_null());
}

TEST(Server, RefusesALineThatIsTooLongAndGoesOn) {
  Conversation worker;
  std::thread sender([&] {
    const std::string part(std::size_t{1} << 20, ' ');
    for (int i = 0; i < 65; ++i) {
      for (std::size_t sent = 0; sent < part.size(); sent += std::size_t{1} << 15) {
        worker.send(part.substr(sent, std::size_t{1} << 15));
      }
    }
    worker.send(
        "\n"
        R"({"jsonrpc":"2.0","id":8,"method":"devices"})"
        "\n");
  });
  EXPECT_EQ(worker.receive()["error"]["code"], -32600);
  EXPECT_EQ(worker.receive()["id"], 8);
  sender.join();
}

/// The fake worker as a process of its own, fed from a file descriptor that the test closes.
struct Process {
  Process() {
    int input[2], output[2];
    if (::pipe(input) != 0 || ::pipe(output) != 0) std::abort();
    const std::string program = std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker";
    pid = ::fork();
    if (pid == 0) {
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(output[1], STDOUT_FILENO);
      for (const int end : {input[0], input[1], output[0], output[1]}) ::close(end);
      ::execl(program.c_str(), program.c_str(), nullptr);
      std::_Exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    to = input[1];
    from = output[0];
  }
  ~Process() {
    if (pid > 0) ::kill(pid, SIGKILL), ::waitpid(pid, nullptr, 0);
    ::close(from);
  }
  void send(const std::string& text) const {
    ASSERT_EQ(::write(to, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// Everything up to the end of the output.
  std::string read_all() const {
    std::string all;
    char bytes[4096];
    for (ssize_t count; (count = ::read(from, bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<size_t>(count));
    return all;
  }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid, 0), &status, 0);
    return status;
  }
  int pid = 0, to = -1, from = -1;
};

TEST(WorkerProcessEnd, EndsWhenTheInputEndsAlthoughTheServiceHangs) {
  Process worker;
  worker.send(measure_request(1, "hang"));
  std::this_thread::sleep_for(100ms);
  const auto start = std::chrono::steady_clock::now();
  ::close(worker.to);
  const int status = worker.wait();
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_LT(took, 10s) << "two seconds of grace, and a slow machine";
}

TEST(WorkerProcessEnd, EndsAtOnceWhenItIsIdle) {
  Process worker;
  ::close(worker.to);
  const int status = worker.wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(WorkerProcessEnd, KeepsLibrariesGreetingsOutOfTheProtocol) {
  Process worker;
  worker.send(measure_request(1, "chatty"));
  worker.send(R"({"jsonrpc":"2.0","id":2,"method":"devices"})"
              "\n");
  std::string first_lines;
  for (char byte;
       std::count(first_lines.begin(), first_lines.end(), '\n') < 2 && ::read(worker.from, &byte, 1) == 1;) {
    first_lines += byte;
  }
  ::close(worker.to);
  const std::string all = first_lines + worker.read_all();
  EXPECT_EQ(all.find("greeting"), std::string::npos) << all;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2) << all;
  worker.wait();
}

TEST(WorkerProcessEnd, DiesWithTheProcessThatSaidHello) {
  int report[2];
  ASSERT_EQ(::pipe(report), 0);
  const int middle = ::fork();
  if (middle == 0) {
    // A window that is killed: its pipes stay open here in a third process, so only the parent's death can
    // tell.
    const Process worker;
    worker.send(protocol::request("hello", "hello", {{"pid", ::getpid()}}));
    worker.send(measure_request(1, "hang"));
    char byte = 0;
    while (::read(worker.from, &byte, 1) == 1 && byte != '\n') {
    }
    const int held = ::fork();  // Holds the worker's pipes until the test ends it.
    if (held == 0) {
      std::this_thread::sleep_for(30s);
      std::_Exit(0);
    }
    const int pids[] = {worker.pid, held};
    if (::write(report[1], pids, sizeof pids) != sizeof pids) std::_Exit(1);
    ::raise(SIGKILL);
  }
  int pids[2] = {0, 0};
  ASSERT_EQ(::read(report[0], pids, sizeof pids), static_cast<ssize_t>(sizeof pids));
  ::waitpid(middle, nullptr, 0);
  // The orphan is reaped by init, or stays a zombie where there is none: either way it no longer runs.
  const auto runs = [&] {
    std::FILE* file = std::fopen(("/proc/" + std::to_string(pids[0]) + "/stat").c_str(), "r");
    if (file == nullptr) return false;
    char state = 0;
    const int fields = std::fscanf(file, "%*d %*[^)]) %c", &state);
    std::fclose(file);
    return fields == 1 && state != 'Z' && state != 'X';
  };
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (runs() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs());
  ::kill(pids[1], SIGKILL);
  ::close(report[0]);
  ::close(report[1]);
}

}  // namespace
}  // namespace tilescope
