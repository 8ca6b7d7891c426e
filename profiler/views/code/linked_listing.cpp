#include "profiler/views/code/linked_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiler/execution/ptx/parser.hpp"
#include "profiler/views/code/code_lines.hpp"
#include "sessions/views/code/source_excerpt.hpp"

namespace tilescope {
namespace {

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// The debug sections of PTX are lists of bytes: longer than the code, and nothing to read.
void drop_debug_sections(std::vector<std::string>& lines) {
  const auto starts = [](const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != std::string::npos && line.compare(first, 9, ".section ") == 0;
  };
  lines.erase(std::find_if(lines.begin(), lines.end(), starts), lines.end());
  while (!lines.empty() && lines.back().find_first_not_of(" \t") == std::string::npos) lines.pop_back();
}

std::vector<CodePlace> places_at(const ptx::Module& module, std::uint32_t location) {
  std::vector<CodePlace> places;
  for (; location < module.locations.size(); location = module.locations[location].inlined_at) {
    const simt::Location& place = module.locations[location];
    const std::string* path = module.file_path(place.file);
    if (place.line != 0 && path != nullptr) places.push_back({without_folder(*path), place.line});
  }
  return places;
}

void sort_once(std::vector<std::uint32_t>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

}  // namespace

std::string to_words(CodeColumn column) {
  switch (column) {
    case CodeColumn::cuda:
      return "CUDA";
    case CodeColumn::ptx:
      return "PTX";
    case CodeColumn::sass:
      break;
  }
  return "SASS";
}

LinkedListing::LinkedListing(const Listing::Answer& listing, const std::string& file) {
  auto code = std::make_shared<Code>();
  code->read_ptx(listing.ptx);
  code->read_machine_code(listing.machine_code);
  code_ = std::move(code);
  show_file(listing, file);
}

LinkedListing LinkedListing::with_file(const Listing::Answer& listing, const std::string& file) const {
  LinkedListing other;
  other.code_ = code_;
  other.show_file(listing, file);
  return other;
}

void LinkedListing::show_file(const Listing::Answer& listing, const std::string& file) {
  if (listing.source) {
    const std::string* text = find_text(*listing.source, file);
    is_main_file_ = text == nullptr || file.empty() || file == listing.source->name;
    file_ = is_main_file_ ? listing.source->name : file;
    cuda_lines_ = code_lines(is_main_file_ ? listing.source->text : *text);
  }
  find_places();
  link_cuda();
  list_files(listing);
}

void LinkedListing::Code::read_ptx(const std::string& ptx) {
  std::vector<std::string>& text = lines[index(CodeColumn::ptx)];
  text = code_lines(ptx);
  drop_debug_sections(text);
  std::vector<std::uint32_t>& lists = places[index(CodeColumn::ptx)];
  lists.assign(text.size(), no_row);
  ptx_to_sass.resize(text.size());
  if (ptx.empty()) return;
  try {
    const ptx::Module module = ptx::parse(ptx);
    std::vector<std::uint32_t> known(module.locations.size(), no_row);
    for (const ptx::Function& function : module.functions) {
      for (const ptx::InstructionSyntax& instruction : function.body) {
        const std::size_t line = instruction.position.line;
        if (instruction.location >= known.size() || line == 0 || line > text.size()) continue;
        std::uint32_t& list = known[instruction.location];
        if (list == no_row) {
          list = static_cast<std::uint32_t>(place_lists.size());
          place_lists.push_back(places_at(module, instruction.location));
        }
        lists[line - 1] = list;
      }
    }
    if (place_lists.empty())
      why_unlinked =
          "The kernel has no line info: its PTX names no line of the source. Compile it with -lineinfo.";
  } catch (const std::exception& error) {
    why_unlinked = fmt::format("The PTX is not linked to the source: {}", error.what());
  }
}

void LinkedListing::Code::read_machine_code(const MachineCode& machine_code) {
  const std::size_t known = place_lists.size();
  place_lists.insert(place_lists.end(), machine_code.places.begin(), machine_code.places.end());
  std::vector<std::string>& text = lines[index(CodeColumn::sass)];
  const std::size_t ptx_lines = lines[index(CodeColumn::ptx)].size();
  for (const SassLine& line : machine_code.lines) {
    const auto row = static_cast<std::uint32_t>(text.size());
    text.push_back(line.text);
    addresses.push_back(line.address);
    if (!line.is_label())
      sass_rows.try_emplace({static_cast<std::int64_t>(line.address), std::int64_t{line.ptx_line}}, row);
    const bool has_ptx = line.ptx_line >= 1 && line.ptx_line <= ptx_lines;
    const bool has_places = line.places != SassLine::no_places;
    std::uint32_t list = has_ptx ? places[index(CodeColumn::ptx)][line.ptx_line - 1] : no_row;
    if (list == no_row && has_places) list = static_cast<std::uint32_t>(known + line.places);
    places[index(CodeColumn::sass)].push_back(list);
    sass_to_ptx.push_back(has_ptx ? line.ptx_line - 1 : no_row);
    if (has_ptx) ptx_to_sass[line.ptx_line - 1].push_back(row);
  }
}

/// The rows of CUDA that each list of places names in the file.
void LinkedListing::find_places() {
  cuda_of_places_.reserve(code_->place_lists.size());
  for (const std::vector<CodePlace>& places : code_->place_lists) {
    std::vector<std::uint32_t>& rows = cuda_of_places_.emplace_back();
    for (const CodePlace& place : places) {
      const bool is_there = place.line >= 1 && static_cast<std::size_t>(place.line) <= cuda_lines_.size() &&
                            place.file == file_;
      if (is_there) rows.push_back(static_cast<std::uint32_t>(place.line - 1));
    }
  }
}

void LinkedListing::link_cuda() {
  for (const CodeColumn column : {CodeColumn::ptx, CodeColumn::sass}) {
    std::vector<std::vector<std::uint32_t>>& rows = from_cuda_[index(column)];
    rows.resize(cuda_lines_.size());
    for (std::uint32_t row = 0; row < size(column); ++row) {
      const std::uint32_t places = places_of(column, row);
      if (places == no_row) continue;
      for (const std::uint32_t line : cuda_of_places_[places]) rows[line].push_back(row);
    }
    for (std::vector<std::uint32_t>& list : rows) sort_once(list);  // a recursion names a line twice
  }
}

void LinkedListing::list_files(const Listing::Answer& listing) {
  if (!listing.source) return;
  std::set<std::string> named;
  for (const std::vector<CodePlace>& places : code_->place_lists) {
    for (const CodePlace& place : places) named.insert(place.file);
  }
  files_ = {listing.source->name};
  for (const std::string& name : named) {
    if (name != listing.source->name && find_text(*listing.source, name) != nullptr) files_.push_back(name);
  }
}

std::string LinkedListing::label(CodeColumn column, std::size_t row) const {
  if (column != CodeColumn::sass) return fmt::format("{}", row + 1);
  return lines(column)[row].ends_with(':') ? "" : fmt::format("{:04x}", code_->addresses[row]);
}

std::uint32_t LinkedListing::sass_row(std::int64_t address, std::int64_t ptx_line) const {
  const auto found = code_->sass_rows.find({address, ptx_line});
  return found == code_->sass_rows.end() ? no_row : found->second;
}

std::vector<std::uint32_t> LinkedListing::linked(CodeColumn from, std::size_t row, CodeColumn to) const {
  if (row >= size(from)) return {};
  if (from == to) return {static_cast<std::uint32_t>(row)};
  if (from == CodeColumn::cuda) return from_cuda_[index(to)][row];
  if (to == CodeColumn::cuda) {
    const std::uint32_t places = places_of(from, row);
    std::vector<std::uint32_t> rows;
    if (places != no_row) rows = cuda_of_places_[places];
    sort_once(rows);
    return rows;
  }
  if (from == CodeColumn::ptx) return code_->ptx_to_sass[row];
  if (code_->sass_to_ptx[row] == no_row) return {};
  return {code_->sass_to_ptx[row]};
}

std::uint32_t LinkedListing::main_link(CodeColumn from, std::size_t row, CodeColumn to) const {
  if (to == CodeColumn::cuda && from != to) return cuda_row(from, row);
  const std::vector<std::uint32_t> rows = linked(from, row, to);
  return rows.empty() ? no_row : rows.front();
}

std::uint32_t LinkedListing::cuda_row(CodeColumn column, std::size_t row) const {
  if (row >= size(column)) return no_row;
  if (column == CodeColumn::cuda) return static_cast<std::uint32_t>(row);
  const std::uint32_t places = places_of(column, row);
  if (places == no_row || cuda_of_places_[places].empty()) return no_row;
  return cuda_of_places_[places].front();
}

std::string LinkedListing::places_text(CodeColumn column, std::size_t row) const {
  if (column == CodeColumn::cuda || row >= size(column) || places_of(column, row) == no_row) return "";
  std::string text;
  for (const CodePlace& place : code_->place_lists[places_of(column, row)])
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", called in ", place.file, place.line);
  return text;
}

}  // namespace tilescope
