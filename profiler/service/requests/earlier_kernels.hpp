#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

/// Choices of `open` on kernels of the file that are launched before the opened one, on shared buffers: "before 1 kernel"
/// names the first of them, "before 2 kernel" the next one. Values of their launches are "before 1 grid", "before 1 block",
/// "before 1 shared", and "before 1 NAME" for a number NAME, or for a pointer NAME with the name of its buffer.
namespace tilescope {

/// "before 1" for 0.
std::string earlier_kernel_role(std::size_t index);
/// "before 1 kernel" for 0.
std::string earlier_kernel_choice(std::size_t index);
/// 0 for "before 1 kernel"; none for other choices, "before 1 grid" among them.
std::optional<std::size_t> earlier_kernel_of(const std::string& choice);
/// Whether the choice is on one of these kernels.
bool is_on_earlier_kernel(const std::string& choice);

/// Puts another kernel in the place of one of them, without the values of the launch that it had; "" removes it, and those
/// behind it move up.
void set_earlier_kernel(std::map<std::string, std::string>& choices, std::size_t index,
                        const std::string& kernel);

}  // namespace tilescope
