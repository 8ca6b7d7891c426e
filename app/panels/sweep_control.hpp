#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/shell/explorer.hpp"

namespace tilescope {

/// Chooses what a sweep varies, says how many configurations that is and how many are legal, and runs it: the
/// foot of the configuration panel.
class SweepControl {
 public:
  bool is_varied(const std::string& parameter) const { return varied_.contains(parameter); }
  void toggle(const std::string& parameter);

  void draw(Explorer& explorer);

 private:
  using Vary = std::vector<std::pair<std::string, std::vector<ParameterValue>>>;

  /// What the count depends on: a sweep's configurations are judged again only when one of these changes.
  struct Key {
    std::string kernel;
    std::string device;
    Shape shape;
    Configuration fixed;  ///< The parameters that are not varied.
    std::vector<std::string> varied;

    bool operator==(const Key&) const = default;
  };

  Vary vary_of(const Explorer& explorer) const;
  void count(const Explorer& explorer, const Vary& vary);
  void draw_progress(Explorer& explorer, const SweepTask& task) const;
  void draw_start(Explorer& explorer);

  std::set<std::string> varied_;
  Key key_;
  std::vector<Configuration> grid_;
  std::size_t judged_ = 0;
  std::size_t legal_ = 0;
};

}  // namespace tilescope
