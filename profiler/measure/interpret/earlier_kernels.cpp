#include "profiler/measure/interpret/earlier_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/interpret/other_kernel.hpp"

namespace tilescope {
namespace {

void run_on(const EarlierLaunch& earlier, FileProgram kernel, const std::vector<SentArray>& arrays,
            const RunLimit& limit, BufferContents& contents) {
  OtherKernel other(std::move(kernel), earlier.document, arrays, contents);
  std::vector<const FileLaunch::Buffer*> buffers;
  for (const FileLaunch::Buffer& buffer : other.launch().buffers()) buffers.push_back(&buffer);
  const std::vector<BufferWriters> written = other.run(buffers, limit);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (std::ranges::find(written[i].is_written, true) == written[i].is_written.end()) continue;
    const std::string_view left = other.launch().contents(*buffers[i]);
    const auto* const bytes = reinterpret_cast<const std::byte*>(left.data());
    contents[buffers[i]->name].assign(bytes, bytes + left.size());
  }
}

}  // namespace

BufferContents contents_after(const std::vector<EarlierLaunch>& launches, const DecodeOther& decode,
                              const std::vector<SentArray>& arrays, const RunLimit& limit) {
  BufferContents contents;
  for (const EarlierLaunch& earlier : launches) {
    try {
      run_on(earlier, decode(earlier.entry), arrays, limit, contents);
    } catch (const OtherKernelFailed& failed) {
      throw OtherKernelFailed(failed.status(),
                              fmt::format("The kernel '{}', which is launched before, failed: {}",
                                          demangled_symbol(earlier.entry), failed.what()));
    }
  }
  return contents;
}

}  // namespace tilescope
