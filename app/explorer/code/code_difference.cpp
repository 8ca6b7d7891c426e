#include "app/explorer/code/code_difference.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

bool has_lines(const std::shared_ptr<const ListedCode>& code) {
  return code && !code->answer.machine_code.lines.empty();
}

std::shared_ptr<const ComparedCode> compare(std::shared_ptr<const ListedCode> a,
                                            std::shared_ptr<const ListedCode> b) {
  auto code = std::make_shared<ComparedCode>();
  code->a = std::move(a);
  code->b = std::move(b);
  code->diff = listing_diff(code->left(), code->right());
  for (std::size_t row = 0; row < code->diff.rows.size(); ++row) {
    code->lines.push_back(code->line(row).text);
    code->longest = std::max(code->longest, code->lines.back().size());
  }
  return code;
}

}  // namespace

const SassLine& ComparedCode::line(std::size_t row) const {
  const DiffRow& at = diff.rows[row];
  return at.right ? right()[*at.right] : left()[*at.left];
}

CodeListing& side_listing(Board& board, Side side) {
  const bool is_of_sliders = board.get<ComparisonPair>().follows_sliders(side);
  return board.get<CodeListing>(is_of_sliders ? "" : to_string(side));
}

CodeDifference::CodeDifference(Board& board)
    : board_(board), pair_(board.get<ComparisonPair>()), task_(board.parts.background) {
  // Before this one: it waits for them.
  board.get<CodeListing>();
  for (const Side side : both_sides) board.get<CodeListing>(to_string(side));
}

/// Asks for the side's listing. nullptr where nothing is that side.
std::shared_ptr<const ListedCode> CodeDifference::code_of(Side side) {
  CodeListing& listing = side_listing(board_, side);
  switch (pair_.choice(side).kind) {
    case SideChoice::Kind::none:
      return nullptr;
    case SideChoice::Kind::sliders:
      listing.want();
      break;
    case SideChoice::Kind::pinned:
      listing.want(pair_.experiment(side));
      break;
    case SideChoice::Kind::point:
      listing.want(pair_.choice(side).point);
      break;
  }
  return listing.shown();
}

void CodeDifference::want() {
  const std::shared_ptr<const ListedCode> a = code_of(Side::a), b = code_of(Side::b);
  if (a == a_ && b == b_) return;
  a_ = a;
  b_ = b;
  task_.drop();
  if (!has_lines(a) || !has_lines(b)) return end(nullptr);
  task_.start([this, a, b]() -> BackgroundTasks::Continuation {
    return [this, made = compare(a, b)] { end(made); };
  });
}

MissingAnswer CodeDifference::missing() const {
  for (const Side side : both_sides) {
    const CodeListing& listing = side_listing(board_, side);
    if (!listing.missing().heading.empty()) return listing.missing();
    const std::string why = listing.shown() ? listing.shown()->answer.machine_code.why_none : "";
    if (!why.empty()) return {"No machine code to compare", why};
  }
  return {"Comparing...", ""};
}

void CodeDifference::end(std::shared_ptr<const ComparedCode> code) {
  code_ = std::move(code);
  ++revision_;
}

}  // namespace tilescope
