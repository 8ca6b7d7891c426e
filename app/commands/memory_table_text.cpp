#include "app/commands/memory_table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "sessions/views/code/line_excerpt.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

std::string table_of(const MemoryCounts& memory, const std::optional<SourceFile>& source, SiteMemory kind) {
  const bool shared = kind == SiteMemory::shared;
  using Align = TextTable::Align;
  TextTable table;
  table.add_column("line", Align::right);
  table.add_column("operation", Align::left);
  table.add_column("B", Align::right);
  table.add_column(shared ? "tile" : "memory", Align::left);
  table.add_column("executions", Align::right);
  table.add_column(shared ? "wavefronts" : "sectors", Align::right);
  table.add_column("minimum", Align::right);
  table.add_column(shared ? "conflicts" : "excess", Align::right);
  if (shared) table.add_column("worst", Align::right);
  table.add_column("source", Align::left);
  bool any = false;
  const std::string file = source ? source->name : "";
  for (const MemorySite& site : memory.sites) {
    if (memory_of(site) != kind) continue;
    any = true;
    std::string place = place_words(site, file);
    if (place.starts_with("line ")) place.erase(0, 5);
    std::vector<std::string> cells = {std::move(place),
                                      site.operation,
                                      std::to_string(site.width_bytes),
                                      site.tile,
                                      format_count(site.executions),
                                      format_count(site.wavefronts),
                                      format_count(site.minimum),
                                      format_count(site.conflicts)};
    if (shared) cells.push_back(std::to_string(site.worst_degree) + "-way");
    cells.push_back(line_excerpt(source, site.file, site.line, accessing_place(site.inlined)));
    table.add_row(std::move(cells));
  }
  return any ? table.text(2) : "  none\n";
}

// A line for each operation of shared memory: Nsight Compute counts loads and stores apart, too.
std::string shared_operations(const MemoryCounts& memory) {
  std::map<std::string, MemorySite> operations;
  for (const MemorySite& site : memory.sites) {
    if (!is_shared_site(site)) continue;
    MemorySite& sum = operations[site.operation];
    sum.executions += site.executions;
    sum.wavefronts += site.wavefronts;
    sum.minimum += site.minimum;
  }
  std::size_t width = 0;
  for (const auto& [operation, sum] : operations) width = std::max(width, operation.size());
  std::string text;
  for (const auto& [operation, sum] : operations) {
    text +=
        fmt::format("          {:<{}}  {} wavefronts of {} instructions, minimum {}\n", operation, width,
                    format_count(sum.wavefronts), format_count(sum.executions), format_count(sum.minimum));
  }
  return text;
}

std::string totals(const MemoryCounts& memory) {
  std::string text =
      fmt::format("  shared  {} wavefronts of {} instructions, minimum {}: {} conflicts\n",
                  format_count(memory.shared_wavefronts), format_count(memory.shared_instructions),
                  format_count(memory.shared_wavefronts_minimum), format_count(memory.shared_conflicts));
  text += shared_operations(memory);
  text +=
      fmt::format("  global  {} sectors of {} requests, minimum {}\n", format_count(memory.global_sectors),
                  format_count(memory.global_requests), format_count(memory.global_sectors_minimum));
  std::int64_t local_sectors = 0, local_requests = 0;
  for (const MemorySite& site : memory.sites) {
    if (!is_local_site(site)) continue;
    local_sectors += site.wavefronts;
    local_requests += site.executions;
  }
  if (local_requests > 0)
    text += fmt::format("  local   {} sectors of {} requests\n", format_count(local_sectors),
                        format_count(local_requests));
  std::string bytes;
  for (const auto& [space, count] : memory.bytes) {
    bytes += fmt::format("{}{} {}", bytes.empty() ? "" : ", ", space, format_count(count));
  }
  if (!bytes.empty()) text += "  bytes   " + prose(bytes, 10) + "\n";
  const bool is_machine_code = memory.counted_from == CountedFrom::machine_code;
  const std::string warps = fmt::format("{} {} instructions: {}", format_count(memory.warp_instructions),
                                        is_machine_code ? "machine" : "PTX", mix_words(memory));
  text += "  warps   " + prose(warps, 10) + "\n";
  return text + fmt::format("  waits   {} warp arrivals at block barriers\n", format_count(memory.barriers));
}

}  // namespace

std::string memory_table_text(const MemoryCounts& memory, const std::optional<SourceFile>& source) {
  std::string text = "Shared memory\n" + table_of(memory, source, SiteMemory::shared) + "Global memory\n" +
                     table_of(memory, source, SiteMemory::global);
  if (std::ranges::any_of(memory.sites, is_local_site))
    text += "Local memory (each thread's own)\n" + table_of(memory, source, SiteMemory::local);
  return text + "Totals\n" + totals(memory);
}

}  // namespace tilescope
