#include "profiler/process/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tilescope {

void open_standard_descriptors() {
  // stdout is opened for reading alone, so that writing to it is an error.
  for (const auto& [descriptor, mode] :
       {std::pair(STDIN_FILENO, O_RDONLY), std::pair(STDOUT_FILENO, O_RDONLY),
        std::pair(STDERR_FILENO, O_WRONLY)}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one: those below it are open by now.
    if (open("/dev/null", mode) < 0) return;
  }
}

}  // namespace tilescope
