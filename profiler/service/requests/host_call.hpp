#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// A tensor that a program passes to host code, or gets from it.
struct HostTensor {
  /// As a launch names elements: "f32".
  std::string element;
  std::vector<std::int64_t> shape;
  /// [elements] By axis.
  std::vector<std::int64_t> strides;
  /// The .npy file with its elements in the order of its shape, by SentArray::name; "" where they were not sent.
  std::string array;

  std::int64_t count() const;
  bool operator==(const HostTensor&) const = default;
};

/// An argument of a call: a tensor, a number, or something else.
struct HostArgument {
  std::optional<HostTensor> tensor{};
  std::optional<double> number{};

  bool operator==(const HostArgument&) const = default;
};

/// A call of a function of host code, as a program made it: a PyTorch model that calls its CUDA extension.
struct HostCall {
  /// "gelu_forward"
  std::string function;
  std::vector<HostArgument> arguments;
  /// The tensors that it should return; empty where they are not known.
  std::vector<HostTensor> results;
  /// The program, as messages name it: "model_new.py".
  std::string caller;

  bool operator==(const HostCall&) const = default;
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const HostTensor& tensor);
void from_json(const Json& json, HostTensor& tensor);
void to_json(Json& json, const HostArgument& argument);
void from_json(const Json& json, HostArgument& argument);
void to_json(Json& json, const HostCall& call);
void from_json(const Json& json, HostCall& call);

}  // namespace tilescope
