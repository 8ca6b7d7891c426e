#include "app/window/frame_cost.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/json.hpp"

namespace tilescope {

namespace {

constexpr std::size_t frames_to_settle = 10;
constexpr std::size_t frames_kept = 200;
constexpr double slow_ms = 4;
constexpr std::size_t slow_parts_kept = 500;

double read_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double thread_ms() {
  return read_ms(CLOCK_THREAD_CPUTIME_ID);
}

/// How long the window's thread was ready to run while others had the processors; 0 if the kernel does not count it.
/// Asked several times a frame, so that the file stays open. The descriptor belongs to the thread that calls this first:
/// another one would get the figures of that thread.
double queued_ms() {
  static const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  std::array<char, 96> text{};
  if (file < 0 || pread(file, text.data(), text.size() - 1, 0) <= 0) return 0;
  // The time running, then the time queued. [ns]
  char* rest = nullptr;
  std::strtoll(text.data(), &rest, 10);
  return static_cast<double>(std::strtoll(rest, nullptr, 10)) * 1e-6;
}

/// The memory that is in use, in MB (1e6 B).
double resident_mb() {
  std::ifstream input("/proc/self/statm");
  long total = 0;
  long resident = 0;
  input >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

}  // namespace

void FrameCost::begin() {
  start_ms_ = thread_ms();
}

void FrameCost::end() {
  if (costs_ms_.size() == frames_kept) costs_ms_.erase(costs_ms_.begin());
  costs_ms_.push_back(thread_ms() - start_ms_);
}

FrameCost::Moment FrameCost::now() {
  return {read_ms(CLOCK_MONOTONIC) - queued_ms(), thread_ms()};
}

double FrameCost::note(const char* name, int frame, Moment start) {
  const Moment end = now();
  const Moment took{end.held_ms - start.held_ms, end.processor_ms - start.processor_ms};
  if (!keeps_slow_parts || took.held_ms < slow_ms) return took.held_ms;
  if (slow_.size() == slow_parts_kept) slow_.pop_front();
  slow_.push_back({frame, name, took});
  return took.held_ms;
}

Json FrameCost::report(std::size_t points) const {
  const bool from_the_start = costs_ms_.size() < frames_kept;
  const std::size_t skipped =
      from_the_start && costs_ms_.size() > 2 * frames_to_settle ? frames_to_settle : 0;
  std::vector<double> sorted(costs_ms_.begin() + static_cast<std::ptrdiff_t>(skipped), costs_ms_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    return sorted.empty()
               ? Json()
               : Json(sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))]);
  };
  Json slow = Json::array();
  for (const SlowPart& part : slow_) {
    slow.push_back({{"frame", part.frame},
                    {"part", part.name},
                    {"held_ms", part.took.held_ms},
                    {"processor_ms", part.took.processor_ms}});
  }
  return {{"frames", sorted.size()},
          {"points", points},
          {"median_ms", quantile(0.5)},
          {"p90_ms", quantile(0.9)},
          {"max_ms", quantile(1.0)},
          {"rss_mb", resident_mb()},
          {"slow", slow}};
}

}  // namespace tilescope
