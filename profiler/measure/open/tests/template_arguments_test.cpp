#include "profiler/measure/open/template_arguments.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(TemplateArguments, AreThoseOfTheFunction) {
  EXPECT_EQ(template_arguments_of("void ns::gemm<float, 64>(float*, int)"), "float, 64");
  EXPECT_EQ(template_arguments_of("gemm(Box<int>*)"), "");
  EXPECT_EQ(template_arguments_of(""), "");
}

TEST(TemplateArguments, AreFoldedForAComparison) {
  EXPECT_EQ(folded_arguments("float, 64u, (int)-8, 16UL"), "float,64,-8,16");
  EXPECT_EQ(folded_arguments("unsigned long, uint8_t, (bool)1"), "unsignedlong,uint8_t,1");
}

TEST(TemplateArguments, AgreeByTheirNumbers) {
  EXPECT_TRUE(have_equal_numbers("T,64", "float,64"));
  EXPECT_FALSE(have_equal_numbers("T,64", "float,128"));
  EXPECT_FALSE(have_equal_numbers("T,U", "float,half")) << "there is no number";
  EXPECT_FALSE(have_equal_numbers("64", "64,8"));
}

}  // namespace
}  // namespace tilescope
