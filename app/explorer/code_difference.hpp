#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/code_listing.hpp"
#include "profiler/views/listing_diff.hpp"

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

/// The difference of the machine codes, compared in the background; the newest wins.
class CodeDifference {
 public:
  /// `background` must outlive it.
  explicit CodeDifference(BackgroundTasks& background) : background_(background) {}

  /// A panel that shows the difference says so in every frame. Wants both listings too.
  void want(Explorer& explorer);
  /// nullptr before the first, and where one of the codes is not there; the former one stays while a newer is made.
  const std::shared_ptr<const ComparedCode>& code() const { return code_; }
  /// Whether a newer one is being made.
  bool waits() const { return waits_; }
  /// Counts up whenever code() changes.
  std::uint64_t revision() const { return revision_; }

 private:
  void end(std::shared_ptr<const ComparedCode> code);

  BackgroundTasks& background_;
  std::shared_ptr<const ComparedCode> code_;
  /// What code_, or the task that runs, is made of.
  std::shared_ptr<const ListedCode> a_, b_;
  std::uint64_t revision_ = 0;
  std::uint64_t last_task_ = 0;
  bool waits_ = false;
  /// A task may end after this object has gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
