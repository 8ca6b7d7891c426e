#include "profiler/process/standard_descriptors.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope {
namespace {

// In a process of its own: 0 where all is as it should be with these descriptors closed.
int exit_code_without(unsigned closed) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
      if ((closed >> descriptor & 1U) != 0) ::close(descriptor);
    }
    open_standard_descriptors();
    char byte = 'x';
    for (int descriptor = 0; descriptor < 3; ++descriptor) {
      if (::fcntl(descriptor, F_GETFD) < 0) ::_exit(1);
    }
    if ((closed & 1U) != 0 && ::read(0, &byte, 1) != 0) ::_exit(2);
    if ((closed & 2U) != 0 && ::write(1, &byte, 1) >= 0) ::_exit(3);
    if ((closed & 4U) != 0 && ::write(2, &byte, 1) != 1) ::_exit(4);
    const int next = ::open("/dev/null", O_RDONLY);
    ::_exit(next > 2 ? 0 : 5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardDescriptors, AreOpenInEverySubset) {
  for (unsigned closed = 0; closed < 8; ++closed) EXPECT_EQ(exit_code_without(closed), 0) << closed;
}

}  // namespace
}  // namespace tilescope
