#include "app/window/fuzzy_match.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace tilescope {

namespace {

constexpr int of_a_match = 10;
constexpr int of_a_run = 15;
constexpr int of_a_word = 12;
constexpr int of_the_beginning = 6;
constexpr int of_a_skipped_letter = -1;
constexpr int impossible = -1'000'000;

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return is_letter(text[at]) && !is_letter(text[at - 1]);
}

int worth_of(std::string_view text, std::size_t at) {
  return of_a_match + (begins_word(text, at) ? of_a_word : 0) + (at == 0 ? of_the_beginning : 0);
}

/// One letter of the query against each place of the text.
struct Row {
  /// With the letter matched at the place; `impossible` where it cannot be.
  std::vector<int> score;
  /// Where the letter before was matched then.
  std::vector<std::size_t> before;
};

Row first_row(char letter, std::string_view text) {
  Row row{std::vector<int>(text.size(), impossible), std::vector<std::size_t>(text.size(), 0)};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (lower(text[at]) == letter) row.score[at] = worth_of(text, at);
  }
  return row;
}

Row next_row(const Row& last, char letter, std::string_view text) {
  Row row{std::vector<int>(text.size(), impossible), std::vector<std::size_t>(text.size(), 0)};
  // The best of the places so far, less a point for each letter since.
  int best = impossible;
  std::size_t best_at = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    best += of_a_skipped_letter;
    const std::size_t previous = at - 1;
    if (lower(text[at]) == letter) {
      const int after_run = last.score[previous] + of_a_run;
      const int after_gap = best;
      const bool continues_run = last.score[previous] > impossible && after_run >= after_gap;
      const int before = continues_run ? after_run : after_gap;
      if (before > impossible / 2) {
        row.score[at] = before + worth_of(text, at);
        row.before[at] = continues_run ? previous : best_at;
      }
    }
    if (last.score[previous] > best) {
      best = last.score[previous];
      best_at = previous;
    }
  }
  return row;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(std::string_view query, std::string_view text) {
  std::string letters;
  for (const char letter : query) {
    if (letter != ' ') letters += lower(letter);
  }
  if (letters.empty()) return FuzzyMatch{};
  if (letters.size() > text.size()) return std::nullopt;
  std::vector<Row> rows{first_row(letters[0], text)};
  for (std::size_t i = 1; i < letters.size(); ++i) rows.push_back(next_row(rows.back(), letters[i], text));
  const auto best = std::max_element(rows.back().score.begin(), rows.back().score.end());
  if (*best <= impossible / 2) return std::nullopt;
  FuzzyMatch match{*best, std::vector<std::size_t>(letters.size())};
  std::size_t at = static_cast<std::size_t>(best - rows.back().score.begin());
  for (std::size_t i = letters.size(); i-- > 0;) {
    match.positions[i] = at;
    at = rows[i].before[at];
  }
  return match;
}

}  // namespace tilescope
