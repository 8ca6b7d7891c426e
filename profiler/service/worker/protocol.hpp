#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/json_fwd.hpp"

/// Protocol between client and worker: JSON-RPC 2.0, one message a line.
///
/// The client's first request is `hello` {version, protocol, pid, folder}; the worker answers {program,
/// version, protocol, shares_files}, so that a worker of another version is named before it is asked for
/// anything. Then follow the requests of profiler/service/requests, each with time_limit_s: how long the
/// client waits. Notifications: `cancel` {id} to the worker; from it `progress` {id, stage, fraction}, `part`
/// {id, part} before an answer that comes in parts, and `leaving` {reason}, which announces that it ends
/// after its next answer and takes no further requests.
namespace tilescope::protocol {

/// Counts up when an older client or worker would misunderstand a newer one.
inline constexpr int version = 4;

/// The longest line that is read: a compiler's log is a few MB at most, more is a fault of the sender. [B]
inline constexpr std::size_t line_limit = std::size_t{64} << 20;

/// The error codes that JSON-RPC 2.0 reserves.
enum ErrorCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
};

/// Messages as lines, their newline included. Text that is not UTF-8 is repaired, never thrown over.
std::string request(const Json& id, std::string_view method, const Json& params);
std::string notification(std::string_view method, const Json& params);
std::string result(const Json& id, const Json& value);
std::string error(const Json& id, ErrorCode code, const std::string& message);

/// Which folder this is, on which machine: equal for two processes that see the same files under the same path. "" for
/// a folder that is not there.
std::string folder_identity(const std::filesystem::path& folder);

/// The beginning of a text as one quoted line without control characters, for a message to the user.
std::string excerpt(std::string_view text, std::size_t limit = 160);

/// Cuts a stream of bytes into lines of at most `limit` bytes.
class LineSplitter {
 public:
  using Callback = std::function<void(std::string_view)>;

  explicit LineSplitter(std::size_t limit = line_limit) : limit_(limit) {}

  /// Calls `line` for each line that `bytes` complete, without its newline. A line over the limit is never
  /// kept: its beginning goes to `too_long` once, the rest of it is dropped.
  void feed(std::string_view bytes, const Callback& line, const Callback& too_long);

 private:
  std::size_t limit_;
  std::string pending_;
  bool dropping_ = false;
};

}  // namespace tilescope::protocol
