#include "profiler/kernels/containers/cut_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/regular_file.hpp"

namespace tilescope {

CutFile::CutFile(const std::filesystem::path& file) : path_(file) {
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw UnreadableFile(file, std::strerror(errno), errno);
  struct stat status {};
  const bool is_regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_regular) {
    ::close(descriptor_);
    throw UnreadableFile(file, "it is not a regular file");
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

CutFile::~CutFile() {
  ::close(descriptor_);
}

std::string CutFile::read(std::uint64_t begin, std::size_t bytes) const {
  std::string text(begin >= bytes_ ? 0 : std::min<std::uint64_t>(bytes, bytes_ - begin), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t count =
        ::pread(descriptor_, text.data() + got, text.size() - got, static_cast<off_t>(begin + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw UnreadableFile(path_, std::strerror(errno), errno);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  text.resize(got);
  return text;
}

}  // namespace tilescope
