#include "app/window/workspace_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/json_reader.hpp"
#include "base/regular_file.hpp"
#include "profiler/kernels/catalogue/nearest_names.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

DockArea area_from(const Json& json);

std::vector<DockArea> parts_from(const Json& json) {
  if (!json.is_array() || json.size() < 2) throw DocumentError("", "expected a list of two areas or more");
  std::vector<DockArea> parts;
  for (const Json& part : json)
    parts.push_back(at_place(std::to_string(parts.size()), [&] { return area_from(part); }));
  return parts;
}

DockArea area_from(const Json& json) {
  const ObjectReader object(json);
  const Json* columns = object.find("columns");
  const Json* rows = object.find("rows");
  const Json* panels = object.find("panels");
  if ((columns != nullptr) + (rows != nullptr) + (panels != nullptr) != 1)
    throw DocumentError("", "an area has one of \"panels\", \"columns\" and \"rows\"");
  DockArea area;
  object.optional("share", area.share);
  if (!(area.share > 0)) throw DocumentError("/share", "expected a number above 0");
  object.optional("tabs_when_small", area.tabs_when_small);
  object.optional("tabs_below", area.tabs_below);
  if (panels != nullptr) {
    object.required("panels", area.panels);
    if (area.panels.empty()) throw DocumentError("/panels", "the list is empty");
    return area;
  }
  area.split = columns != nullptr ? DockArea::Split::columns : DockArea::Split::rows;
  area.parts = at_place(columns != nullptr ? "columns" : "rows",
                        [&] { return parts_from(columns != nullptr ? *columns : *rows); });
  return area;
}

/// Takes out the panels that there are not, and the areas that are left empty. `place` is the area's JSON pointer.
void drop_unknown_panels(DockArea& area, const std::string& place, const LeastSizes& known,
                         const std::string& file, std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < area.panels.size(); ++i) {
    if (known.contains(area.panels[i])) continue;
    std::vector<std::string> ids;
    for (const auto& [id, size] : known) ids.push_back(id);
    const std::string sentence =
        suggest_names(fmt::format("{}: {}/panels/{}: there is no panel '{}'", file, place, i, area.panels[i]),
                      area.panels[i], ids);
    problems.push_back(sentence + (sentence.ends_with('?') ? "" : ".") + " It is left out.");
  }
  std::erase_if(area.panels, [&](const std::string& id) { return !known.contains(id); });
  const char* list = area.split == DockArea::Split::columns ? "columns" : "rows";
  for (std::size_t i = 0; i < area.parts.size(); ++i)
    drop_unknown_panels(area.parts[i], fmt::format("{}/{}/{}", place, list, i), known, file, problems);
  std::erase_if(area.parts, [](const DockArea& part) { return part.panels.empty() && part.parts.empty(); });
  if (area.parts.size() == 1) {
    const double share = area.share;
    area = DockArea(area.parts.front());
    area.share = share;
  }
}

WorkspaceLayout all_panels(const LeastSizes& panels) {
  WorkspaceLayout layout;
  layout.id = "all_panels";
  layout.title = "All panels";
  for (const auto& [id, size] : panels) layout.area.panels.push_back(id);
  return layout;
}

double& length_along(DockArea::Split split, PanelSize& size) {
  return split == DockArea::Split::columns ? size.width : size.height;
}

double length_along(DockArea::Split split, const PanelSize& size) {
  return split == DockArea::Split::columns ? size.width : size.height;
}

PanelSize larger(const PanelSize& a, const PanelSize& b) {
  return {std::max(a.width, b.width), std::max(a.height, b.height)};
}

PanelSize least_as_tabs(const DockArea& area, const LeastSizes& least) {
  PanelSize size;
  for (const std::string& id : panels_of(area)) {
    if (const auto found = least.find(id); found != least.end()) size = larger(size, found->second);
  }
  return size;
}

PanelSize least_size(const DockArea& area, const LeastSizes& least) {
  if (area.split == DockArea::Split::none || area.tabs_when_small) return least_as_tabs(area, least);
  PanelSize size;
  for (const DockArea& part : area.parts) {
    const PanelSize of_part = least_size(part, least);
    const double along = length_along(area.split, size) + length_along(area.split, of_part);
    size = larger(size, of_part);
    length_along(area.split, size) = along;
  }
  return size;
}

/// Shares `length` among parts that need `least`: those that would have less get what they need.
std::vector<double> lengths_of(const std::vector<DockArea>& parts, double length,
                               const std::vector<double>& least) {
  std::vector<double> lengths(parts.size(), 0);
  std::vector<bool> is_least(parts.size(), false);
  for (bool settled = false; !settled;) {
    double rest = length;
    double shares = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (is_least[i]) {
        rest -= least[i];
      } else {
        shares += parts[i].share;
      }
    }
    settled = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      lengths[i] = is_least[i] ? least[i] : rest * parts[i].share / shares;
      if (is_least[i] || lengths[i] >= least[i]) continue;
      is_least[i] = true;
      settled = false;
    }
  }
  return lengths;
}

