#include <cmath>

#include "sessions/import/ncu_units.hpp"
#include "sessions/import/tests/import_fixture.hpp"

namespace tilescope {
namespace {

class NcuCsv : public test_support::ImportFixture {};

const std::string launch_header =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid Size\",\"Device\",\"CC\"";

std::string launch(int id, const std::string& kernel, const std::string& grid) {
  return "\"" + std::to_string(id) + "\",\"77\",\"bench\",\"secret-host\",\"" + kernel +
         "\",\"1\",\"7\",\"(128, 1, 1)\",\"" + grid + "\",\"0\",\"8.9\"";
}

const std::string raw_page =
    "Running 3 launches, \"quoted\n"
    "==PROF== Connected to process 77 (/opt/bench)\n"
    "==PROF== Profiling \"flash\" - 0: 0%....50%....100% - 1 pass\n" +
    launch_header +
    ",\"device__attribute_display_name\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"launch__func_"
    "cache_config\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Kbyte\",\"us\",\"\"\n" +
    launch(0, "flash<64>(int, float *)", "(8, 8, 1)") +
    ",\"NVIDIA L4\",\"1,234.5\",\"40.5\",\"CachePreferNone\"\n" +
    launch(1, "flash<64>(int, float *)", "(8, 8, 1)") +
    ",\"NVIDIA L4\",\"1,240\",\"1,042.5\",\"CachePreferNone\"\n" + "a line of the program\n" +
    launch(2, "flash<64>(int, float *)", "(8, 8, 1)") +
    ",\"NVIDIA L4\",\"n/a\",\"41.25\",\"CachePreferNone\"\n" + launch(3, "combine(float *)", "(16, 1, 1)") +
    ",\"NVIDIA L4\",\"2\",\"3.5\",\"CachePreferNone\"\n" + "==PROF== Disconnected from process 77\n";

TEST_F(NcuCsv, TheRawPageBecomesOnePointForEachKernelAndGrid) {
  const ImportedFile imported = import(raw_page);
  EXPECT_EQ(imported.format, ImportFormat::ncu);
  EXPECT_EQ(imported.tool, "Nsight Compute");
  ASSERT_EQ(imported.points.size(), 2U);
  const Measurement& flash = imported.points[0];
  EXPECT_EQ(flash.status, Status::ok);
  EXPECT_EQ(flash.kernel, "flash<64>(int, float *)");
  EXPECT_EQ(flash.parameters, (Configuration{{"block", "128x1x1"}, {"grid", "8x8x1"}}));
  EXPECT_EQ(flash.device, (DeviceIdentity{"NVIDIA L4", "sm_89", true}));
  ASSERT_TRUE(flash.latency);
  EXPECT_EQ(flash.latency->kind, LatencyKind::recorded);
  EXPECT_DOUBLE_EQ(flash.latency->p50_us, 41.25);
  EXPECT_EQ(flash.latency->samples, 3);
  EXPECT_TRUE(std::isnan(flash.latency->p10_us));
  EXPECT_FALSE(flash.latency->l2_warm || flash.latency->l2_cold);
  EXPECT_EQ(imported.points[1].kernel, "combine(float *)");
  EXPECT_DOUBLE_EQ(imported.points[1].latency->p50_us, 3.5);
}

TEST_F(NcuCsv, MetricsAreCountersInBaseUnits) {
  const Measurement flash = import(raw_page).points[0];
  ASSERT_TRUE(flash.counters);
  EXPECT_EQ(flash.counters->size(), 2U);
  EXPECT_DOUBLE_EQ(flash.counters->at("gpu__time_duration.sum"), 41250);
  EXPECT_DOUBLE_EQ(flash.counters->at("dram__bytes_read.sum"), 1237250);
}

TEST_F(NcuCsv, WhatTheFileDoesNotSayStaysEmpty) {
  const Measurement flash = import(raw_page).points[0];
  EXPECT_FALSE(flash.resources || flash.occupancy || flash.error || flash.prediction || flash.memory);
  EXPECT_EQ(flash.provenance.time_utc, "");
  EXPECT_TRUE(has_note(flash, "Recorded by Nsight Compute; imported from file, SHA-256 "));
  EXPECT_TRUE(has_note(flash, "without warm-up"));
  EXPECT_TRUE(has_note(flash, "3 samples are too few"));
  for (const std::string& note : flash.notes) {
    EXPECT_EQ(note.find("secret-host"), std::string::npos);
    EXPECT_EQ(note.find(folder_.string()), std::string::npos);
  }
}

TEST_F(NcuCsv, TheDetailsPageHasARowForEachMetric) {
  const std::string metrics =
      ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"\n";
  const auto row = [&](int id, const std::string& section, const std::string& metric, const std::string& unit,
                       const std::string& value) {
    return launch(id, "flash", "(8, 8, 1)") + ",\"" + section + "\",\"" + metric + "\",\"" + unit + "\",\"" +
           value + "\",\"\",\"\"\n";
  };
  const ImportedFile imported = import(
      "==PROF== Connected\n" + launch_header + metrics +
      row(0, "GPU Speed Of Light Throughput", "Duration", "msecond", "0.05") +
      row(0, "GPU Speed Of Light Throughput", "Memory Throughput", "%", "14.5") +
      row(0, "Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "2.5") +
      row(0, "Command line profiler metrics", "smsp__inst_executed.sum", "inst", "1,000,000") +
      launch(0, "flash", "(8, 8, 1)") + ",\"Occupancy\",\"\",\"\",\"\",\"a rule,\nof two lines\",\"INF\"\n" +
      row(1, "GPU Speed Of Light Throughput", "Duration", "us", "70"));
  ASSERT_EQ(imported.points.size(), 1U);
  const Measurement& point = imported.points[0];
  EXPECT_DOUBLE_EQ(point.latency->p50_us, 60);
  EXPECT_EQ(point.latency->samples, 2);
  EXPECT_DOUBLE_EQ(point.counters->at("smsp__inst_executed.sum"), 1e6);
  EXPECT_DOUBLE_EQ(point.counters->at("Memory Workload Analysis / Memory Throughput"), 2.5e9);
  EXPECT_DOUBLE_EQ(point.counters->at("GPU Speed Of Light Throughput / Memory Throughput"), 14.5);
}

TEST_F(NcuCsv, ALaunchWithoutATimeHasItsCountersAndNoLatency) {
  const Measurement point = import(launch_header + ",\"smsp__inst_executed.sum\"\n" +
                                   "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"inst\"\n" +
                                   launch(0, "k", "(1, 1, 1)") + ",\"12\"\n")
                                .points.at(0);
  EXPECT_FALSE(point.latency);
  EXPECT_DOUBLE_EQ(point.counters->at("smsp__inst_executed.sum"), 12);
  EXPECT_TRUE(has_note(point, "No latency: gpu__time_duration.sum was not collected"));
}

TEST_F(NcuCsv, ErrorsNameTheLineAndTheColumn) {
  const std::string header = launch_header + ",\"gpu__time_duration.sum\"\n";
  const std::string units = "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\"\n";
  EXPECT_CONTAINS(complaint(header + units), "line 1: no launch follows the header");
  EXPECT_CONTAINS(complaint(header + units + launch(0, "k", "(1, 1, 1)") + "\n"),
                  "line 3: the row is cut off");
  EXPECT_CONTAINS(complaint(header + units + launch(0, "k", "(1, 1, 1)") + ",\"1.234,5\"\n"),
                  "line 3, gpu__time_duration.sum: '1.234,5' is not a number");
  EXPECT_CONTAINS(complaint(header + units + launch(0, "k", "(1, 1, 1)") + ",\"1\",\"2\"\n"),
                  "line 3: 13 fields");
  EXPECT_CONTAINS(complaint(header + launch(0, "k", "(1, 1, 1)") + ",\"1\"\n"), "its unit is ''");
}

/// A raw page whose only launch has a time, "12.5" in quotes.
std::string timed_page(const std::string& time, const std::string& unit = "us",
                       const std::string& metric = "gpu__time_duration.sum") {
  return launch_header + ",\"" + metric + "\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"" +
         unit + "\"\n" + launch(0, "k", "(64, 1, 1)") + "," + time + "\n";
}

TEST_F(NcuCsv, WhatIsNoTimeIsRefusedWithTheLine) {
  EXPECT_DOUBLE_EQ(import(timed_page("\"12.5\"")).points.at(0).latency->p50_us, 12.5);
  for (const char* time : {"-5",       "0",          "0.000",  "-0.0",    "nan",      "-nan", "inf",
                           "Infinity", "1e400",      "1e-400", "0x10",    "fast",     "+5",   "1 234.5",
                           "1'234.5",  "1\u00a0234", "12,34",  "1.234,5", "1,23,456", "--5",  "5us"}) {
    EXPECT_CONTAINS(complaint(timed_page("\"" + std::string(time) + "\"")),
                    "line 3, gpu__time_duration.sum: '" + std::string(time) + "'");
  }
  EXPECT_CONTAINS(complaint(timed_page("\"-3\"", "ns", "gpu__time_duration.max")),
                  "line 3, gpu__time_duration.max: '-3' is not a time");
}

TEST_F(NcuCsv, ATimeNeedsAUnitOfTime) {
  for (const char* unit : {"", "%", "cycle", "sec/s"}) {
    EXPECT_CONTAINS(complaint(timed_page("\"12\"", unit)), "its unit is '" + std::string(unit) + "'");
    EXPECT_CONTAINS(complaint(timed_page("\"12\"", unit, "gpu__time_duration.avg")),
                    "its unit is '" + std::string(unit) + "'");
  }
}

TEST_F(NcuCsv, ATimeThatWasNotMeasuredIsNone) {
  for (const char* time : {"n/a", "(!) n/a", ""})
    EXPECT_FALSE(import(timed_page("\"" + std::string(time) + "\"")).points.at(0).latency) << time;
}

TEST_F(NcuCsv, AFileThatEndsInsideANumberIsRefusedWithTheLine) {
  const std::string header =
      launch_header + ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const std::string registers =
      launch(0, "k", "(64, 8, 1)") + ",\"S\",\"launch__registers_per_thread\",\"register/thread\",\"73\"\n";
  const std::string duration =
      launch(0, "k", "(64, 8, 1)") + ",\"S\",\"gpu__time_duration.sum\",\"us\",\"125.75\"\n";
  const std::string whole = header + registers + duration;
  EXPECT_DOUBLE_EQ(import(whole).points.at(0).latency->p50_us, 125.75);
  EXPECT_DOUBLE_EQ(import(whole.substr(0, whole.size() - 1)).points.at(0).latency->p50_us, 125.75)
      << "its quote is closed";
  // At every other place behind the beginning of the last line.
  for (std::size_t size = whole.size() - duration.size() + 1; size < whole.size() - 1; ++size) {
    EXPECT_CONTAINS(complaint(whole.substr(0, size)), "line 3: ") << size;
  }
  EXPECT_CONTAINS(
      complaint(header + launch(0, "k", "(1, 1, 1)") + ",\"S\",\"gpu__time_duration.sum\",\"us\"\n"),
      "line 2: the row is cut off");
}

TEST_F(NcuCsv, AnUnquotedNumberAtTheEndOfAFileMayBeCutOff) {
  const std::string page = timed_page("125.75");
  EXPECT_DOUBLE_EQ(import(page).points.at(0).latency->p50_us, 125.75);
  for (std::size_t cut = 1; cut <= 6; ++cut)
    EXPECT_CONTAINS(complaint(page.substr(0, page.size() - cut)), "line 3: the file ends within this line")
        << cut;
}

TEST_F(NcuCsv, SizesAreFromOne) {
  for (const char* grid : {"(0, 1, 1)", "(-8, 8, 1)", "(8, x, 1)", "(8, , 1)", "(1.5, 1, 1)", "(8, 8,)",
                           "(1e3, 1, 1)", "(010, 1, 1)"}) {
    const std::string page =
        launch_header +
        ",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"us\"\n" +
        launch(0, "k", grid) + ",\"5\"\n";
    EXPECT_CONTAINS(complaint(page), "line 3, Grid Size: '" + std::string(grid) + "' is not sizes");
  }
  EXPECT_CONTAINS(complaint(timed_page("\"-1\"", "register/thread", "launch__registers_per_thread")),
                  "'-1' is negative");
}

TEST_F(NcuCsv, AByteOrderMarkIsSkippedAndUtf16IsNamed) {
  EXPECT_DOUBLE_EQ(import("\xef\xbb\xbf" + timed_page("\"12.5\"")).points.at(0).latency->p50_us, 12.5);
  std::string little, big;
  for (const char letter : timed_page("\"12.5\"")) {
    little += letter + std::string(1, '\0');
    big += std::string(1, '\0') + letter;
  }
  for (const std::string& text : {"\xff\xfe" + little, "\xfe\xff" + big, little, big})
    EXPECT_CONTAINS(complaint(text), "UTF-16");
}

TEST_F(NcuCsv, ManyKernelsAreReadInOneGo) {
  std::string page = timed_page("\"12.5\"");
  for (int i = 0; i < 20000; ++i) page += launch(i, "k" + std::to_string(i), "(64, 1, 1)") + ",\"12.5\"\n";
  EXPECT_EQ(import(page).points.size(), 20001U);
}

TEST_F(NcuCsv, OneNameIsNotGivenToSeveralKernels) {
  options_.kernel = "mine";
  EXPECT_CONTAINS(complaint(raw_page), "the file has 2 kernels (flash<64>(int, float *), combine(float *))");
  const std::string one = launch_header + ",\"gpu__time_duration.sum\"\n" +
                          "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\"\n" +
                          launch(0, "k", "(1, 1, 1)") + ",\"1500\"\n";
  EXPECT_EQ(import(one).points.at(0).kernel, "mine");
  EXPECT_DOUBLE_EQ(import(one).points.at(0).latency->p50_us, 1.5);
}

TEST_F(NcuCsv, ADeviceThatIsNamedMustHaveTheRecordedArchitecture) {
  options_.device = DeviceIdentity{"L4", "sm_89", false};
  EXPECT_EQ(import(raw_page).points[0].device, (DeviceIdentity{"L4", "sm_89", true}));
  options_.device = DeviceIdentity{"A100", "sm_80", false};
  EXPECT_CONTAINS(complaint(raw_page), "recorded on sm_89, and the device of --device is sm_80");
}

TEST(NcuUnits, AreConvertedToBaseUnits) {
  EXPECT_DOUBLE_EQ(ncu_scale("ns"), 1);
  EXPECT_DOUBLE_EQ(ncu_scale("usecond"), 1e3);
  EXPECT_DOUBLE_EQ(ncu_scale("ms"), 1e6);
  EXPECT_DOUBLE_EQ(ncu_scale("s"), 1e9);
  EXPECT_DOUBLE_EQ(ncu_scale("byte"), 1);
  EXPECT_DOUBLE_EQ(ncu_scale("Kbyte"), 1e3);
  EXPECT_DOUBLE_EQ(ncu_scale("Gbyte/s"), 1e9);
  EXPECT_DOUBLE_EQ(ncu_scale("cycle/nsecond"), 1e9);
  EXPECT_DOUBLE_EQ(ncu_scale("Mhz"), 1e6);
  EXPECT_DOUBLE_EQ(ncu_scale("Kbyte/block"), 1e3);
  EXPECT_DOUBLE_EQ(ncu_scale("register/thread"), 1);
  EXPECT_DOUBLE_EQ(ncu_scale("%"), 1);
}

TEST(NcuUnits, NumbersMayBeGrouped) {
  EXPECT_EQ(ncu_number("1,234,567.5"), 1234567.5);
  EXPECT_EQ(ncu_number("-12"), -12);
  EXPECT_EQ(ncu_number("4.0e-05"), 4e-5);
  EXPECT_EQ(ncu_number("12 (3; 4; 5)"), 12);
  for (const char* text : {"", "n/a", "no", "nan", "CachePreferNone", "(!) n/a"})
    EXPECT_FALSE(ncu_number(text)) << text;
  for (const char* number : {"1.234.567", "12,34", ",123", "1.5,5", "1e999"})
    EXPECT_THROW(ncu_number(number), std::invalid_argument) << number;
}

}  // namespace
}  // namespace tilescope
