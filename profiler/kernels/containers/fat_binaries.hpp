#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/kernels/containers/cut_file.hpp"

namespace tilescope {

/// [B] The most device code of one file, packed and unpacked.
inline constexpr std::uint64_t max_code_bytes = std::uint64_t{512} << 20U;

/// The fat binaries of a file, packed as they are in it.
struct FatBinaries {
  std::vector<std::string> linked;
  /// There is code that is not linked yet: -rdc=true, -dc.
  bool has_relocatable = false;
  /// The last one ends behind the end of the file.
  bool is_cut = false;
};

/// The fat binaries that follow one another in a section or a file.
FatBinaries split_fat_binaries(std::string_view bytes);
/// Reads an ELF file of the host: sections .nv_fatbin and __nv_relfatbin. Throws CodeNotFound for a damaged file and
/// for more than max_code_bytes.
FatBinaries fat_binaries_of_host(const CutFile& file);

}  // namespace tilescope
