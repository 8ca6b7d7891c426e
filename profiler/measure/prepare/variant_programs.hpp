#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// Identity of a launch: machine code, grid, threads, shared memory and arguments. Points with equal
/// identities are the same program. Throws DeclarationError.
std::string program_identity(const Prepared& kernel, const Configuration& complete,
                             const std::string& sass_sha256);

/// Compiles one variant for each parameter of a point, and where that makes the same program the other values, too.
class VariantPrograms {
 public:
  /// Begins to compile on the compiler's threads.
  VariantPrograms(Workbench& bench, const Prepared& kernel);

  /// Waits for them. A value that does not compile has an effect.
  std::vector<EqualValues> equal_values(const MeasureControl& control);

 private:
  struct ParameterVariants {
    std::string parameter;
    std::vector<Configuration> others;  // valid ones, each with another value; the first is being compiled
    std::vector<CompilationAsker> compiling;
  };
  Configuration with(Configuration configuration, const std::string& parameter,
                     const ParameterValue& value) const;
  bool is_valid(const Configuration& complete) const;
  CompilationAsker begin(const Configuration& complete) const;
  // "" for one that does not compile, or that is cancelled.
  std::string identity_of(const Configuration& complete, const CompilationAsker& compiling,
                          const MeasureControl& control) const;
  std::string identity_of(const Configuration& complete, const MeasureControl& control) const;
  bool is_equal_elsewhere(const ParameterVariants& variants, const MeasureControl& control) const;

  Workbench& bench_;
  const Prepared& kernel_;
  std::string here_;
  std::vector<ParameterVariants> variants_;
};

/// The programs that a worker has had, by what the GPU is given.
class ProgramLedger {
 public:
  /// Notes a point; returns others with the same program: "tiled with BLOCK_M=32", the newest first.
  std::vector<std::string> add(const std::string& identity, const Measurement& point);

 private:
  struct Entry {
    std::string kernel;
    Configuration parameters;
  };
  std::map<std::string, std::vector<Entry>> entries_;
};

}  // namespace tilescope
