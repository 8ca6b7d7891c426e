#include "profiler/service/worker/protocol.hpp"

#include <sys/stat.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "base/json.hpp"

namespace tilescope::protocol {
namespace {

std::string line_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string request(const Json& id, std::string_view method, const Json& params) {
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string notification(std::string_view method, const Json& params) {
  return line_of({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::string result(const Json& id, const Json& value) {
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", value}});
}

std::string error(const Json& id, ErrorCode code, const std::string& message) {
  return line_of(
      {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

std::string folder_identity(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(folder, error);
  struct stat status {};
  if (error || ::stat(canonical.c_str(), &status) != 0) return "";
  std::string boot;  // New with every start of the machine, and another on each.
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return boot + ' ' + std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino) + ' ' +
         canonical.string();
}

std::string excerpt(std::string_view text, std::size_t limit) {
  const bool cut = text.size() > limit;
  // JSON's own quoting makes control characters visible and replaces what is not UTF-8.
  std::string quoted =
      Json(std::string(text.substr(0, limit))).dump(-1, ' ', false, Json::error_handler_t::replace);
  return cut ? quoted + "..." : quoted;
}

void LineSplitter::feed(std::string_view bytes, const Callback& line, const Callback& too_long) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const bool complete = newline != std::string_view::npos;
    const std::string_view part = bytes.substr(0, newline);
    bytes.remove_prefix(complete ? newline + 1 : bytes.size());
    if (!dropping_ && part.size() > limit_ - pending_.size()) {
      dropping_ = true;
      pending_.append(part.substr(0, limit_ - pending_.size()));
      too_long(std::exchange(pending_, {}));
    }
    if (!dropping_) pending_.append(part);
    if (!complete) return;
    if (!std::exchange(dropping_, false)) line(std::exchange(pending_, {}));
  }
}

}  // namespace tilescope::protocol
