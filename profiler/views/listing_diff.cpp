#include "profiler/views/listing_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <dtl/dtl.hpp>

#include <cctype>
#include <unordered_map>

#include "profiler/catalogue/constraints.hpp"
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

/// The stretch between two equal lines: its lines stand beside each other as far as they go.
class Stretch {
 public:
  void remove(std::uint32_t line) { left_.push_back(line); }
  void add(std::uint32_t line) { right_.push_back(line); }
  void end(ListingDiff& diff) {
    if (!left_.empty() || !right_.empty()) diff.hunks.push_back(static_cast<std::uint32_t>(diff.rows.size()));
    for (std::size_t i = 0; i < std::max(left_.size(), right_.size()); ++i) {
      DiffRow row{DiffKind::changed, {}, {}};
      if (i < left_.size()) row.left = left_[i];
      if (i < right_.size()) row.right = right_[i];
      if (!row.right) row.kind = DiffKind::removed;
      if (!row.left) row.kind = DiffKind::added;
      diff.rows.push_back(row);
    }
    left_.clear();
    right_.clear();
  }

 private:
  std::vector<std::uint32_t> left_, right_;
};

void count(ListingDiff& diff, const std::vector<SassLine>& left, const std::vector<SassLine>& right) {
  for (const DiffRow& row : diff.rows) {
    const bool is_label =
        (!row.left || left[*row.left].is_label()) && (!row.right || right[*row.right].is_label());
    if (is_label) continue;
    switch (row.kind) {
      case DiffKind::same:
        ++diff.same;
        break;
      case DiffKind::renamed:
        ++diff.renamed;
        break;
      case DiffKind::changed:
        ++diff.changed;
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

/// What of the launch differs: "the grid and the threads", "" for nothing.
std::string launch_difference(const KernelDeclaration& kernel, const DeviceModel& device,
                              const CodeOfConfiguration& here, const CodeOfConfiguration& other) {
  if (kernel.is_launched_by_library()) return "";
  try {
    const LaunchGeometry a = launch_geometry(kernel, here.parameters, here.shape, device);
    const LaunchGeometry b = launch_geometry(kernel, other.parameters, other.shape, device);
    std::vector<std::string> parts;
    if (a.grid_x != b.grid_x || a.grid_y != b.grid_y || a.grid_z != b.grid_z) parts.emplace_back("the grid");
    if (a.threads != b.threads) parts.emplace_back("the threads per block");
    if (a.dynamic_shared_bytes != b.dynamic_shared_bytes) parts.emplace_back("the dynamic shared memory");
    return fmt::format("{}", fmt::join(parts, " and "));
  } catch (const std::exception&) {
    return "";  // a recorded point of an older declaration
  }
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
  return fmt::format(
      "{} instructions equal, {} with other registers, {} changed, {} only left, {} only right",
      number(diff.same), number(diff.renamed), number(diff.changed), number(diff.removed),
      number(diff.added));
}

std::optional<SameCode> same_code(const KernelDeclaration& kernel, const DeviceModel& device,
                                  const CodeOfConfiguration& here, const CodeOfConfiguration& other) {
  if (here.sass_sha256.empty() || here.sass_sha256 != other.sass_sha256) return std::nullopt;
  std::vector<std::string> names, values;
  for (const auto& [name, value] : here.parameters) {
    const auto found = other.parameters.find(name);
    if (found == other.parameters.end() || found->second == value) continue;
    names.push_back(name);
    values.push_back(fmt::format("{} {} and {}", name, to_string(value), to_string(found->second)));
  }
  if (names.empty()) return std::nullopt;
  const bool is_one = names.size() == 1;
  const std::string launch = launch_difference(kernel, device, here, other);
  const std::string subject = is_one ? "This parameter" : "These parameters";
  const std::string codes = fmt::format("{} compile to the same machine code", fmt::join(values, ", "));
  if (!launch.empty())
    return SameCode{fmt::format("{} {} the launch alone", subject, is_one ? "changes" : "change"),
                    fmt::format("{}. Only {} differ.", codes, launch)};
  return SameCode{fmt::format("{} {} nothing here", subject, is_one ? "changes" : "change"), codes + "."};
}

}  // namespace tilescope
