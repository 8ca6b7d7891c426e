#include "base/text/line_diff.hpp"

#include <dtl/dtl.hpp>

#include <string_view>
#include <unordered_map>

namespace tilescope {
namespace {

/// Equal lines have equal numbers.
class Numbers {
 public:
  std::vector<std::uint32_t> of(const std::vector<std::string>& lines) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const std::string& line : lines) {
      const auto next = static_cast<std::uint32_t>(known_.size());
      numbers.push_back(known_.try_emplace(line, next).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

/// The lines between two that are in both texts.
class Stretch {
 public:
  void remove(std::uint32_t line) { removed_.push_back({DiffKind::removed, line, {}}); }
  void add(std::uint32_t line) { added_.push_back({DiffKind::added, {}, line}); }
  void end(std::vector<DiffRow>& into) {
    for (std::vector<DiffRow>* rows : {&removed_, &added_}) {
      into.insert(into.end(), rows->begin(), rows->end());
      rows->clear();
    }
  }

 private:
  std::vector<DiffRow> removed_, added_;
};

}  // namespace

std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  using Lines = std::vector<std::uint32_t>;
  Numbers numbers;
  const Lines a = numbers.of(left);
  const Lines b = numbers.of(right);
  dtl::Diff<std::uint32_t, Lines> compared(a, b);
  compared.onHuge();
  compared.compose();
  std::vector<DiffRow> rows;
  Stretch stretch;
  std::uint32_t next_left = 0, next_right = 0;
  for (const auto& [line, info] : compared.getSes().getSequence()) {
    if (info.type == dtl::SES_DELETE) {
      stretch.remove(next_left++);
    } else if (info.type == dtl::SES_ADD) {
      stretch.add(next_right++);
    } else {
      stretch.end(rows);
      rows.push_back({DiffKind::same, next_left++, next_right++});
    }
  }
  stretch.end(rows);
  return rows;
}

}  // namespace tilescope
