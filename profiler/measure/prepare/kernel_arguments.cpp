#include "profiler/measure/prepare/kernel_arguments.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

#include "kernels/device/attention_problem.cuh"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

TensorStrides contiguous(std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  return {heads * rows * columns, rows * columns, columns};
}

AttentionProblem attention_problem(const Shape& shape, KernelResult result, const TensorAddresses& tensors) {
  const auto pointer = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
  AttentionProblem problem{};
  problem.q = pointer(tensors.q);
  problem.k = pointer(tensors.k);
  problem.v = pointer(tensors.v);
  problem.o = pointer(tensors.o);
  problem.lse = static_cast<float*>(pointer(tensors.lse));
  problem.q_strides = contiguous(shape.Hq, shape.Sq, shape.D);
  problem.o_strides = contiguous(shape.Hq, shape.Sq, result == KernelResult::attention ? shape.D : shape.Sk);
  problem.k_strides = problem.v_strides = contiguous(shape.Hkv, shape.Sk, shape.D);
  problem.batches = static_cast<int>(shape.B);
  problem.query_heads = static_cast<int>(shape.Hq);
  problem.key_heads = static_cast<int>(shape.Hkv);
  problem.queries = static_cast<int>(shape.Sq);
  problem.keys = static_cast<int>(shape.Sk);
  problem.softmax_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.D)));
  return problem;
}

std::uint64_t tensor_named(const std::string& name, const TensorAddresses& tensors) {
  const std::map<std::string, std::uint64_t> by_name = {{"Q", tensors.q},     {"K", tensors.k},
                                                        {"V", tensors.v},     {"O", tensors.o},
                                                        {"LSE", tensors.lse}, {"null", 0}};
  return by_name.at(name);  // one of pointer_values()
}

template <class T>
Bytes number(double value, const std::string& expression) {
  // The bounds as doubles: 2^63 and 2^64 are exact, the numbers one below them are not.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const bool fits = value == std::floor(value) && value < end && value >= (std::is_signed_v<T> ? -end : 0.0);
  if (!fits) {
    throw DeclarationError("'" + expression + "' gives " + std::to_string(value) + ", which " +
                           std::to_string(8 * sizeof(T)) + (std::is_signed_v<T> ? " signed" : " unsigned") +
                           " bits do not hold");
  }
  return bytes_of(static_cast<T>(value));
}

Bytes number(const ArgumentDeclaration& declared, const Scope& scope) {
  using Make = std::function<Bytes(double, const std::string&)>;
  static const std::map<std::string, Make> by_type = {
      {"int8", number<std::int8_t>},
      {"int16", number<std::int16_t>},
      {"int32", number<std::int32_t>},
      {"int64", number<std::int64_t>},
      {"uint8", number<std::uint8_t>},
      {"uint16", number<std::uint16_t>},
      {"uint32", number<std::uint32_t>},
      {"uint64", number<std::uint64_t>},
      {"float32", [](double value, const std::string&) { return bytes_of(static_cast<float>(value)); }},
      {"float64", [](double value, const std::string&) { return bytes_of(value); }}};
  const Make& make = by_type.at(declared.type);  // one of argument_types()
  return make(scope.evaluate(declared.value), declared.value);
}

bool is_scratch(const ArgumentDeclaration& declared) {
  return declared.type == "pointer" && declared.value == "scratch";
}

// Calls `use` for each argument; adds the place in the declaration to what it throws.
template <class Use>
void for_each_argument(const KernelDeclaration& kernel, Use use) {
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    try {
      use(kernel.arguments[i]);
    } catch (const std::exception& error) {
      throw DeclarationError(kernel.source_path.string() + ": /arguments/" + std::to_string(i) + ": " +
                             error.what());
    }
  }
}

}  // namespace

std::vector<std::int64_t> scratch_bytes(const KernelDeclaration& kernel, const Configuration& complete,
                                        const Shape& shape, const DeviceModel& device) {
  const Scope scope(kernel, complete, shape, device);
  std::vector<std::int64_t> sizes;
  for_each_argument(kernel, [&](const ArgumentDeclaration& declared) {
    if (!is_scratch(declared)) return;
    sizes.push_back(scope.evaluate_count(declared.bytes));
  });
  return sizes;
}

std::vector<Bytes> kernel_arguments(const KernelDeclaration& kernel, const Configuration& complete,
                                    const Shape& shape, const DeviceModel& device,
                                    const TensorAddresses& tensors) {
  const Scope scope(kernel, complete, shape, device);
  std::vector<Bytes> arguments;
  std::size_t scratch = 0;
  for_each_argument(kernel, [&](const ArgumentDeclaration& declared) {
    if (declared.type == "attention_problem") {
      arguments.push_back(bytes_of(attention_problem(shape, kernel.result, tensors)));
    } else if (is_scratch(declared)) {
      arguments.push_back(bytes_of(tensors.scratch.at(scratch++)));
    } else if (declared.type == "pointer") {
      arguments.push_back(bytes_of(tensor_named(declared.value, tensors)));
    } else {
      arguments.push_back(number(declared, scope));
    }
  });
  return arguments;
}

}  // namespace tilescope
