#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tilescope {

enum class FileKind : std::uint8_t {
  empty,
  cubin,
  /// A cubin that is not linked: nvcc -dc, -rdc=true.
  relocatable_cubin,
  ptx,
  /// Text with a kernel (__global__).
  cuda,
  fat_binary,
  /// An ELF file of the host that is linked: a program or a shared library.
  host_program,
  host_object,
  static_library,
  zip,
  /// Another text.
  text,
  /// LLVM bitcode.
  llvm,
  unknown,
};

/// [B] of a file's start that kind_of needs to know its kind for sure, but for a .cu file with a longer comment.
inline constexpr std::size_t kind_bytes = std::size_t{1} << 16U;

/// Kind of a file by its first bytes.
FileKind kind_of(std::string_view bytes);
/// Reads the first bytes of a regular file. Throws UnreadableFile.
FileKind kind_of_file(const std::filesystem::path& file);

/// "a cubin", "a fat binary", "a program or a shared library"
std::string name_of(FileKind kind);

}  // namespace tilescope
