#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "sessions/memory_counts.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {

/// One access site: the executions of one access of the source on one tile. The compiler may have made several
/// instructions of it, as of an unrolled loop: they are one site where the line is known.
struct AccessSiteRow {
  MemorySite site;
  SiteMemory memory = SiteMemory::shared;
  bool is_shared() const { return memory == SiteMemory::shared; }
  /// Share of the excess of all sites of its memory; 0 where there is none.
  double excess_share = 0;
  /// Share of the wavefronts, or sectors, of all sites of its memory.
  double cost_share = 0;
  /// Wavefronts per instruction, or sectors per request.
  double per_execution = 0;
  /// Active lanes on average.
  double lanes = 0;
  /// "line 148", "element.cuh:84", "PTX line 812"
  std::string place;
  /// The line in the kernel's own file; 0 for another file and without line information.
  std::uint32_t own_line = 0;
  /// As accessing_place(): "mma_key_loop.cuh:225"; "" for the line itself.
  std::string inlined_place;
};

/// Sites of the same line, innermost places, operation, width and tile are summed. Worst first: conflicts of shared
/// memory go before excess of global memory, then the busiest, of shared memory first. RecordedBlock::worst_site goes by
/// it.
std::vector<AccessSiteRow> access_site_rows(const std::vector<MemorySite>& all,
                                            const std::string& kernel_file);

enum class SiteKind { all, shared, global, local };
/// "shared", "global", "local"; "any" for all.
std::string memory_words(SiteKind kind);

/// One column of the table.
enum class SiteColumn {
  place,
  operation,
  tile,
  degree,
  excess,
  excess_share,
  cost,
  cost_share,
  width,
  minimum,
  per_execution,
  executions,
  lanes,
};

struct SiteColumnText {
  SiteColumn column;
  /// For options and landmarks.
  const char* tag;
  const char* header;
  const char* help;
  bool is_number = true;
};
const std::vector<SiteColumnText>& site_columns();
/// The header of a column: wavefronts and sectors have a common one where both kinds are listed.
std::string site_header(const SiteColumnText& column, SiteKind kind);

struct SiteOrder {
  SiteKind kind = SiteKind::all;
  /// Worst first without one.
  bool is_sorted = false;
  SiteColumn column = SiteColumn::excess;
  bool descending = true;

  bool operator==(const SiteOrder&) const = default;
};
/// Which rows are listed, in which order: indices into `rows`.
std::vector<std::uint32_t> ordered_sites(const std::vector<AccessSiteRow>& rows, const SiteOrder& order);
/// The state after a click on a header: the largest first (texts: the smallest), the other way round, worst first.
SiteOrder sorted_by_next(SiteOrder order, SiteColumn column);

/// "-" where the column does not apply: the degree of a global site.
std::string site_cell(const AccessSiteRow& row, SiteColumn column);
/// The letters of the longest cell of each column.
std::vector<std::size_t> site_letters(const std::vector<AccessSiteRow>& rows);
/// Describes the order without a sorted column, if the excess of two kinds of memory is listed; else "".
std::string order_words(const std::vector<AccessSiteRow>& rows, const SiteOrder& order);
/// The whole table, numbers in full.
std::string access_sites_csv(const std::vector<AccessSiteRow>& rows, const std::vector<std::uint32_t>& order);

/// For a list of sites: "148 ld.shared K, 8-way, 57,344 excess"
std::string site_label(const AccessSiteRow& row);
/// Labels for a single site, from the longest wording to the shortest: with what is said in some other way, without it,
/// without the excess.
std::vector<std::string> site_previews(const AccessSiteRow& row, bool is_worst);

/// Whether a site of a recorded block belongs to a row.
bool is_same_site(const AccessSiteRow& row, const RecordedSite& site);
/// The instructions that the compiler made of the access that a site belongs to, itself among them: into
/// BlockRecording::sites, in the order of the code.
std::vector<std::uint32_t> copies_of(const BlockRecording& recording, std::uint32_t site);
/// For the focus of the memory panels.
RecordedSite recorded_site(const AccessSiteRow& row);

/// "Whole kernel: all 128 blocks, from the machine code", "Whole kernel: counted in 5 of 128 blocks and scaled, from the
/// PTX"
std::string whole_kernel_words(const MemoryCounts& counts);

}  // namespace tilescope
