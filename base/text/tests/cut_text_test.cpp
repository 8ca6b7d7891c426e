#include "base/text/cut_text.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

// The ellipsis has three bytes and the width of a character.
std::string cut(const std::string& text, std::size_t characters) {
  return cut_in_the_middle(text, [&](const std::string& part) {
    const bool is_cut = part.find("…") != std::string::npos;
    return part.size() - (is_cut ? 2 : 0) <= characters;
  });
}

TEST(CutText, KeepsMoreOfTheEnd) {
  EXPECT_EQ(cut("pipe.cu:row_max", 15), "pipe.cu:row_max");
  EXPECT_EQ(cut("pipe.cu:row_max", 10), "pip…ow_max");
  EXPECT_EQ(cut("pipe.cu:row_sum", 10), "pip…ow_sum");
  EXPECT_EQ(cut("pipe.cu:row_max", 1), "…");
  EXPECT_EQ(cut("pipe.cu:row_max", 0), "…") << "nothing is shorter";
  EXPECT_EQ(cut("", 4), "");
}

TEST(CutText, CharactersStayWhole) {
  const std::string text = "µµµµµµ";
  for (std::size_t room = 1; room < text.size(); ++room) {
    const std::string shown = cut(text, room);
    const std::size_t bytes = shown.size() - std::string("…").size();
    EXPECT_EQ(bytes % 2, 0U) << shown;
  }
}

}  // namespace
}  // namespace tilescope
