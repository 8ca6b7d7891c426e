#include "app/gui/svg.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/gui/svg_text.hpp"
#include "app/gui/vectors.hpp"
#include "base/text/html.hpp"

namespace tilescope {

namespace {

struct Corner {
  ImVec2 at;
  ImU32 color = 0;
};
using Polygon = std::vector<Corner>;

float area(const Polygon& polygon) {
  float twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const ImVec2 a = polygon[i].at;
    const ImVec2 b = polygon[(i + 1) % polygon.size()].at;
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

/// The part of a convex polygon on one side of a line: `distance` is negative on the other.
template <class Distance>
Polygon cut(const Polygon& polygon, const Distance& distance) {
  Polygon inside;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner& from = polygon[i];
    const Corner& to = polygon[(i + 1) % polygon.size()];
    const float a = distance(from.at);
    const float b = distance(to.at);
    if (a >= 0) inside.push_back(from);
    if ((a >= 0) != (b >= 0)) inside.push_back({from.at + (to.at - from.at) * (a / (a - b)), from.color});
  }
  return inside;
}

Polygon clipped(Polygon polygon, const ImVec4& clip) {
  const auto is_inside = [&](const Corner& corner) {
    return corner.at.x >= clip.x && corner.at.x <= clip.z && corner.at.y >= clip.y && corner.at.y <= clip.w;
  };
  if (std::all_of(polygon.begin(), polygon.end(), is_inside)) return polygon;
  polygon = cut(polygon, [&](ImVec2 at) { return at.x - clip.x; });
  polygon = cut(polygon, [&](ImVec2 at) { return clip.z - at.x; });
  polygon = cut(polygon, [&](ImVec2 at) { return at.y - clip.y; });
  return cut(polygon, [&](ImVec2 at) { return clip.w - at.y; });
}

bool is_upright_rectangle(const Polygon& polygon) {
  if (polygon.size() != 4) return false;
  const auto same = [](float a, float b) { return std::abs(a - b) < 0.01F; };
  const auto& [a, b, c, d] = std::array{polygon[0].at, polygon[1].at, polygon[2].at, polygon[3].at};
  return (same(a.y, b.y) && same(b.x, c.x) && same(c.y, d.y) && same(d.x, a.x)) ||
         (same(a.x, b.x) && same(b.y, c.y) && same(c.x, d.x) && same(d.y, a.y));
}

/// Neighbouring rectangles must not show a seam. Thin ones are lines, which need their exact place more.
bool needs_crisp_edges(const Polygon& polygon) {
  constexpr float line = 3;
  if (!is_upright_rectangle(polygon)) return false;
  const ImVec2 size = polygon[2].at - polygon[0].at;
  return std::abs(size.x) >= line && std::abs(size.y) >= line;
}

ImVec2 middle(ImVec2 a, ImVec2 b) {
  return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

std::string hex_color(ImU32 color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color >> IM_COL32_R_SHIFT & 0xFFU,
                     color >> IM_COL32_G_SHIFT & 0xFFU, color >> IM_COL32_B_SHIFT & 0xFFU);
}

/// Writes polygons of one colour that follow each other as one path: fewer elements, and no seams between them.
class SvgShapes {
 public:
  explicit SvgShapes(std::string& out) : out_(out) {}

  void add(const Polygon& whole, const ImVec4& clip) {
    Polygon polygon = clipped(whole, clip);
    const float signed_area = polygon.size() < 3 ? 0 : area(polygon);
    if (std::abs(signed_area) < 1e-3F) return;
    // Polygons of one path that turn differently would leave holes in each other.
    if (signed_area < 0) std::reverse(polygon.begin(), polygon.end());
    const auto other = [&](const Corner& corner) { return corner.color != whole.front().color; };
    if (std::any_of(whole.begin(), whole.end(), other)) {
      flush();
      path_ = data(polygon);
      write(gradient(whole), false);
      return;
    }
    const ImU32 color = whole.front().color;
    if ((color & IM_COL32_A_MASK) == 0) return;
    const bool crisp = needs_crisp_edges(polygon);
    if (color != color_ || crisp != crisp_) flush();
    color_ = color;
    crisp_ = crisp;
    path_ += data(polygon);
  }

  void flush() { write(svg_fill(color_), crisp_); }

 private:
  static std::string data(const Polygon& polygon) {
    std::string text;
    for (const Corner& corner : polygon) {
      text +=
          fmt::format("{}{} {}", text.empty() ? 'M' : 'L', svg_number(corner.at.x), svg_number(corner.at.y));
    }
    return text + "Z";
  }

  void write(const std::string& fill, bool crisp) {
    if (path_.empty()) return;
    out_ +=
        fmt::format("<path d=\"{}\" {}{}/>\n", path_, fill, crisp ? " shape-rendering=\"crispEdges\"" : "");
    path_.clear();
  }

  /// Fill of a rectangle whose colours differ between two opposite edges; for any other shape, its first
  /// colour.
  std::string gradient(const Polygon& shape) {
    if (shape.size() != 4) return svg_fill(shape.front().color);
    const auto& [a, b, c, d] = std::array{shape[0], shape[1], shape[2], shape[3]};
    const bool along_bc = a.color == b.color && c.color == d.color;
    const ImVec2 from = along_bc ? middle(a.at, b.at) : middle(a.at, d.at);
    const ImVec2 to = along_bc ? middle(c.at, d.at) : middle(b.at, c.at);
    const std::string id = fmt::format("g{}", ++gradients_);
    out_ += fmt::format(
        "<linearGradient id=\"{}\" gradientUnits=\"userSpaceOnUse\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\">"
        "<stop offset=\"0\" stop-color=\"{}\"/><stop offset=\"1\" stop-color=\"{}\"/></linearGradient>\n",
        id, svg_number(from.x), svg_number(from.y), svg_number(to.x), svg_number(to.y), hex_color(a.color),
        hex_color(c.color));
    return fmt::format("fill=\"url(#{})\"", id);
  }

