#include "app/commands/kernel_table_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/commands/shown_text.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "profiler/views/kernel_file/kernel_rows.hpp"

namespace tilescope {
namespace {

constexpr std::size_t longest_name = 48, most_detailed_kernels = 12;

std::string short_name(const std::string& name) {
  const std::string shown = shown_line(name);
  return shown.size() <= longest_name ? shown : shown.substr(0, longest_name - 3) + "...";
}

std::vector<std::string> row_of(const OpenedKernel& kernel) {
  const std::string none;
  const auto& resources = kernel.resources;
  return {short_name(kernel.demangled),
          kernel.target,
          resources ? format_count(resources->registers) : none,
          resources ? format_bytes(resources->static_shared_bytes) : none,
          resources ? format_bytes(resources->stack_bytes) : none,
          resources ? format_bytes(resources->spill_bytes) : none,
          occupancy_cell(kernel),
          kernel.resources ? format_count(kernel.instructions) : none,
          kernel.resources ? format_count(kernel.tensor_instructions) : none,
          kernel.resources ? format_count(kernel.async_instructions) : none};
}

std::string details_text(const OpenedKernel& kernel) {
  std::string text;
  for (const std::string& line : kernel_details(kernel)) text += "    " + prose(line, 6) + "\n";
  return text.empty() ? "" : "  " + short_name(kernel.demangled) + "\n" + text;
}

}  // namespace

std::string kernel_table_text(const std::vector<OpenedKernel>& kernels, const std::string& device) {
  TextTable table;
  table.add_column("kernel", TextTable::Align::left);
  table.add_column("code", TextTable::Align::left);
  for (const char* header : {"registers", "shared", "stack", "spills"})
    table.add_column(header, TextTable::Align::right);
  table.add_column("occupancy on " + device, TextTable::Align::left);
  for (const char* header : {"instructions", "tensor", "async"})
    table.add_column(header, TextTable::Align::right);
  for (const OpenedKernel& kernel : kernels) table.add_row(row_of(kernel));
  std::string text = table.text(2);
  for (std::size_t i = 0; i < std::min(most_detailed_kernels, kernels.size()); ++i)
    text += details_text(kernels[i]);
  return text;
}

std::string guesses_text(const std::vector<LaunchGuess>& guesses) {
  if (guesses.empty()) return "";
  TextTable table;
  for (const char* header : {"guessed", "value", "because"}) table.add_column(header, TextTable::Align::left);
  for (const LaunchGuess& guess : guesses)
    table.add_row({shown_line(guess.what), short_name(guess.value), shown_line(guess.reason)});
  return table.text(2) + "  " +
         prose(
             "Give another value with --set NAME=VALUE, as --set \"grid=64,2\"; --declare writes the launch "
             "to a "
             "file.",
             4) +
         "\n";
}

std::string constants_text(const std::vector<OpenedConstant>& constants) {
  if (constants.empty()) return "";
  const bool is_cache = constants.front().name == cache_entry_choice;
  std::string list;
  for (const OpenedConstant& constant : constants) {
    list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", constant.name, constant.value);
    if (is_cache) {
      list += fmt::format(" (of {})", fmt::join(constant.proposals, ", "));
    } else {
      list += fmt::format(" (line {})", constant.line);
    }
  }
  const std::string text =
      is_cache ? "Entries of the cache differ in: " + list +
                     ". Take another one by --set NAME=VALUE; --vary cache_entry goes through all."
               : "Constants of the source: " + list + ". Compile with another value by --set NAME=VALUE.";
  return "  " + prose(text, 4) + "\n";
}

}  // namespace tilescope
