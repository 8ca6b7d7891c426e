#include "profiler/views/memory/number_lists.hpp"

#include <bit>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

// Longer lists are cut in the middle.
constexpr std::size_t longest = 5;

bool is_consecutive(const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace

std::string number_list(const std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return "";
  if (numbers.size() > 2 && is_consecutive(numbers))
    return format_count(numbers.front()) + " to " + format_count(numbers.back());
  const bool is_cut = numbers.size() > longest;
  const std::size_t listed = is_cut ? 3 : numbers.size() - 1;
  std::string text;
  for (std::size_t i = 0; i < listed; ++i) text += (i == 0 ? "" : ", ") + format_count(numbers[i]);
  if (numbers.size() > 1) text += is_cut ? " ... " : " and ";
  return text + format_count(numbers.back());
}

std::string counted_list(const std::string& noun, const std::vector<std::int64_t>& numbers) {
  return noun + (numbers.size() == 1 ? " " : "s ") + number_list(numbers);
}

std::vector<std::int64_t> lanes_in(simt::LaneMask lanes) {
  std::vector<std::int64_t> numbers;
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) numbers.push_back(std::countr_zero(rest));
  return numbers;
}

std::string lane_list(simt::LaneMask lanes) {
  return counted_list("lane", lanes_in(lanes));
}

std::string counted_noun(std::int64_t count, const std::string& noun) {
  return format_count(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace tilescope
