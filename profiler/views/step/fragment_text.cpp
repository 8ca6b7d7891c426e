#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/reference/number_formats.hpp"
#include "profiler/views/step/fragments.hpp"

namespace tilescope {

namespace {

using ptx::Type;

std::uint32_t bits_at(const FragmentMatrix& matrix, const FragmentPlace& place, const LaneWords& lanes) {
  const int bits = 32 / matrix.parts;
  const std::uint32_t word = lanes[place.lane] >> (place.part * bits);
  return bits == 32 ? word : word & ((std::uint32_t{1} << bits) - 1);
}

double decoded(std::uint32_t bits, Type type) {
  using reference::Format;
  switch (type) {
    case Type::f16:
      return reference::to_float(static_cast<std::uint16_t>(bits), Format::fp16);
    case Type::bf16:
      return reference::to_float(static_cast<std::uint16_t>(bits), Format::bf16);
    case Type::f32:
      return std::bit_cast<float>(bits);
    case Type::tf32:
      return std::bit_cast<float>(bits & 0xffffe000u);
    case Type::s8:
      return static_cast<std::int8_t>(bits);
    case Type::s32:
      return static_cast<std::int32_t>(bits);
    default:
      return bits;
  }
}

// After a register's name in a cell.
std::string part_letters(const FragmentMatrix& matrix, int part) {
  if (matrix.parts == 1) return "";
  if (matrix.parts == 2) return part == 0 ? " lo" : " hi";
  return fmt::format(" b{}", part);
}

std::string range_words(const char* one, const char* several, int first, int last) {
  return first == last ? fmt::format("{} {}", one, first) : fmt::format("{} {} to {}", several, first, last);
}

// "0-1, 8-9": the columns of these elements, which lie in one row.
std::string columns_words(std::span<const FragmentElement> elements) {
  std::string words;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t last = i;
    while (last + 1 < elements.size() && elements[last + 1].column == elements[last].column + 1) ++last;
    if (!words.empty()) words += ", ";
    words += std::to_string(elements[i].column);
    if (last > i) words += fmt::format("-{}", elements[last].column);
    i = last + 1;
  }
  return words;
}

// "rows 3, 11: columns 4-5": rows with the same columns together.
std::string places_of(std::span<const FragmentElement> elements) {
  std::vector<std::pair<std::string, std::string>> rows_of_columns;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t end = i;
    while (end < elements.size() && elements[end].row == elements[i].row) ++end;
    const std::string columns = columns_words(elements.subspan(i, end - i));
    if (rows_of_columns.empty() || rows_of_columns.back().first != columns) {
      rows_of_columns.emplace_back(columns, std::to_string(elements[i].row));
    } else {
      rows_of_columns.back().second += ", " + std::to_string(elements[i].row);
    }
    i = end;
  }
  std::string words;
  for (const auto& [columns, rows] : rows_of_columns) {
    if (!words.empty()) words += "; ";
    words += fmt::format("row{} {}: column{} {}", rows.find(',') == std::string::npos ? "" : "s", rows,
                         columns.find_first_of(",-") == std::string::npos ? "" : "s", columns);
  }
  return words;
}

}  // namespace

std::optional<double> value_of(const FragmentView& view, const FragmentElement& element,
                               FragmentWords words) {
  const FragmentMatrix& matrix = view.matrices[element.matrix];
  const FragmentPlace& place = place_of(view, element);
  if (place.reg >= words.size() || !words[place.reg]) return std::nullopt;
  return decoded(bits_at(matrix, place, *words[place.reg]), matrix.value_type);
}

std::string value_text(const FragmentView& view, const FragmentElement& element, FragmentWords words) {
  const auto value = value_of(view, element, words);
  if (!value) return "";
  const Type type = view.matrices[element.matrix].value_type;
  if (type == Type::b16) return fmt::format("0x{:04x}", static_cast<std::uint32_t>(*value));
  return ptx::is_floating(type) ? fmt::format("{:.3g}", *value) : fmt::format("{}", *value);
}

std::string lane_group_words(int lane) {
  return fmt::format("group {}, thread {}", lane / 4, lane % 4);
}

std::string part_words(const FragmentMatrix& matrix, int part) {
  if (matrix.parts == 1) return "";
  if (matrix.parts == 2) return part == 0 ? "lower half" : "upper half";
  return fmt::format("byte {}", part);
}

std::string matrix_title(const FragmentMatrix& matrix) {
  return matrix.role == FragmentRole::tile ? "Matrix " + matrix.name : matrix.name;
}

std::string extent_words(const FragmentMatrix& matrix) {
  return fmt::format("{} x {}, {}", matrix.rows, matrix.columns, ptx::name_of(matrix.type));
}

std::vector<TextPair> element_lines(const FragmentView& view, const FragmentElement& element,
                                    FragmentWords words) {
  const FragmentMatrix& matrix = view.matrices[element.matrix];
  const FragmentPlace& place = place_of(view, element);
  std::vector<TextPair> lines;
  lines.emplace_back(matrix_title(matrix), fmt::format("row {}, column {}", element.row, element.column));
  lines.emplace_back("Lane", fmt::format("{} ({})", place.lane, lane_group_words(place.lane)));
  const std::string part = part_words(matrix, place.part);
  lines.emplace_back("Register", view.registers[place.reg].name + (part.empty() ? "" : ", " + part));
  for (const FragmentRegister& reg : view.registers) {
    if (reg.repeats == place.reg) lines.emplace_back("Also in", reg.name);
  }
  if (matrix.address_lane)
    lines.emplace_back("Address of the row", fmt::format("from lane {}", *matrix.address_lane + element.row));
  if (const auto value = value_of(view, element, words)) {
    const auto bits = bits_at(matrix, place, *words[place.reg]);
    lines.emplace_back("Value", matrix.value_type == Type::b16 ? value_text(view, element, words)
                                                               : fmt::format("{:.9g}", *value));
    lines.emplace_back("Bits", fmt::format("0x{:0{}x}", bits, 8 / matrix.parts));
  } else if (!words.empty()) {
    lines.emplace_back("Value", matrix.is_result ? "not yet written" : "not known here");
  }
  return lines;
}

