#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/execution/simt/block.hpp"

/// Kernel launches that are made on a GPU and in the interpreter, from the same PTX with the same inputs, and compared.
namespace tilescope::hardware {

/// Source to compile.
struct KernelText {
  /// "profiler/execution/ptx/tests/kernels/divergence.cu", from the repository's root
  std::string file;
  std::string entry;
  std::vector<std::pair<std::string, std::string>> macros;
  std::string arch = "sm_89";

  /// "divergence-1f3a9c20.ptx": unique for each file, entry, architecture and choice of macros.
  std::string ptx_name() const;
};

/// Memory that the kernel accesses through a pointer parameter.
struct Buffer {
  std::string name;
  std::function<std::vector<std::byte>()> initial;
  bool is_output = false;
};

enum class Element { u32, f16, bf16, f32, f64 };
std::size_t bytes_of(Element element);
/// An element's value; for a u32 the number.
double value_of(Element element, const std::byte* bytes);

/// How far apart two results may be: `absolute` + `relative` * |the GPU's|. Equal bits and two NaN always agree. With
/// both 0 the bits must be equal.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// A part of an output that is compared by one rule.
struct Region {
  /// "rcp.approx"; "" for the whole of an output.
  std::string name;
  /// Into Case::buffers.
  std::size_t buffer = 0;
  Element element = Element::u32;
  /// [elements]
  std::size_t first = 0, count = 0;
  Tolerance tolerance;
  /// Why results may differ at all; "" when they may not.
  std::string reason;
};

struct Case {
  /// "shared/load16/stride 17": the part before the first '/' is the group.
  std::string name;
  KernelText kernel;
  /// `parameters` without the pointers.
  simt::Launch launch;
  struct Pointer {
    /// [B] in the parameters
    std::size_t offset = 0;
    std::size_t buffer = 0;
  };
  std::vector<Pointer> pointers;
  std::vector<Buffer> buffers;
  std::vector<Region> regions;
};

/// Appends parameters in the layout of PTX: each at a multiple of its own size.
class ParameterList {
 public:
  explicit ParameterList(Case& target) : case_(target) {}
  ParameterList& pointer(Buffer buffer);
  template <class T>
  ParameterList& value(const T& number) {
    append(&number, sizeof(T), alignof(T));
    return *this;
  }

 private:
  void append(const void* bytes, std::size_t size, std::size_t align);
  Case& case_;
};

Buffer input_buffer(std::string name, std::function<std::vector<std::byte>()> initial);
/// Filled with 0xFF, so that elements that a kernel does not write are noticed.
Buffer output_buffer(std::string name, std::size_t bytes);

/// The project's random inputs (kernels/device/random_input.cuh) in one of the floating formats, times `scale`.
std::vector<std::byte> random_elements(Element element, std::size_t count, unsigned tensor, double scale = 1);
/// Random 32-bit words of the same generator.
std::vector<std::byte> random_words(std::size_t count, unsigned tensor);

template <class T>
std::vector<std::byte> bytes_of_all(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

/// Every case, in the order in which they are launched. `root` is the repository's. Names are unique.
std::vector<Case> all_cases(const std::filesystem::path& root);

/// The groups that all_cases joins.
std::vector<Case> attention_cases(const std::filesystem::path& root);
std::vector<Case> matrix_cases();
std::vector<Case> shared_pattern_cases();
std::vector<Case> global_pattern_cases();
std::vector<Case> arithmetic_cases();
std::vector<Case> divergence_cases();
std::vector<Case> carry_cases();
std::vector<Case> narrow_cases();

}  // namespace tilescope::hardware
