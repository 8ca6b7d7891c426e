#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// The lower part of the configuration panel: chooses the parameters of a sweep, shows how many configurations it has
/// and how many are valid, and runs it.
class SweepControl {
 public:
  bool is_varied(const std::string& parameter) const { return varied_.contains(parameter); }
  void toggle(const std::string& parameter);

  void draw(Explorer& explorer);

 private:
  SweptParameters swept_of(const Explorer& explorer) const;
  void draw_progress(Explorer& explorer, const Campaign& sweep) const;
  void draw_start(Explorer& explorer);

  std::set<std::string> varied_;
};

}  // namespace tilescope
