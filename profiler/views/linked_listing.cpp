#include "profiler/views/linked_listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/ptx/parser.hpp"
#include "sessions/views/source_excerpt.hpp"

namespace tilescope {
namespace {

constexpr std::size_t tab_width = 4;

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string& line = lines.emplace_back();
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] == '\r') continue;
      line.append(text[i] == '\t' ? tab_width - line.size() % tab_width : 1, text[i] == '\t' ? ' ' : text[i]);
    }
    begin = end + 1;
  }
  return lines;
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

std::vector<CodePlace> places_of(const ptx::Module& module, std::uint32_t location) {
  std::vector<CodePlace> places;
  for (; location < module.locations.size(); location = module.locations[location].inlined_at) {
    const ptx::Location& place = module.locations[location];
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
  if (listing.source) {
    const std::string* text = find_text(*listing.source, file);
    is_main_file_ = text == nullptr || file.empty() || file == listing.source->name;
    file_ = is_main_file_ ? listing.source->name : file;
    lines_[index(CodeColumn::cuda)] = split(is_main_file_ ? listing.source->text : *text);
  }
  read_ptx(listing);
  read_machine_code(listing.machine_code);
  link_cuda();
  list_files(listing);
}

/// The rows of CUDA that a list of places names in the file.
std::uint32_t LinkedListing::add_places(const std::vector<CodePlace>& places) {
  std::vector<std::uint32_t> rows;
  for (const CodePlace& place : places) {
    if (std::find(named_files_.begin(), named_files_.end(), place.file) == named_files_.end())
      named_files_.push_back(place.file);
    const bool is_there = place.file == file_ && place.line >= 1 &&
                          static_cast<std::size_t>(place.line) <= lines(CodeColumn::cuda).size();
    if (is_there) rows.push_back(static_cast<std::uint32_t>(place.line - 1));
  }
  cuda_of_places_.push_back(std::move(rows));
  place_lists_.push_back(places);
  return static_cast<std::uint32_t>(cuda_of_places_.size() - 1);
}

void LinkedListing::read_ptx(const Listing::Answer& listing) {
  std::vector<std::string>& text = lines_[index(CodeColumn::ptx)];
  text = split(listing.ptx);
  drop_debug_sections(text);
  std::vector<std::uint32_t>& places = places_[index(CodeColumn::ptx)];
  places.assign(text.size(), no_row);
  ptx_to_sass_.resize(text.size());
  if (listing.ptx.empty()) return;
  try {
    const ptx::Module module = ptx::parse(listing.ptx);
    std::vector<std::uint32_t> known(module.locations.size(), no_row);
    for (const ptx::Function& function : module.functions) {
      for (const ptx::InstructionSyntax& instruction : function.body) {
        const std::size_t line = instruction.position.line;
        if (instruction.location >= known.size() || line == 0 || line > text.size()) continue;
        std::uint32_t& list = known[instruction.location];
        if (list == no_row) list = add_places(places_of(module, instruction.location));
        places[line - 1] = list;
      }
    }
    if (named_files_.empty())
      why_unlinked_ =
          "The kernel has no line info: its PTX names no line of the source. Compile it with -lineinfo.";
  } catch (const std::exception& error) {
    why_unlinked_ = fmt::format("The PTX is not linked to the source: {}", error.what());
  }
}

void LinkedListing::read_machine_code(const MachineCode& code) {
  const std::size_t known = cuda_of_places_.size();
  for (const std::vector<CodePlace>& places : code.places) add_places(places);
  std::vector<std::string>& text = lines_[index(CodeColumn::sass)];
  for (const SassLine& line : code.lines) {
    const auto row = static_cast<std::uint32_t>(text.size());
    text.push_back(line.text);
    addresses_.push_back(line.address);
    const bool has_places = line.places != SassLine::no_places;
    places_[index(CodeColumn::sass)].push_back(has_places ? static_cast<std::uint32_t>(known + line.places)
                                                          : no_row);
    const bool has_ptx = line.ptx_line >= 1 && line.ptx_line <= size(CodeColumn::ptx);
    sass_to_ptx_.push_back(has_ptx ? line.ptx_line - 1 : no_row);
    if (has_ptx) ptx_to_sass_[line.ptx_line - 1].push_back(row);
  }
}

void LinkedListing::link_cuda() {
  for (const CodeColumn column : {CodeColumn::ptx, CodeColumn::sass}) {
    std::vector<std::vector<std::uint32_t>>& rows = from_cuda_[index(column)];
    rows.resize(size(CodeColumn::cuda));
    const std::vector<std::uint32_t>& places = places_[index(column)];
    for (std::uint32_t row = 0; row < places.size(); ++row) {
      if (places[row] == no_row) continue;
      for (const std::uint32_t line : cuda_of_places_[places[row]]) rows[line].push_back(row);
    }
    for (std::vector<std::uint32_t>& list : rows) sort_once(list);  // a recursion names a line twice
  }
}

void LinkedListing::list_files(const Listing::Answer& listing) {
  if (!listing.source) return;
  files_ = {listing.source->name};
  std::sort(named_files_.begin(), named_files_.end());
  for (const std::string& name : named_files_) {
    if (name != listing.source->name && find_text(*listing.source, name) != nullptr) files_.push_back(name);
  }
}

std::string LinkedListing::label(CodeColumn column, std::size_t row) const {
  if (column != CodeColumn::sass) return fmt::format("{}", row + 1);
  return lines(column)[row].ends_with(':') ? "" : fmt::format("{:04x}", addresses_[row]);
}

std::vector<std::uint32_t> LinkedListing::linked(CodeColumn from, std::size_t row, CodeColumn to) const {
  if (row >= size(from)) return {};
  if (from == to) return {static_cast<std::uint32_t>(row)};
  if (from == CodeColumn::cuda) return from_cuda_[index(to)][row];
  if (to == CodeColumn::cuda) {
    const std::uint32_t places = places_[index(from)][row];
    std::vector<std::uint32_t> rows;
    if (places != no_row) rows = cuda_of_places_[places];
    sort_once(rows);
    return rows;
  }
  if (from == CodeColumn::ptx) return ptx_to_sass_[row];
  if (sass_to_ptx_[row] == no_row) return {};
  return {sass_to_ptx_[row]};
}

std::uint32_t LinkedListing::main_link(CodeColumn from, std::size_t row, CodeColumn to) const {
  if (to == CodeColumn::cuda && from != to) return cuda_row(from, row);
  const std::vector<std::uint32_t> rows = linked(from, row, to);
  return rows.empty() ? no_row : rows.front();
}

std::uint32_t LinkedListing::cuda_row(CodeColumn column, std::size_t row) const {
  if (row >= size(column)) return no_row;
  if (column == CodeColumn::cuda) return static_cast<std::uint32_t>(row);
  const std::uint32_t places = places_[index(column)][row];
  if (places == no_row || cuda_of_places_[places].empty()) return no_row;
  return cuda_of_places_[places].front();
}

std::string LinkedListing::places_text(CodeColumn column, std::size_t row) const {
  if (column == CodeColumn::cuda || row >= size(column) || places_[index(column)][row] == no_row) return "";
  std::string text;
  for (const CodePlace& place : place_lists_[places_[index(column)][row]])
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", called in ", place.file, place.line);
  return text;
}

}  // namespace tilescope
