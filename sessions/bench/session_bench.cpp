// The cost of a session: writing it after every point of a sweep, and opening it.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>

#include "sessions/tests/sample.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tilescope;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tilescope-bench-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path file() const { return path_ / "session.json"; }

 private:
  fs::path path_;
};

/// One more point in a session of N, flushed to the disk.
void append_a_point(benchmark::State& state) {
  const Folder folder;
  Session session = sample::session_of(static_cast<std::size_t>(state.range(0)));
  SessionWriter writer(folder.file());
  writer.write(session);
  const auto point = std::make_shared<const Measurement>(sample::full_measurement());
  for (auto _ : state) {
    session.points.push_back(std::make_shared<const Measurement>(*point));
    writer.write(session);
    session.points.pop_back();
  }
  state.counters["MB"] = static_cast<double>(fs::file_size(folder.file())) * 1e-6;
}
BENCHMARK(append_a_point)->Arg(100)->Arg(2400)->Arg(10000)->Unit(benchmark::kMillisecond);

void open_a_session(benchmark::State& state) {
  const Folder folder;
  SessionWriter(folder.file()).write(sample::session_of(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(load_session(folder.file()));
  if (state.range(0) == 10000) state.SetLabel("goal: 300 ms");
}
BENCHMARK(open_a_session)->Arg(100)->Arg(2400)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
