#include "app/explorer/code_difference.hpp"

#include <algorithm>
#include <utility>

#include "app/explorer/explorer.hpp"

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

/// Asks for the side's listing. nullptr where nothing is that side.
std::shared_ptr<const ListedCode> code_of(Explorer& explorer, Side side) {
  const ComparisonPair& pair = explorer.comparison();
  CodeListing& listing = explorer.side_listing(side);
  switch (pair.choice(side).kind) {
    case SideChoice::Kind::none:
      return nullptr;
    case SideChoice::Kind::sliders:
      listing.want(explorer);
      break;
    case SideChoice::Kind::pinned:
      listing.want(explorer, pair.experiment(side));
      break;
    case SideChoice::Kind::point:
      listing.want(explorer, pair.choice(side).point);
      break;
  }
  return listing.code();
}

}  // namespace

const SassLine& ComparedCode::line(std::size_t row) const {
  const DiffRow& at = diff.rows[row];
  return at.right ? right()[*at.right] : left()[*at.left];
}

void CodeDifference::want(Explorer& explorer) {
  const std::shared_ptr<const ListedCode> a = code_of(explorer, Side::a), b = code_of(explorer, Side::b);
  if (a == a_ && b == b_) return;
  a_ = a;
  b_ = b;
  ++last_task_;
  if (!has_lines(a) || !has_lines(b)) return end(nullptr);
  waits_ = true;
  background_.start([this, alive = std::weak_ptr<bool>(alive_), task = last_task_, a, b,
                     &explorer]() -> BackgroundTasks::Continuation {
    return [this, alive, task, made = compare(a, b), &explorer] {
      if (alive.expired() || task != last_task_) return;
      end(made);
      explorer.draw_again();
    };
  });
}

void CodeDifference::end(std::shared_ptr<const ComparedCode> code) {
  waits_ = false;
  code_ = std::move(code);
  ++revision_;
}

}  // namespace tilescope
