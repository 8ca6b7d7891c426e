#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/background_tasks.hpp"
#include "app/explorer/point_sources.hpp"
#include "profiler/client/point_store.hpp"
#include "profiler/requests/listing.hpp"
#include "profiler/views/linked_listing.hpp"

namespace tilescope {

class Explorer;

/// What the compiler made of one configuration: its source, its PTX and its machine code.
struct ListedCode {
  Experiment experiment;
  Listing::Answer answer;
  /// Of the kernel's own file.
  LinkedListing linked;
};

/// The code of a configuration, for the panels that show it: of that under the sliders, or of a point.
class CodeListing {
 public:
  /// Requests of two listings have different tags. `background`, which links the lines, must outlive it.
  CodeListing(std::string tag, BackgroundTasks& background) : tag_(std::move(tag)), background_(background) {}

  /// A panel that shows the code under the sliders says so in every frame: what is not there is asked for.
  void want(Explorer& explorer);
  /// The same of any configuration, from the kernel's file as it is now.
  void want(Explorer& explorer, const Experiment& experiment);
  /// The same of a point, from the source that it was compiled from.
  void want(Explorer& explorer, const Point& point);

  /// Makes the request of the next want() anew, where missing() can be retried.
  void retry() { asked_.reset(); }

  /// The last one that was listed. The former one stays while a newer is made; nullptr before the first. Of code that
  /// does not compile it has the source and the compiler's log; missing() then says why there is no more.
  std::shared_ptr<const ListedCode> code() const { return code_; }
  /// Whether an answer is awaited; code() is then that of another configuration.
  bool waits() const { return waits_; }
  /// What is missing and how to get it; empty where code() is complete.
  const MissingAnswer& missing() const { return missing_; }
  /// Counts up with each change of the above.
  std::uint64_t revision() const { return revision_; }

 private:
  void ask(Explorer& explorer, AskedExperiment asked, MissingAnswer why_not);
  void take(Explorer& explorer, Listing::Answer answer);
  void link(Explorer& explorer, Listing::Answer answer, MissingAnswer missing);
  void end(MissingAnswer missing, std::shared_ptr<const ListedCode> code);

  std::string tag_;
  BackgroundTasks& background_;
  PointSources sources_;
  bool waits_ = false;
  std::optional<AskedExperiment> asked_;
  /// Where a point was asked for: that one, and what the kernels were then.
  Point asked_point_;
  std::uint64_t kernels_revision_ = 0;
  std::shared_ptr<const ListedCode> code_;
  MissingAnswer missing_;
  std::uint64_t revision_ = 0;
  /// Of the request that counts: an earlier one's answer is dropped.
  std::uint64_t last_request_ = 0;
  /// An answer may come after this object has gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace tilescope
