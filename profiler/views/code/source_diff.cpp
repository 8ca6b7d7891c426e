#include "profiler/views/code/source_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "profiler/views/code/code_lines.hpp"
#include "profiler/views/code/quiet_lines.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find("//"));
}

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

std::vector<MacroDifference> macro_differences(const KernelMacros& left, const KernelMacros& right) {
  const std::map<std::string, std::string> in_a(left.begin(), left.end()), in_b(right.begin(), right.end());
  std::vector<MacroDifference> differences;
  const auto value = [](const std::map<std::string, std::string>& macros, const std::string& name) {
    const auto found = macros.find(name);
    return found == macros.end() ? std::string() : found->second;
  };
  for (const auto& [name, text] : in_a) {
    if (!in_b.contains(name) || in_b.at(name) != text) differences.push_back({name, text, value(in_b, name)});
  }
  for (const auto& [name, text] : in_b) {
    if (!in_a.contains(name)) differences.push_back({name, "", text});
  }
  return differences;
}

/// A file of both sides, or of one; nullptr where a side does not have it.
struct FilePair {
  std::string name;
  const std::string* left = nullptr;
  const std::string* right = nullptr;
  /// Lines of a declaration hold names and nothing that is compiled.
  bool is_code() const { return !name.ends_with(".json"); }
};

std::vector<FilePair> file_pairs(const SourceFile& left, const SourceFile& right) {
  std::vector<FilePair> pairs;
  const bool has_one_name = left.name == right.name;
  pairs.push_back({has_one_name ? left.name : left.name + " | " + right.name, &left.text, &right.text});
  std::set<std::string> names;
  for (const auto& [name, text] : left.headers) names.insert(name);
  for (const auto& [name, text] : right.headers) names.insert(name);
  const auto text_of = [](const SourceFile& source, const std::string& name) {
    const auto found = source.headers.find(name);
    return found == source.headers.end() ? nullptr : &found->second;
  };
  pairs.reserve(pairs.size() + names.size());
  for (const std::string& name : names) pairs.push_back({name, text_of(left, name), text_of(right, name)});
  return pairs;
}

/// Adds one file after the other.
class Maker {
 public:
  explicit Maker(SourceDiff& diff) : diff_(diff) {}

  void add(const FilePair& pair) {
    file_ = diff_.files.size();
    diff_.files.push_back(pair.name);
    const std::vector<std::string> left =
        pair.left != nullptr ? code_lines(*pair.left) : std::vector<std::string>();
    const std::vector<std::string> right =
        pair.right != nullptr ? code_lines(*pair.right) : std::vector<std::string>();
    std::vector<DiffRow> rows = line_diff(left, right);
    if (pair.is_code()) mark_macros(rows, left);
    count(rows);
    const bool is_quiet =
        std::ranges::all_of(rows, [](const DiffRow& row) { return row.kind == DiffKind::same; });
    const bool is_in_both = pair.left != nullptr && pair.right != nullptr;
    const bool is_folded = file_ > 0 && is_quiet && is_in_both;
    add_heading(pair, is_folded ? left.size() : 0);
    if (is_folded) return;
    for (const DiffRow& row : rows)
      push({row, file_, false}, row.right ? right[*row.right] : left[*row.left]);
  }

 private:
  void add_heading(const FilePair& pair, std::size_t folded_lines) {
    SourceDiffRow row{{DiffKind::same, {}, {}}, file_, true};
    std::string text = pair.name;
    if (folded_lines > 0)
      text += fmt::format(", equal: {}", counted_noun(static_cast<std::int64_t>(folded_lines), "line"));
    if (pair.right == nullptr) {
      row.lines.kind = DiffKind::removed;
      text += ", only in A";
    } else if (pair.left == nullptr) {
      row.lines.kind = DiffKind::added;
      text += ", only in B";
    }
    push(row, std::move(text));
  }

  /// An equal line is other code where a macro in it has another value.
  void mark_macros(std::vector<DiffRow>& rows, const std::vector<std::string>& left) const {
    if (diff_.macros.empty()) return;
    const std::vector<bool> quiet = quiet_lines(CodeColumn::cuda, left);
    for (DiffRow& row : rows) {
      if (row.kind != DiffKind::same || quiet[*row.left]) continue;
      const bool names_one = std::ranges::any_of(diff_.macros, [&](const MacroDifference& macro) {
        return has_word(without_comment(left[*row.left]), macro.name);
      });
      if (names_one) row.kind = DiffKind::renamed;
    }
  }

