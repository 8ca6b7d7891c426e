#pragma once

#include "app/explorer/answer.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {

class BlockRecorder;

/// The memory counts of the whole kernel under the sliders, with all of its access sites: a point keeps the worst alone.
/// The point that it shows has memory counts, no latency, and a prediction that is explained.
class KernelCounts : public Answer<CountKernel, CountedPoint> {
 public:
  explicit KernelCounts(Board& board);
  void want();

 private:
  Board& board_;
  const BlockRecorder& block_;
};

}  // namespace tilescope
