#include "profiler/measure/files/expected_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "base/text/format.hpp"
#include "profiler/execution/memory/finding_place.hpp"
#include "profiler/execution/memory/last_writers.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/files/value_comparison.hpp"
#include "profiler/measure/files/wrong_value.hpp"

namespace tilescope {
namespace {

struct Compared {
  std::size_t buffer = 0;
  ValueComparison comparison;
};

std::vector<std::uint64_t> position_of(std::uint64_t index, const std::vector<std::uint64_t>& shape) {
  if (shape.size() < 2) return {};
  std::vector<std::uint64_t> position(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    position[i] = index % shape[i];
    index /= shape[i];
  }
  return position;
}

TypedContents contents_of(const FileLaunch& launch, std::size_t buffer) {
  const FileLaunch::Buffer& one = launch.buffers()[buffer];
  return {launch.contents(one), one.element};
}

ComparedElement element_of(const FileLaunch& launch, std::size_t buffer, const ElementDifference& one) {
  const LaunchBuffer& given = launch.given()[buffer];
  const std::size_t reference = given.expected->buffer.value_or(buffer);
  ComparedElement element;
  element.index = one.index;
  element.position = position_of(one.index, given.shape);
  element.value = to_line(value_of(one.value, given.element));
  element.expected = to_line(value_of(one.expected, launch.given()[reference].element));
  if (given.element.kind != Element::Kind::bits && std::isfinite(one.difference))
    element.difference = one.difference;
  return element;
}

ComparedBuffer buffer_of(const FileLaunch& launch, const Compared& compared) {
  const ExpectedValues& given = *launch.given()[compared.buffer].expected;
  const Tolerance& tolerance = given.tolerance;
  ComparedBuffer buffer;
  buffer.buffer = compared.buffer;
  buffer.name = launch.buffers()[compared.buffer].name;
  if (given.formula) buffer.formula = given.formula->text();
  if (!given.reference.empty()) buffer.reference = demangled_symbol(given.reference);
  buffer.elements = compared.comparison.compared;
  buffer.wrong = compared.comparison.wrong;
  buffer.absolute_tolerance = tolerance.absolute;
  buffer.relative_tolerance = tolerance.relative;
  if (compared.comparison.first)
    buffer.first = element_of(launch, compared.buffer, *compared.comparison.first);
  if (compared.comparison.largest)
    buffer.largest = element_of(launch, compared.buffer, *compared.comparison.largest);
  return buffer;
}

std::optional<ValueWriter> writer_of(const simt::Program& program, const std::optional<LastWriter>& found) {
  if (!found) return std::nullopt;
  const FindingPlace place = finding_place(program, found->origin, "");
  return ValueWriter{place.words, place.line, found->block, found->thread, found->is_atomic, found->blocks};
}

// The wrong elements that nothing wrote.
std::uint64_t unwritten_of(const FileLaunch& launch, const Compared& compared,
                           const std::vector<bool>& is_written) {
  const std::uint64_t first = launch.given()[compared.buffer].expected->first;
  const std::vector<bool>& is_wrong = compared.comparison.is_wrong;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < is_wrong.size(); ++i) count += is_wrong[i] && !is_written[first + i] ? 1 : 0;
  return count;
}

// The elements that the executed blocks of a sample wrote, by buffer with expected values. Runs the launch again. None
// where that was cancelled.
std::optional<std::vector<BufferWriters>> written_by_sample(FileLaunch& launch, const TraceOptions& options) {
  std::vector<WatchedBuffer> watched;
  for (std::size_t i = 0; i < launch.given().size(); ++i) {
    const FileLaunch::Buffer& buffer = launch.buffers()[i];
    if (launch.given()[i].expected)
      watched.push_back({buffer.address, buffer.bytes, buffer.element.bytes, {}});
  }
  launch.restore();
  return find_last_writers(launch.program(), launch.launch(), launch.memory(), watched, options);
}

// Elements of a buffer that can be compared where a sample of blocks ran, with a note on the rest.
const std::vector<bool>* compared_of_sample(const BufferWriters& written, const std::string& buffer,
                                            LaunchedPoint& point) {
  if (written.has_atomics) {
    point.notes.push_back(
        fmt::format("'{}' was not compared: blocks make its values together, by atomics, and only a sample "
                    "of them was executed. "
                    "--blocks all compares it.",
                    buffer));
    return nullptr;
  }
  const auto count = std::ranges::count(written.is_written, true);
  point.notes.push_back(fmt::format(
      "Of the {} elements of '{}' the {} were compared that the executed blocks wrote.",
      format_count(static_cast<std::int64_t>(written.is_written.size())), buffer, format_count(count)));
  return count == 0 ? nullptr : &written.is_written;
}

// Runs the launch again.
void add_writers(FileLaunch& launch, const TraceOptions& options, const std::vector<Compared>& wrong,
                 std::vector<ComparedBuffer>& buffers) {
  std::vector<WatchedBuffer> watched;
  for (const Compared& one : wrong) {
    const FileLaunch::Buffer& buffer = launch.buffers()[one.buffer];
    watched.push_back({buffer.address,
                       buffer.bytes,
                       buffer.element.bytes,
                       {one.comparison.first->index, one.comparison.largest->index}});
  }
  launch.restore();
  const auto found = find_last_writers(launch.program(), launch.launch(), launch.memory(), watched, options);
  if (!found) return;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    ComparedBuffer& buffer = *std::ranges::find(buffers, wrong[i].buffer, &ComparedBuffer::buffer);
    const BufferWriters& writers = (*found)[i];
    buffer.unwritten = unwritten_of(launch, wrong[i], writers.is_written);
    buffer.first->writer = writer_of(launch.program(), writers.writers[0]);
    buffer.largest->writer = writer_of(launch.program(), writers.writers[1]);
  }
}

}  // namespace

bool has_expected_values(const FileLaunch& launch) {
  return std::ranges::any_of(launch.given(),
                             [](const LaunchBuffer& buffer) { return buffer.expected.has_value(); });
}

void compare_with_expected(FileLaunch& launch, const TraceOptions& options, LaunchedPoint& point) {
  const bool is_sample = !options.blocks.empty();
  std::optional<std::vector<BufferWriters>> written;
  if (is_sample) {
    written = written_by_sample(launch, options);
    if (!written) {
      point.notes.emplace_back("The result was not compared: there was no time for it.");
      return;
    }
  }
  std::vector<Compared> wrong;
  std::size_t number = 0;
  for (std::size_t i = 0; i < launch.given().size(); ++i) {
    const std::optional<ExpectedValues>& expected = launch.given()[i].expected;
    if (!expected) continue;
    const std::vector<bool>* only = nullptr;
    if (is_sample) {
      only = compared_of_sample((*written)[number++], launch.buffers()[i].name, point);
      if (only == nullptr) continue;
    }
    Compared compared{i, compare_values(contents_of(launch, i), *expected,
                                        contents_of(launch, expected->buffer.value_or(i)),
                                        only == nullptr ? std::vector<bool>{} : *only)};
    point.compared.push_back(buffer_of(launch, compared));
    if (compared.comparison.wrong > 0) wrong.push_back(std::move(compared));
  }
  if (wrong.empty()) return;
  add_writers(launch, options, wrong, point.compared);
  for (const ComparedBuffer& compared : point.compared) {
    if (compared.wrong == 0) continue;
    const FileLaunch::Buffer& buffer = launch.buffers()[compared.buffer];
    point.findings.push_back(wrong_value_finding(
        compared, buffer.name, buffer.address + compared.first->index * buffer.element.bytes));
  }
}

}  // namespace tilescope
