#include "sessions/reports/junit.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_timed_side;

Session session_of(const std::vector<Measurement>& points) {
  Session session;
  for (const Measurement& point : points)
    session.points.push_back(std::make_shared<const Measurement>(point));
  return session;
}

TEST(JUnit, HasAFailureForARegression) {
  Measurement odd = make_timed_side("<row> & \"x\"", 100), slower = make_timed_side("<row> & \"x\"", 120);
  const std::string xml = junit_xml(gate(session_of({odd, make_timed_side("a", 1, 0.3)}),
                                         session_of({slower, make_timed_side("a", 1, 0.3)}), 0.02),
                                    "gate");
  EXPECT_NE(xml.find("tests=\"2\" failures=\"1\" errors=\"1\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("&lt;row&gt; &amp; &quot;x&quot;"), std::string::npos);
  EXPECT_NE(xml.find("<failure message=\"SLOWER"), std::string::npos);
}

TEST(JUnit, HasNoCharacterThatXmlForbids) {
  const std::string name = "k\x1b[31m\x01\u202e\xef\xbf\xbe\xed\xa0\x80\xff\x7f\u0085";
  Measurement before = make_timed_side(name, 100), after = make_timed_side(name, 120);
  before.kernel = after.kernel = name;
  const std::string xml = junit_xml(gate(session_of({before}), session_of({after}), 0.02), "\x0c gate");
  EXPECT_NE(xml.find("classname=\"k\\x1b[31m\\x01\\u202e\\ufffe\\xed\\xa0\\x80\\xff\\x7f\\u0085\""),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("name=\"\\x0c gate\""), std::string::npos) << xml;
}

}  // namespace
}  // namespace tilescope
