#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/code/code_listing.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "profiler/views/code/listing_diff.hpp"

namespace tilescope {

/// Two machine codes, line by line: of side A of the comparison on the left, of side B on the right.
struct ComparedCode {
  std::shared_ptr<const ListedCode> a, b;
  ListingDiff diff;
  /// The text of each row of the difference.
  std::vector<std::string> lines;
  /// Characters of the longest one.
  std::size_t longest = 0;

  const std::vector<SassLine>& left() const { return a->answer.machine_code.lines; }
  const std::vector<SassLine>& right() const { return b->answer.machine_code.lines; }
  const SassLine& line(std::size_t row) const;
};

/// The listing of a side: that under the sliders, or the side's own.
CodeListing& side_listing(Board& board, Side side);

/// The difference of the machine codes, compared in the background; the newest wins.
class CodeDifference {
 public:
  explicit CodeDifference(Board& board);

  /// A panel that shows the difference says so in every frame. Wants both listings too.
  void want();
  /// nullptr before the first, and where one of the codes is not there; the former one stays while a newer is made.
  const std::shared_ptr<const ComparedCode>& code() const { return code_; }
  /// Why there is no difference and how to get it, while there is none.
  MissingAnswer missing() const;
  /// Whether a newer one is being made.
  bool waits() const { return task_.runs(); }
  std::string activity() const { return waits() ? "comparing the codes" : ""; }
  /// Counts up whenever code() changes.
  std::uint64_t revision() const { return revision_; }

 private:
  std::shared_ptr<const ListedCode> code_of(Side side);
  void end(std::shared_ptr<const ComparedCode> code);

  Board& board_;
  const ComparisonPair& pair_;
  std::shared_ptr<const ComparedCode> code_;
  /// Inputs of code_, or of the running task.
  std::shared_ptr<const ListedCode> a_, b_;
  std::uint64_t revision_ = 0;
  NewestTask task_;
};

}  // namespace tilescope
