#pragma once

#include "profiler/kernels/cuda_source/evaluator.hpp"

namespace tilescope {

/// One level of a recursion that is bounded, for texts that a program wrote and for names that refer to
/// themselves.
class Evaluator::Level {
 public:
  explicit Level(Evaluator& evaluator) : evaluator_(evaluator) {
    ++evaluator_.depth_;
    ++evaluator_.steps_;
  }
  ~Level() { --evaluator_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  bool is_too_deep() const {
    return evaluator_.depth_ > max_depth || evaluator_.steps_ > evaluator_.max_steps_;
  }

 private:
  static constexpr int max_depth = 300;
  Evaluator& evaluator_;
};

}  // namespace tilescope
