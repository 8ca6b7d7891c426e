#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/json_fwd.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// The element type of Q, K, V and O. Scores and sums are float in every kernel.
enum class DataType { fp16, bf16 };

std::string to_string(DataType type);
/// "fp16" or "bf16"; throws std::invalid_argument with the nearest known name otherwise.
DataType data_type_from(const std::string& text);
/// Bytes of one element.
constexpr std::int64_t element_bytes(DataType) {
  return 2;
}

/// Compiler of a kernel. Even at one version, nvcc can make other code than NVRTC from a source.
enum class KernelCompiler { nvrtc, nvcc };

std::string to_string(KernelCompiler compiler);
/// Throws std::invalid_argument with the possible choices.
KernelCompiler kernel_compiler_from(const std::string& text);
/// "NVRTC", "nvcc"
std::string proper_name(KernelCompiler compiler);

/// The attention problem: Q and O are [B, Hq, Sq, D], K and V are [B, Hkv, Sk, D].
/// Query head h reads key/value head h / (Hq / Hkv). With `causal`, query i sees keys j <= i + (Sk - Sq): the
/// last query sees all keys (the convention of FlashAttention since 2.1); a query that sees no key has an
/// output of zeros.
struct Shape {
  std::int64_t B = 1;
  std::int64_t Hq = 8;
  std::int64_t Hkv = 8;
  std::int64_t Sq = 512;
  std::int64_t Sk = 512;
  std::int64_t D = 64;
  DataType dtype = DataType::fp16;
  bool causal = false;

  auto operator<=>(const Shape&) const = default;
};

/// "" when attention is defined for the shape (positive sizes, Hq a multiple of Hkv), else a sentence.
std::string why_malformed(const Shape& shape);

/// "B1 H8 S512 D64 fp16 causal": unequal Hkv and Sk are named ("H8/2", "S512x1024").
std::string to_string(const Shape& shape);

/// Floating-point operations of the two matrix products: 4*B*Hq*Sq*Sk*D, halved when causal.
/// The formula of the FlashAttention papers; public tables that count the masked half differ by 2x.
double attention_flops(const Shape& shape);

/// A parameter's value: a number, or a name such as "xor_swizzle".
using ParameterValue = std::variant<std::int64_t, std::string>;

std::string to_string(const ParameterValue& value);
/// A number if the text is one, else the text itself.
ParameterValue parameter_value_from(const std::string& text);

/// One choice of a value for each of a kernel's parameters.
using Configuration = std::map<std::string, ParameterValue>;

/// "BLOCK_M=64 BLOCK_N=64 ..." in the map's order.
std::string to_string(const Configuration& configuration);

/// The blocks of the grid that are interpreted, if a kernel is: representative ones, whose counts are scaled to the
/// grid; all of them; or a number of them, evenly spread.
struct BlockChoice {
  enum class Kind { automatic, all, count };
  Kind kind = Kind::automatic;
  /// For Kind::count, at least 1.
  std::int64_t count = 0;

  bool operator==(const BlockChoice&) const = default;
};

/// "auto", "all" or a number.
std::string to_string(const BlockChoice& blocks);
/// Throws std::invalid_argument with the possible choices.
BlockChoice block_choice_from(const std::string& text);

/// Input of every measurement, for every caller.
struct Experiment {
  /// A name of the catalogue, or the path of a .cu file.
  std::string kernel;
  /// Parameters that are left out take their default.
  Configuration parameters;
  Shape shape;
  /// A name of the device table; "" for this machine's GPU, or the L4 without one.
  std::string device;
  /// Input random seed.
  std::uint64_t seed = 1;
  /// [s] for the L2-warm series; the L2-cold one takes half of it. A noisy series takes up to 4x its time.
  double timing_budget_s = 0.3;
  BlockChoice blocks{};
  KernelCompiler compiler = KernelCompiler::nvrtc;
  /// The kernel's source, for a worker that does not see the caller's files: it is measured in the place of the
  /// worker's own file of that name.
  std::optional<SourceFile> source{};

  bool operator==(const Experiment&) const = default;
};

/// Which experiments are the same point of a sweep: all but the timing budget, the blocks and the source.
std::string identity(const Experiment& experiment);

void to_json(Json& json, const Shape& shape);
void from_json(const Json& json, Shape& shape);
void to_json(Json& json, const Experiment& experiment);
void from_json(const Json& json, Experiment& experiment);

Json configuration_to_json(const Configuration& configuration);
Configuration configuration_from_json(const Json& json);

}  // namespace tilescope

/// ParameterValue is a std::variant, for which argument-dependent lookup does not search this namespace.
template <>
struct nlohmann::adl_serializer<tilescope::ParameterValue> {
  static void to_json(tilescope::Json& json, const tilescope::ParameterValue& value);
  static void from_json(const tilescope::Json& json, tilescope::ParameterValue& value);
};
