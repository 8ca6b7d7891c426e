#include "profiler/execution/memory/finding_place.hpp"

#include <algorithm>
#include <map>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

// The lines of an instruction, innermost first, and the innermost one in the kernel's own file.
struct Lines {
  std::vector<simt::SourceLine> all;
  std::size_t own = 0;
  bool has_own = false;
};

Lines lines_of(const simt::Program& program, std::uint32_t origin, std::string_view main_file) {
  Lines lines;
  if (origin == simt::no_index) return lines;
  lines.all = simt::source_lines(program, program.origins[origin].location);
  if (lines.all.empty()) return lines;
  const std::string kernel_file = main_file.empty() ? lines.all.back().file : std::string(main_file);
  const auto own = std::ranges::find(lines.all, kernel_file, &simt::SourceLine::file);
  lines.has_own = own != lines.all.end();
  lines.own = lines.has_own ? static_cast<std::size_t>(own - lines.all.begin()) : lines.all.size() - 1;
  return lines;
}

std::string with_file(const simt::SourceLine& line) {
  return line.file + ":" + std::to_string(line.line);
}

// Where two instructions of one function stand, by line; by their order in the code without lines.
struct Position {
  std::string file, function;
  std::uint64_t line = 0;
};

Position position_of(const simt::Program& program, std::uint32_t origin, std::string_view main_file) {
  const Lines lines = lines_of(program, origin, main_file);
  if (lines.all.empty()) return {"", "", origin};
  const simt::SourceLine& own = lines.all[lines.own];
  return {own.file, own.function, own.line};
}

bool is_same_function(const Position& a, const Position& b) {
  return a.file == b.file && a.function == b.function;
}

// Position of the outermost call, for two instructions in different functions.
Position kernel_position(const simt::Program& program, std::uint32_t origin) {
  const std::vector<simt::SourceLine> all = simt::source_lines(program, program.origins[origin].location);
  if (all.empty()) return {"", "", origin};
  return {all.back().file, all.back().function, all.back().line};
}

}  // namespace

FindingPlace finding_place(const simt::Program& program, std::uint32_t origin, std::string_view main_file) {
  const Lines lines = lines_of(program, origin, main_file);
  if (lines.all.empty()) return {0, describe(place_of(program, origin, main_file), main_file), ""};
  const simt::SourceLine& own = lines.all[lines.own];
  FindingPlace place{lines.has_own ? static_cast<std::int64_t>(own.line) : 0, "", ""};
  place.words = lines.has_own ? "line " + std::to_string(own.line) : with_file(own);
  std::vector<std::string> context;
  if (lines.own > 0) {
    const simt::SourceLine& inner = lines.all.front();
    context.push_back(with_file(inner) + (inner.function.empty() ? "" : " " + inner.function));
  }
  if (lines.own + 1 < lines.all.size()) {
    if (!own.function.empty()) context.push_back(own.function);
    const simt::SourceLine& call = lines.all.back();
    place.call = call.file == own.file ? "line " + std::to_string(call.line) : with_file(call);
    context.push_back("called at " + place.call);
  }
  for (std::size_t i = 0; i < context.size(); ++i) place.words += (i == 0 ? " (" : ", ") + context[i];
  if (!context.empty()) place.words += ")";
  return place;
}

bool is_in_next_round(const simt::Program& program, const Occurrence& race, std::string_view main_file) {
  if (race.earlier == simt::no_index) return false;
  Position first = position_of(program, race.earlier, main_file);
  Position second = position_of(program, race.later, main_file);
  if (!is_same_function(first, second)) {
    first = kernel_position(program, race.earlier);
    second = kernel_position(program, race.later);
  }
  return is_same_function(first, second) && first.line > second.line;
}

std::vector<std::string> barriers_between(const simt::Program& program, std::uint32_t first_origin,
                                          std::uint32_t second_origin, std::string_view main_file) {
  Position first = position_of(program, first_origin, main_file);
  Position second = position_of(program, second_origin, main_file);
  const bool is_one_function = is_same_function(first, second);
  if (!is_one_function) {
    first = kernel_position(program, first_origin);
    second = kernel_position(program, second_origin);
  }
  std::map<std::uint64_t, std::string> barriers;
  for (const simt::Instruction& instruction : program.code) {
    if (instruction.flow != simt::Flow::block_barrier) continue;
    const Position barrier = is_one_function ? position_of(program, instruction.origin, main_file)
                                             : kernel_position(program, instruction.origin);
    if (is_same_function(barrier, first) && barrier.line >= first.line && barrier.line <= second.line)
      barriers.emplace(barrier.line, finding_place(program, instruction.origin, main_file).words);
  }
  std::vector<std::string> words;
  words.reserve(barriers.size());
  for (auto& [line, text] : barriers) words.push_back(std::move(text));
  return words;
}

}  // namespace tilescope
