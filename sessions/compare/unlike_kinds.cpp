#include "sessions/compare/unlike_kinds.hpp"

#include "base/text/format.hpp"

namespace tilescope {
namespace {

std::int64_t count_of(const Measurement& point, const char* pipe) {
  const auto found = point.memory->instructions.find(pipe);
  return found == point.memory->instructions.end() ? 0 : found->second;
}

bool has_instructions(const Measurement& point) {
  return point.memory && !point.memory->instructions.empty();
}

// Counted tensor instructions are mma.sync: no other ones are executed.
std::string unlike_products(const Measurement& a, const Measurement& b) {
  const std::int64_t tensor_a = count_of(a, "tensor"), tensor_b = count_of(b, "tensor");
  if (tensor_a <= 0 && tensor_b > 0) {
    return "B computes its products by mma.sync: " + format_short(tensor_b) +
           " tensor instructions instead of " + format_short(count_of(a, "fma")) + " FMA.";
  }
  if (tensor_a > 0 && tensor_b <= 0) {
    return "B computes its products by FMA: " + format_short(count_of(b, "fma")) + " FMA instead of " +
           format_short(tensor_a) + " tensor instructions (mma.sync).";
  }
  return "";
}

std::string unlike_staging(const Measurement& a, const Measurement& b) {
  const std::int64_t in_a = a.memory->shared_instructions, in_b = b.memory->shared_instructions;
  if (in_a <= 0 && in_b > 0) {
    return "B stages data in shared memory, A does not: " + format_short(in_b) +
           " instructions on shared memory.";
  }
  if (in_a > 0 && in_b <= 0) {
    return "A stages data in shared memory, B does not: " + format_short(in_a) +
           " instructions on shared memory.";
  }
  return "";
}

}  // namespace

std::string unlike_kinds(const Measurement& a, const Measurement& b) {
  if (!has_instructions(a) || !has_instructions(b)) return "";
  const std::string products = unlike_products(a, b), staging = unlike_staging(a, b);
  return products + (products.empty() || staging.empty() ? "" : " ") + staging;
}

}  // namespace tilescope
