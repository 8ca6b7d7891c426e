#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/gui/actions.hpp"
#include "app/gui/help_texts.hpp"
#include "app/gui/panel.hpp"

namespace tilescope {

/// A few steps for the first minutes, in a strip below the menu bar that covers nothing. Each is ticked off when the
/// user did it, in any order.
class FirstTask {
 public:
  /// `steps` and `finished` must outlive it. It is shown until `finished`, which it sets when the steps are done or
  /// skipped.
  FirstTask(const std::vector<TaskStep>& steps, bool& finished);

  bool is_shown() const { return shown_ && !steps_.empty(); }
  /// From the first step on.
  void show_again();
  bool is_done(std::size_t step) const { return done_[step]; }

  /// Ticks off what has been done.
  void update(const Explorer& explorer, const std::vector<std::unique_ptr<Panel>>& panels);
  /// The strip; takes its height from the viewport, so to be drawn before the panels.
  void draw(const ActionList& actions);

 private:
  bool is_fulfilled(const TaskStep& step, const Explorer& explorer,
                    const std::vector<std::unique_ptr<Panel>>& panels) const;
  bool was_slider_moved(const Explorer& explorer) const;
  bool all_done() const;
  void draw_step(std::size_t index, float width, const ActionList& actions) const;
  float height_of_steps(float width) const;

  const std::vector<TaskStep>& steps_;
  bool& finished_;
  bool shown_;
  std::vector<bool> done_;
  /// Selection::slider_moves() when the steps were first shown; none before the first update.
  std::optional<std::uint64_t> moves_before_;
};

}  // namespace tilescope
