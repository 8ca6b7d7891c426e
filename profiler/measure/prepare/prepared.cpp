#include "profiler/measure/prepare/prepared.hpp"

namespace tilescope {

double Prepared::bytes() const {
  const Shape& problem = shape();
  const auto size = [](std::int64_t value) { return static_cast<double>(value); };
  const double queries = size(problem.B) * size(problem.Hq) * size(problem.Sq);
  const double keys = size(problem.B) * size(problem.Hkv) * size(problem.Sk);
  const double columns = size(kernel.result == KernelResult::attention ? problem.D : problem.Sk);
  const double elements = size(problem.D) * (queries + 2 * keys) + columns * queries;
  return size(element_bytes(problem.dtype)) * elements + sizeof(float) * queries;
}

}  // namespace tilescope
