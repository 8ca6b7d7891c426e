#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <set>

#include "app/commands/command.hpp"
#include "app/commands/experiment_options.hpp"
#include "app/commands/number_option.hpp"
#include "app/commands/shape_argument.hpp"
#include "app/commands/shown_text.hpp"
#include "app/commands/text_table.hpp"
#include "app/commands/vary_arguments.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/session.hpp"
#include "sessions/views/points/point_index.hpp"

namespace tilescope {
namespace {

std::string complaint_of_shape(const std::string& text) {
  Shape shape;
  try {
    read_shape_argument(text, shape);
  } catch (const WrongUsage& error) {
    return error.what();
  }
  return "";
}

TEST(ShapeArgument, FourSizesAreBatchHeadsLengthAndWidth) {
  Shape shape;
  read_shape_argument("2,16,1024,128", shape);
  EXPECT_EQ(shape, (Shape{2, 16, 16, 1024, 1024, 128, DataType::fp16, false}));
}

TEST(ShapeArgument, GroupedHeadsAndUnequalLengths) {
  for (const char* text : {"1,32/8,512/4096,64", "1,32/8,512x4096,64"}) {
    Shape shape;
    read_shape_argument(text, shape);
    EXPECT_EQ(shape, (Shape{1, 32, 8, 512, 4096, 64, DataType::fp16, false})) << text;
  }
}

TEST(ShapeArgument, TypeAndMaskAreKept) {
  Shape shape;
  shape.dtype = DataType::bf16;
  shape.causal = true;
  read_shape_argument("1,1,1,1", shape);
  EXPECT_EQ(shape.dtype, DataType::bf16);
  EXPECT_TRUE(shape.causal);
}

TEST(ShapeArgument, MalformedOnesAreRefusedWithTheForm) {
  for (const char* text : {"", ",", "1,8,512", "1,8,512,64,1", "1,8,512,", "1,8,512,64k", "1, 8,512,64",
                           "-1,8,512,64", "1,8/0,512,64", "1,8/,512,64", "1,8/4/2,512,64",
                           "99999999999999999999,8,512,64", "4000000000,4000000000,4000000000,64"}) {
    EXPECT_NE(complaint_of_shape(text).find("1,8,512,64; grouped heads"), std::string::npos) << text;
  }
}

TEST(SplitAssignment, NeedsBothSides) {
  EXPECT_EQ(split_assignment("--set", "A=b=c"), (std::pair<std::string, std::string>("A", "b=c")));
  for (const char* text : {"", "A", "=1", "A="})
    EXPECT_THROW(split_assignment("--set", text), WrongUsage) << text;
}

TEST(TextTable, ColumnsAreAlignedByCharactersNotBytes) {
  TextTable table;
  table.add_column("name", TextTable::Align::left);
  table.add_column("µs", TextTable::Align::right);
  table.add_row({"a", "1.25"});
  table.add_row({"longer"});
  EXPECT_EQ(table.text(1), " name      µs\n a       1.25\n longer\n");
}

TEST(TextTable, ColorsTakeNoRoom) {
  TextTable table;
  table.add_column("status", TextTable::Align::left);
  table.add_column("N", TextTable::Align::right);
  table.add_row({own_color("32") + "ok" + own_color("0"), "1"});
  EXPECT_EQ(shown_text(table.text()), "status  N\n\033[32mok\033[0m      1\n");
  EXPECT_EQ(wrapped("\033[31mone\033[0m two", 7, 0), "\033[31mone\033[0m two");
}

TEST(TextTable, DataHasNoColorsAndNoLines) {
  TextTable table;
  table.add_column("name", TextTable::Align::left);
  table.add_column("N", TextTable::Align::right);
  table.add_row({"\033[31mk", "1"});
  table.add_row({"two\nlines\t\u202e", "2"});
  EXPECT_EQ(table.text(), "name                N\n\\x1b[31mk           1\ntwo\\nlines\\t\\u202e  2\n");
}

TEST(ShownText, OnlyTheProgramsOwnColorsAreSent) {
  EXPECT_EQ(shown_text("a " + own_color("31") + "\x1b[31mred" + own_color("0") + "\n"),
            "a \033[31m\\x1b[31mred\033[0m\n");
  EXPECT_EQ(shown_text("\x1b]0;own title\x07 \x1b[32mok\x1b[0m\ttab\nline"),
            "\\x1b]0;own title\\x07 \\x1b[32mok\\x1b[0m\ttab\nline");
  EXPECT_EQ(shown_text("\x1b[0;31m \x1b[1;2;32m"), "\\x1b[0;31m \\x1b[1;2;32m");
  EXPECT_EQ(shown_text(shown_line(own_color("33") + "a\nb" + own_color("0"))), "\033[33ma\\nb\033[0m");
}

std::string complaint_of_number(const std::string& text) {
  try {
    read_whole_option("--lane", text, {0, 31});
  } catch (const WrongUsage& error) {
    return error.what();
  }
  return "";
}

TEST(NumberOption, NamesTheOptionTheTextAndTheRange) {
  EXPECT_EQ(read_whole_option("--lane", "31", {0, 31}), 31U);
  for (const char* text : {"-1", "32", "010", "+1", "0x10", "1e1", "", "7 ", "18446744073709551616"}) {
    EXPECT_EQ(complaint_of_number(text),
              "--lane: '" + std::string(text) +
                  "' is not a whole number from 0 to 31, written in decimal digits "
                  "without a sign or leading zeros");
  }
}

TEST(NumberOption, SecondsAreMoreThanNothingAndAtMostADay) {
  EXPECT_EQ(read_seconds_option("--time-limit", "0.5"), 0.5);
  EXPECT_EQ(read_seconds_option("--time-limit", "86400"), 86400);
  for (const char* text : {"0", "-1", "nan", "inf", "010", "0x10", "86401", "1e400", "", "5s", "+5"})
    EXPECT_THROW(read_seconds_option("--time-limit", text), WrongUsage) << text;
}

TEST(NumberOption, IsReadWhereTheCommandLineIs) {
  CLI::App app;
  std::uint64_t seed = 1;
  std::size_t sample = 0;
  double limit = 120;
  add_whole_option(app, "--seed", seed, "");
  add_whole_option(app, "--sample", sample, "", {1, 1000});
  add_seconds_option(app, "--time-limit", limit, "");
  app.parse("--seed 18446744073709551615 --sample 7 --time-limit 2.5", false);
  EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(sample, 7U);
  EXPECT_EQ(limit, 2.5);
  for (const char* text : {"--seed -1", "--seed 010", "--seed=-1", "--seed +1", "--seed 18446744073709551616",
                           "--sample 0", "--sample 1001", "--sample 1e2", "--time-limit nan"})
    EXPECT_THROW(app.parse(text, false), WrongUsage) << text;
}

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("unbreakable", 3, 2), "unbreakable");
  EXPECT_EQ(wrapped("", 10, 2), "");
}

