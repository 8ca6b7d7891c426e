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

}  // namespace
}  // namespace tilescope
