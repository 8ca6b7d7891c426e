#include "app/commands/failure.hpp"

#include <string_view>

#include "app/commands/interrupt.hpp"
#include "app/commands/output.hpp"
#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/import/import.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

CommandFailure stopped_or(const CommandFailure& failure) {
  const bool is_stopped = failure.code() == ExitCode::cannot_run && interrupted();
  return is_stopped ? CommandFailure(ExitCode::stopped, Stopped().status(), failure.what()) : failure;
}

template <class Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

CommandFailure failure_of(const std::exception& error) {
  if (const auto* failure = dynamic_cast<const CommandFailure*>(&error)) return *failure;
  // About the kernel, as a point that measures it says.
  if (is<DeclarationError>(error))
    return {ExitCode::check_failed, to_string(Status::invalid_configuration), error.what()};
  if (is<UnreadableFile>(error) || is<SessionError>(error) || is<ImportError>(error))
    return UnreadableInput(error.what());
  return CannotRun(error.what());
}

ExitCode report(const CommandFailure& failure, bool as_json) {
  say(std::string("tilescope: ") + failure.what());
  if (!as_json || has_begun_document()) return failure.code();
  try {
    print_json({{"status", failure.status()}, {"reason", failure.what()}});
  } catch (const CannotRun& error) {  // stdout is full or closed: nothing else takes the document
    say(std::string("tilescope: ") + error.what());
  }
  return failure.code();
}

bool wants_json(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

ExitCode run_to_exit_code(bool as_json, const std::function<ExitCode()>& run) {
  try {
    const ExitCode code = run();
    return code == ExitCode::cannot_run && interrupted() ? ExitCode::stopped : code;
  } catch (const std::exception& error) {
    return report(stopped_or(failure_of(error)), as_json);
  } catch (...) {  // muParser's exceptions have no base class
    return report(CannotRun("an error without a description"), as_json);
  }
}

}  // namespace tilescope
