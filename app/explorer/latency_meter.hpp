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

#include "profiler/service/requests/measure.hpp"

namespace tilescope {

/// The stages of a PointStage, and the point itself.
enum class AnswerStage { judged, compiled, checked, timed, final };
inline constexpr std::size_t answer_stages = 5;
std::string to_string(AnswerStage stage);

/// Origin of the answer to a move.
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
  /// In which longest_turn_ms() and longest_part_ms() look back.
  static constexpr std::chrono::seconds stall_window{60};

  explicit LatencyMeter(std::function<Clock::time_point()> now = Clock::now) : now_(std::move(now)) {}

  // --- of the window's loop ---
  /// Events were taken from the window system. A move that the next frame makes of them began now: how long they waited
  /// for the turn of the loop before is not known.
  void input_arrived() { input_ = now_(); }
  void frame_begins();
  /// It was passed to the display.
  void frame_drawn();
  /// One turn of the loop, all of it but the wait for events. [ms]
  void turned(double ms) { turns_.note(now_(), ms); }
  /// An update of the model or the drawing of a frame, without what the thread waited for a core. [ms]
  void held(double ms) { parts_.note(now_(), ms); }

  // --- of the model ---
  /// The user moved a slider or chose a value in another way.
  void moved();
  /// The point of a move is looked up or requested. Without a move before it, the stages that follow are not
  /// timed.
  void asked();
  void received(PointStage stage);
  void received_final(AnswerSource source);
  /// The point failed.
  void received_none();

  // --- figures ---
  struct Figure {
    std::size_t count = 0;
    /// By nearest rank: each is one of the times.
    double median_ms = 0;
    double p90_ms = 0;
  };
  /// The moves answered by one source. Moves without an answer have no source: a later move came first, or
  /// the point failed.
  struct Row {
    std::optional<AnswerSource> source;
    std::size_t moves = 0;
    /// None where no move got so far. Times from the move: until the answer was received, and until it was drawn. A
    /// stage that came with a later one before the next frame was not drawn.
    std::array<std::optional<Figure>, answer_stages> received;
    std::array<std::optional<Figure>, answer_stages> drawn;
  };
  /// Rows of the moves that are kept: one per source, in the order of the sources, then the moves without an
  /// answer.
  std::vector<Row> rows() const;
  /// Number of moves since the start.
  std::uint64_t moves() const { return moves_so_far_; }
  const std::array<std::uint64_t, answer_stages>& stages_drawn() const { return stages_drawn_; }
  /// [ms] Within stall_window; 0 for none.
  double longest_turn_ms() const { return turns_.longest(now_()); }
  double longest_part_ms() const { return parts_.longest(now_()); }

 private:
  using Times = std::array<std::optional<double>, answer_stages>;
  struct Move {
    std::uint64_t number = 0;
    Clock::time_point start;
    std::optional<AnswerSource> source;
    /// [ms] since the start.
    Times received{};
    Times drawn{};
    /// The latest stage that was received: the one that a frame shows.
    std::optional<AnswerStage> shown{};
  };
  /// The longest of the times of the last stall_window.
  class Longest {
   public:
    void note(Clock::time_point end, double ms);
    double longest(Clock::time_point now) const;

   private:
    struct Time {
      Clock::time_point end;
      double ms = 0;
    };
    /// Oldest first, and each longer than all after it: a shorter one before a longer one is never the longest.
    std::deque<Time> times_;
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
  /// The move and the stage that the frame being drawn shows for the first time.
  std::optional<std::pair<std::uint64_t, AnswerStage>> shown_by_frame_;
  std::array<std::uint64_t, answer_stages> stages_drawn_{};
  Longest turns_;
  Longest parts_;
};

}  // namespace tilescope
