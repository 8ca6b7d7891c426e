#include "profiler/ptx/text/function_name.hpp"

#include <cstddef>

namespace tilescope::ptx {
namespace {

constexpr std::size_t longest_shown = 120;

std::string cut(std::string_view name) {
  return std::string(name.substr(0, longest_shown));
}

}  // namespace

std::string short_function_name(std::string_view mangled) {
  return cut(mangled);
}

}  // namespace tilescope::ptx
