#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// A launch of a cubin with everything that it needs, so that a GPU and an interpreter make the same one.
namespace tilescope::hardware {

/// Memory that the kernel accesses through a pointer.
struct LaunchBuffer {
  std::string name;
  /// The contents before the launch.
  std::vector<std::byte> initial;
  /// Its contents after the launch are recorded.
  bool is_output = false;
};

/// An address in the parameters.
struct LaunchPointer {
  /// [B] from the start of the parameters
  std::size_t offset = 0;
  /// Into MachineCodeLaunch::buffers.
  std::size_t buffer = 0;
};

struct MachineCodeLaunch {
  /// "rung/naive VEC_WIDTH=1 B1 H8 S512 D64 fp16"
  std::string name;
  std::vector<char> cubin;
  std::string entry;
  /// [blocks]
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  /// [threads]
  std::array<std::uint32_t, 3> block{1, 1, 1};
  /// [B] per block
  std::uint32_t dynamic_shared_bytes = 0;
  /// The whole parameter space; the addresses of `pointers` are zeros in it.
  std::vector<std::byte> parameters;
  std::vector<LaunchPointer> pointers;
  std::vector<LaunchBuffer> buffers;
};

/// A name as a file's name: "rung_naive_VEC_WIDTH_1_B1_H8_S512_D64_fp16", with a few digits of its hash.
std::string file_name_of(const std::string& launch_name);

/// Writes FOLDER/<file_name_of>.json, the cubin and the contents of the buffers beside it in FOLDER/data, named by their
/// hashes; README.md has the format. Throws std::runtime_error when a file cannot be written.
void write_launch(const MachineCodeLaunch& launch, const std::filesystem::path& folder);

/// Reads such a .json file and the files that it names. Throws std::runtime_error with the file's name.
MachineCodeLaunch read_launch(const std::filesystem::path& file);

/// All launches of a folder whose names start with `prefix`, sorted by name. Throws the same.
std::vector<MachineCodeLaunch> read_launches(const std::filesystem::path& folder, const std::string& prefix);

}  // namespace tilescope::hardware
