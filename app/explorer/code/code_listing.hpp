#pragma once

#include <cstdint>
#include <string>

#include "app/explorer/answer.hpp"
#include "app/explorer/points/point_sources.hpp"
#include "profiler/service/client/point_store.hpp"
#include "profiler/service/requests/listing.hpp"
#include "profiler/views/code/linked_listing.hpp"

namespace tilescope {

/// The compiler's output for one configuration: its source, its PTX and its machine code.
struct ListedCode {
  Experiment experiment;
  Listing::Answer answer;
  /// Source, PTX and machine code, linked by the lines of the kernel's own file.
  LinkedListing linked;
};

/// Subject of a listing: an experiment, or a point as the kernels were when it was asked for.
struct ListedSubject {
  AskedExperiment asked;
  SharedMeasurement point;
  std::uint64_t kernels_revision = 0;

  bool operator==(const ListedSubject&) const = default;
};

/// The code of a configuration, for the panels that show it: of the one under the sliders, or of a point. For
/// code that does not compile it has the source and the compiler's log; missing() then says why there is no
/// more.
class CodeListing : public Answer<Listing, ListedCode, ListedSubject> {
 public:
  /// Requests of two listings have different tags.
  CodeListing(Board& board, const std::string& side);

  /// The code under the sliders.
  void want();
  /// The code of any configuration, from the kernel's present file.
  void want(const Experiment& experiment);
  /// The code of a point, from the source, or the opened file, that it was compiled from.
  void want(const SharedMeasurement& point);

 private:
  Asked question(Experiment experiment, const std::string& invalid) const;
  Experiment with_source(const Measurement& point);
  static Asked question_of_file(const Measurement& point, const ChosenFile& file);
  std::string why_invalid(const Experiment& experiment) const;

  Board& board_;
  PointSources sources_;
};

}  // namespace tilescope
