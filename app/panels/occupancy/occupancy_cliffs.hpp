#pragma once

#include <array>
#include <string>

#include "app/panels/occupancy/occupancy_subject.hpp"
#include "profiler/explanation/occupancy/cliffs.hpp"
#include "profiler/explanation/occupancy/one_more_block.hpp"

namespace tilescope {

/// Resident warps against registers, shared memory and threads, with the current block on each curve.
class OccupancyCliffs {
 public:
  void draw(Explorer& explorer);
  std::string csv() const { return subject_.needs() ? cliffs_csv(cliffs_) : ""; }

 private:
  void draw_plots() const;

  OccupancySubject subject_;
  std::array<Cliff, 3> cliffs_;
  OneMoreBlock next_;
};

/// The smallest changes that let one more block reside on an SM, as a table.
class OneMoreBlockTable {
 public:
  void draw(Explorer& explorer);
  std::string csv() const { return subject_.needs() ? one_more_csv(next_) : ""; }

 private:
  void draw_table() const;

  OccupancySubject subject_;
  OneMoreBlock next_;
};

}  // namespace tilescope
