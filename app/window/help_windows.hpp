#pragma once

#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/gui/actions.hpp"
#include "app/gui/help_texts.hpp"

namespace tilescope {

/// The windows of the menu Help: about the program, shortcuts, glossary, performance. They stay open beside the panels.
class HelpWindows {
 public:
  enum class Page { about, shortcuts, glossary, performance };

  /// `texts` must outlive it.
  explicit HelpWindows(const HelpTexts& texts) : texts_(texts) {}

  void show(Page page);
  /// Closes the window that was shown last; returns whether one was open.
  bool close_last();
  void draw(const Explorer& explorer, const ActionList& actions);

 private:
  void draw_about(const Explorer& explorer) const;
  void draw_shortcuts(const ActionList& actions) const;
  void draw_gestures() const;
  void draw_glossary();

  const HelpTexts& texts_;
  /// The one shown last at the end.
  std::vector<Page> open_;
  Page to_focus_ = Page::about;
  bool focuses_ = false;
  std::string filter_;
};

}  // namespace tilescope
