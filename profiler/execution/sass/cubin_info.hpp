#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Reads a cubin's records of its kernels beside the code: the records of .nv.info, and the types of
/// relocations. The numbers and names are the ones that cuobjdump 13.1 prints for files in which one number
/// was changed at a time.
namespace tilescope::sass {

/// The attributes that read_cubin reads, and those with addresses that say what an instruction does; others keep their
/// number.
enum class Attribute : std::uint8_t {
  /// Three numbers, as required_threads and blocks_per_cluster
  max_threads = 0x05,
  /// Symbol of the kernel's constant bank 0; the offset of the parameters in it, 16 bits, and their size, 16 bits
  parameter_bank = 0x0a,
  /// Symbols
  externs = 0x0f,
  required_threads = 0x10,
  /// Symbol of a function, bytes; so min_stack_size and register_count
  frame_size = 0x11,
  min_stack_size = 0x12,
  /// 0; number of the parameter, 16 bits, and its offset, 16 bits; its size in bits 18 to 31
  parameter = 0x17,
  /// Addresses: of every EXIT (so in 341 kernels)
  exit_offsets = 0x1c,
  /// Addresses of BAR, SHFL, VOTE and WARPSYNC, and of CALL to functions with them
  cooperative_offsets = 0x28,
  register_count = 0x2f,
  /// Addresses of REDUX, MATCH, VOTEU
  warp_wide_offsets = 0x31,
  /// Several times: address; 0, 1 for a call; number of targets; targets
  indirect_branch_targets = 0x34,
  blocks_per_cluster = 0x3d,
  /// As parameter, but the size is in bits 0 to 15: for kernels with more than 4096 bytes of parameters
  large_parameter = 0x45,
  /// Addresses of CALL to a function of the driver
  system_call_offsets = 0x46,
  barrier_count = 0x4c,
};

/// A record of .nv.info.
struct InfoAttribute {
  /// 1: no value, 2: a byte, 3: 16 bits, 4: sized
  std::uint8_t format = 0;
  std::uint8_t number = 0;
  std::vector<char> value;

  bool is(Attribute attribute) const { return number == static_cast<std::uint8_t>(attribute); }
  /// The value's 32-bit words, those that are complete; one of 8 or 16 bits is extended.
  std::vector<std::uint32_t> words() const;
};

/// Throws CubinError for a record that goes beyond the end or has an unknown format.
std::vector<InfoAttribute> read_info(std::span<const char> section, const std::string& name);

/// "EIATTR_REGCOUNT"; "attribute 0x66" for one that is not known.
std::string attribute_name(std::uint8_t number);

/// "R_CUDA_64"; "relocation 9999" for one that is not known. R_CUDA_64 is an address of 8 bytes; R_CUDA_ABS32_LO_32 and
/// R_CUDA_ABS32_HI_32 are the halves of one, each from bit 32 of an instruction on (nvdisasm prints 32@lo and 32@hi).
std::string relocation_name(std::uint32_t type);

}  // namespace tilescope::sass
