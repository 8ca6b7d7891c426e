#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/views/step/tile_strips.hpp"
#include "profiler/views/step/tiles_plane.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

/// Bytes that the block moved between its SM and global memory, compared with an unfused algorithm that does
/// the same work.
///
/// The work is the tiles that are done: r query rows times the keys k of these tiles. It takes 4*r*k*D
/// floating-point operations: 2*r*k*D for Q K^T and as many for P V; masked scores of a tile count, as they
/// are computed.
///
/// The unfused algorithm runs three kernels, each of which reads its inputs once and writes its output once,
/// with elements of e bytes: Q K^T reads Q and K and writes S, softmax reads S and writes P, P V reads P and
/// V. S and P have r*k elements each, and both are written and read: e*(r*D + 2*k*D + 4*r*k). Once no tile is
/// left the output is written too: + e*r*D. A fused kernel needs none of the 4*r*k.
struct TileTraffic {
  /// r and k.
  std::int64_t rows = 0, keys = 0;
  double flop = 0;
  /// [B] Bytes that the block's lanes move: what copies ahead asked for is in it.
  std::uint64_t read_bytes = 0, written_bytes = 0;
  double unfused_bytes = 0;

  /// [FLOP/B]; 0 without bytes.
  double intensity() const;
  double unfused_intensity() const;
};
/// `timeline` as in tiles_plane().
TileTraffic tile_traffic(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline,
                         const TilesPlane& plane);

/// Everything that the panel Tiles draws.
struct TilesView {
  TilesPlane plane;
  std::vector<HeldRange> held;
  std::vector<HeldLine> lines;
  TileTraffic traffic;
  /// "Tile 3 of 8, keys 128 to 191"
  std::string progress;
  /// Figures of the traffic, as labels with values.
  std::vector<TextPair> figures;
};
TilesView tiles_view(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline);

/// The plane and what lies in shared memory, a line each.
std::string tiles_csv(const TilesView& view);

}  // namespace tilescope
