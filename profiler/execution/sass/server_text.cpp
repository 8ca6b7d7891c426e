#include "profiler/execution/sass/server_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "profiler/execution/sass/elf_file.hpp"
#include "profiler/execution/sass/line_table.hpp"

namespace tilescope::sass {
namespace {

// Instructions of which the last operand is an address of code.
constexpr std::array<std::string_view, 5> branches = {"BRA", "BSSY", "CALL.REL", "RET.REL",
                                                      "WARPSYNC.COLLECTIVE"};
// Others that go somewhere, or name an address: by a register, a table or an absolute address.
constexpr std::array<std::string_view, 9> other_jumps = {"BRX",  "BRXU", "JMP",  "JMX",   "JMXU",
                                                         "CALL", "RET",  "LEPC", "RPCMOV"};

bool is_of(std::string_view opcode, std::string_view family) {
  return opcode.starts_with(family) && (opcode.size() == family.size() || opcode[family.size()] == '.');
}

template <class Families>
bool is_any_of(std::string_view opcode, const Families& families) {
  return std::ranges::any_of(families, [&](std::string_view family) { return is_of(opcode, family); });
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct PrintedLine {
  std::uint64_t address = 0;
  /// Predicate, opcode and operands, without the semicolon.
  std::string_view body;
  /// For a branch: its target, and the character of `body` at which the target begins.
  std::optional<std::uint64_t> target;
  std::size_t target_at = 0;
};

// `        /*05d0*/               @P1 BRA 0xec0 ;`
std::optional<PrintedLine> read_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t end = line.find("*/");
  const std::size_t last = line.rfind(';');
  if (!line.starts_with("/*") || end == std::string_view::npos || last == std::string_view::npos ||
      last < end)
    return std::nullopt;
  const auto address = hexadecimal(line.substr(2, end - 2));
  if (!address) return std::nullopt;
  PrintedLine printed{*address, line.substr(end + 2, last - end - 2), std::nullopt, 0};
  const std::size_t first = printed.body.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  printed.body.remove_prefix(first);
  printed.body.remove_suffix(printed.body.size() - 1 - printed.body.find_last_not_of(' '));
  return printed;
}

std::string_view opcode_of(std::string_view body) {
  if (body.starts_with('@')) {
    body.remove_prefix(std::min(body.find(' '), body.size()));
    body.remove_prefix(std::min(body.find_first_not_of(' '), body.size()));
  }
  return body.substr(0, body.find(' '));
}

// False for a jump whose target is not an address in the text.
bool find_target(PrintedLine& line) {
  const std::string_view opcode = opcode_of(line.body);
  if (!is_any_of(opcode, branches)) return !is_any_of(opcode, other_jumps);
  line.target_at = line.body.rfind(' ') + 1;
  if (!line.body.substr(line.target_at).starts_with("0x")) return false;
  line.target = hexadecimal(line.body.substr(line.target_at + 2));
  return line.target.has_value();
}

// Every line of `printed` that is an instruction; nothing where one is not understood.
std::optional<std::vector<PrintedLine>> read_lines(std::string_view printed, std::size_t expected) {
  std::vector<PrintedLine> lines;
  lines.reserve(expected);
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    const std::string_view text = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    if (text.find("/*") == std::string_view::npos) continue;
    std::optional<PrintedLine> line = read_line(text);
    if (!line || !find_target(*line) || line->address != 16 * lines.size()) return std::nullopt;
    lines.push_back(*line);
  }
  if (lines.size() != expected) return std::nullopt;
  return lines;
}

/// The rows of a table one after the other, as the addresses ascend.
class Rows {
 public:
  explicit Rows(const LineTable& table) : table_(table) {}

  /// Into LineTable::rows, plus 1, if another row holds from this address on; else 0.
  std::size_t begins_at(std::uint64_t address) {
    std::size_t row = 0;
    while (next_ < table_.rows.size() && table_.rows[next_].address <= address) row = ++next_;
    return row;
  }

 private:
  const LineTable& table_;
  std::size_t next_ = 0;
};

class Writer {
 public:
  Writer(const CubinFunction& function, const LineTable& source, const LineTable& ptx)
      : function_(function), source_(source), ptx_(ptx) {}

