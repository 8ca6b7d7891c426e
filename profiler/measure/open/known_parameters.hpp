#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/files/element.hpp"

namespace tilescope {

/// A parameter of a kernel, or a member of a structure that is one, as far as its file says.
struct KnownParameter {
  /// The kernel's parameter, from 0, and where in it the member lies [B].
  std::size_t parameter = 0;
  std::uint64_t offset = 0;
  bool is_member = false;
  /// "x", "A.elements", or "argument 0" where the file has no names.
  std::string name;
  /// As C++ writes it: "float const*"; "" where the file does not say.
  std::string type;
  /// [B]
  std::uint64_t bytes = 0;
  bool is_pointer = false;
  /// A structure or an array, by value.
  bool is_structure = false;
  /// Type of what a pointer points to, or of a number; none where it is not known.
  std::optional<Element> element;
};

/// A parameter as a source writes it.
struct WrittenParameter {
  std::string type, name;
  /// Members, where the source defines the structure.
  std::vector<SourceMember> members{};
  /// Members of the structure that a pointer points to.
  std::vector<SourceMember> pointed_members{};
};

/// Parameters, those that are structures as their members, of a kernel's machine code or PTX. Types come from its mangled name, which has them without templates,
/// else from the source (`written`, empty where there is none); names are the source's.
std::vector<KnownParameter> known_parameters(const std::string& entry,
                                             const std::vector<simt::KernelParameter>& parameters,
                                             const std::vector<WrittenParameter>& written);

/// The types between the parentheses of a demangled function: "float*", "int". Empty where there are none.
std::vector<std::string> types_of_demangled(std::string_view demangled);

/// The element of a C++ type without pointers: "f32" of "float4 const". None for a structure that is not known.
std::optional<Element> element_of_type(std::string_view type);

}  // namespace tilescope
