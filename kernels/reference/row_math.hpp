#pragma once

#include <cstddef>

namespace tilescope::reference {

// The two inner loops of the reference, in the widest vectors that the processor has (Google Highway).

/// sums[j] += factor * values[j] for j < count
void add_scaled(double factor, const double* values, double* sums, std::size_t count);
void add_scaled(float factor, const float* values, float* sums, std::size_t count);

}  // namespace tilescope::reference
