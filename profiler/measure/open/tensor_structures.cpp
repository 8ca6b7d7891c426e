#include "profiler/measure/open/tensor_structures.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "profiler/measure/open/known_parameters.hpp"

namespace tilescope {
namespace {

constexpr std::string_view accessor = "GenericPackedTensorAccessor<", info = "TensorInfo<";
// at::cuda::detail::MAX_TENSORINFO_DIMS
constexpr std::uint64_t dimensions_of_info = 25;
constexpr std::uint64_t bytes_of_pointer = 8;

// "a" and "b<c, d>" where "name<a, b<c, d>>" opens.
std::vector<std::string> template_arguments(const std::string& type, std::size_t open) {
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (std::size_t at = open + 1; at < type.size(); ++at) {
    const char letter = type[at];
    if (letter == '>' && depth == 0) return arguments;
    depth += letter == '<' ? 1 : letter == '>' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      arguments.emplace_back();
    } else if (letter != ' ' || !arguments.back().empty()) {
      arguments.back() += letter;
    }
  }
  return {};
}

// "int": sizes and strides.
std::uint64_t bytes_of_index(const std::string& type) {
  const std::optional<Element> element = element_of_type(type);
  return element ? element->bytes : 0;
}

void add_numbers(const char* name, const std::string& type, std::uint64_t count, std::uint64_t offset,
                 std::vector<SourceMember>& members) {
  const std::uint64_t bytes = bytes_of_index(type);
  for (std::uint64_t i = 0; i < count; ++i)
    members.push_back({fmt::format("{}({})", name, i), type, offset + i * bytes, bytes});
}

std::vector<SourceMember> members_of_accessor(const std::vector<std::string>& arguments) {
  constexpr std::uint64_t most_dimensions = 8;
  if (arguments.size() < 4) return {};
  const std::uint64_t dimensions = std::strtoull(arguments[1].c_str(), nullptr, 10);
  const std::uint64_t bytes = bytes_of_index(arguments[3]);
  if (dimensions < 1 || dimensions > most_dimensions || bytes == 0) return {};
  std::vector<SourceMember> members = {{"data", arguments[0] + " *", 0, bytes_of_pointer}};
  add_numbers("size", arguments[3], dimensions, bytes_of_pointer, members);
  add_numbers("stride", arguments[3], dimensions, bytes_of_pointer + dimensions * bytes, members);
  return members;
}

std::vector<SourceMember> members_of_info(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return {};
  const std::uint64_t bytes = bytes_of_index(arguments[1]);
  if (bytes == 0) return {};
  std::vector<SourceMember> members = {{"data", arguments[0] + " *", 0, bytes_of_pointer}};
  add_numbers("size", arguments[1], 1, bytes_of_pointer, members);
  add_numbers("stride", arguments[1], 1, bytes_of_pointer + dimensions_of_info * bytes, members);
  members.push_back({"dims", "int", bytes_of_pointer + 2 * dimensions_of_info * bytes, 4});
  return members;
}

}  // namespace

std::vector<SourceMember> tensor_members(const std::string& type) {
  if (type.find('*') != std::string::npos || !type.starts_with("at::")) return {};
  if (const std::size_t at = type.find(accessor); at != std::string::npos)
    return members_of_accessor(template_arguments(type, at + accessor.size() - 1));
  if (const std::size_t at = type.find(info); at != std::string::npos)
    return members_of_info(template_arguments(type, at + info.size() - 1));
  return {};
}

std::string tensor_of(const std::string& expression) {
  for (const std::string_view call : {".packed_accessor", ".generic_packed_accessor"})
    if (const std::size_t at = expression.find(call); at != std::string::npos)
      return expression.substr(0, at);
  const std::size_t call = expression.find("getTensorInfo<");
  const std::size_t open = expression.find('(', call == std::string::npos ? 0 : call);
  if (call == std::string::npos || open == std::string::npos || !expression.ends_with(')')) return "";
  return expression.substr(open + 1, expression.size() - open - 2);
}

}  // namespace tilescope
