#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/requests/measure.hpp"

namespace tilescope {

/// The stages of a PointStage, and the point itself.
enum class AnswerStage { judged, compiled, checked, timed, final };
inline constexpr std::size_t answer_stages = 5;
std::string to_string(AnswerStage stage);

/// Where the answer to a move came from.
enum class AnswerSource {
  /// A point of the session.
  session,
  /// A point that was measured ahead, before anybody chose it.
  prepared,
  /// Measured with a binary of the cache.
  cached,
  /// Compiled.
  compiled,
};
inline constexpr std::size_t answer_sources = 4;
std::string to_string(AnswerSource source);

/// Times every stage of the answer to a move of a slider, from the move to the end of the frame that showed it. Keeps
/// the last 256 moves. From the window's thread.
class LatencyMeter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t moves_kept = 256;
  /// In which longest_stall_ms() looks back.
  static constexpr std::chrono::seconds stall_window{60};

  explicit LatencyMeter(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

  // --- of the window's loop ---
  /// Events came in. A move that the next frame makes of them began now.
  void input_arrived() { input_ = now_(); }
  void frame_begins();
  /// It was passed to the display.
  void frame_drawn();
  /// A part of the loop held the thread. [ms]
  void held(double ms);

  // --- of the model ---
  /// The person chose another configuration.
  void moved();
  /// Its point is looked up, or asked for. Without a move before it what follows is no answer to one.
  void asked();
  void received(PointStage stage);
  void received_final(AnswerSource source);

  // --- figures ---
  struct Figure {
    std::size_t count = 0;
    double median_ms = 0;
    double p90_ms = 0;
  };
  /// Of the moves with answers of one source; without a source those that got none: a later move came first, or the
  /// point failed.
  struct Row {
    std::optional<AnswerSource> source;
    std::size_t moves = 0;
    /// None where no move got so far. Times from the move: until the answer was received, and until it was drawn.
    std::array<std::optional<Figure>, answer_stages> received;
    std::array<std::optional<Figure>, answer_stages> drawn;
  };
  /// Of the moves that are kept: one row a source, in their order, then the row without one.
  std::vector<Row> rows() const;
  /// Of all moves so far.
  std::uint64_t moves() const { return moves_so_far_; }
  const std::array<std::uint64_t, answer_stages>& stages_drawn() const { return stages_drawn_; }
  /// [ms] The longest part of the loop within stall_window; 0 for none.
  double longest_stall_ms() const;

 private:
  using Times = std::array<std::optional<double>, answer_stages>;
  struct Move {
    std::uint64_t number = 0;
    Clock::time_point start;
    std::optional<AnswerSource> source;
    /// [ms] since the start.
    Times received{};
    Times drawn{};
  };
  enum class State { closed, moved, open };

  void note_received(AnswerStage stage);
  Row row_of(std::optional<AnswerSource> source) const;

  std::function<Clock::time_point()> now_;
  /// Since the last frame.
  std::optional<Clock::time_point> input_;
  /// Oldest first.
  std::deque<Move> moves_;
  std::uint64_t moves_so_far_ = 0;
  State state_ = State::closed;
  /// What the frame being drawn shows for the first time: a move's number and the stage.
  std::vector<std::pair<std::uint64_t, AnswerStage>> shown_by_frame_;
  std::array<std::uint64_t, answer_stages> stages_drawn_{};
  struct Held {
    Clock::time_point end;
    double ms = 0;
  };
  /// Oldest first, and each longer than all after it: a shorter one before a longer one is never the longest.
  std::deque<Held> held_;
};

}  // namespace tilescope
