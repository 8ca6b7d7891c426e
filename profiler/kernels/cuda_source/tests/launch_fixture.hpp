#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

/// "4x1x1", with "?" for a component without a value.
inline std::string size_text(const std::array<EvaluatedNumber, 3>& size) {
  std::string text;
  for (const EvaluatedNumber& component : size)
    text += (text.empty() ? "" : "x") +
            (component.value ? std::to_string(static_cast<long long>(*component.value)) : std::string("?"));
  return text;
}

/// The first launch of a file and its values.
struct FirstLaunch {
  explicit FirstLaunch(const std::string& text, const std::map<std::string, double>& chosen = {},
                       const std::map<std::string, double>& given = {})
      : source(text) {
    if (source.launches().empty()) {
      ADD_FAILURE() << "no launch in " << text;
      return;
    }
    launch = source.launches()[0];
    values = source.evaluate(launch, chosen, [&](const std::string& name, const std::string& type) {
      asked[name] = type;
      const auto found = given.find(name);
      return found == given.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::string grid() const { return size_text(values.grid); }
  std::string block() const { return size_text(values.block); }

  CudaSource source;
  SourceLaunch launch;
  EvaluatedLaunch values;
  std::map<std::string, std::string> asked;  ///< name -> type
};

/// Host code around statements, with a kernel k.
inline std::string in_main(const std::string& statements) {
  return "__global__ void k(int n) {}\nint main(int argc, char** argv) {\n" + statements + "\n}\n";
}

}  // namespace tilescope