  void count(const std::vector<DiffRow>& rows) {
    for (const DiffRow& row : rows) {
      if (row.kind == DiffKind::removed) ++diff_.removed;
      if (row.kind == DiffKind::added) ++diff_.added;
      if (!is_one_sided(row.kind)) ++diff_.same;
      if (row.kind == DiffKind::renamed) ++diff_.renamed;
    }
  }

  void push(const SourceDiffRow& row, std::string text) {
    const bool differs = row.lines.kind != DiffKind::same;
    if (differs && !is_in_hunk_) diff_.hunks.push_back(static_cast<std::uint32_t>(diff_.rows.size()));
    is_in_hunk_ = differs;
    diff_.rows.push_back(row);
    diff_.texts.push_back(std::move(text));
  }

  SourceDiff& diff_;
  std::size_t file_ = 0;
  bool is_in_hunk_ = false;
};

std::string number(std::size_t value) {
  return format_count(static_cast<std::int64_t>(value));
}

std::string lines_words(std::size_t count) {
  return counted_noun(static_cast<std::int64_t>(count), "line");
}

std::string command(const SourceDiff& diff, const SourceFile& source, std::string MacroDifference::*side) {
  std::string text = source.name;
  for (const MacroDifference& macro : diff.macros) {
    if (!(macro.*side).empty()) text += fmt::format(" -D{}={}", macro.name, macro.*side);
  }
  return text;
}

std::string to_words(const SourceDiffRow& row) {
  switch (row.lines.kind) {
    case DiffKind::same:
      return row.is_heading ? "equal file" : "same";
    case DiffKind::renamed:
      return "names a macro that differs";
    case DiffKind::removed:
      return "only in A";
    case DiffKind::added:
      break;
  }
  return "only in B";
}

}  // namespace

SourceDiff source_diff(const MacroSource& left, const MacroSource& right) {
  SourceDiff diff;
  diff.macros = macro_differences(left.macros, right.macros);
  Maker maker(diff);
  for (const FilePair& pair : file_pairs(left.source, right.source)) maker.add(pair);
  return diff;
}

std::string diff_summary(const SourceDiff& diff) {
  if (!diff.is_same_text()) {
    const std::string marked =
        diff.renamed == 0 ? "" : fmt::format(" (~ {} with a macro that differs)", number(diff.renamed));
    return fmt::format("{} equal{}, - {} only in A, + {} only in B", lines_words(diff.same), marked,
                       number(diff.removed), number(diff.added));
  }
  if (diff.macros.empty()) return "Equal text and equal macros";
  std::string names;
  for (const MacroDifference& macro : diff.macros) names += (names.empty() ? "" : ", ") + macro.name;
  const std::string text = "Equal text. Macros that differ: " + names;
  if (diff.renamed == 0) return text + ", in no line of code";
  return fmt::format("{}; ~ marks the {} with them", text, lines_words(diff.renamed));
}

std::string left_command(const SourceDiff& diff, const SourceFile& source) {
  return command(diff, source, &MacroDifference::left);
}

std::string right_command(const SourceDiff& diff, const SourceFile& source) {
  return command(diff, source, &MacroDifference::right);
}

std::string diff_csv(const SourceDiff& diff) {
  const auto line = [](const std::optional<std::uint32_t>& at) {
    return at ? std::to_string(*at + 1) : std::string();
  };
  CsvText csv;
  csv.add({"difference", "file", "line in A", "line in B", "text"});
  for (std::size_t i = 0; i < diff.rows.size(); ++i) {
    const SourceDiffRow& row = diff.rows[i];
    const bool is_file_with_lines =
        row.is_heading && i + 1 < diff.rows.size() && diff.rows[i + 1].file == row.file;
    if (is_file_with_lines) continue;
    csv.add({to_words(row), diff.files[row.file], line(row.lines.left), line(row.lines.right),
             row.is_heading ? "" : diff.texts[i]});
  }
  return csv.text();
}

}  // namespace tilescope
