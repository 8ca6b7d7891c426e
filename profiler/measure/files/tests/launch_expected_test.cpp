// "expected" values and shapes in a launch file.
#include "profiler/measure/files/launch_expected.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/json.hpp"
#include "profiler/measure/files/expected_formula.hpp"
#include "profiler/measure/files/tests/npy_bytes.hpp"
#include "profiler/measure/files/value_comparison.hpp"

namespace tilescope {
namespace {

using test_support::npy_bytes;
using test_support::npy_of;

// A buffer 'out' with these members, and 'other' of 4 f32.
LaunchFile read(const Json& out, const std::vector<SentArray>& arrays = {}) {
  Json buffer = {{"type", "buffer"}, {"name", "out"}, {"element", "s32"}, {"count", 4}};
  buffer.update(out);
  if (buffer["count"].is_null()) buffer.erase("count");
  const Json document = {
      {"arguments", {buffer, {{"type", "buffer"}, {"name", "other"}, {"element", "f32"}, {"count", 4}}}}};
  simt::KernelParameter parameter;
  parameter.bytes = 8;
  // As text: whole numbers of a document are then unsigned.
  return read_launch_file(parse_json(to_line(document)), {parameter, parameter}, arrays);
}

ExpectedValues expected(const Json& out, const std::vector<SentArray>& arrays = {}) {
  return *read(out, arrays).buffers[0].expected;
}

std::string problem(const Json& out, const std::vector<SentArray>& arrays = {}) {
  try {
    read(out, arrays);
  } catch (const LaunchFileError& error) {
    return error.what();
  }
  return "";
}

std::string problem_of(const Json& expected, const std::vector<SentArray>& arrays = {}) {
  return problem({{"expected", expected}}, arrays);
}

std::vector<std::int32_t> numbers(const ExpectedValues& expected) {
  std::vector<std::int32_t> values(expected.values.size() / 4);
  std::memcpy(values.data(), expected.values.data(), expected.values.size());
  return values;
}

SentArray array(const std::string& name, std::string contents) {
  return {name, {"/" + name, std::move(contents)}};
}

LaunchFile computed(const Json& out) {
  LaunchFile launch = read(out);
  compute_formulas(launch, nullptr);
  return launch;
}

// 'out' holds 1, 2, 3, 4 before the launch.
Json with_formula(const std::string& formula) {
  return {{"count", nullptr}, {"values", {1, 2, 3, 4}}, {"expected", {{"formula", formula}}}};
}

TEST(LaunchExpected, AFormulaIsOfTheValuesBeforeTheLaunch) {
  const LaunchFile launch = computed(with_formula("out[2][2] = out * 2 + gridDim.x"));
  EXPECT_EQ(numbers(*launch.buffers[0].expected), (std::vector<std::int32_t>{3, 5, 7, 9}));
  EXPECT_EQ(launch.buffers[0].shape, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_TRUE(launch.buffers[0].is_output);
  const LaunchFile part = computed(with_formula("out[2] = 7"));
  EXPECT_EQ(part.buffers[0].expected->count, 2u);
  EXPECT_FALSE(part.buffers[0].is_output);
  const LaunchFile all = computed(with_formula("sum(out)"));
  EXPECT_EQ(numbers(*all.buffers[0].expected), (std::vector<std::int32_t>{10}));
  EXPECT_EQ(all.buffers[0].expected->count, 4u);
}

TEST(LaunchExpected, AFormulaThatDoesNotFitIsRefused) {
  const auto problem_of_formula = [](const std::string& formula) {
    try {
      computed(with_formula(formula));
    } catch (const LaunchFileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto says = [&](const std::string& formula, const std::string& words) {
    EXPECT_NE(problem_of_formula(formula).find(words), std::string::npos) << problem_of_formula(formula);
  };
  says("x + 1", "no buffer or number of the launch is named 'x'; there are out, other, blockDim.x");
  says("other = out", "it says what 'other' is, and stands at 'out'");
  says("out +", "is not a formula");
  says("out[3] + 0", "it gives 3 elements, and 'out' has 4: for the first 3 alone write out[3] = ...");
  says("concat(out, out)", "it gives 8 elements, and 'out' has 4");
  says("1 / (out - out)", "no value of s32");
  EXPECT_NE(problem_of({{"formula", 7}}).find("must be a text"), std::string::npos);
  EXPECT_NE(problem_of({{"formula", "1"}, {"values", 1}}).find("formula"), std::string::npos);
}

// A number that is written for all has no scale; the terms of a sum have.
TEST(LaunchExpected, TheToleranceOfAFormulaIsOfItsTerms) {
  const Json out = {{"element", "f32"},
                    {"count", nullptr},
                    {"values", {1e6, 1, 1, 1}},
                    {"expected", {{"formula", "out - 1e6"}}}};
  const LaunchFile launch = computed(out);
  const std::array<float, 4> nearly = {0.5F, 1 - 1e6F, 1 - 1e6F, 1 - 1e6F};
  const TypedContents contents{{reinterpret_cast<const char*>(nearly.data()), sizeof nearly},
                               launch.buffers[0].element};
  EXPECT_TRUE(has_values(contents, *launch.buffers[0].expected));
  ExpectedValues without = *launch.buffers[0].expected;
  without.scales.clear();
  EXPECT_FALSE(has_values(contents, without));
  const ValueComparison comparison = compare_values(contents, without, {}, {false, true, true, true});
  EXPECT_EQ(comparison.compared, 3u);
  EXPECT_EQ(comparison.wrong, 0u);
}

TEST(LaunchExpected, NumbersOfALaunchAreNamed) {
  Json buffer = {{"type", "buffer"},
                 {"name", "out"},
                 {"element", "s32"},
                 {"count", 4},
                 {"expected", {{"formula", "n * k"}}}};
  const Json document = {{"arguments", {buffer, {{"type", "s32"}, {"value", -3}, {"name", "n"}}}},
                         {"numbers", {{"k", 2}}}};
  simt::KernelParameter address, number;
  address.bytes = 8;
  number.bytes = 4;
  LaunchFile launch = read_launch_file(parse_json(to_line(document)), {address, number}, {});
  compute_formulas(launch, nullptr);
  EXPECT_EQ(numbers(*launch.buffers[0].expected), (std::vector<std::int32_t>{-6}));
}

TEST(LaunchExpected, ValuesAreForAllOrForEach) {
  EXPECT_EQ(numbers(expected({{"expected", 7}})), (std::vector<std::int32_t>{7}));
  EXPECT_EQ(numbers(expected({{"expected", {1, 2, 3, -4}}})), (std::vector<std::int32_t>{1, 2, 3, -4}));
  const ExpectedValues some = expected({{"expected", {1, nullptr, 3, nullptr}}});
  EXPECT_EQ(some.any, (std::vector<std::uint64_t>{1, 3}));
  const ExpectedValues part =
      expected({{"expected", {{"values", {5, 6}}, {"elements", {1, 3}}, {"tolerance", 1}}}});
  EXPECT_EQ(part.first, 1u);
  EXPECT_EQ(part.count, 2u);
  EXPECT_EQ(numbers(part), (std::vector<std::int32_t>{5, 6}));
  EXPECT_EQ(numbers(expected({{"expected", "0x10"}})), (std::vector<std::int32_t>{16}));
}

TEST(LaunchExpected, TheToleranceHasADefaultForEachType) {
  const auto tolerance = [](const char* element, const Json& given) {
    Json values = {{"values", 0}};
    if (!given.is_null()) values["tolerance"] = given;
    const Tolerance found = expected({{"element", element}, {"expected", values}}).tolerance;
    return std::pair(found.absolute, found.relative);
  };
  EXPECT_EQ(tolerance("s32", nullptr), std::pair(0.0, 0.0));
  EXPECT_EQ(tolerance("b32", nullptr), std::pair(0.0, 0.0));
  EXPECT_EQ(tolerance("f16", nullptr), std::pair(1e-5, 1e-3));
  EXPECT_EQ(tolerance("bf16", nullptr), std::pair(1e-5, 1.6e-2));
  EXPECT_EQ(tolerance("f32", nullptr), std::pair(1e-5, 1.3e-6));
  EXPECT_EQ(tolerance("f64", nullptr), std::pair(1e-7, 1e-7));
  EXPECT_EQ(tolerance("f32", 0), std::pair(0.0, 0.0));
  EXPECT_EQ(tolerance("f32", 1e-3), std::pair(1e-3, 1e-3));
  EXPECT_EQ(tolerance("f32", {{"relative", 0.5}}), std::pair(0.0, 0.5));
  EXPECT_EQ(tolerance("s32", {{"absolute", 2}}), std::pair(2.0, 0.0));
}

TEST(LaunchExpected, AnArrayGivesValuesOfItsShape) {
  const std::string bytes = npy_bytes("<i8", "(2, 2)", test_support::items_of<std::int64_t>({1, 2, 3, 4}));
  const Json given = {{"expected", {{"npy", "r.npy"}}}};
  EXPECT_EQ(numbers(expected(given, {array("r.npy", bytes)})), (std::vector<std::int32_t>{1, 2, 3, 4}));
  for (const Json& same : {Json("r.npy"), Json{{"values", "r.npy"}, {"tolerance", 0}}}) {
    EXPECT_EQ(numbers(expected({{"expected", same}}, {array("r.npy", bytes)})),
              (std::vector<std::int32_t>{1, 2, 3, 4}));
  }
  Json shaped = given;
  shaped.update({{"count", nullptr}, {"shape", {2, 2}}});
  EXPECT_EQ(numbers(expected(shaped, {array("r.npy", bytes)})), (std::vector<std::int32_t>{1, 2, 3, 4}));
  shaped["shape"] = {1, 4};
  EXPECT_EQ(problem(shaped, {array("r.npy", bytes)}),
            "arguments[0].expected: 'r.npy' is int64 of shape (2, 2), for the 4 elements of 'out', which has "
            "another shape: save an array of that size, or name a part with \"elements\": [first, end]");
}

TEST(LaunchExpected, ArraysAreInputsToo) {
  const Json given = {{"count", nullptr}, {"element", "f32"}, {"values", {{"npy", "q.npy"}}}};
  const std::string bytes = npy_bytes("<f8", "(2, 1)", test_support::items_of<double>({0.5, 2}));
  const LaunchFile launch = read(given, {array("q.npy", bytes)});
  float values[2] = {};
  ASSERT_EQ(launch.buffers[0].bytes.contents.size(), sizeof values);
  std::memcpy(values, launch.buffers[0].bytes.contents.data(), sizeof values);
  EXPECT_EQ(values[0], 0.5F);
  EXPECT_EQ(values[1], 2.0F);
  EXPECT_EQ(launch.buffers[0].shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(problem(given), "arguments[0].values: 'q.npy' did not come with the launch");
  Json alone = given;
  alone["values"] = "q.npy";
  EXPECT_EQ(read(alone, {array("q.npy", bytes)}).buffers[0].bytes.contents, launch.buffers[0].bytes.contents);
  const Json launch_json = Json::parse(
      R"({"a": [{"npy": "x"}, {"b": {"npy": "y"}}, {"npy": 3}, {"npy": "x"}], "values": "z.npy", "expected": "nan"})");
  EXPECT_EQ(named_arrays(launch_json), (std::vector<std::string>{"x", "y", "z.npy"}));
}

TEST(LaunchExpected, AWholeExpectationMarksAnOutput) {
  const auto is_output = [](const Json& out) { return read(out).buffers[0].is_output; };
  EXPECT_FALSE(is_output(Json::object()));
  EXPECT_TRUE(is_output({{"expected", 0}}));
  EXPECT_FALSE(is_output({{"expected", 0}, {"output", false}}));
  EXPECT_FALSE(is_output({{"expected", {1, 2, 3, nullptr}}}));
  EXPECT_FALSE(is_output({{"expected", {{"values", 0}, {"elements", {0, 3}}}}}));
  EXPECT_TRUE(is_output({{"expected", {{"values", 0}, {"elements", {0, 3}}}}, {"output", true}}));
}

TEST(LaunchExpected, ABufferMayBeTheReference) {
  const Json reference = {{"buffer", "other"}, {"tolerance", 0.25}};
  const ExpectedValues found = expected({{"element", "f16"}, {"expected", reference}});
  EXPECT_EQ(found.buffer, 1u);
  EXPECT_EQ(found.tolerance.absolute, 0.25);
  EXPECT_EQ(problem_of({{"buffer", "other"}}),
            "arguments[0].expected: 'other' has elements of f32, and 'out' of s32: give both the same type");
  EXPECT_EQ(problem_of({{"buffer", "none"}}),
            "arguments[0].expected: there is no buffer with the name \"none\"");
  EXPECT_EQ(problem_of({{"buffer", "out"}}),
            "arguments[0].expected: 'out' is the buffer itself: name another one");
  EXPECT_EQ(
      problem({{"element", "f32"}, {"count", 5}, {"expected", {{"buffer", "other"}}}}),
      "arguments[0].expected: 'other' has 4 elements for the 5 elements of 'out': make them equally long, "
      "or name a part with \"elements\": [first, end]");
  EXPECT_EQ(
      problem({{"element", "f32"}, {"count", 5}, {"expected", {{"buffer", "other"}, {"elements", {1, 5}}}}}),
      "");
}

TEST(LaunchExpected, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(
      problem_of({1, 2, 3}),
      "arguments[0].expected: 3 values for the 4 elements of 'out': give 4 values (null for one that may "
      "be any), one number for all, or \"elements\": [first, end] beside the values of a part");
  EXPECT_EQ(problem_of({1, 2.5, "x", true}),
            "arguments[0].expected[1]: 2.5 is not a valid s32: a whole number is expected\n"
            "arguments[0].expected[2]: \"x\" is not a valid s32: a string holds bits, such as \"0xff\"\n"
            "arguments[0].expected[3]: true is not a valid s32: a number is expected");
  const std::string forms =
      "arguments[0].expected: must be a number, a list, or an object with one of \"values\", \"npy\", "
      "\"buffer\" and \"formula\"";
  for (const Json& wrong : {Json(true), Json(), Json::object(), Json{{"values", 1}, {"npy", "x"}}})
    EXPECT_EQ(problem_of(wrong), forms) << wrong;
  EXPECT_EQ(problem_of({{"values", nullptr}}),
            "arguments[0].expected.values: must be a number for all elements, or a list");
  EXPECT_EQ(
      problem_of({{"values", 1}, {"elements", {2, 5}}}),
      "arguments[0].expected: \"elements\" is [2,5]; it must be [first, end] with first < end <= 4, the "
      "number of elements of 'out'");
  EXPECT_EQ(problem_of({{"values", 1}, {"tolerance", -1}}),
            "arguments[0].expected.tolerance: -1 is not a tolerance: a number that is 0 or more is expected");
  EXPECT_EQ(problem_of({{"values", 1}, {"tolerance", {{"rtol", 1}}}}),
            "arguments[0].expected.tolerance: \"rtol\" is not known; known are absolute, relative");
  EXPECT_EQ(
      problem({{"element", "b32"}, {"expected", {{"values", 1}, {"tolerance", 1}}}}),
      "arguments[0].expected.tolerance: the elements of 'out' are b32, bits that are compared exactly: give "
      "the buffer a type of numbers, such as u32 or f32, or leave the tolerance out");
  EXPECT_EQ(
      problem_of({{"npy", "r.npy"}}, {array("r.npy", npy_of<std::int32_t>("<i4", {1, 2, 3}))}),
      "arguments[0].expected: 'r.npy' is int32 of shape (3,), for the 4 elements of 'out': save an array of "
      "that size, or name a part with \"elements\": [first, end]");
  EXPECT_EQ(problem_of({{"npy", "r.npy"}}, {array("r.npy", "?")}),
            "arguments[0].expected: 'r.npy': it is not a .npy file: save it again with numpy.save()");
}

TEST(LaunchExpected, AShapeGivesTheCount) {
  const LaunchFile launch = read({{"count", nullptr}, {"shape", {2, 3}}, {"fill", 1}});
  EXPECT_EQ(launch.buffers[0].bytes.contents.size(), 24u);
  EXPECT_EQ(problem({{"shape", {2, 3}}}), "arguments[0]: \"shape\" has 6 elements, and the buffer has 4");
  EXPECT_EQ(problem({{"shape", {2, 2}}}), "");
  for (const Json& wrong : {Json(4), Json::array(), Json{0, 4}, Json{-1}, Json{1e3}, Json{4294967296, 2}})
    EXPECT_NE(problem({{"shape", wrong}}).find("it must be a list of whole numbers"), std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace tilescope
