#include "profiler/views/code/listing_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"

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

std::vector<std::string> normalised_texts(const std::vector<SassLine>& lines) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const SassLine& line : lines) texts.push_back(normalised(line.text));
  return texts;
}

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

/// "00b0"; "" where the line is in the other code alone, and at labels.
std::string address_of(const std::vector<SassLine>& lines, const std::optional<std::uint32_t>& line) {
  return line && !lines[*line].is_label() ? fmt::format("{:04x}", lines[*line].address) : std::string();
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
  ListingDiff diff;
  diff.rows = line_diff(normalised_texts(left), normalised_texts(right));
  bool is_in_hunk = false;
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    DiffRow& row = diff.rows[i];
    if (is_one_sided(row.kind) && !is_in_hunk) diff.hunks.push_back(static_cast<std::uint32_t>(i));
    is_in_hunk = is_one_sided(row.kind);
    if (row.kind == DiffKind::same && left[*row.left].text != right[*row.right].text)
      row.kind = DiffKind::renamed;
  }
  count(diff, left, right);
  return diff;
}

std::string diff_summary(const ListingDiff& diff) {
  const auto number = [](std::size_t value) { return format_count(static_cast<std::int64_t>(value)); };
  return fmt::format("{} instructions equal, ~ {} with other registers, - {} only in A, + {} only in B",
                     number(diff.same), number(diff.renamed), number(diff.removed), number(diff.added));
}

std::size_t address_digits(const std::vector<SassLine>& left, const std::vector<SassLine>& right) {
  std::uint64_t last = 0;
  for (const std::vector<SassLine>* lines : {&left, &right}) {
    for (const SassLine& line : *lines) last = std::max<std::uint64_t>(last, line.address);
  }
  return fmt::formatted_size("{:04x}", last);
}

std::string diff_addresses(const DiffRow& row, const std::vector<SassLine>& left,
                           const std::vector<SassLine>& right, std::size_t digits) {
  return fmt::format("{:>{}} {:>{}}", address_of(left, row.left), digits, address_of(right, row.right),
                     digits);
}

std::string diff_csv(const ListingDiff& diff, const std::vector<SassLine>& left,
                     const std::vector<SassLine>& right) {
  CsvText csv;
  csv.add({"difference", "address in A", "address in B", "text"});
  for (const DiffRow& row : diff.rows)
    csv.add({to_words(row.kind), address_of(left, row.left), address_of(right, row.right),
             line_of(row, left, right).text});
  return csv.text();
}

}  // namespace tilescope
