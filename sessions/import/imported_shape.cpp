#include "sessions/import/imported_shape.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

struct SizeName {
  std::string_view name;
  std::int64_t Shape::*size;
};

constexpr std::array<SizeName, 17> size_names{{{"B", &Shape::B},
                                               {"batch", &Shape::B},
                                               {"batchsize", &Shape::B},
                                               {"H", &Shape::Hq},
                                               {"Hq", &Shape::Hq},
                                               {"heads", &Shape::Hq},
                                               {"numheads", &Shape::Hq},
                                               {"Hkv", &Shape::Hkv},
                                               {"kvheads", &Shape::Hkv},
                                               {"numkvheads", &Shape::Hkv},
                                               {"S", &Shape::Sq},
                                               {"Sq", &Shape::Sq},
                                               {"seqlen", &Shape::Sq},
                                               {"sequencelength", &Shape::Sq},
                                               {"Sk", &Shape::Sk},
                                               {"D", &Shape::D},
                                               {"headdim", &Shape::D}}};

/// "seq_len" and "SeqLen" are one name; "B" and "b" are not.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char letter : name) {
    if (letter != '_' && letter != '-' && letter != ' ')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return plain;
}

bool is_named(const std::string& parameter, std::string_view name) {
  return parameter == name || (name.size() > 3 && plain_name(parameter) == name);
}

/// A shape as far as the parameters give it.
struct SaidShape {
  Shape shape;
  std::array<bool, size_names.size()> has{};
  std::optional<DataType> dtype;
  std::optional<bool> causal;

  bool says(std::int64_t Shape::*size) const {
    for (std::size_t i = 0; i < size_names.size(); ++i) {
      if (has[i] && size_names[i].size == size) return true;
    }
    return false;
  }
};

bool take_size(SaidShape& said, const std::string& name, const ParameterValue& value) {
  for (std::size_t i = 0; i < size_names.size(); ++i) {
    if (!is_named(name, size_names[i].name)) continue;
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 1) {
      throw std::invalid_argument("'" + name + "' is '" + to_string(value) +
                                  "', where a size of the shape is expected");
    }
    said.has[i] = true;
    said.shape.*(size_names[i].size) = *number;
    return true;
  }
  return false;
}

DataType data_type_of(const std::string& name, const ParameterValue& value) {
  const std::string text = plain_name(to_string(value));
  for (const char* half : {"fp16", "f16", "half", "float16"}) {
    if (text == half) return DataType::fp16;
  }
  for (const char* bfloat : {"bf16", "bfloat16", "nvbfloat16"}) {
    if (text == bfloat) return DataType::bf16;
  }
  throw LeftOut(name + " is " + to_string(value) + ", and shapes have fp16 or bf16");
}

bool truth_of(const std::string& name, const ParameterValue& value) {
  const std::string text = plain_name(to_string(value));
  if (text == "1" || text == "true" || text == "on" || text == "yes") return true;
  if (text == "0" || text == "false" || text == "off" || text == "no") return false;
  throw std::invalid_argument("'" + name + "' is '" + to_string(value) + "', where yes or no is expected");
}

bool take(SaidShape& said, const std::string& name, const ParameterValue& value) {
  if (take_size(said, name, value)) return true;
  if (is_named(name, "dtype")) {
    said.dtype = data_type_of(name, value);
  } else if (is_named(name, "causal")) {
    said.causal = truth_of(name, value);
  } else {
    return false;
  }
  return true;
}

/// Keys and values have the heads and the length of queries where the file names one of each.
void complete(SaidShape& said) {
  if (!said.says(&Shape::Hkv)) said.shape.Hkv = said.shape.Hq;
  if (!said.says(&Shape::Sk)) said.shape.Sk = said.shape.Sq;
}

void check_against(const SaidShape& said, const Shape& given) {
  for (std::size_t i = 0; i < size_names.size(); ++i) {
    const std::int64_t size = said.shape.*(size_names[i].size);
    if (!said.has[i] || size == given.*(size_names[i].size)) continue;
    throw std::invalid_argument("its " + std::string(size_names[i].name) + " is " + std::to_string(size) +
                                ", which contradicts --shape: leave --shape out, or give the file's sizes");
  }
}

Shape sizes_of(SaidShape& said, const ImportOptions& options) {
  if (options.sizes) {
    check_against(said, *options.sizes);
    return *options.sizes;
  }
  std::string missing;
  for (const auto& [name, size] : {std::pair("B", &Shape::B), std::pair("H", &Shape::Hq),
                                   std::pair("S", &Shape::Sq), std::pair("D", &Shape::D)}) {
    if (!said.says(size)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  }
  if (!missing.empty()) {
    throw std::invalid_argument("the file does not say the shape (" + missing +
                                "): give --shape B,H,S,D, with --causal and --dtype where they apply");
  }
  complete(said);
  return said.shape;
}

template <class T>
T either(const std::optional<T>& in_file, const std::optional<T>& given, T usual, const char* option) {
  if (in_file && given && *in_file != *given) {
    throw std::invalid_argument("it contradicts " + std::string(option) + ": leave " + option + " out");
  }
  return in_file ? *in_file : given.value_or(usual);
}

}  // namespace

Shape take_shape(Configuration& parameters, const ImportOptions& options, std::vector<std::string>& notes) {
  SaidShape said;
  std::erase_if(parameters, [&](const auto& entry) { return take(said, entry.first, entry.second); });
  Shape shape = sizes_of(said, options);
  shape.dtype = either(said.dtype, options.dtype, DataType::fp16, "--dtype");
  shape.causal = either(said.causal, options.causal, false, "--causal");
  if (const std::string why = why_malformed(shape); !why.empty()) throw std::invalid_argument(why);
  std::string assumed;
  if (!said.dtype && !options.dtype) assumed = "fp16";
  if (!said.causal && !options.causal) assumed += assumed.empty() ? "not causal" : " and not causal";
  if (!assumed.empty())
    notes.push_back("The file does not say whether the shape is " + assumed + ": it is assumed to be.");
  return shape;
}

}  // namespace tilescope