KernelDeclaration small_kernel() {
  KernelDeclaration kernel;
  kernel.name = "small";
  kernel.entry = "small";
  kernel.dtypes = {DataType::fp16};
  kernel.parameters = {{"ROWS", {8, 16}, 8, ""}, {"WARPS", {1, 2, 4}, 2, ""}};
  kernel.constraints = {{"ROWS % (8 * WARPS) == 0", "eight rows a warp"}};
  kernel.grid = {"1", "1", "1"};
  kernel.threads = "32 * WARPS";
  kernel.dynamic_shared_bytes = "0";
  return kernel;
}

DeviceModel some_device() {
  DeviceModel device;
  device.name = "some";
  device.max_threads_per_block = 1024;
  device.shared_bytes_per_block_optin = 49152;
  return device;
}

TEST(SweepPlan, LeavesOutTheInvalidAndCountsThemByReason) {
  Experiment base;
  base.kernel = "small";
  const SweptParameters vary = read_vary_arguments({"ROWS", "WARPS=1,2,4"}, small_kernel());
  const SweepPlan plan = plan_sweep({small_kernel(), some_device(), base, vary});
  ASSERT_EQ(plan.experiments.size(), 3u);  // 8 rows for one warp, 16 for one or two.
  EXPECT_EQ(plan.left_out_count(), 3u);
  EXPECT_EQ(plan.left_out_text(), "Left out 3 invalid configurations:\n  3 x eight rows a warp");
}

class Twin : public Command {
 public:
  explicit Twin(std::string summary) : summary_(std::move(summary)) {}
  std::string name() const override { return "twin"; }
  std::string summary() const override { return summary_; }
  void declare_options(CLI::App&) override {}
  ExitCode run() override { return ExitCode::done; }

 private:
  std::string summary_;
};

TEST(Registry, EveryCommandIsThereOnceAndTwoOfOneNameStopTheProgram) {
  std::set<std::string> names;
  for (const auto& command : make_registered_commands()) names.insert(command->name());
  EXPECT_EQ(names, (std::set<std::string>{"compare", "devices", "doctor", "gate", "import", "kernels",
                                          "lesson", "measure", "open", "report", "run", "screenshot", "step",
                                          "sweep", "trace", "worker"}));

  const RegisterCommand first{[] { return std::make_unique<Twin>("the first"); }};
  const RegisterCommand second{[] { return std::make_unique<Twin>("the second"); }};
  try {
    make_registered_commands();
    FAIL() << "accepted";
  } catch (const std::logic_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the first"), std::string::npos) << text;
    EXPECT_NE(text.find("the second"), std::string::npos) << text;
  }
}

// The shipped example was recorded before flash_scalar had all of its parameters; a plot must still find it.
TEST(RecordedExample, IsASliceOfTheKernelAsItIsNow) {
  const std::filesystem::path root = TILESCOPE_SOURCE_DIR;
  const Session session = load_session(root / "sessions/examples/flash_scalar_h200.json");
  const PointList& recorded = session.points;
  ASSERT_FALSE(recorded.empty());
  const KernelDeclaration kernel = Catalogue(root / "kernels").find("flash_scalar");
  std::vector<ParameterChoices> parameters;
  parameters.reserve(kernel.parameters.size());
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    parameters.push_back({parameter.name, parameter.values, parameter.default_value});
  }
  PointIndex index;
  index.update(kernel.name, parameters, {}, recorded);
  const std::vector<std::size_t> slice =
      select(index, {recorded.front()->shape, kernel.complete({}), {"BLOCK_N"}, false});
  EXPECT_EQ(slice.size(), kernel.find_parameter("BLOCK_N")->values.size());
}

}  // namespace
}  // namespace tilescope
