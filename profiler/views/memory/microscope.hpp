#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/access_passes.hpp"
#include "profiler/views/memory/tile_finder.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

/// Role of a lane in an access, by its cost.
enum class LaneRole {
  /// Accesses nothing.
  idle,
  /// Its words are its own, and no other word of their banks is wanted.
  alone,
  /// Another lane uses one of its words too: it moves once for both. In global memory: of its sectors.
  sharing,
  /// A bank of its words is wanted for another word too.
  colliding,
};

struct LaneView {
  LaneRole role = LaneRole::idle;
  /// [B] An offset in shared memory, else an address.
  std::uint64_t address = 0;
  /// [B] Address that a cp.async past L1 copies from.
  std::optional<std::uint64_t> source;
  /// Into MicroscopeView::passes.
  std::size_t pass = 0;
  /// Place in shared memory.
  AddressPlace place;
};

/// Words in neighbouring banks that the same lanes use in one wavefront, as they are drawn.
struct WordCell {
  std::uint32_t first_bank = 0, banks = 0;
  /// Number of the pass, from 0.
  std::uint32_t wavefront = 0;
  /// Word in the first bank.
  BankWord word;
  LaneRole role = LaneRole::alone;
  /// "5", "0-3", "x8": the lanes.
  std::string label;
};

/// One execution of an instruction by a warp: its lanes against the banks of shared memory or the sectors of global
/// memory, and in words why it costs what it costs.
struct MicroscopeView {
  RecordedSite site;
  std::uint32_t warp = 0;
  std::array<LaneView, simt::lane_count> lanes;
  /// Passes of shared memory.
  SharedPasses shared;
  /// Cells of each pass, by wavefront and bank.
  std::vector<std::vector<WordCell>> cells;
  /// Sectors of global memory.
  SectorUse global;
  /// Wavefronts or sectors.
  std::uint32_t cost = 0, minimum = 0;

  /// "ld.shared of K, 16 B per lane"
  std::string title;
  /// As in the PTX, in one line.
  std::string instruction;
  /// "8-way bank conflict", "No bank conflict", "Uncoalesced"
  std::string verdict;
  bool has_excess = false;
  /// "32 wavefronts, minimum 4"
  std::string cost_words;
  /// Why, in sentences.
  std::string reason;
  /// How accesses of this kind and width are served.
  std::string rule;

  /// "Pass 1", past L1 "Global line 1", of 128 B: which lanes are served together.
  std::string pass_name(std::size_t pass) const;
  /// The pass with the most wavefronts; 0 for global memory.
  std::size_t worst_pass() const;
  /// The lanes that use a byte of shared memory, or of a word that it lies in.
  simt::LaneMask lanes_at(std::uint64_t byte) const;
  /// Roles that lanes have, for the legend.
  std::vector<LaneRole> roles() const;
};

/// `access` is one of `recording.accesses`.
MicroscopeView microscope_view(const BlockRecording& recording, const TileFinder& tiles,
                               const RecordedAccess& access);

/// For tooltips: address, tile, row, column, bank, pass.
std::vector<TextPair> lane_details(const MicroscopeView& view, std::size_t lane);
/// Details of a word of a pass: its byte, its place in the tile, its bank and the lanes that use it.
std::vector<TextPair> word_details(const TileFinder& tiles, const BankWord& word);
std::vector<TextPair> sector_details(const UsedSector& sector);

/// The lanes in few letters: "5", "0-3", "x8" for eight lanes apart.
std::string lanes_label(simt::LaneMask lanes);
/// "Execution 3 of 1,024, warp 2"
std::string execution_words(std::size_t execution, std::size_t count, std::uint32_t warp);
/// For the legend of the strip of lanes: "idle", "own word", "broadcast: shares a word", "collides".
std::string role_words(const MicroscopeView& view, LaneRole role);
/// For the legend, of lanes that are faint: "in another pass".
std::string other_pass_words(const MicroscopeView& view);
/// Mark of a lane, so that its role is not shown by colour alone: "-", "", "B" or "S", "C".
std::string role_letter(const MicroscopeView& view, LaneRole role);

}  // namespace tilescope
