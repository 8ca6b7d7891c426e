#include "app/explorer/code_difference.hpp"

#include <algorithm>
#include <utility>

#include "app/explorer/explorer.hpp"

namespace tilescope {
namespace {

bool has_lines(const std::shared_ptr<const ListedCode>& code) {
  return code && !code->answer.machine_code.lines.empty();
}

std::shared_ptr<const ComparedCode> compare(std::shared_ptr<const ListedCode> compared,
                                            std::shared_ptr<const ListedCode> here) {
  auto code = std::make_shared<ComparedCode>();
  code->compared = std::move(compared);
  code->here = std::move(here);
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

void CodeDifference::want(Explorer& explorer) {
  explorer.code_listing().want(explorer);
  const Point point = explorer.compared_point();
  if (point) explorer.compared_listing().want(explorer, point);
  const std::shared_ptr<const ListedCode> compared = point ? explorer.compared_listing().code() : nullptr;
  const std::shared_ptr<const ListedCode> here = explorer.code_listing().code();
  if (compared == compared_ && here == here_) return;
  compared_ = compared;
  here_ = here;
  ++last_task_;
  if (!has_lines(compared) || !has_lines(here)) return end(nullptr);
  background_.start([this, alive = std::weak_ptr<bool>(alive_), task = last_task_, compared, here,
                     &explorer]() -> BackgroundTasks::Continuation {
    return [this, alive, task, made = compare(compared, here), &explorer] {
      if (alive.expired() || task != last_task_) return;
      end(made);
      explorer.draw_again();
    };
  });
}

void CodeDifference::end(std::shared_ptr<const ComparedCode> code) {
  code_ = std::move(code);
  ++revision_;
}

}  // namespace tilescope
