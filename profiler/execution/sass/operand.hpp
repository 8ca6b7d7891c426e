#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Operands as nvdisasm writes them.
namespace tilescope::sass {

/// R255, written RZ: reads as zero, writes are dropped. UR63 and P7 likewise (URZ; PT, which reads as true).
inline constexpr int zero_register = 255, zero_uniform = 63, true_predicate = 7;
inline constexpr int no_register = -1;

/// Contents of the brackets of a memory operand: "[R2.64+UR4+0x10]", "[R5.X4+0x8]", "[UR4]", "[0x40]". Its
/// address is register * scale + uniform register + offset.
struct AddressText {
  int reg = no_register;
  int uniform = no_register;
  /// R2.64: the register pair R2 and R3.
  bool reg_is_pair = false;
  /// R2.U32: zero-extended to 64 bits.
  bool reg_is_unsigned = false;
  bool uniform_is_pair = false;
  /// .X4, .X8, .X16
  int scale = 1;
  /// [B]
  std::int64_t offset = 0;
};

struct Operand {
  enum class Kind : std::uint8_t {
    /// R7, RZ: `index`
    reg,
    /// UR4, URZ
    uniform,
    /// P0, PT
    predicate,
    /// UP0, UPT
    uniform_predicate,
    /// PR: all predicates as one number
    predicates,
    /// 0x10, -5: `value`
    integer,
    /// 0.5, +INF, -QNAN: its bits are in the instruction's word
    real,
    /// c[0x0][0x160], c[0x3][R4+0x8]: `bank` and `address`
    constant,
    /// [R2.64+0x10]; behind "desc[UR4]", which is not needed: `address`
    address,
    /// `(.L_x_0): `name`
    label,
    /// 32@lo(symbol), 32@hi(symbol): `name`, and `is_high`
    symbol,
    /// B0: `index`
    barrier,
    /// SB0
    scoreboard,
    /// {5,4,3}: `value` has a bit for each
    scoreboards,
    /// SR_TID.X, SRZ: `name`
    special,
  };
  Kind kind = Kind::reg;
  int index = 0;
  /// -R4
  bool is_negated = false;
  /// |R4|
  bool is_absolute = false;
  /// ~R4
  bool is_inverted = false;
  /// !P0
  bool is_not = false;
  /// Suffix of a register, without its dot: "H0_H0", "B1", "64"; never "reuse".
  std::string selector;
  std::int64_t value = 0;
  bool is_high = false;
  std::uint32_t bank = 0;
  AddressText address;
  std::string name;

  bool has_sign() const { return is_negated || is_absolute || is_inverted || is_not; }
};

/// One operand of an Instruction; nothing for text that is not understood.
std::optional<Operand> parse_operand(std::string_view text);

}  // namespace tilescope::sass
