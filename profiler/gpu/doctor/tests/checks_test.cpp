#include "profiler/gpu/doctor/checks.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/json.hpp"
#include "profiler/gpu/baselines/tests/library_folders.hpp"
#include "profiler/gpu/calibrate/tests/fake_driver.hpp"
#include "profiler/gpu/doctor/opengl_probe.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t plenty = 100'000'000'000;  // [B]

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A machine that lacks everything; each test adds what its check examines.
class Doctor : public testing::Test {
 protected:
  Doctor() : downloads(find_installation().dependencies) {
    machine.installation.executable = folders.root() / "bin/tilescope";
    machine.installation.cache = folders.root() / "cache";
    machine.installation.dependencies = machine.installation.cache / "dependencies";
    machine.installation.data = folders.root() / "data";
    machine.free_bytes = [](const fs::path&) { return plenty; };
    machine.why_no_driver = why_no_driver("libcuda.so.no-such-version");
  }
  static std::string why_no_driver(const std::string& library) {
    try {
      cuda::Driver::open(library);
    } catch (const cuda::DriverUnavailable& unavailable) {
      return unavailable.what();
    }
    return "";
  }
  /// Gives the test these downloads of the set-up.
  void fetched(std::initializer_list<const char*> names) const {
    fs::create_directories(machine.installation.dependencies);
    for (const char* name : names)
      fs::create_directory_symlink(downloads / name, machine.installation.dependencies / name);
  }
  bool has_downloads() const {
    return fs::exists(downloads / "cuda12/lib") && fs::exists(downloads / "cuda13/lib");
  }
  /// One of the build's stand-in libraries at a path below the test's folder.
  void stand_in(const std::string& library, const std::string& file) const {
    fs::create_directories((folders.root() / file).parent_path());
    fs::copy_file(fs::path(TILESCOPE_BUILD_DIR) / "tests" / library, folders.root() / file);
  }
  void expect_state(const MachineCheck& check, CheckState state) const {
    EXPECT_EQ(to_string(check.state), to_string(state)) << check.found;
    EXPECT_FALSE(check.found.empty());
    EXPECT_TRUE(state == CheckState::ok || !check.advice.empty()) << check.found;
  }

  LibraryFolders folders;
  fs::path downloads;
  Machine machine;
};

TEST_F(Doctor, SplitsAComplaintIntoWhatIsWrongAndWhatToDo) {
  const auto check = [](const char* text) { return check_from_complaint("x", CheckState::missing, text); };
  EXPECT_EQ(check("no libnvrtc.so.13 in 13.0. Run it; or not").found, "no libnvrtc.so.13 in 13.0");
  EXPECT_EQ(check("no libnvrtc.so.13 in 13.0. Run it; or not").advice, "Run it; or not.");
  EXPECT_EQ(check("no driver: a.so.1; install one").found, "no driver: a.so.1");
  EXPECT_EQ(check("no driver: a.so.1; install one").advice, "Install one.");
  EXPECT_EQ(check("nothing else").found, "nothing else");
  EXPECT_EQ(check("nothing else").advice, "");
}

TEST_F(Doctor, Driver) {
  MachineCheck check = check_driver(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, "no NVIDIA driver");
  expect_part(check.advice, "install its driver");
  expect_part(check.advice, "interpreted");

  const FakeDriver driver(12040);
  check = check_driver(look_at_machine(machine.installation));
  expect_state(check, CheckState::ok);
  expect_part(check.found, "CUDA 12.4");
  expect_part(check.found, "NVIDIA L4");
}

TEST_F(Doctor, DriverThatFindsNoGpuOrIsTooOld) {
  const FakeDriver driver;
  const std::string library = std::string(TILESCOPE_BUILD_DIR) + "/tests/libfake_cuda.so";
  driver.state->devices = 0;
  machine.why_no_driver = why_no_driver(library);
  expect_part(check_driver(machine).found, "finds no GPU");
  expect_part(check_driver(machine).advice, "Look at `nvidia-smi`");
  driver.state->version = 11080;
  machine.why_no_driver = why_no_driver(library);
  expect_part(check_driver(machine).found, "too old");
  expect_part(check_driver(machine).advice, "Install a newer NVIDIA driver.");
}

