#pragma once

#include <imgui.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// The glyphs of the font atlas by their place in it.
class GlyphIndex {
 public:
  struct Entry {
    const ImFontBaked* font = nullptr;
    const ImFontGlyph* glyph = nullptr;
  };

  /// Takes the glyphs of the current ImGui context.
  GlyphIndex();
  /// The glyph whose image contains a place of the atlas; of a glyph that is cut at an edge too.
  std::optional<Entry> find(ImVec2 corner, ImVec2 centre) const;
  /// [px] Width of a space, at the font's own size.
  float space(const ImFontBaked* font) const;

 private:
  using Key = std::pair<float, float>;
  std::vector<Entry> entries_;
  std::map<Key, Entry> by_corner_;
  std::map<const ImFontBaked*, float> spaces_;
};

/// The four corners of a glyph's image on the screen: its top left, top right and bottom left corner, as ImGui wrote
/// them, so that turned text is found too.
struct GlyphQuad {
  ImVec2 top_left;
  ImVec2 top_right;
  ImVec2 bottom_left;
  /// In the atlas.
  ImVec2 uv_min;
  ImVec2 uv_max;
  ImU32 color = 0;
};

/// Joins glyphs to words and lines and writes them as <text> elements.
class SvgText {
 public:
  explicit SvgText(std::string& out) : out_(out) {}

  void add(const GlyphQuad& quad);
  /// Writes the text so far: before anything that lies above it.
  void flush();

 private:
  struct Run {
    const ImFontBaked* font = nullptr;
    float scale = 1;
    ImU32 color = 0;
    /// On the baseline; `direction` is the unit vector along it.
    ImVec2 origin;
    ImVec2 direction;
    ImVec2 end;
    std::string text;
  };
  bool continues(const Run& next, float& spaces) const;

  std::string& out_;
  GlyphIndex glyphs_;
  std::optional<Run> run_;
};

/// "#4c78a8", and the opacity as an attribute where it is not 1.
std::string svg_fill(ImU32 color);
/// A number with two decimals at most: "12.5".
std::string svg_number(float value);

}  // namespace tilescope
