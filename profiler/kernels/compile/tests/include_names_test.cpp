#include "profiler/kernels/compile/include_names.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

using Names = std::vector<std::string>;

TEST(IncludeNames, FindsEveryFormOfAnInclude) {
  EXPECT_EQ(find_include_names("#include \"a.cuh\"\n  # include <b.h>\n#include </c.h>\n").own,
            (Names{"a.cuh", "/c.h"}));
  EXPECT_EQ(find_include_names("#include <b.h>\n").of_toolkits, Names{"b.h"});
  for (const char* text :
       {"#include \"a\"", "#include\"a\" // twice\n#include \"a\"", "\t# \tinclude\t\"a\"\r\n",
        "%:include \"a\"", "#if 0\n#include \"a\"\n#endif", "/* x */ #include \"a\"",
        "/* x\n*/ #include \"a\"", "# /* x\n */ include /**/ \"a\"", "#inc\\\nlude \"a\"",
        "#include \\\r\n \"a\"", "#include_next \"a\"", "\f#\vinclude \"a\""})
    EXPECT_EQ(find_include_names(text).own, Names{"a"}) << text;
}

TEST(IncludeNames, FindsNothingElse) {
  for (const char* text : {"", "#", "#include", "#include \"a\n\"", "#include <a\n>", "// #include \"a\"",
                           "int a; #include \"a\"", "#pragma once \"a\"", "#define A \"a\"",
                           "// x \\\n#include \"a\"", "#include \"\""}) {
    const IncludeNames names = find_include_names(text);
    EXPECT_EQ(names.own, Names{}) << text;
    EXPECT_EQ(names.by_macro, Names{}) << text;
  }
}

TEST(IncludeNames, TheTextsOfMacrosMayBeNames) {
  EXPECT_EQ(find_include_names("#define A \"a.cuh\"\n#define B <b.h>\n#include A\n").by_macro,
            (Names{"a.cuh", "b.h"}));
  EXPECT_EQ(find_include_names("#define S(x) #x\n#include S(/dev/zero)\n").by_macro, Names{"/dev/zero"});
}

// std::regex took stack for each letter, and the process died.
TEST(IncludeNames, LongAndManyNamesAreFound) {
  const std::string name(50'000, 'a');
  const Names found = find_include_names("#include \"" + name + "\"\n#include \"b\"\n").own;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].size(), max_include_name + 1) << "the beginning";
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "#include \"" + std::to_string(i) + "\"\n";
  EXPECT_EQ(find_include_names(many).own.size(), 20'000u);
}

// Each of these would take hours if a part of the text were read again from each line.
TEST(IncludeNames, TakeTimeInProportionToTheText) {
  for (const char* part :
       {"\\\n", "/*\n", "#/*\n", "*/ ", "#include \"", "#define A <", "<", "# \\\n", " \n", "\"a"}) {
    std::string text = "#define A ";
    while (text.size() < 500'000) text += part;
    EXPECT_LE(find_include_names(text).own.size(), 1000u) << part;
  }
}

}  // namespace
}  // namespace tilescope
