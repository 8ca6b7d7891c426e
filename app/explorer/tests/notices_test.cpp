#include "app/explorer/notices.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(Notices, AnErrorStaysAndNewsGoesByItself) {
  Notices notices;
  notices.say("The file cannot be written.");
  notices.inform("The kernel was read again.");
  EXPECT_TRUE(notices.has_news());
  notices.update(Notice::Clock::now() + Notices::news_time / 2);
  EXPECT_EQ(notices.list().size(), 2U);
  notices.update(Notice::Clock::now() + 2 * Notices::news_time);
  ASSERT_EQ(notices.list().size(), 1U);
  EXPECT_EQ(notices.errors(), std::vector<std::string>{"The file cannot be written."});
  EXPECT_FALSE(notices.has_news());
}

TEST(Notices, TheSameSentenceIsThereOnce) {
  Notices notices;
  notices.inform("Saved.");
  notices.inform("Saved.");
  EXPECT_EQ(notices.list().size(), 1U);
}

TEST(Notices, AButtonDoesItsWorkOnceAndTheNoticeGoes) {
  Notices notices;
  int pressed = 0;
  notices.say("first");
  notices.offer("1 point removed.", "Undo", [&] {
    ++pressed;
    notices.say("taken back");
  });
  notices.press(1);
  EXPECT_EQ(pressed, 1);
  notices.press(5);
  EXPECT_EQ(notices.errors(), (std::vector<std::string>{"first", "taken back"}));
}

}  // namespace
}  // namespace tilescope
