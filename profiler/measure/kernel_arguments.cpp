#include "profiler/measure/kernel_arguments.hpp"

#include <cmath>
#include <map>

#include "kernels/device/attention_problem.cuh"
#include "profiler/catalogue/expression.hpp"

namespace tilescope {
namespace {

TensorStrides contiguous(std::int64_t heads, std::int64_t rows, std::int64_t columns) {
  return {heads * rows * columns, rows * columns, columns};
}

AttentionProblem attention_problem(const Shape& shape, const TensorPointers& tensors) {
  const auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void*>(address); };
  AttentionProblem problem{};
  problem.q = pointer(tensors.q);
  problem.k = pointer(tensors.k);
  problem.v = pointer(tensors.v);
  problem.o = pointer(tensors.o);
  problem.lse = static_cast<float*>(pointer(tensors.lse));
  problem.q_strides = problem.o_strides = contiguous(shape.Hq, shape.Sq, shape.D);
  problem.k_strides = problem.v_strides = contiguous(shape.Hkv, shape.Sk, shape.D);
  problem.batches = static_cast<int>(shape.B);
  problem.query_heads = static_cast<int>(shape.Hq);
  problem.key_heads = static_cast<int>(shape.Hkv);
  problem.queries = static_cast<int>(shape.Sq);
  problem.keys = static_cast<int>(shape.Sk);
  problem.softmax_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.D)));
  return problem;
}

CUdeviceptr tensor_named(const std::string& name, const TensorPointers& tensors) {
  const std::map<std::string, CUdeviceptr> by_name = {
      {"Q", tensors.q}, {"K", tensors.k}, {"V", tensors.v}, {"O", tensors.o}, {"LSE", tensors.lse}};
  const auto found = by_name.find(name);
  if (found == by_name.end()) {
    throw DeclarationError("a pointer argument is one of Q, K, V, O and LSE, not '" + name + "'");
  }
  return found->second;
}

void add_argument(cuda::KernelArguments& arguments, const ArgumentDeclaration& declared, const Scope& scope,
                  const Shape& shape, const TensorPointers& tensors) {
  if (declared.type == "attention_problem") {
    arguments.add(attention_problem(shape, tensors));
  } else if (declared.type == "pointer") {
    arguments.add(tensor_named(declared.value, tensors));
  } else if (declared.type == "int32") {
    arguments.add(static_cast<std::int32_t>(scope.evaluate(declared.value)));
  } else if (declared.type == "int64") {
    arguments.add(static_cast<std::int64_t>(scope.evaluate(declared.value)));
  } else if (declared.type == "float32") {
    arguments.add(static_cast<float>(scope.evaluate(declared.value)));
  } else {
    throw DeclarationError(
        "'" + declared.type +
        "' is not a type of an argument: attention_problem, pointer, int32, int64 or float32");
  }
}

}  // namespace

cuda::KernelArguments kernel_arguments(const KernelDeclaration& kernel, const Configuration& complete,
                                       const Shape& shape, const DeviceModel& device,
                                       const TensorPointers& tensors) {
  const Scope scope(kernel, complete, shape, device);
  cuda::KernelArguments arguments;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    try {
      add_argument(arguments, kernel.arguments[i], scope, shape, tensors);
    } catch (const std::exception& error) {
      throw DeclarationError(kernel.source_path.string() + ": /arguments/" + std::to_string(i) + ": " +
                             error.what());
    }
  }
  return arguments;
}

}  // namespace tilescope