TEST_F(Doctor, NvrtcThatTheDriverDoesNotTakeNamesTheCommand) {
  if (!has_downloads()) GTEST_SKIP() << "both NVRTC are downloaded by ./tilescope test";
  fetched({"cuda", "cuda13"});
  machine.driver_cuda = {12, 4};
  const MachineCheck check = check_nvrtc(machine);
  if (check.state == CheckState::ok) GTEST_SKIP() << "an NVRTC 12 of the system's is here: " << check.found;
  expect_state(check, CheckState::missing);
  expect_part(check.found, "supports CUDA 12.4, but the only NVRTC found is 13.");
  expect_part(check.advice, "./tilescope setup --for-driver 12.4");
}

TEST_F(Doctor, NvrtcThatFits) {
  if (!has_downloads()) GTEST_SKIP() << "both NVRTC are downloaded by ./tilescope test";
  fetched({"cuda", "cuda12"});
  machine.driver_cuda = {12, 4};
  MachineCheck check = check_nvrtc(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "12.9, ");
  EXPECT_EQ(check.advice, "");
  machine.driver_cuda = {13, 0};
  check = check_nvrtc(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.advice, "`./tilescope setup` fetches it");
}

TEST_F(Doctor, NvrtcWithoutHeaders) {
  if (!has_downloads()) GTEST_SKIP() << "both NVRTC are downloaded by ./tilescope test";
  machine.toolkit = folders.root() / "toolkit";
  fs::create_directories(machine.toolkit / "lib");
  // Copied: a link would lead to the folder that has headers, and /tmp may be another file system.
  for (const auto& file : fs::directory_iterator(downloads / "cuda12/lib")) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("libnvrtc")) fs::copy_file(file.path(), machine.toolkit / "lib" / name);
  }
  const MachineCheck check = check_nvrtc(machine);
  expect_state(check, CheckState::warning);
  expect_part(check.found, "without CUDA's headers");
}

TEST_F(Doctor, CuptiFitsTheDriverToo) {
  if (!has_downloads()) GTEST_SKIP() << "CUPTI is downloaded by ./tilescope test";
  fetched({"cuda", "cuda12"});
  machine.driver_cuda = {12, 4};
  MachineCheck check = check_cupti(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "(CUDA 12)");
  machine.driver_cuda = {13, 0};
  expect_part(check_cupti(machine).found, "(CUDA 13)");

  machine.driver_cuda = {12, 4};
  machine.toolkit = machine.installation.dependencies / "cuda";
  check = check_cupti(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, "is for CUDA 13, but this machine's driver supports CUDA 12.4");
}

TEST_F(Doctor, NvdisasmIsFoundInTheDownloadsAndItsLackSaysWhatToDo) {
  MachineCheck check = check_nvdisasm(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, "nvdisasm, which prints machine code, was not found");
  expect_part(check.advice, "./tilescope setup");
  if (!fs::exists(downloads / "nvdisasm")) GTEST_SKIP() << "nvdisasm is downloaded by ./tilescope test";
  fetched({"nvdisasm"});
  check = check_nvdisasm(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "13.5.37, ");
}

TEST_F(Doctor, CuobjdumpIsFoundInTheDownloadsAndItsLackSaysWhatToDo) {
  MachineCheck check = check_cuobjdump(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, "cuobjdump, which reads fat binaries, was not found");
  expect_part(check.advice, "./tilescope setup");
  if (!fs::exists(downloads / "cuobjdump")) GTEST_SKIP() << "cuobjdump is downloaded by ./tilescope test";
  fetched({"cuobjdump"});
  check = check_cuobjdump(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "13.5.37, ");
}

TEST_F(Doctor, Cublas) {
  const ScopedVariable toolkit("TILESCOPE_CUDA", folders.root().c_str());
  MachineCheck check = check_cublas(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, folders.root().string());
  expect_part(check.advice, "Only the baseline cublas_unfused needs it.");

  stand_in("libfake_cublas.so", "lib/libcublas.so.12");
  check = check_cublas(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "12.9, ");

  fs::remove(folders.root() / "lib/libcublas.so.12");
  folders.library("lib64/libcublas.so.12");
  expect_state(check_cublas(machine), CheckState::warning);
}

TEST_F(Doctor, CublasOfTheDriversCudaVersion) {
  const ScopedVariable toolkit("TILESCOPE_CUDA", folders.root().c_str());
  const FakeDriver driver(12040);
  stand_in("libfake_cublas.so", "lib/libcublas.so.13");
  const MachineCheck check = check_cublas(machine);
  expect_state(check, CheckState::missing);
  expect_part(check.found, "libcublas.so.12");
}

