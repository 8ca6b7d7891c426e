#include "profiler/measure/files/shared_placement.hpp"

#include <algorithm>
#include <cstddef>

namespace tilescope {
namespace {

// Orders of arrays without accesses to them multiply.
constexpr std::size_t most_steps = 200'000;

class Search {
 public:
  Search(const std::vector<ptx::DeclaredSharedArray>& arrays,
         const std::vector<std::optional<ReachedBytes>>& reached, std::uint64_t total)
      : arrays_(arrays), reached_(reached), total_(total), places_(arrays.size()), found_(arrays.size()) {}

  std::vector<std::optional<std::uint64_t>> run() {
    place_next(0, 0);
    if (steps_ >= most_steps) std::ranges::fill(found_, std::nullopt);
    return found_;
  }

 private:
  void place_next(std::size_t placed, std::uint64_t end) {
    if (++steps_ >= most_steps) return;
    if (placed == arrays_.size()) {
      if (end == total_) take();
      return;
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (places_[i]) continue;
      const std::uint64_t align = std::max<std::uint32_t>(arrays_[i].align, 1);
      const std::uint64_t place = (end + align - 1) / align * align, behind = place + arrays_[i].bytes;
      if (behind > total_ || !fits(i, place, behind)) continue;
      places_[i] = place;
      place_next(placed + 1, behind);
      places_[i].reset();
    }
  }

  bool fits(std::size_t array, std::uint64_t place, std::uint64_t behind) const {
    const std::optional<ReachedBytes>& bytes = reached_[array];
    return !bytes || (place <= bytes->first && bytes->end <= behind);
  }

  void take() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!is_found_) {
        found_[i] = places_[i];
      } else if (found_[i] != places_[i]) {
        found_[i].reset();
      }
    }
    is_found_ = true;
  }

  const std::vector<ptx::DeclaredSharedArray>& arrays_;
  const std::vector<std::optional<ReachedBytes>>& reached_;
  const std::uint64_t total_;
  std::vector<std::optional<std::uint64_t>> places_, found_;
  bool is_found_ = false;
  std::size_t steps_ = 0;
};

}  // namespace

std::vector<std::optional<std::uint64_t>> place_arrays(
    const std::vector<ptx::DeclaredSharedArray>& arrays,
    const std::vector<std::optional<ReachedBytes>>& reached, std::uint64_t total) {
  return Search(arrays, reached, total).run();
}

}  // namespace tilescope
