#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

#include "kernels/device/random_input.cuh"
#include "kernels/reference/number_formats.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

constexpr std::uint64_t seed = 1;

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
void append_value(std::vector<std::byte>& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

}  // namespace

std::string KernelText::ptx_name() const {
  std::string all = file + "\n" + entry + "\n" + arch;
  for (const auto& [name, value] : macros) all += "\n" + name + "=" + value;
  return std::filesystem::path(file).stem().string() + "-" + sha256(all).substr(0, 8) + ".ptx";
}

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16:
      return 2;
    case Element::f64:
      return 8;
    default:
      return 4;
  }
}

double value_of(Element element, const std::byte* bytes) {
  switch (element) {
    case Element::f16:
      return static_cast<double>(reference::to_float(read<std::uint16_t>(bytes), reference::Format::fp16));
    case Element::bf16:
      return static_cast<double>(reference::to_float(read<std::uint16_t>(bytes), reference::Format::bf16));
    case Element::f32:
      return static_cast<double>(read<float>(bytes));
    case Element::f64:
      return read<double>(bytes);
    case Element::u32:
      break;
  }
  return read<std::uint32_t>(bytes);
}

void ParameterList::append(const void* bytes, std::size_t size, std::size_t align) {
  std::vector<std::byte>& all = case_.launch.parameters;
  all.resize((all.size() + align - 1) / align * align);
  const auto* first = static_cast<const std::byte*>(bytes);
  all.insert(all.end(), first, first + size);
}

ParameterList& ParameterList::pointer(Buffer buffer) {
  const std::uint64_t filled_in_later = 0;
  value(filled_in_later);
  case_.pointers.push_back({case_.launch.parameters.size() - sizeof(filled_in_later), case_.buffers.size()});
  case_.buffers.push_back(std::move(buffer));
  return *this;
}

Buffer input_buffer(std::string name, std::function<std::vector<std::byte>()> initial) {
  return {std::move(name), std::move(initial), false};
}

Buffer output_buffer(std::string name, std::size_t bytes) {
  return {std::move(name), [bytes] { return std::vector<std::byte>(bytes, std::byte{0xFF}); }, true};
}

std::vector<std::byte> random_elements(Element element, std::size_t count, unsigned tensor, double scale) {
  std::vector<std::byte> bytes;
  bytes.reserve(count * bytes_of(element));
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(static_cast<double>(random_input(seed, tensor, i)) * scale);
    switch (element) {
      case Element::f16:
        append_value(bytes, reference::from_float(value, reference::Format::fp16));
        break;
      case Element::bf16:
        append_value(bytes, reference::from_float(value, reference::Format::bf16));
        break;
      case Element::f32:
        append_value(bytes, value);
        break;
      case Element::f64:
        append_value(bytes, static_cast<double>(value));
        break;
      case Element::u32:
        throw std::invalid_argument("random_elements makes floating numbers; random_words makes integers");
    }
  }
  return bytes;
}

std::vector<std::byte> random_words(std::size_t count, unsigned tensor) {
  std::vector<std::byte> bytes;
  bytes.reserve(count * 4);
  for (std::size_t i = 0; i < count; ++i) {
    append_value(bytes, static_cast<std::uint32_t>(hash_bits(hash_bits(seed + tensor) + i)));
  }
  return bytes;
}

std::vector<Case> all_cases(const std::filesystem::path& root) {
  std::vector<Case> all;
  for (std::vector<Case> group :
       {attention_cases(root), matrix_cases(), shared_pattern_cases(), global_pattern_cases(),
        arithmetic_cases(), divergence_cases(), carry_cases(), narrow_cases()}) {
    std::move(group.begin(), group.end(), std::back_inserter(all));
  }
  std::set<std::string> names;
  for (const Case& one : all) {
    if (!names.insert(one.name).second)
      throw std::logic_error("two hardware cases are named '" + one.name + "'");
  }
  return all;
}

}  // namespace tilescope::hardware
