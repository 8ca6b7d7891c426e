#include "profiler/measure/interpret/reference_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "profiler/execution/memory/last_writers.hpp"
#include "profiler/measure/files/file_launch.hpp"

namespace tilescope {
namespace {

ExpectedValues expected_of(const FileLaunch::Buffer& buffer, std::string_view contents,
                           const std::vector<bool>& is_written, std::optional<double> tolerance) {
  ExpectedValues expected;
  expected.count = is_written.size();
  expected.values.resize(contents.size());
  std::memcpy(expected.values.data(), contents.data(), contents.size());
  for (std::size_t i = 0; i < is_written.size(); ++i)
    if (!is_written[i]) expected.any.push_back(i);
  expected.tolerance = reference_tolerance({contents, buffer.element}, tolerance, is_written);
  expected.marks_output = false;
  return expected;
}

class ReferenceRun {
 public:
  ReferenceRun(FileProgram kernel, const ReferenceLaunch& reference, const std::vector<SentArray>& arrays,
               const RunLimit& limit)
      : reference_(reference), limit_(limit) {
    FileSubject subject;
    subject.entry = reference.entry;
    subject.launch = SentFile{"the reference's launch", reference.document};
    subject.arrays = arrays;
    launch_.emplace(std::move(kernel), subject);
    for (const FileLaunch::Buffer& buffer : launch_->buffers()) {
      if (is_compared(buffer.name)) compared_.push_back(&buffer);
    }
  }

  std::map<std::string, ExpectedValues> values() {
    const std::vector<BufferWriters> written = run();
    std::map<std::string, ExpectedValues> values;
    for (std::size_t i = 0; i < compared_.size(); ++i) {
      const FileLaunch::Buffer& buffer = *compared_[i];
      const std::vector<bool>& is_written = written[i].is_written;
      if (std::ranges::find(is_written, true) == is_written.end()) continue;
      ExpectedValues expected =
          expected_of(buffer, launch_->contents(buffer), is_written, reference_.tolerance);
      expected.reference = reference_.entry;
      values.emplace(buffer.name, std::move(expected));
    }
    if (values.empty()) throw ReferenceFailed("it writes none of the buffers that are to be compared");
    return values;
  }

 private:
  bool is_compared(const std::string& name) const {
    const std::vector<std::string>& names = reference_.buffers;
    return names.empty() || std::ranges::find(names, name) != names.end();
  }

  std::vector<BufferWriters> run() {
    std::vector<WatchedBuffer> watched;
    watched.reserve(compared_.size());
    for (const FileLaunch::Buffer* const buffer : compared_)
      watched.push_back({buffer->address, buffer->bytes, buffer->element.bytes, {}});
    TraceOptions options;
    options.cancelled = [this] { return limit_.is_over(); };
    WatchedRun run = run_watched(launch_->program(), launch_->launch(), launch_->memory(), watched, options);
    if (run.result.fault) throw ReferenceFailed(run.result.fault->text);
    if (!run.result.cancelled) return std::move(run.buffers);
    throw ReferenceFailed(fmt::format(
        "its {} blocks took longer than the time limit: choose smaller sizes, or give it more time "
        "(--time-limit)",
        launch_->launch().grid.count()));
  }

  const ReferenceLaunch& reference_;
  const RunLimit& limit_;
  std::optional<FileLaunch> launch_;
  std::vector<const FileLaunch::Buffer*> compared_;
};

}  // namespace

std::map<std::string, ExpectedValues> values_of_reference(FileProgram kernel,
                                                          const ReferenceLaunch& reference,
                                                          const std::vector<SentArray>& arrays,
                                                          const RunLimit& limit) {
  if (!kernel.program) throw ReferenceFailed(kernel.reason);
  std::map<std::string, ExpectedValues> values;
  try {
    with_launch_errors([&] { values = ReferenceRun(std::move(kernel), reference, arrays, limit).values(); });
  } catch (const LaunchFileError& error) {
    throw ReferenceFailed(error.what());
  }
  return values;
}

}  // namespace tilescope
