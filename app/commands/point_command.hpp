#pragma once

#include <functional>

#include "app/commands/asking.hpp"
#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/output.hpp"
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
  virtual std::string text_of(const Measurement& point, const Installation& installation) const = 0;
  /// The document that --json prints.
  virtual Json document_of(const Measurement& point) const;
  /// The file that takes the point; empty for none.
  const std::filesystem::path& session() const { return output_.session; }

 private:
  ExperimentOptions options_;
  OutputOptions output_;
};

}  // namespace tilescope
