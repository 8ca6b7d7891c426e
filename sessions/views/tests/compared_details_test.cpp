#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/tests/sample.hpp"
#include "sessions/views/points/point_details.hpp"

namespace tilescope {
namespace {

const DetailRow& row_of(const std::vector<DetailSection>& sections, std::string_view title,
                        std::string_view label) {
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows) {
      if (section.title == title && row.label == label) return row;
    }
  }
  throw std::out_of_range(std::string(title) + ": " + std::string(label));
}

std::vector<DetailSection> compare(const Measurement& shown, const Measurement& other) {
  return compared_details(point_details(shown, false), point_details(other, false));
}

TEST(ComparedDetails, DifferencesAreRelativeExceptOfPercentages) {
  EXPECT_EQ(difference_words(45, 40, Unit::microseconds), "+12.5 %");
  EXPECT_EQ(difference_words(20, 40, Unit::count), "-50.0 %");
  EXPECT_EQ(difference_words(38.5, 10, Unit::count), "+285 %");
  EXPECT_EQ(difference_words(14688256, 8192, Unit::count), "1,793x");
  EXPECT_EQ(difference_words(0.2, 75, Unit::percent), "-74.8 pp");
  EXPECT_EQ(difference_words(512, 0, Unit::bytes), "+512 B");
  EXPECT_EQ(difference_words(7, 7, Unit::count), "same");
}

TEST(ComparedDetails, EachFigureHasTheOthersBesideIt) {
  const Measurement shown = sample::full_measurement();
  Measurement other = shown;
  other.latency->p50_us = shown.latency->p50_us * 2;
  other.resources->registers = 72;
  const auto sections = compare(shown, other);
  const DetailRow& p50 = row_of(sections, "Latency", "p50");
  EXPECT_EQ(p50.value, "30.40 µs");
  EXPECT_EQ(p50.other, "60.80 µs");
  EXPECT_EQ(p50.difference, "-50.0 %");
  EXPECT_EQ(p50.difference_tone, Tone::good) << "this point is the faster one";
  EXPECT_EQ(row_of(sections, "Resources", "Registers").difference, "same");
  EXPECT_EQ(row_of(sections, "Resources", "Registers").difference_tone, Tone::plain);
}

TEST(ComparedDetails, WhatOnlyOnePointHasStays) {
  const Measurement shown = sample::full_measurement();
  Measurement other = shown;
  other.latency.reset();
  const auto without = compare(shown, other);
  EXPECT_EQ(row_of(without, "Latency", "p50").other, "-");
  EXPECT_EQ(row_of(without, "Latency", "p50").difference, "");
  const auto reversed = compare(other, shown);
  EXPECT_EQ(row_of(reversed, "Latency", "p50").value, "-");
  EXPECT_EQ(row_of(reversed, "Latency", "p50").other, "30.40 µs");
  EXPECT_EQ(reversed.back().title, "Provenance");
}

TEST(ComparedDetails, FiguresAreShort) {
  Measurement shown = sample::full_measurement();
  shown.memory->shared_wavefronts = 19828992;
  const auto sections = compare(shown, shown);
  EXPECT_EQ(row_of(sections, "Memory", "Wavefronts").value, "19.8 M");
  EXPECT_EQ(row_of(sections, "Memory", "Wavefronts").other, "19.8 M");
  EXPECT_EQ(row_of(sections, "Resources", "Dynamic shared").value, "56.0 KiB");
}

TEST(ComparedDetails, TwoSitesOfOneLineAreComparedEachWithItsOwn) {
  Measurement shown = sample::full_measurement();
  shown.memory->sites.resize(1);
  shown.memory->sites.push_back(shown.memory->sites[0]);
  shown.memory->sites[1].operation = "st.shared";
  for (MemorySite& site : shown.memory->sites) site.conflicts = 5;
  const auto sections = compare(shown, shown);
  std::size_t sites = 0;
  std::vector<std::string> labels;
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows) {
      if (row.line == 0) continue;
      ++sites;
      labels.push_back(row.label);
      EXPECT_EQ(row.other, row.value);
    }
  }
  EXPECT_EQ(sites, 2U);
  EXPECT_NE(labels[0], labels[1]);
  EXPECT_TRUE(labels[1].find(", st.shared") != std::string::npos) << labels[1];
}

TEST(ComparedDetails, SettingsThatDifferAreNamed) {
  const Measurement shown = sample::full_measurement();
  EXPECT_TRUE(differing_settings(shown, shown).empty());
  Measurement other = shown;
  other.parameters["SMEM_LAYOUT"] = std::string("padded");
  other.shape.causal = !other.shape.causal;
  other.device.name = "H200";
  const auto lines = differing_settings(shown, other);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("SMEM_LAYOUT=padded instead of ")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(" instead of " + to_string(shown.shape))) << lines[1];
  EXPECT_EQ(lines[2], "H200 instead of L4");
  other = shown;
  other.provenance.compiler = KernelCompiler::nvcc;
  EXPECT_EQ(differing_settings(shown, other), std::vector<std::string>{"nvcc instead of NVRTC"});
  other = shown;
  other.kernel = "naive";
  other.parameters.erase("SMEM_LAYOUT");
  EXPECT_EQ(differing_settings(shown, other),
            (std::vector<std::string>{"naive instead of " + shown.kernel, "no SMEM_LAYOUT"}));
}

TEST(ComparedDetails, APointIsNotComparedWithItsOwnResult) {
  Measurement shown = sample::full_measurement();
  EXPECT_TRUE(is_same_result(shown, shown));
  Measurement other = shown;
  EXPECT_FALSE(is_same_result(shown, other)) << "both were timed, each for itself";
  shown.latency.reset();
  other.latency.reset();
  EXPECT_TRUE(is_same_result(shown, other));
  other.provenance.source_sha256 = "another";
  EXPECT_FALSE(is_same_result(shown, other));
  other = shown;
  other.parameters["SMEM_LAYOUT"] = std::string("padded");
  EXPECT_FALSE(is_same_result(shown, other));
}

}  // namespace
}  // namespace tilescope
