#include "app/explorer/board.hpp"

#include <algorithm>

namespace tilescope {

Board::~Board() {
  while (!kept_.empty()) kept_.pop_back();
}

Board::Kept* Board::find(std::type_index type, const std::string& tag) const {
  const auto found =
      std::ranges::find_if(kept_, [&](const auto& kept) { return kept->type == type && kept->tag == tag; });
  return found == kept_.end() ? nullptr : found->get();
}

std::string Board::activity() const {
  for (const auto& kept : kept_) {
    if (std::string activity = kept->activity(); !activity.empty()) return activity;
  }
  return "";
}

}  // namespace tilescope
