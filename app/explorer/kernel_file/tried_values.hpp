#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/board.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/views/kernel_file/launch_rows.hpp"
#include "profiler/views/kernel_file/tried_row.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

namespace tilescope {

/// Points of the opened file with other values for rows of its launch, executed one after the other, whether a panel shows
/// them or not.
class TriedValues {
 public:
  explicit TriedValues(Board& board);

  /// Executes the kernel that is shown once for each combination of the values, in the place of the points before. There
  /// must be no more than max_combinations.
  void start(const std::vector<VariedValues>& varied);
  void cancel();
  bool runs() const { return state_ == State::runs; }
  /// "compile", "interpret"; "" before.
  std::string stage() const { return request_.stage(); }

  /// The rows that are varied, by LaunchRow::what; none before the first start, and after another file or kernel was opened.
  const std::vector<std::string>& varied();
  /// All combinations, and rows of the points that have come, in the same order.
  const std::vector<ValueCombination>& combinations() const { return combinations_; }
  const std::vector<TriedRow>& rows() const { return rows_; }
  /// Names of TriedRow::values: the varied ones, and in what the entries of a cache differ. Empty before a point has come.
  const std::vector<std::string>& names() const { return names_; }
  /// See fastest_places().
  const std::set<std::size_t>& fastest() const { return fastest_; }
  /// See fastest_words().
  const std::string& summary() const { return summary_; }
  /// Adds the points that have come to the open session.
  void keep_in_session();
  /// Why the file could not be read, a sentence; else "".
  const std::string& problem() const { return problem_; }
  /// Whether the file, the kernel, the device or another part of the launch has changed since.
  bool is_outdated() const;

 private:
  enum class State { idle, runs };
  /// All but the varied values on which the points depend.
  struct Base {
    std::filesystem::path file;
    std::string entry, device;
    std::uint64_t version = 0;
    ChosenValues chosen;
    std::vector<std::string> options;

    bool operator==(const Base&) const = default;
  };

  Base base() const;
  void forget_points();
  void ask_next();
  void take(std::shared_ptr<const OpenedPoint> point);
  void derive_rows();
  void take_options(const std::optional<SentFile>& left_aside);
  ChosenValues chosen_with(const ValueCombination& values) const;
  std::shared_ptr<const OpenedPoint> find_answer(const ValueCombination& values) const;

  Board& board_;
  Base base_;
  std::vector<std::string> varied_;
  std::vector<ValueCombination> combinations_;
  /// Values of the launch's rows at the start, without the chosen ones.
  ChosenValues guessed_;
  State state_ = State::idle;
  FileSubject subject_;
  std::vector<std::string> options_;
  std::vector<TriedPoint> points_;
  std::vector<TriedRow> rows_;
  std::vector<std::string> names_;
  std::string summary_, problem_;
  std::set<std::size_t> fastest_;
  NewestTask task_;
  NewestRequests::Handle request_;
};

}  // namespace tilescope
