#include "profiler/explanation/model/path_thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace tilescope::model {
namespace {

// Kept iterations of a loop: the first, the last, and one between them.
constexpr std::size_t least_kept = 3;
constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

class Shortening {
 public:
  Shortening(const WarpPath& path, const std::vector<InstructionRange>& basic_blocks)
      : path_(path), basic_blocks_(basic_blocks) {}

  ShortPath run(double divisor) {
    add(0, path_.size(), std::max(divisor, 1.0));
    return std::move(result_);
  }

 private:
  // The lowest target of a jump backwards is the head of the outermost loop.
  std::uint32_t outermost_head(std::size_t begin, std::size_t end) const {
    std::uint32_t head = no_block;
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (path_[i] <= path_[i - 1]) head = std::min(head, path_[i]);
    }
    return head;
  }

  void add(std::size_t begin, std::size_t end, double divisor) {
    while (begin < end) {
      const std::uint32_t head = outermost_head(begin, end);
      if (head == no_block) return add_straight(begin, end);
      std::vector<std::size_t> starts;
      std::uint32_t highest = head;
      for (std::size_t i = begin; i < end; ++i) {
        if (path_[i] == head) starts.push_back(i);
      }
      for (std::size_t i = starts.front(); i < starts.back(); ++i) highest = std::max(highest, path_[i]);
      // Before the lowest head there can still be loops of blocks that lie further back.
      add(begin, starts.front(), divisor);
      // The last iteration ends where the path leaves the blocks of the loop.
      std::size_t loop_end = starts.back() + 1;
      while (loop_end < end && path_[loop_end] > head && path_[loop_end] <= highest) ++loop_end;
      add_loop(starts, loop_end, divisor);
      begin = loop_end;
    }
  }

  void add_straight(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      result_.steps.push_back({PathStep::Kind::basic_block, path_[i], 1});
      result_.instructions += basic_blocks_[path_[i]].count;
    }
  }

  std::uint64_t instructions(std::size_t begin, std::size_t end) const {
    std::uint64_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += basic_blocks_[path_[i]].count;
    return count;
  }

  // An iteration begins with the head, which must not be taken for an inner loop's.
  void add_iteration(std::size_t begin, std::size_t end, double divisor) {
    add_straight(begin, begin + 1);
    add(begin + 1, end, divisor);
  }

  void add_loop(const std::vector<std::size_t>& starts, std::size_t loop_end, double divisor) {
    const std::size_t iterations = starts.size();
    const auto end_of = [&](std::size_t i) { return i + 1 < iterations ? starts[i + 1] : loop_end; };
    const auto kept = std::max(
        least_kept, static_cast<std::size_t>(std::lround(static_cast<double>(iterations) / divisor)));
    if (kept >= iterations) {
      for (std::size_t i = 0; i < iterations; ++i) add_iteration(starts[i], end_of(i), divisor);
      return;
    }
    // Factor by which each iteration is still to be thinned.
    const double inner = std::max(1.0, divisor * static_cast<double>(kept) / static_cast<double>(iterations));
    // The last one, where masks and ends of tiles are, and those behind the first.
    const std::size_t middle_end = kept - 1;
    const auto all = instructions(starts[0], starts[iterations - 1]);
    const auto some = instructions(starts[0], starts[middle_end]);
    const float factor = static_cast<float>(all) / static_cast<float>(std::max<std::uint64_t>(some, 1));
    result_.steps.push_back({PathStep::Kind::scale_begin, 0, factor});
    for (std::size_t i = 0; i < middle_end; ++i) add_iteration(starts[i], end_of(i), inner);
    result_.steps.push_back({PathStep::Kind::scale_end, 0, factor});
    add_iteration(starts[iterations - 1], loop_end, inner);
  }

  const WarpPath& path_;
  const std::vector<InstructionRange>& basic_blocks_;
  ShortPath result_;
};

}  // namespace

ShortPath shorten(const WarpPath& path, const std::vector<InstructionRange>& basic_blocks, double divisor) {
  return Shortening(path, basic_blocks).run(divisor);
}

}  // namespace tilescope::model
