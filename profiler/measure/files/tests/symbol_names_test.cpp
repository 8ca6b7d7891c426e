#include "profiler/measure/files/symbol_names.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using Names = std::vector<std::string>;
const std::string of_float = "_Z4fillIfEvPT_S0_", of_int = "_Z4fillIiEvPT_S0_", scaled = "_ZN2ns5scaleEPfi";
const Names all{of_float, of_int, scaled, "refill"};

TEST(SymbolNames, AreWrittenAsInCppWithoutTheResult) {
  EXPECT_EQ(demangled_symbol(of_float), "fill<float>(float*, float)");
  EXPECT_EQ(demangled_symbol(scaled), "ns::scale(float*, int)");
  EXPECT_EQ(demangled_symbol("refill"), "refill");
  EXPECT_EQ(demangled_symbol("_Znonsense"), "_Znonsense");
}

TEST(SymbolNames, AreFoundByAsMuchAsIsUnique) {
  EXPECT_EQ(symbols_named(all, of_int), Names{of_int});
  EXPECT_EQ(symbols_named(all, "fill<float>"), Names{of_float});
  EXPECT_EQ(symbols_named(all, "fill<int>(int *,int)"), Names{of_int});
  EXPECT_EQ(symbols_named(all, "fill"), (Names{of_float, of_int})) << "and not refill";
  EXPECT_EQ(symbols_named(all, "scale"), Names{scaled});
  EXPECT_EQ(symbols_named(all, "ns::scale"), Names{scaled});
  EXPECT_EQ(symbols_named(all, "refi"), Names{"refill"});
  EXPECT_EQ(symbols_named(all, "sort"), Names{});
  EXPECT_EQ(symbol_list({of_float, of_int}), "fill<float>(float*, float), fill<int>(int*, int)");
}

TEST(SymbolNames, NamesThatWouldGrowWithoutEndStayAsTheyAre) {
  std::string name = "_Z1f";
  for (int i = 0; i < 3000; ++i) name += "PS0_";
  EXPECT_EQ(demangled_symbol(name), name);
}

}  // namespace
}  // namespace tilescope