std::vector<TextPair> lane_lines(const FragmentView& view, int lane) {
  std::vector<TextPair> lines;
  lines.emplace_back("Lane", fmt::format("{} ({})", lane, lane_group_words(lane)));
  const std::vector<FragmentElement> elements = elements_of_lane(view, lane);
  for (std::size_t first = 0; first < elements.size();) {
    std::size_t end = first;
    while (end < elements.size() && elements[end].matrix == elements[first].matrix) ++end;
    lines.emplace_back(matrix_title(view.matrices[elements[first].matrix]),
                       places_of(std::span(elements).subspan(first, end - first)));
    first = end;
  }
  for (const FragmentMatrix& matrix : view.matrices) {
    if (!matrix.address_lane) continue;
    const int row = lane - *matrix.address_lane;
    if (row >= 0 && row < matrix.rows)
      lines.emplace_back("Gives the address of", fmt::format("row {} of matrix {}", row, matrix.name));
  }
  return lines;
}

std::vector<TextPair> register_lines(const FragmentView& view, std::size_t reg) {
  const FragmentRegister& named = view.registers[reg];
  const FragmentMatrix& matrix = view.matrices[named.matrix];
  const std::vector<FragmentElement> elements = elements_of_register(view, reg);
  std::vector<TextPair> lines;
  lines.emplace_back("Register", named.name);
  int first_row = matrix.rows, last_row = 0, first_column = matrix.columns, last_column = 0;
  for (const FragmentElement& element : elements) {
    first_row = std::min(first_row, element.row), last_row = std::max(last_row, element.row);
    first_column = std::min(first_column, element.column),
    last_column = std::max(last_column, element.column);
  }
  if (!elements.empty()) {
    // Accumulators of 32 bits lie in two registers by turns.
    const auto area = static_cast<std::size_t>((last_row - first_row + 1) * (last_column - first_column + 1));
    lines.emplace_back(matrix_title(matrix),
                       fmt::format("{}, {}{}", range_words("row", "rows", first_row, last_row),
                                   elements.size() < area ? "every second of " : "",
                                   range_words("column", "columns", first_column, last_column)));
  }
  lines.emplace_back("Elements in a lane", std::to_string(matrix.parts));
  lines.emplace_back("Lanes", "0 to 31");
  if (named.repeats) lines.emplace_back("Repeats", view.registers[*named.repeats].name);
  return lines;
}

std::vector<TextPair> mark_lines(const FragmentView& view, const FragmentMark& mark, FragmentWords words) {
  if (mark.element) return element_lines(view, *mark.element, words);
  if (mark.lane) return lane_lines(view, *mark.lane);
  if (mark.reg) return register_lines(view, *mark.reg);
  return {};
}

std::string mark_hint(const FragmentView& view, const FragmentMark& mark) {
  if (!mark.element || !view.is_product()) return "";
  const FragmentRole role = view.matrices[mark.element->matrix].role;
  if (role != FragmentRole::c && role != FragmentRole::d) return "";
  return fmt::format("Outlined: row {} of A and column {} of B, from which it is computed", mark.element->row,
                     mark.element->column);
}

std::vector<FragmentCellTexts> fragment_cell_texts(const FragmentView& view, FragmentCells cells,
                                                   FragmentWords words) {
  std::vector<FragmentCellTexts> texts(view.matrices.size());
  for (std::size_t m = 0; m < texts.size(); ++m) {
    const FragmentMatrix& matrix = view.matrices[m];
    texts[m].lines.reserve(matrix.places.size());
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        const FragmentPlace& place = matrix.at(row, column);
        const std::string lane = std::to_string(place.lane);
        std::array<std::string, 2> lines{lane,
                                         view.registers[place.reg].name + part_letters(matrix, place.part)};
        if (cells == FragmentCells::values) lines = {value_text(view, {m, row, column}, words), lane};
        for (const std::size_t i : {0U, 1U})
          texts[m].letters[i] = std::max(texts[m].letters[i], lines[i].size());
        texts[m].lines.push_back(std::move(lines));
      }
    }
  }
  return texts;
}

std::string fragments_csv(const FragmentView& view, FragmentWords words) {
  std::string csv = "matrix,row,column,lane,register,part,value\n";
  for (std::size_t m = 0; m < view.matrices.size(); ++m) {
    const FragmentMatrix& matrix = view.matrices[m];
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        const FragmentPlace& place = matrix.at(row, column);
        const auto value = value_of(view, {m, row, column}, words);
        csv +=
            fmt::format("{},{},{},{},{},{},{}\n", matrix.name, row, column, place.lane,
                        view.registers[place.reg].name, place.part, value ? fmt::format("{}", *value) : "");
      }
    }
  }
  return csv;
}

}  // namespace tilescope