  std::string& out_;
  std::string path_;
  ImU32 color_ = 0;
  bool crisp_ = false;
  int gradients_ = 0;
};

/// One command of a draw list: triangles of shapes and glyphs in the order in which they cover each other.
class SvgWriter {
 public:
  SvgWriter(std::string& out, ImVec2 origin, ImVec2 size)
      : shapes_(out), text_(out), origin_(origin), size_(size) {}

  void add(const ImDrawList& list, const ImDrawCmd& command) {
    if (command.UserCallback != nullptr) return;
    clip_ = {std::max(command.ClipRect.x - origin_.x, 0.0F), std::max(command.ClipRect.y - origin_.y, 0.0F),
             std::min(command.ClipRect.z - origin_.x, size_.x),
             std::min(command.ClipRect.w - origin_.y, size_.y)};
    if (clip_.z <= clip_.x || clip_.w <= clip_.y) return;
    list_ = &list;
    first_index_ = command.IdxOffset;
    first_vertex_ = command.VtxOffset;
    for (unsigned at = 0; at + 3 <= command.ElemCount;) {
      at = is_solid(vertex(at)) ? add_shape(at, command.ElemCount) : add_glyph(at, command.ElemCount);
    }
  }

  void flush() {
    text_.flush();
    shapes_.flush();
  }

 private:
  unsigned index(unsigned at) const { return list_->IdxBuffer[static_cast<int>(first_index_ + at)]; }
  const ImDrawVert& vertex(unsigned at) const {
    return list_->VtxBuffer[static_cast<int>(first_vertex_ + index(at))];
  }
  ImVec2 place(const ImDrawVert& corner) const { return corner.pos - origin_; }
  static bool is_solid(const ImDrawVert& corner) {
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    return corner.uv.x == white.x && corner.uv.y == white.y;
  }
  /// Whether the triangle at `at` continues a fan of triangles, which is a convex polygon.
  bool continues_fan(unsigned at, unsigned first, unsigned last, unsigned end) const {
    return at + 3 <= end && index(at) == first && index(at + 1) == last;
  }

  unsigned add_shape(unsigned at, unsigned end) {
    Polygon polygon;
    const unsigned first = index(at);
    const auto corner = [&](unsigned i) { return Corner{place(vertex(i)), vertex(i).col}; };
    for (unsigned i = 0; i < 3; ++i) polygon.push_back(corner(at + i));
    at += 3;
    for (; continues_fan(at, first, index(at - 1), end); at += 3) polygon.push_back(corner(at + 2));
    text_.flush();
    shapes_.add(polygon, clip_);
    return at;
  }

  unsigned add_glyph(unsigned at, unsigned end) {
    if (!continues_fan(at + 3, index(at), index(at + 2), end)) return at + 3;
    const ImDrawVert& a = vertex(at);
    const ImDrawVert& c = vertex(at + 2);
    const GlyphQuad quad{place(a), place(vertex(at + 1)), place(vertex(at + 5)), a.uv, c.uv, a.col};
    const ImVec2 centre = middle(place(a), place(c));
    const bool is_seen = centre.x > clip_.x && centre.x < clip_.z && centre.y > clip_.y && centre.y < clip_.w;
    if (is_seen && (a.col & IM_COL32_A_MASK) != 0) {
      shapes_.flush();
      text_.add(quad);
    }
    return at + 6;
  }

  SvgShapes shapes_;
  SvgText text_;
  ImVec2 origin_;
  ImVec2 size_;
  ImVec4 clip_;
  const ImDrawList* list_ = nullptr;
  unsigned first_index_ = 0;
  unsigned first_vertex_ = 0;
};

}  // namespace

ExactShapes::ExactShapes() {
  ImDrawFlags& flags = ImGui::GetDrawListSharedData()->InitialDrawFlags;
  flags_ = flags;
  flags &= ~(ImDrawFlags_AAFill | ImDrawFlags_AALines | ImDrawFlags_AALineEnds |
             ImDrawFlags_UseTexForRoundCorners | ImDrawFlags_AllowTexForRoundCorners_);
}

ExactShapes::~ExactShapes() {
  ImGui::GetDrawListSharedData()->InitialDrawFlags = flags_;
}

std::string to_svg(const ImDrawData& data, const std::string& title, const ImVec4& background) {
  const std::string width = svg_number(data.DisplaySize.x);
  const std::string height = svg_number(data.DisplaySize.y);
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<title>{2}</title>\n"
      "<style>text{{white-space:pre}}.t,.b{{font-family:Inter,'DejaVu Sans',sans-serif}}.b{{font-weight:600}}"
      ".m{{font-family:'JetBrains Mono','DejaVu Sans Mono',monospace}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" {3}/>\n",
      width, height, html_escaped(title), svg_fill(ImGui::ColorConvertFloat4ToU32(background)));
  SvgWriter writer(svg, data.DisplayPos, data.DisplaySize);
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) writer.add(*list, command);
  }
  writer.flush();
  return svg + "</svg>\n";
}

}  // namespace tilescope
