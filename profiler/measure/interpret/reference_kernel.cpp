#include "profiler/measure/interpret/reference_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/measure/files/file_launch.hpp"

namespace tilescope {
namespace {

ExpectedValues expected_of(const FileLaunch::Buffer& buffer, std::string_view contents,
                           const std::vector<bool>& is_written, const ReferenceLaunch& reference) {
  ExpectedValues expected;
  expected.count = is_written.size();
  expected.values.resize(contents.size());
  std::memcpy(expected.values.data(), contents.data(), contents.size());
  for (std::size_t i = 0; i < is_written.size(); ++i)
    if (!is_written[i]) expected.any.push_back(i);
  expected.tolerance = reference_tolerance({contents, buffer.element}, reference.tolerance, is_written);
  expected.marks_output = false;
  expected.reference = reference.entry;
  return expected;
}

bool is_compared(const ReferenceLaunch& reference, const std::string& name) {
  const std::vector<std::string>& names = reference.buffers;
  return names.empty() || std::ranges::find(names, name) != names.end();
}

}  // namespace

std::map<std::string, ExpectedValues> values_of_reference(FileProgram kernel,
                                                          const ReferenceLaunch& reference,
                                                          const std::vector<SentArray>& arrays,
                                                          const BufferContents& before,
                                                          const RunLimit& limit) {
  OtherKernel other(std::move(kernel), reference.document, arrays, before);
  std::vector<const FileLaunch::Buffer*> compared;
  for (const FileLaunch::Buffer& buffer : other.launch().buffers()) {
    if (is_compared(reference, buffer.name)) compared.push_back(&buffer);
  }
  const std::vector<BufferWriters> written = other.run(compared, limit);
  std::map<std::string, ExpectedValues> values;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const std::vector<bool>& is_written = written[i].is_written;
    if (std::ranges::find(is_written, true) == is_written.end()) continue;
    values.emplace(compared[i]->name,
                   expected_of(*compared[i], other.launch().contents(*compared[i]), is_written, reference));
  }
  if (values.empty())
    throw OtherKernelFailed(Status::launch_failed, "it writes none of the buffers that are to be compared");
  return values;
}

}  // namespace tilescope
