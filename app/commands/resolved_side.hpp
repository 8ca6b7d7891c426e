#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/opened_side.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {

/// A side as it is asked for: an experiment, a point that was recorded, or a file to be opened.
struct ResolvedSide {
  std::optional<Experiment> live;
  Measurement point;
  /// As it was named.
  ComparedSide side;
  /// None but of an opened file, which `point` is of, too.
  std::optional<OpenedSide> opened{};

  bool is_file() const { return !live && !side.is_session; }
};

/// Finds what the operands of `compare` name. Each session is read once.
class SideResolver {
 public:
  /// `settings`: "NAME=VALUE" for each side that does not give the name another value.
  SideResolver(const Catalogue& catalogue, std::vector<std::string> settings);

  /// Throws WrongUsage for a text or a setting of another form.
  ComparedSide read(const std::string& text) const;
  /// Throws WrongUsage where there is no such kernel, file or point.
  ResolvedSide resolve(const ComparedSide& side, const Experiment& conditions);
  const Session& session(const std::string& file);
  /// The source of a side's point; nothing where no copy is left.
  std::optional<SourceFile> source_of(const ResolvedSide& side, const Measurement& point,
                                      const SourceStore& store);

 private:
  const Catalogue& catalogue_;
  std::vector<std::string> settings_;
  std::map<std::string, Session> sessions_;
};

}  // namespace tilescope
