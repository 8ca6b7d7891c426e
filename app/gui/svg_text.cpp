#include "app/gui/svg_text.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "app/gui/theme.hpp"
#include "app/gui/vectors.hpp"
#include "base/text/html.hpp"

namespace tilescope {

namespace {

unsigned read_u16(const unsigned char* bytes) {
  return static_cast<unsigned>(bytes[0]) << 8 | bytes[1];
}

std::size_t read_u32(const unsigned char* bytes) {
  return static_cast<std::size_t>(read_u16(bytes)) << 16 | read_u16(bytes + 2);
}

/// A table of a TrueType or OpenType file with at least `size` bytes; null without it.
const unsigned char* font_table(const unsigned char* file, std::size_t file_size, const char* tag,
                                std::size_t size) {
  constexpr std::size_t header = 12;
  constexpr std::size_t record = 16;
  if (file == nullptr || file_size < header) return nullptr;
  const std::size_t tables = read_u16(file + 4);
  for (std::size_t i = 0; i < tables && header + (i + 1) * record <= file_size; ++i) {
    const unsigned char* entry = file + header + i * record;
    if (std::memcmp(entry, tag, 4) != 0) continue;
    const std::size_t offset = read_u32(entry + 8);
    return offset + size <= file_size ? file + offset : nullptr;
  }
  return nullptr;
}

/// ImGui's size is the height of a line, SVG's is the font's em: the second over the first.
float em_per_line(const ImFontBaked& font) {
  constexpr float usual = 0.8F;
  if (font.OwnerFont == nullptr || font.OwnerFont->Sources.empty()) return usual;
  const ImFontConfig& source = *font.OwnerFont->Sources[0];
  const auto* file = static_cast<const unsigned char*>(source.FontData);
  const auto size = static_cast<std::size_t>(std::max(source.FontDataSize, 0));
  const unsigned char* head = font_table(file, size, "head", 20);
  const unsigned char* hhea = font_table(file, size, "hhea", 8);
  if (head == nullptr || hhea == nullptr) return usual;
  const auto ascent = static_cast<std::int16_t>(read_u16(hhea + 4));
  const auto descent = static_cast<std::int16_t>(read_u16(hhea + 6));
  const int line = ascent - descent;
  return line > 0 ? static_cast<float>(read_u16(head + 18)) / static_cast<float>(line) : usual;
}

/// The classes of the document's style sheet.
const char* font_class(const ImFontBaked& font) {
  if (font.OwnerFont == fonts().mono && fonts().mono != fonts().text) return "m";
  return font.OwnerFont == fonts().bold && fonts().bold != fonts().text ? "b" : "t";
}

void append_utf8(std::string& text, unsigned code) {
  std::array<char, 5> bytes{};
  ImTextCharToUtf8(bytes.data(), code);
  text += bytes.data();
}

}  // namespace

GlyphIndex::GlyphIndex() {
  ImFontAtlasBuilder* builder = ImGui::GetIO().Fonts->Builder;
  if (builder == nullptr) return;
  for (int i = 0; i < builder->BakedPool.Size; ++i) {
    const ImFontBaked& font = builder->BakedPool[i];
    if (font.WantDestroy != 0) continue;
    for (const ImFontGlyph& glyph : font.Glyphs) {
      if (glyph.Codepoint == ' ') spaces_[&font] = glyph.AdvanceX;
      if (glyph.Visible == 0) continue;
      entries_.push_back({&font, &glyph});
      by_corner_[{glyph.U0, glyph.V0}] = {&font, &glyph};
    }
  }
}

std::optional<GlyphIndex::Entry> GlyphIndex::find(ImVec2 corner, ImVec2 centre) const {
  const auto exact = by_corner_.find({corner.x, corner.y});
  if (exact != by_corner_.end()) return exact->second;
  const auto contains = [&](const Entry& entry) {
    const ImFontGlyph& glyph = *entry.glyph;
    return centre.x > glyph.U0 && centre.x < glyph.U1 && centre.y > glyph.V0 && centre.y < glyph.V1;
  };
  const auto found = std::find_if(entries_.begin(), entries_.end(), contains);
  return found == entries_.end() ? std::nullopt : std::optional(*found);
}

float GlyphIndex::space(const ImFontBaked* font) const {
  const auto found = spaces_.find(font);
  return found == spaces_.end() ? font->Size / 4 : found->second;
}

void SvgText::add(const GlyphQuad& quad) {
  const ImVec2 centre((quad.uv_min.x + quad.uv_max.x) / 2, (quad.uv_min.y + quad.uv_max.y) / 2);
  const auto entry = glyphs_.find(quad.uv_min, centre);
  if (!entry) return;
  const ImFontGlyph& glyph = *entry->glyph;
  // Share of the image that is drawn: below 1 only for a clipped glyph.
  const float u_share = (quad.uv_max.x - quad.uv_min.x) / (glyph.U1 - glyph.U0);
  const float v_share = (quad.uv_max.y - quad.uv_min.y) / (glyph.V1 - glyph.V0);
  const ImVec2 right = quad.top_right - quad.top_left;
  const ImVec2 down = quad.bottom_left - quad.top_left;
  const float width = std::sqrt(dot(right, right));
  const float height = std::sqrt(dot(down, down));
  if (!(width > 0) || !(height > 0)) return;

  Run next;
  next.font = entry->font;
  next.scale = width / ((glyph.X1 - glyph.X0) * u_share);
  next.color = quad.color;
  next.direction = right * (1 / width);
  const ImVec2 normal = down * (1 / height);
  const float cut_x = (quad.uv_min.x - glyph.U0) / (glyph.U1 - glyph.U0) * (glyph.X1 - glyph.X0);
  const float cut_y = (quad.uv_min.y - glyph.V0) / (glyph.V1 - glyph.V0) * (glyph.Y1 - glyph.Y0);
  const float scale_y = height / ((glyph.Y1 - glyph.Y0) * v_share);
  next.origin = quad.top_left - next.direction * ((glyph.X0 + cut_x) * next.scale) +
                normal * ((next.font->Ascent - glyph.Y0 - cut_y) * scale_y);
  next.end = next.origin + next.direction * (glyph.AdvanceX * next.scale);
  append_utf8(next.text, glyph.Codepoint);

  float spaces = 0;
  if (!continues(next, spaces)) {
    flush();
    run_ = std::move(next);
    return;
  }
  if (spaces > 0) run_->text += ' ';
  run_->text += next.text;
  run_->end = next.end;
}

/// Whether `next` continues this line in the same font, at most one space behind it.
bool SvgText::continues(const Run& next, float& spaces) const {
  if (!run_ || run_->font != next.font || run_->color != next.color) return false;
  if (std::abs(run_->scale - next.scale) > 0.02F * run_->scale) return false;
  if (dot(run_->direction, next.direction) < 0.99F) return false;
  const ImVec2 gap = next.origin - run_->end;
  const float along = dot(gap, run_->direction);
  const float across = std::sqrt(std::max(dot(gap, gap) - along * along, 0.0F));
  const float space = glyphs_.space(run_->font) * run_->scale;
  if (across > 0.75F || along < -0.4F * space || along > 1.6F * space) return false;
  spaces = along > 0.6F * space ? 1.0F : 0.0F;
  return true;
}

void SvgText::flush() {
  if (!run_) return;
  const Run run = *std::exchange(run_, std::nullopt);
  const ImVec2 extent = run.end - run.origin;
  const float length = std::sqrt(dot(extent, extent));
  const std::string x = svg_number(run.origin.x);
  const std::string y = svg_number(run.origin.y);
  std::string turn;
  if (run.direction.x < 0.99F) {
    constexpr float degrees = 57.29578F;
    const float angle = std::atan2(run.direction.y, run.direction.x) * degrees;
    turn = fmt::format(" transform=\"rotate({} {} {})\"", svg_number(angle), x, y);
  }
  // The length holds the layout where the font is not installed and another one is wider.
  out_ += fmt::format(
      "<text class=\"{}\" x=\"{}\" y=\"{}\"{} font-size=\"{}\" textLength=\"{}\" "
      "lengthAdjust=\"spacingAndGlyphs\" {}>{}</text>\n",
      font_class(*run.font), x, y, turn, svg_number(run.font->Size * run.scale * em_per_line(*run.font)),
      svg_number(length), svg_fill(run.color), html_escaped(run.text));
}

std::string svg_fill(ImU32 color) {
  const auto channel = [&](int shift) { return color >> shift & 0xFFU; };
  std::string text = fmt::format("fill=\"#{:02x}{:02x}{:02x}\"", channel(IM_COL32_R_SHIFT),
                                 channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT));
  const unsigned alpha = channel(IM_COL32_A_SHIFT);
  if (alpha < 255) text += fmt::format(" fill-opacity=\"{:.3g}\"", static_cast<double>(alpha) / 255);
  return text;
}

std::string svg_number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace tilescope
