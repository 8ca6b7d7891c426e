#include "app/explorer/compare/side_choice.hpp"

#include <fmt/format.h>

#include "app/explorer/history.hpp"

namespace tilescope {
namespace {

std::string to_words(const SideChoice& choice) {
  switch (choice.kind) {
    case SideChoice::Kind::none:
      return "not chosen";
    case SideChoice::Kind::sliders:
      return "sliders";
    case SideChoice::Kind::pinned:
      return "pinned " + choice.pinned.kernel;
    case SideChoice::Kind::point:
      break;
  }
  return "point of " + choice.point->kernel;
}

std::string change_between(const SideChoice& before, const SideChoice& after) {
  if (before.kind == SideChoice::Kind::pinned && after.kind == SideChoice::Kind::pinned)
    return tilescope::change_between(before.pinned, after.pinned);
  const std::string was = to_words(before), is = to_words(after);
  return was == is ? "another " + is : was + " -> " + is;
}

}  // namespace

std::string to_string(Side side) {
  return side == Side::a ? "A" : "B";
}

std::string change_between(const SideChoices& before, const SideChoices& after) {
  if (before == after) return "";
  if (before[0] == after[1] && before[1] == after[0]) return "swap A and B";
  if (!(before[0] == after[0]) && !(before[1] == after[1])) return "A and B";
  const Side changed = before[0] == after[0] ? Side::b : Side::a;
  const std::size_t at = index_of(changed);
  return fmt::format("{}: {}", to_string(changed), change_between(before[at], after[at]));
}

}  // namespace tilescope
