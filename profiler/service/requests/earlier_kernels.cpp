#include "profiler/service/requests/earlier_kernels.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

constexpr std::string_view lead = "before ";

struct ParsedChoice {
  std::size_t index = 0;
  /// "kernel", "grid"
  std::string what;
};

std::optional<ParsedChoice> parsed(std::string_view choice) {
  if (!choice.starts_with(lead)) return std::nullopt;
  choice.remove_prefix(lead.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), number);
  const auto digits = static_cast<std::size_t>(end - choice.data());
  if (error != std::errc() || number == 0 || digits + 1 >= choice.size() || choice[digits] != ' ')
    return std::nullopt;
  return ParsedChoice{number - 1, std::string(choice.substr(digits + 1))};
}

}  // namespace

std::string earlier_kernel_role(std::size_t index) {
  return fmt::format("{}{}", lead, index + 1);
}

std::string earlier_kernel_choice(std::size_t index) {
  return earlier_kernel_role(index) + " kernel";
}

std::optional<std::size_t> earlier_kernel_of(const std::string& choice) {
  const std::optional<ParsedChoice> read = parsed(choice);
  if (!read || read->what != "kernel") return std::nullopt;
  return read->index;
}

bool is_on_earlier_kernel(const std::string& choice) {
  return parsed(choice).has_value();
}

void set_earlier_kernel(std::map<std::string, std::string>& choices, std::size_t index,
                        const std::string& kernel) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : choices) {
    const std::optional<ParsedChoice> read = parsed(name);
    if (!read || read->index < index || (!kernel.empty() && read->index > index)) {
      all.emplace(name, value);
    } else if (read->index > index) {
      all.emplace(fmt::format("{} {}", earlier_kernel_role(read->index - 1), read->what), value);
    }
  }
  if (!kernel.empty()) all.emplace(earlier_kernel_choice(index), kernel);
  choices = std::move(all);
}

}  // namespace tilescope
