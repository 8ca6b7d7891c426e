#include "app/gui/panel_role.hpp"

#include "base/enum_names.hpp"

namespace tilescope {

namespace {

constexpr EnumNames<PanelRole, 10> role_names = {{
    {PanelRole::several_kernels, "several_kernels"},
    {PanelRole::all_points, "all_points"},
    {PanelRole::code_line, "code_line"},
    {PanelRole::line_accesses, "line_accesses"},
    {PanelRole::stepped_block, "stepped_block"},
    {PanelRole::comparison, "comparison"},
    {PanelRole::compared_sides, "compared_sides"},
    {PanelRole::latencies, "latencies"},
    {PanelRole::resident_blocks, "resident_blocks"},
    {PanelRole::opened_file, "opened_file"},
}};

}  // namespace

std::string to_string(PanelRole role) {
  return name_of(role, role_names);
}

PanelRole parse_panel_role(const std::string& name) {
  return value_of(name, role_names, "role of a panel");
}

}  // namespace tilescope
