#include "profiler/views/listing_diff.hpp"

#include <fmt/format.h>
#include <dtl/dtl.hpp>

#include <cctype>
#include <unordered_map>

#include "sessions/views/csv.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether a name such as R12, UR4, P0 or .L_x_3 ends before a place: there its number starts.
bool ends_a_numbered_name(const std::string& text, std::size_t at) {
  if (at >= 5 && text.compare(at - 5, 5, ".L_x_") == 0) return true;
  const char letter = at > 0 ? text[at - 1] : ' ';
  if (letter != 'R' && letter != 'P' && letter != 'B') return false;
  std::size_t begin = at - 1;
  if (begin > 0 && text[begin - 1] == 'U') --begin;
  return begin == 0 || !is_word(text[begin - 1]);
}

/// Equal lines have equal numbers.
class Numbers {
 public:
  std::vector<std::uint32_t> of(const std::vector<SassLine>& lines) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const SassLine& line : lines) {
      const auto next = static_cast<std::uint32_t>(known_.size());
      numbers.push_back(known_.try_emplace(normalised(line.text), next).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> known_;
};

/// The lines between two that are in both codes.
class Stretch {
 public:
  void remove(std::uint32_t line) { removed_.push_back({DiffKind::removed, line, {}}); }
  void add(std::uint32_t line) { added_.push_back({DiffKind::added, {}, line}); }
  void end(ListingDiff& diff) {
    if (!removed_.empty() || !added_.empty())
      diff.hunks.push_back(static_cast<std::uint32_t>(diff.rows.size()));
    for (std::vector<DiffRow>* rows : {&removed_, &added_}) {
      diff.rows.insert(diff.rows.end(), rows->begin(), rows->end());
      rows->clear();
    }
  }

 private:
  std::vector<DiffRow> removed_, added_;
};

const SassLine& line_of(const DiffRow& row, const std::vector<SassLine>& left,
                        const std::vector<SassLine>& right) {
  return row.right ? right[*row.right] : left[*row.left];
}

void count(ListingDiff& diff, const std::vector<SassLine>& left, const std::vector<SassLine>& right) {
  for (const DiffRow& row : diff.rows) {
    if (line_of(row, left, right).is_label()) continue;
    switch (row.kind) {
      case DiffKind::same:
        ++diff.same;
        break;
      case DiffKind::renamed:
        ++diff.renamed;
        break;
      case DiffKind::removed:
        ++diff.removed;
        break;
      case DiffKind::added:
        ++diff.added;
        break;
    }
  }
}

std::string to_words(DiffKind kind) {
  switch (kind) {
    case DiffKind::same:
      return "same";
    case DiffKind::renamed:
      return "other registers";
    case DiffKind::removed:
      return "only in A";
    case DiffKind::added:
      break;
  }
  return "only in B";
}

}  // namespace

std::string normalised(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i]) && ends_a_numbered_name(text, i)) {
      while (i < text.size() && is_digit(text[i])) ++i;
      if (i == text.size()) break;
    }
    result += text[i];
  }
  return result;
}

ListingDiff listing_diff(const std::vector<SassLine>& left, const std::vector<SassLine>& right) {
  using Lines = std::vector<std::uint32_t>;
  Numbers numbers;
  const Lines a = numbers.of(left);
  const Lines b = numbers.of(right);
  dtl::Diff<std::uint32_t, Lines> compared(a, b);
  compared.onHuge();
  compared.compose();
  ListingDiff diff;
  Stretch stretch;
  std::uint32_t next_left = 0, next_right = 0;
  for (const auto& [line, info] : compared.getSes().getSequence()) {
    if (info.type == dtl::SES_DELETE) {
      stretch.remove(next_left++);
    } else if (info.type == dtl::SES_ADD) {
      stretch.add(next_right++);
    } else {
      stretch.end(diff);
      const bool is_same = left[next_left].text == right[next_right].text;
      diff.rows.push_back({is_same ? DiffKind::same : DiffKind::renamed, next_left++, next_right++});
    }
  }
  stretch.end(diff);
  count(diff, left, right);
  return diff;
}

std::string diff_summary(const ListingDiff& diff) {
  const auto number = [](std::size_t value) { return format_count(static_cast<std::int64_t>(value)); };
  return fmt::format("{} instructions equal, ~ {} with other registers, - {} only in A, + {} only in B",
                     number(diff.same), number(diff.renamed), number(diff.removed), number(diff.added));
}

std::string diff_csv(const ListingDiff& diff, const std::vector<SassLine>& left,
                     const std::vector<SassLine>& right) {
  const auto address = [](const std::vector<SassLine>& lines, const std::optional<std::uint32_t>& line) {
    return line && !lines[*line].is_label() ? fmt::format("{:04x}", lines[*line].address) : std::string();
  };
  CsvText csv;
  csv.add({"difference", "address in A", "address in B", "text"});
  for (const DiffRow& row : diff.rows)
    csv.add({to_words(row.kind), address(left, row.left), address(right, row.right),
             line_of(row, left, right).text});
  return csv.text();
}

}  // namespace tilescope
