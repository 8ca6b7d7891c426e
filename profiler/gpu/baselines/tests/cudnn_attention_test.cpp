#include "profiler/gpu/baselines/cudnn_attention.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "profiler/gpu/baselines/tests/library_folders.hpp"
#include "profiler/gpu/cuda/driver.hpp"

namespace tilescope {
namespace {

constexpr const char* variable = "TILESCOPE_CUDNN";
constexpr int unavailable_exit = 3;

/// For a separate process: a cuDNN that was opened before stays open in this one.
[[noreturn]] void open_in(const std::string& folder) {
  setenv(variable, folder.c_str(), 1);
  try {
    open_cudnn_attention(Shape{});
  } catch (const LibraryUnavailable& unavailable) {
    std::cerr << unavailable.what() << '\n';
    std::_Exit(unavailable_exit);
  }
  std::_Exit(0);
}

class CudnnAbsent : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  LibraryFolders folders_;
};

TEST_F(CudnnAbsent, SaysWhereItLookedAndWhatToDo) {
  EXPECT_EXIT(open_in(folders_.root()), testing::ExitedWithCode(unavailable_exit),
              "cuDNN \\(libcudnn.so.9\\).*tilescope-library.*TILESCOPE_CUDNN names.*unset it");
}

TEST_F(CudnnAbsent, SaysWhyTheFileThatIsThereDoesNotOpen) {
  folders_.broken("lib/libcudnn.so.9");
  EXPECT_EXIT(open_in(folders_.root()), testing::ExitedWithCode(unavailable_exit),
              "lib/libcudnn.so.9: .*TILESCOPE_CUDNN");
}

TEST_F(CudnnAbsent, SaysThatAnotherLibraryIsNotCudnn) {
  folders_.library("libcudnn.so.9");
  EXPECT_EXIT(open_in(folders_.root()), testing::ExitedWithCode(unavailable_exit),
              "libcudnn.so.9 is not cuDNN 9: cudnnGetVersion is missing.*pip install nvidia-cudnn-cu1");
}

/// The library of cuDNN's small package, which makes operation graphs without a GPU.
class CudnnWithoutGpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = TILESCOPE_CUDNN_JIT;
    if (!std::filesystem::exists(folder / "libcudnn.so.9"))
      GTEST_SKIP() << "cuDNN's small package, nvidia-cudnn-jit-cu13, is not among the downloads: run "
                      "./tilescope test once";
    setenv(variable, folder.c_str(), 1);
  }

  /// "" if cuDNN makes the graph, else its error.
  static std::string why_refused(const Shape& shape) {
    try {
      check_cudnn_attention(shape, l4());
    } catch (const LibraryRefused& refused) {
      return refused.what();
    }
    return "";
  }

  /// An L4 as cuDNN 9.19 describes one. Sizes in bytes, clocks in kHz.
  static CudnnDevice l4() {
    return {.sm_version = 89, .properties = R"({
      "deviceName": "NVIDIA L4", "deviceVer": 890, "driverVer": 13000, "cudaDeviceId": 0, "pciDeviceId": 0,
      "multiProcessorCount": 58, "warpSize": 32, "maxGridSize": [2147483647, 65535, 65535],
      "maxBlockSize": [1024, 1024, 64], "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 1536, "maxCtasPerSM": 24,
      "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxSharedMemoryPerBlock": 49152,
      "maxSharedMemoryPerBlockOptin": 101376, "reservedSharedMemoryPerBlock": 1024, "l2CacheSize": 50331648,
      "totalGlobalMem": 24152899584, "smClockRateKHz": 2040000, "memClockRateKHz": 6251000, "supportCoopLaunch": 1,
      "isTccDriver": 0})"};
  }
};

TEST_F(CudnnWithoutGpu, MakesTheGraphOfEveryKindOfShape) {
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
    for (const bool causal : {false, true}) {
      for (const std::int64_t D : {32, 64, 96, 128, 256}) {
        const Shape ragged{
            .B = 2, .Hq = 4, .Hkv = 2, .Sq = 70, .Sk = 130, .D = D, .dtype = dtype, .causal = causal};
        EXPECT_EQ(why_refused(ragged), "") << to_string(ragged);
        const Shape square{
            .B = 4, .Hq = 16, .Hkv = 16, .Sq = 512, .Sk = 512, .D = D, .dtype = dtype, .causal = causal};
        EXPECT_EQ(why_refused(square), "") << to_string(square);
      }
    }
  }
}

TEST_F(CudnnWithoutGpu, RefusesInItsOwnWords) {
  const std::string odd = why_refused(Shape{.D = 60});
  EXPECT_NE(odd.find("cuDNN 9."), std::string::npos) << odd;
  EXPECT_NE(odd.find("D60"), std::string::npos) << odd;
  EXPECT_NE(odd.find("multiple of 8"), std::string::npos) << odd;
  // The first queries would see no key.
  const std::string tall = why_refused(Shape{.Sq = 130, .Sk = 70, .causal = true});
  EXPECT_NE(tall.find("Bottom right causal mask"), std::string::npos) << tall;
  EXPECT_EQ(why_refused(Shape{.Sq = 130, .Sk = 70}), "");
}

TEST_F(CudnnWithoutGpu, TellsAFailedCallFromARefusal) {
  try {
    check_cudnn_attention(Shape{}, {.sm_version = 89, .properties = "{}"});
    FAIL() << "a device without properties was taken";
  } catch (const LibraryError& error) {
    EXPECT_NE(std::string(error.what()).find("DeviceProperties::deserialize failed"), std::string::npos)
        << error.what();
  }
}

TEST_F(CudnnWithoutGpu, SaysThatItNeedsAGpu) {
  try {
    cuda::Driver::get();
    GTEST_SKIP() << "there is a GPU here";
  } catch (const cuda::DriverUnavailable&) {
  }
  try {
    open_cudnn_attention(Shape{});
    FAIL() << "opened without a GPU";
  } catch (const LibraryUnavailable& unavailable) {
    const std::string text = unavailable.what();
    for (const char* word :
         {"cuDNN 9.", "libcudnn.so.9", "cudnnCreate returned", "needs a GPU", "pip install"})
      EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
  }
}

}  // namespace
}  // namespace tilescope