  std::string write(const std::string& architecture, const std::vector<PrintedLine>& lines) {
    name_labels(lines);
    text_ =
        fmt::format("\t.target\t{}\n\t.section\t.text.{},\"ax\",@progbits\n", architecture, function_.name);
    if (function_.is_kernel) text_ += fmt::format("\t.other {},@\"STO_CUDA_ENTRY\"\n", function_.name);
    Rows source_rows(source_), ptx_rows(ptx_);
    for (const PrintedLine& line : lines) {
      write_labels(line.address);
      if (const std::size_t row = source_rows.begins_at(line.address)) write_source(row);
      if (const std::size_t row = ptx_rows.begins_at(line.address))
        text_ += fmt::format("\t//## File \".nv_debug_ptx_txt\", line {}\n", ptx_.rows[row - 1].line);
      write_instruction(line);
    }
    write_labels(function_.bytes());
    return std::move(text_);
  }

 private:
  // Numbered as the text needs them, as by nvdisasm.
  void name_labels(const std::vector<PrintedLine>& lines) {
    for (const CubinSymbol& entry : function_.entries) labels_.emplace(entry.offset, entry.name);
    std::size_t numbered = 0;
    for (const PrintedLine& line : lines) {
      if (line.target && !labels_.contains(*line.target))
        labels_.emplace(*line.target, fmt::format(".L_x_{}", numbered++));
    }
  }

  void write_labels(std::uint64_t address) {
    const auto label = labels_.find(address);
    if (label != labels_.end()) text_ += label->second + ":\n";
  }

  // The row and those that it is inlined at. As nvdisasm does it, one of the same line changes nothing, even if it is
  // inlined elsewhere.
  void write_source(std::size_t row) {
    const LineRow& innermost = source_.rows[row - 1];
    if (shown_ != nullptr && shown_->file == innermost.file && shown_->line == innermost.line) return;
    shown_ = &innermost;
    while (row != 0) {
      const LineRow& here = source_.rows[row - 1];
      text_ += fmt::format("\t//## File \"{}\", line {}", file_of(here), here.line);
      if (here.inlined_at != 0) {
        const LineRow& call = source_.rows[here.inlined_at - 1];
        text_ += fmt::format(" inlined at \"{}\", line {}", file_of(call), call.line);
      }
      text_ += '\n';
      row = here.inlined_at;
    }
  }

  const std::string& file_of(const LineRow& row) const { return source_.files[row.file - 1]; }

  void write_instruction(const PrintedLine& line) {
    text_ += fmt::format("/*{:04x}*/ ", line.address);
    if (line.target) {
      text_ += line.body.substr(0, line.target_at);
      text_ += fmt::format("`({})", labels_.at(*line.target));
    } else {
      text_ += line.body;
    }
    text_ += " ;\n";
  }

  const CubinFunction& function_;
  const LineTable& source_;
  const LineTable& ptx_;
  std::map<std::uint64_t, std::string> labels_;
  const LineRow* shown_ = nullptr;
  std::string text_;
};

std::optional<LineTable> table_in(const ElfFile& file, std::string_view section) {
  const ElfSection* const found = file.find(section);
  return read_line_table(found == nullptr ? std::span<const char>() : found->contents);
}

}  // namespace

const CubinFunction* served_function(const Cubin& cubin) {
  if (cubin.functions.size() != 1 || !cubin.functions.front().relocations.empty()) return nullptr;
  return &cubin.functions.front();
}

std::optional<std::string> text_of_served(std::span<const char> file, const Cubin& cubin,
                                          const CubinFunction& function, std::string_view printed) {
  const auto lines = read_lines(printed, function.words.size());
  const ElfFile elf(file);
  const auto source = table_in(elf, ".debug_line");
  const auto ptx = table_in(elf, ".nv_debug_line_sass");
  if (!lines || !source || !ptx) return std::nullopt;
  if (std::ranges::any_of(source->rows, [](const LineRow& row) { return row.file == 0; }))
    return std::nullopt;
  return Writer(function, *source, *ptx).write(cubin.architecture, *lines);
}

}  // namespace tilescope::sass
