#include "profiler/measure/files/kernel_file_names.hpp"

#include <gtest/gtest.h>

#include "base/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

TEST(KernelFileNames, TellKernelsFromSessions) {
  for (const char* name :
       {"k.cu", "k.cuh", "k.ptx", "k.cubin", "k.so", "libk.a", "k.o", "flash_attn.whl", "model_new.py"})
    EXPECT_TRUE(holds_kernels(name)) << name;
  for (const char* name : {"mine.json", "mine", "notes.txt"}) EXPECT_FALSE(holds_kernels(name)) << name;
}

TEST(KernelFileNames, TakeAFolderForOneOfKernels) {
  const test_support::ScratchFolder folder;
  EXPECT_TRUE(holds_kernels(folder.path())) << "Triton's cache is one";
}

}  // namespace
}  // namespace tilescope