std::vector<PanelRole> roles_from(const std::vector<std::string>& names) {
  std::vector<PanelRole> roles;
  roles.reserve(names.size());
  for (const std::string& name : names)
    roles.push_back(at_place(std::to_string(roles.size()), [&] { return parse_panel_role(name); }));
  return roles;
}

bool has_docks_of(const DockArea& area, const DockedTogether& docks) {
  const std::vector<std::string> panels = panels_of(area);
  if (docks.contains({panels.begin(), panels.end()}))
    return area.split == DockArea::Split::none || area.tabs_when_small;
  return area.split != DockArea::Split::none &&
         std::all_of(area.parts.begin(), area.parts.end(),
                     [&](const DockArea& part) { return has_docks_of(part, docks); });
}

}  // namespace

WorkspaceLayout workspace_layout_from(const Json& document, const std::string& id) {
  const ObjectReader object(document);
  WorkspaceLayout layout;
  layout.id = id;
  object.required("title", layout.title);
  object.optional("help", layout.help);
  object.required("order", layout.order);
  object.optional("notices", layout.notices);
  object.optional("hides_first_task", layout.hides_first_task);
  std::vector<std::string> roles;
  object.optional("shows", roles);
  layout.shows = at_place("shows", [&] { return roles_from(roles); });
  const Json& area = object.find_required("layout");
  layout.area = at_place("layout", [&] { return area_from(area); });
  std::set<std::string> seen;
  for (const std::string& panel : panels_of(layout.area)) {
    if (!seen.insert(panel).second)
      throw DocumentError("/layout", fmt::format("the panel '{}' stands there twice", panel));
  }
  if (!layout.notices.empty() && !seen.contains(layout.notices))
    throw DocumentError("/notices", fmt::format("the layout has no panel '{}'", layout.notices));
  return layout;
}

InstalledWorkspaces read_workspaces(const std::vector<fs::path>& files, const LeastSizes& panels) {
  InstalledWorkspaces installed;
  for (const fs::path& file : files) {
    try {
      WorkspaceLayout layout = workspace_layout_from(read_json_file(file), file.stem().string());
      drop_unknown_panels(layout.area, "/layout", panels, file.string(), installed.problems);
      if (!panels_of(layout.area).empty()) installed.layouts.push_back(std::move(layout));
    } catch (const std::exception& error) {
      installed.problems.push_back(
          fmt::format("The workspace {} is left out: {}.", file.string(), reason_without_file(error)));
    }
  }
  std::stable_sort(installed.layouts.begin(), installed.layouts.end(),
                   [](const WorkspaceLayout& a, const WorkspaceLayout& b) { return a.order < b.order; });
  if (installed.layouts.empty()) installed.layouts.push_back(all_panels(panels));
  return installed;
}

std::vector<std::string> panels_of(const DockArea& area) {
  std::vector<std::string> panels = area.panels;
  for (const DockArea& part : area.parts) {
    const std::vector<std::string> of_part = panels_of(part);
    panels.insert(panels.end(), of_part.begin(), of_part.end());
  }
  return panels;
}

DockedTogether docked_together(const DockArea& area) {
  DockedTogether docks;
  if (area.split == DockArea::Split::none) docks.insert({area.panels.begin(), area.panels.end()});
  for (const DockArea& part : area.parts) docks.merge(docked_together(part));
  return docks;
}

bool is_arrangement_of(const DockArea& area, const DockedTogether& docks) {
  std::size_t docked = 0;
  for (const std::set<std::string>& dock : docks) docked += dock.size();
  return docked == panels_of(area).size() && has_docks_of(area, docks);
}

DockArea fitted(const DockArea& area, PanelSize size, const LeastSizes& least) {
  if (area.split == DockArea::Split::none) return area;
  const double length = length_along(area.split, size);
  std::vector<double> least_lengths;
  double needed = 0;
  for (const DockArea& part : area.parts) {
    least_lengths.push_back(length_along(area.split, least_size(part, least)));
    needed += least_lengths.back();
  }
  DockArea result = area;
  if (area.tabs_when_small && (needed > length || length < area.tabs_below)) {
    result.split = DockArea::Split::none;
    result.panels = panels_of(area);
    result.parts.clear();
    return result;
  }
  if (needed > length) std::fill(least_lengths.begin(), least_lengths.end(), 0);
  const std::vector<double> lengths = lengths_of(area.parts, length, least_lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    PanelSize of_part = size;
    length_along(area.split, of_part) = lengths[i];
    result.parts[i] = fitted(area.parts[i], of_part, least);
    result.parts[i].share = lengths[i];
  }
  return result;
}

DockArea at_scale(DockArea area, double scale) {
  area.tabs_below *= scale;
  for (DockArea& part : area.parts) part = at_scale(std::move(part), scale);
  return area;
}

bool has_panel(const DockArea& area, const std::string& id) {
  return std::ranges::find(area.panels, id) != area.panels.end() ||
         std::ranges::any_of(area.parts, [&](const DockArea& part) { return has_panel(part, id); });
}

}  // namespace tilescope
