#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
#include "app/commands/point_tries.hpp"
#include "base/json_fwd.hpp"

namespace tilescope {

/// A command that makes one point of an experiment: prints it, and appends it to a session where one is named.
class PointCommand : public Command {
 public:
  void declare_options(CLI::App& app) override;
  ExitCode run() override;

 protected:
  using Progress = std::function<void(RequestProgress)>;
  virtual Measurement make_point(Client& client, const Experiment& experiment, const Progress& progress,
                                 std::chrono::milliseconds time_limit) = 0;
  /// Makes a changed point for --try, with the latency or the prediction that a point of this command has.
  virtual Measurement make_changed(Client& client, const Experiment& experiment, const Progress& progress,
                                   std::chrono::milliseconds time_limit) = 0;
  virtual std::string text_of(const Measurement& point, const Installation& installation) const = 0;
  /// The document that --json prints.
  virtual Json document_of(const Measurement& point) const;
  /// The file that takes the point; empty for none.
  const std::filesystem::path& session() const { return output_.session; }

 private:
  void try_changes_of(Measurement& point, Client& client, const Experiment& experiment,
                      const KernelDeclaration& kernel, const Installation& installation);
  std::string tries_text_of(const Measurement& point) const;

  ExperimentOptions options_;
  OutputOptions output_;
  bool tries_ = false;
  /// The solver's layouts for --try.
  std::vector<LayoutAnswer> layouts_;
};

}  // namespace tilescope
