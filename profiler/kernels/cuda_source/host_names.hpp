#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Variable of the host code or a part of one: base "a" and path ".ptr" of a.ptr and a->ptr, "d" and "[i]" of d[i], "p"
/// and "[0]" of *p.
struct HostName {
  std::string base, path;
  std::string text() const { return base + path; }
};

/// None for an expression that is not a variable.
std::optional<HostName> host_name_of(const SyntaxNode& node);

/// The variable that a pointer points to: "d" of &d, "p[0]" of p.
std::optional<HostName> pointee_of(const SyntaxNode& pointer);

/// The variable that a path of a parameter means in the caller: "a.ptr" for .ptr of a parameter with the argument &a.
std::optional<HostName> part_of_argument(const SyntaxNode& argument, const std::string& path);

/// An expression inside of its parentheses and casts, also of reinterpret_cast.
SyntaxNode without_casts(SyntaxNode node);

/// Whether two paths mean parts of the same kind: "[i]" and "[0]" do.
bool are_alike(const std::string& path, const std::string& other);

/// Name of the member at the end of a path, "" if it has none: "ptr" of ".a[0].ptr".
std::string last_member(const std::string& path);

/// Whether an expression is nullptr, NULL or 0.
bool is_null_pointer(const SyntaxNode& node);

/// Name of one of C++'s casts that are written like a call.
bool is_named_cast(std::string_view name);

/// Type behind a pointer type, without const: "float" of "const float*".
std::string pointee_type(const std::string& type);

}  // namespace tilescope