TEST_F(Doctor, Cudnn) {
  const ScopedVariable cudnn("TILESCOPE_CUDNN", folders.root().c_str());
  expect_state(check_cudnn(machine), CheckState::missing);
  stand_in("libfake_cudnn.so", "lib/libcudnn.so.9");
  machine.driver_cuda = {13, 0};
  MachineCheck check = check_cudnn(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "9.19.0, ");

  const FakeDriver driver(12040);
  machine.driver_cuda = {12, 4};
  check = check_cudnn(machine);
  expect_state(check, CheckState::warning);
  expect_part(check.found, "built for CUDA 13");
  expect_part(check.advice, "pip install nvidia-cudnn-cu12");
}

TEST_F(Doctor, OpenGlThatIsNotThereOrGivesNoContext) {
  const OpenglReport absent = probe_opengl("libEGL.so.no-such-version");
  EXPECT_FALSE(absent.has_library);
  expect_part(absent.why_none, "libEGL.so.no-such-version");
  const OpenglReport none = probe_opengl("libm.so.6");
  EXPECT_TRUE(none.has_library);
  expect_part(none.why_none, "eglGetDisplay is missing");
}

TEST_F(Doctor, OpenGlHere) {
  const MachineCheck check = check_opengl(machine);
  if (check.state != CheckState::ok) GTEST_SKIP() << check.found;
  EXPECT_GE(check.found.at(0), '3');
  EXPECT_LE(check.found.at(0), '9');
}

TEST_F(Doctor, Display) {
  const ScopedVariable wayland("WAYLAND_DISPLAY", nullptr);
  {
    const ScopedVariable x11("DISPLAY", nullptr);
    const MachineCheck check = check_display(machine);
    expect_state(check, CheckState::missing);
    expect_part(check.advice, "TILESCOPE_WORKER");
  }
  const ScopedVariable x11("DISPLAY", ":7777");
  const MachineCheck check = check_display(machine);
  expect_state(check, CheckState::warning);
  expect_part(check.found, "DISPLAY=:7777, and ");
}

TEST_F(Doctor, Cache) {
  MachineCheck check = check_cache(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "does not exist yet");
  fs::create_directories(machine.installation.cache / "binaries");
  std::ofstream(machine.installation.cache / "binaries/a") << std::string(3'000'000, 'x');
  expect_part(check_cache(machine).found, "3 MB: 0 MB of downloads, 3 MB of compiled kernels");
  machine.installation.cache = "/dev/null/cache";
  check = check_cache(machine);
  expect_state(check, CheckState::warning);
  expect_part(check.found, "cannot be written");
  expect_part(check.advice, "XDG_CACHE_HOME");
}

TEST_F(Doctor, Disk) {
  MachineCheck check = check_disk(machine);
  expect_state(check, CheckState::ok);
  expect_part(check.found, "100.0 GB free for the cache");
  EXPECT_EQ(check.advice, "");
  machine.free_bytes = [&](const fs::path& folder) -> std::optional<std::uintmax_t> {
    return folder == machine.installation.cache ? 5'000'000 : plenty;
  };
  check = check_disk(machine);
  expect_state(check, CheckState::warning);
  expect_part(check.found, "5 MB free for the cache");
  expect_part(check.advice, "set XDG_CACHE_HOME");
  EXPECT_EQ(check.advice.find("XDG_DATA_HOME"), std::string::npos) << check.advice;
  machine.free_bytes = [](const fs::path&) { return std::nullopt; };
  expect_part(check_disk(machine).found, "unknown space free");
}

TEST_F(Doctor, FreeBytesOfAFolderThatIsNotMadeYetAreThoseOfTheOneAboveIt) {
  const Machine here = look_at_machine(machine.installation);
  EXPECT_EQ(nearest_existing(folders.root() / "a/b/c"), folders.root());
  EXPECT_TRUE(here.free_bytes(folders.root() / "a/b/c"));
}

TEST_F(Doctor, ChecksEverythingOnceWhateverIsMissing) {
  const Json document = to_json_document(check_machine(machine));
  std::vector<std::string> names;
  for (const Json& check : document.at("checks")) names.push_back(check.at("name"));
  EXPECT_EQ(names, (std::vector<std::string>{"driver", "NVRTC", "CUPTI", "nvdisasm", "cuobjdump", "cuDNN",
                                             "cuBLAS", "OpenGL", "display", "cache", "disk"}));
}

}  // namespace
}  // namespace tilescope
