#include "profiler/kernels/cuda_source/cpp_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

namespace tilescope {
namespace {

struct NamedType {
  std::string_view name;
  ArithmeticType type;
};

constexpr std::array<NamedType, 24> named_types = {{
    {"uint", {false, false, false, 32}},      {"ushort", {false, false, false, 16}},
    {"uchar", {false, false, false, 8}},      {"ulong", {false, false, false, 64}},
    {"size_t", {false, false, false, 64}},    {"ssize_t", {false, false, true, 64}},
    {"ptrdiff_t", {false, false, true, 64}},  {"intptr_t", {false, false, true, 64}},
    {"uintptr_t", {false, false, false, 64}}, {"int8_t", {false, false, true, 8}},
    {"int16_t", {false, false, true, 16}},    {"int32_t", {false, false, true, 32}},
    {"int64_t", {false, false, true, 64}},    {"uint8_t", {false, false, false, 8}},
    {"uint16_t", {false, false, false, 16}},  {"uint32_t", {false, false, false, 32}},
    {"uint64_t", {false, false, false, 64}},  {"float", {true, false, true, 32}},
    {"double", {true, false, true, 64}},      {"bool", {false, true, false, 8}},
    {"char", {false, false, true, 8}},        {"clock_t", {false, false, true, 64}},
    {"u32", {false, false, false, 32}},       {"u64", {false, false, false, 64}},
}};

struct SizedType {
  std::string_view name;
  int bytes;
};

/// Types that are not arithmetic here.
constexpr std::array<SizedType, 22> sized_types = {{
    {"half", 2},          {"__half", 2},
    {"half2", 4},         {"__half2", 4},
    {"nv_bfloat16", 2},   {"__nv_bfloat16", 2},
    {"nv_bfloat162", 4},  {"__nv_bfloat162", 4},
    {"__nv_fp8_e4m3", 1}, {"__nv_fp8_e5m2", 1},
    {"__nv_fp4_e2m1", 1}, {"bfloat16", 2},
    {"at::Half", 2},      {"at::BFloat16", 2},
    {"c10::Half", 2},     {"c10::BFloat16", 2},
    {"cuComplex", 8},     {"cuDoubleComplex", 16},
    {"dim3", 12},         {"cufftReal", 4},
    {"cufftComplex", 8},  {"cufftDoubleComplex", 16},
}};

std::set<std::string> words_of(const std::string& type) {
  std::istringstream stream(type);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

/// Types that are several words, or one of them: "unsigned long long int".
std::optional<ArithmeticType> fundamental_type(const std::string& type) {
  const std::set<std::string> words = words_of(type);
  for (const std::string& word : words)
    if (!std::set<std::string>{"unsigned", "signed", "long", "short", "int", "char", "double"}.contains(word))
      return std::nullopt;
  if (words.empty()) return std::nullopt;
  if (words.contains("double")) return ArithmeticType{true, false, true, 64};
  const int bits = words.contains("char")    ? 8
                   : words.contains("short") ? 16
                   : words.contains("long")  ? 64
                                             : 32;
  return ArithmeticType{false, false, !words.contains("unsigned"), bits};
}

/// The base and the number of elements of a vector type: {"uint", 2} of "uint2".
std::optional<std::pair<std::string, int>> split_vector(const std::string& type) {
  if (type.size() < 4 || type.back() < '1' || type.back() > '4') return std::nullopt;
  std::string base = type.substr(0, type.size() - 1);
  const int count = type.back() - '0';
  if (base == "longlong" || base == "ulonglong") return std::pair(std::string("uint64_t"), count);
  for (const char* name :
       {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"})
    if (base == name)
      return std::pair(base == "short" ? "int16_t" : base == "long" ? "int64_t" : base, count);
  return std::nullopt;
}

}  // namespace

std::string plain_type(std::string_view type) {
  std::string plain;
  std::istringstream stream{std::string(type)};
  for (std::string word; stream >> word;) {
    if (word.starts_with("std::")) word.erase(0, 5);
    if (word.starts_with("::")) word.erase(0, 2);
    if (word == "const" || word == "volatile" || word == "constexpr" || word == "static" ||
        word == "inline" || word == "register")
      continue;
    plain += (plain.empty() ? "" : " ") + word;
  }
  return plain;
}

std::optional<ArithmeticType> arithmetic_type(std::string_view type) {
  const std::string plain = plain_type(type);
  const auto found = std::find_if(named_types.begin(), named_types.end(),
                                  [&](const NamedType& named) { return named.name == plain; });
  return found != named_types.end() ? std::optional(found->type) : fundamental_type(plain);
}

std::optional<int> size_of_type(std::string_view type) {
  const std::string plain = plain_type(type);
  if (plain.ends_with('*')) return 8;
  if (const auto arithmetic = arithmetic_type(plain)) return arithmetic->bits / 8;
  const auto found = std::find_if(sized_types.begin(), sized_types.end(),
                                  [&](const SizedType& sized) { return sized.name == plain; });
  if (found != sized_types.end()) return found->bytes;
  const auto vector = split_vector(plain);
  const auto base = vector ? size_of_type(vector->first) : std::nullopt;
  return base ? std::optional(*base * vector->second) : std::nullopt;
}

int alignment_of_type(std::string_view type) {
  constexpr int max_alignment = 16;
  const std::string plain = plain_type(type);
  if (plain == "dim3") return 4;
  const auto vector = plain.ends_with('*') ? std::nullopt : split_vector(plain);
  const bool is_packed = vector && (vector->second == 1 || vector->second == 3);
  return std::min(max_alignment, size_of_type(is_packed ? vector->first : plain).value_or(1));
}

bool is_vector_type(std::string_view type) {
  const std::string plain = plain_type(type);
  const auto vector = split_vector(plain);
  return plain == "dim3" || (vector && vector->first != "float" && vector->first != "double");
}

}  // namespace tilescope
