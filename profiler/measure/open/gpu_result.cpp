#include "profiler/measure/open/gpu_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text/format.hpp"
#include "profiler/measure/files/launch_expected.hpp"
#include "profiler/measure/files/value_comparison.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string count_words(std::uint64_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

// Each element of the interpreter's result as an expected one.
ValueComparison compare_results(const TypedContents& on_gpu, const OutputContents& interpreted) {
  ExpectedValues expected;
  expected.count = interpreted.contents.size() / on_gpu.element.bytes;
  expected.tolerance = default_tolerance(on_gpu.element);
  expected.values = interpreted.contents;
  return compare_values(on_gpu, expected, {});
}

void note_agreement(const ValueComparison& comparison, const std::string& name, OpenedPoint& point) {
  if (comparison.wrong == 0) {
    point.notes.push_back(fmt::format("On the GPU the {} elements of '{}' are as in the interpreter.",
                                      count_words(comparison.compared), name));
    return;
  }
  point.notes.push_back(fmt::format(
      "On the GPU {} of {} elements of '{}' differ from the interpreter's result, the first at {}: rounding, "
      "the order of threads or a value that was never written decides them.",
      count_words(comparison.wrong), count_words(comparison.compared), name, comparison.first->index));
}

void add_finding(const ValueComparison& comparison, const std::string& name, const ExpectedValues& expected,
                 OpenedPoint& point) {
  Finding finding;
  finding.kind = "wrong_value";
  finding.text = fmt::format("On the GPU {} of {} elements of '{}' differ from {}, the first at {}",
                             count_words(comparison.wrong), count_words(comparison.compared), name,
                             expected.formula ? expected.formula->text() : "the expected values",
                             comparison.first->index);
  finding.occurrences = static_cast<std::int64_t>(comparison.wrong);
  point.findings.push_back(std::move(finding));
}

}  // namespace

std::vector<OutputContents> interpreted_outputs(const FileLaunch& launch,
                                                const std::vector<std::string>& names) {
  std::vector<OutputContents> outputs;
  for (std::size_t i = 0; i < launch.buffers().size(); ++i) {
    const FileLaunch::Buffer& buffer = launch.buffers()[i];
    const LaunchBuffer& given = launch.given()[i];
    const bool is_output = names.empty() ? given.is_output || given.expected.has_value()
                                         : std::ranges::find(names, buffer.name) != names.end();
    if (!is_output) continue;
    const std::string_view contents = launch.contents(buffer);
    const auto* const bytes = reinterpret_cast<const std::byte*>(contents.data());
    outputs.push_back({i, {bytes, bytes + contents.size()}});
  }
  return outputs;
}

std::string why_not_on_gpu(const FileLaunch& launch) {
  if (!launch.file().variables.empty())
    return "the launch file sets variables of the module, which is done in the interpreter alone";
  std::uint64_t bytes = 0;
  for (const FileLaunch::Buffer& buffer : launch.buffers()) bytes += buffer.bytes;
  return bytes > most_bytes ? fmt::format("its buffers have {}, and {} are copied at most",
                                          format_bytes(static_cast<std::int64_t>(bytes)),
                                          format_bytes(static_cast<std::int64_t>(most_bytes)))
                            : "";
}

void compare_with_gpu(const FileOnGpu& gpu, const FileLaunch& launch,
                      const std::vector<OutputContents>& interpreted, bool is_whole_grid,
                      OpenedPoint& point) {
  for (const OutputContents& output : interpreted) {
    const FileLaunch::Buffer& buffer = launch.buffers()[output.buffer];
    const std::vector<std::byte> contents = gpu.contents(output.buffer);
    const TypedContents on_gpu{text_of(contents), buffer.element};
    if (is_whole_grid) note_agreement(compare_results(on_gpu, output), buffer.name, point);
    const auto& expected = launch.given()[output.buffer].expected;
    if (!expected || expected->buffer) continue;
    const ValueComparison comparison = compare_values(on_gpu, *expected, {});
    if (comparison.wrong > 0) {
      add_finding(comparison, buffer.name, *expected, point);
    } else {
      point.notes.push_back(
          fmt::format("On the GPU, too, the {} elements of '{}' match {}.", count_words(comparison.compared),
                      buffer.name, expected->formula ? expected->formula->text() : "the expected values"));
    }
  }
}

}  // namespace tilescope
