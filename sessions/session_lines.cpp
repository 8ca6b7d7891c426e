#include "sessions/session_lines.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "sessions/migration.hpp"
#include "sessions/point_parser.hpp"

namespace tilescope {
namespace {

/// Raw line breaks are in no text of JSON: at the end of a line this is the session's own key.
constexpr std::string_view start_of_points = ",\n  \"points\": [\n";
constexpr std::string_view end_of_points = "]}";

/// The lines of the points, without their commas. Nothing for another layout.
std::optional<std::vector<std::string_view>> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.starts_with(end_of_points)) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const bool is_last = text.starts_with(end_of_points);
    if (line.ends_with(',') == is_last) return std::nullopt;
    if (!is_last) line.remove_suffix(1);
    lines.push_back(line);
  }
  text.remove_prefix(end_of_points.size());
  if (text.find_first_not_of(" \n\r\t") != std::string_view::npos) return std::nullopt;
  return lines;
}

/// Reads the text before the points.
std::optional<Session> read_head(std::string_view head) {
  Json document = parse_json(std::string(head) + ",\"points\":[]}");
  if (!document.is_object() || document.value("format", Json()) != session_format_name) return std::nullopt;
  // The changes since version 2 are all in the text before the points.
  const Json version = document.value("version", Json());
  if (version == 2) document = migrated(std::move(document), 2, session_migrations());
  if (version != 2 && version != session_format_version) return std::nullopt;
  Session session;
  from_json(document, session);
  return session;
}

using Points = std::vector<ReadPoint>;

/// Points that one thread takes at a time.
constexpr std::size_t lines_at_a_time = 64;

/// Returns whether all of its lines are points. Stops where another thread has found one that is not.
bool read_some(const std::vector<std::string_view>& lines, Points& points, std::atomic<std::size_t>& next,
               std::atomic<bool>& failed) {
  PointParser parser;
  while (!failed) {
    const std::size_t begin = next.fetch_add(lines_at_a_time);
    if (begin >= lines.size()) return true;
    const std::size_t end = std::min(begin + lines_at_a_time, lines.size());
    for (std::size_t i = begin; i < end; ++i) {
      points[i] = read_point(parser.parse(lines[i]));
    }
  }
  return false;
}

bool read_points(const std::vector<std::string_view>& lines, Points& points) {
  constexpr std::size_t most_threads = 8;
  points.resize(lines.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    try {
      read_some(lines, points, next, failed);
    } catch (const std::exception&) {
      failed = true;
    }
  };
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t threads = std::min({cores, most_threads, lines.size() / (2 * lines_at_a_time) + 1});
  std::vector<std::jthread> others;
  others.reserve(threads);
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return !failed;
}

}  // namespace

std::optional<Session> read_session_lines(const std::string& text) {
  const std::string_view whole = text;
  const std::size_t at = whole.find(start_of_points);
  if (at == std::string_view::npos) return std::nullopt;
  const auto lines = lines_of(whole.substr(at + start_of_points.size()));
  if (!lines) return std::nullopt;
  try {
    std::optional<Session> session = read_head(whole.substr(0, at));
    Points points;
    if (!session || !read_points(*lines, points)) return std::nullopt;
    session->points.reserve(points.size());
    for (ReadPoint& point : points) add_point(std::move(point), *session);
    return session;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace tilescope
