#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/compile_ahead.hpp"

namespace tilescope {
namespace {

class Stages : public test_support::ServiceTest {
 protected:
  Stages() {
    use_empty_cache();
    experiment.device = "L4";
    control.send = [this](const Json& json) {
      PartialPoint part;
      from_json(json, part);
      parts.push_back(part);
      if (on_part) on_part(part);
    };
  }
  Measurement grow(const tilescope::Service& service) {
    return test_support::ask<Measure>(service, {experiment, true}, control);
  }
  std::vector<PointStage> stages() const {
    std::vector<PointStage> reached;
    reached.reserve(parts.size());
    for (const PartialPoint& part : parts) reached.push_back(part.stage);
    return reached;
  }
  const PartialPoint* part(PointStage stage) const {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const PartialPoint& one) { return one.stage == stage; });
    return found == parts.end() ? nullptr : &*found;
  }
  /// Without what differs from run to run.
  static Json comparable(Measurement point) {
    point.provenance.time_utc = "";
    point.provenance.compile_ms = 0;
    point.provenance.binary_from_cache = false;
    point.compiler_log.resize(std::min(point.compiler_log.find("Compile time"), point.compiler_log.size()));
    return point;
  }
  /// Answer of a worker with an empty cache, without stages.
  Json asked_once() {
    installation.cache = scratch / "other cache";
    return comparable(measure());
  }

  /// A copy of flash_scalar that begins with this code.
  std::filesystem::path copy_with(const std::string& code) const {
    const std::string before = "  extern __shared__ __align__(16) char shared[];\n";
    return edited_copy(before, before + code);
  }
  /// The point of a kernel with large tiles and this code, as far as compiling brings it.
  Measurement prepared_on_ptx(const std::string& code, const decltype(WhileCompiling::on_ptx)& on_ptx) {
    experiment.kernel = copy_with(code).string();
    experiment.parameters["BLOCK_M"] = experiment.parameters["BLOCK_N"] = std::int64_t{128};
    Workbench bench(installation);
    PointStages stages(control, true);
    const WhileCompiling meanwhile{stages, on_ptx};
    const Preparation made = prepare(bench, experiment, Purpose::measure, control, &meanwhile);
    EXPECT_FALSE(made.kernel) << "it would run";
    return made.point;
  }
  /// The key of a binary in the cache, "" where there is none.
  std::string kept_binary() const {
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(installation.cache / "binaries", none)) {
      if (file.path().extension() == ".cbor") return file.path().stem().string();
    }
    return "";
  }

  /// NVRTC makes PTX of it for the L4, and ptxas no machine code.
  const std::string for_a_newer_gpu = "asm volatile(\"griddepcontrol.wait;\");\n";
  /// Shared memory beside the declared one, which leaves too little of the SM's for large tiles.
  const std::string fits_no_sm = "__shared__ volatile char more[49000]; more[threadIdx.x] = 1;\n";
  std::vector<PartialPoint> parts;
  std::function<void(const PartialPoint&)> on_part;
};

TEST_F(Stages, APointGrowsToWhatAskingOnceGives) {
  const Measurement point = grow(make_measure_service(installation));
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_EQ(parts.size(), 4u) << "counted by the PTX, then by the machine code";
  EXPECT_EQ(parts[0].stage, PointStage::judged);
  EXPECT_TRUE(parts[0].is_occupancy_estimated);
  EXPECT_GE(parts[0].so_far.occupancy->blocks_per_sm, point.occupancy->blocks_per_sm);
  EXPECT_FALSE(parts[0].so_far.resources);
  const PartialPoint *compiled = part(PointStage::compiled), *by_ptx = part(PointStage::checked);
  const PartialPoint* checked = &parts.back();
  ASSERT_TRUE(compiled != nullptr && by_ptx != nullptr);
  EXPECT_EQ(checked->stage, PointStage::checked);
  EXPECT_EQ(by_ptx->so_far.memory->counted_from, CountedFrom::ptx);
  EXPECT_EQ(checked->so_far.memory->counted_from, CountedFrom::machine_code);
  EXPECT_EQ(compiled->so_far.resources, point.resources);
  EXPECT_EQ(compiled->so_far.occupancy, point.occupancy);
  EXPECT_EQ(checked->so_far.memory, point.memory);
  EXPECT_EQ(checked->so_far.error, point.error);
  EXPECT_EQ(checked->so_far.resources, point.resources);
  EXPECT_FALSE(checked->is_occupancy_estimated);
  EXPECT_EQ(Json::diff(comparable(point), asked_once()), Json::array());
}

TEST_F(Stages, FromTheCacheTheMachineCodeIsThereFirst) {
  const tilescope::Service service = make_measure_service(installation);
  const Measurement first = grow(service);
  parts.clear();
  const Measurement second = grow(service);
  EXPECT_TRUE(second.provenance.binary_from_cache);
  const std::vector<PointStage> expected{PointStage::judged, PointStage::compiled, PointStage::checked};
  EXPECT_EQ(stages(), expected);
  EXPECT_EQ(comparable(second), comparable(first));
}

// `judged` is sent after the declaration was read, and before the code is.
TEST_F(Stages, AFileThatIsSavedWhileItIsReadGivesAPointOfTheNewOne) {
  const std::string shared = "2*D*BLOCK_M + 4*D*BLOCK_M";
  experiment.kernel = edited_copy(shared, shared).string();
  bool is_saved = false;
  on_part = [&](const PartialPoint& part) {
    if (part.stage != PointStage::judged || std::exchange(is_saved, true)) return;
    edited_copy(shared, "1024 + " + shared);
  };
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_TRUE(is_saved);
  EXPECT_EQ(stages()[1], PointStage::judged) << "judged again";
  EXPECT_EQ(Json::diff(comparable(point), asked_once()), Json::array());
}

TEST_F(Stages, AFileThatChangesEachTimeThatItIsReadEndsThePoint) {
  const std::string shared = "2*D*BLOCK_M + 4*D*BLOCK_M";
  experiment.kernel = edited_copy(shared, shared).string();
  int saves = 0;
  on_part = [&](const PartialPoint&) { edited_copy(shared, std::to_string(16 * ++saves) + " + " + shared); };
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_NE(point.reason.find("changed each time"), std::string::npos) << point.reason;
}

// A header may look at what NVRTC leaves out of the first compilation.
TEST_F(Stages, WhereTheFirstPtxDiffersThatOfTheMachineCodeCounts) {
  const std::string right = "load_packet<VEC_WIDTH>(tiles.k", wrong = "load_packet<VEC_WIDTH>(tiles.v";
  experiment.kernel =
      edited_copy(right, "\n#ifdef __CUDACC_RTC_MINIMAL__\n" + wrong + "\n#else\n" + right + "\n#endif\n")
          .string();
  const tilescope::Service service = make_measure_service(installation);
  const Measurement point = grow(service);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(comparable(grow(service)), comparable(point));
  EXPECT_EQ(Json::diff(comparable(point), asked_once()), Json::array());
}

TEST_F(Stages, NobodyWhoDidNotAskForThemHearsOfThem) {
  const Measurement point =
      test_support::ask<Measure>(make_measure_service(installation), {experiment}, control);
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_TRUE(parts.empty());
}

TEST_F(Stages, AKernelThatDoesNotCompileIsOnlyJudged) {
  experiment.kernel = edited_copy("extern \"C\"", "nonsense extern \"C\"").string();
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_NE(point.status, Status::ok);
  EXPECT_EQ(Json::diff(comparable(point), asked_once()), Json::array());
  EXPECT_EQ(part(PointStage::checked), nullptr);
  EXPECT_EQ(part(PointStage::compiled), nullptr);
}

TEST_F(Stages, MachineCodeThatEndsThePointCancelsWhatRunsOnThePtx) {
  for (const std::string& code : {for_a_newer_gpu, fits_no_sm}) {
    bool ran_on_ptx = false, was_cancelled = false;
    const auto on_ptx = [&](const Prepared&, const MeasureControl& while_compiling) {
      ran_on_ptx = true;
      for (int i = 0; i < 60'000 && !while_compiling.cancelled(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      was_cancelled = while_compiling.cancelled();
    };
    // On a busy machine the machine code may be there before the PTX is asked for. Nothing runs on the PTX then,
    // and a source that no cache has is tried.
    constexpr int most_attempts = 30;
    for (int attempt = 0; attempt < most_attempts && !ran_on_ptx; ++attempt) {
      const Measurement point =
          prepared_on_ptx(code + "// attempt " + std::to_string(attempt) + "\n", on_ptx);
      EXPECT_EQ(point.status, code == fits_no_sm ? Status::invalid_configuration : Status::compile_failed)
          << point.reason;
    }
    EXPECT_TRUE(ran_on_ptx);
    EXPECT_TRUE(was_cancelled);
  }
}

TEST_F(Stages, APointThatFitsNoSmIsNotInterpretedToTheEnd) {
  experiment.kernel = copy_with(fits_no_sm).string();
  experiment.parameters["BLOCK_M"] = experiment.parameters["BLOCK_N"] = std::int64_t{128};
  experiment.shape.Sq = experiment.shape.Sk = 2048;
  experiment.blocks = BlockChoice{BlockChoice::Kind::all};
  control.report = [this](const RequestProgress& progress) {
    while (progress.stage == "interpret" && kept_binary().empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_EQ(point.status, Status::invalid_configuration);
  EXPECT_NE(point.reason.find("no block fits"), std::string::npos) << point.reason;
  EXPECT_EQ(stages(), std::vector<PointStage>{PointStage::judged});
}

TEST_F(Stages, AStageThatCannotBeSentEndsThePoint) {
  on_part = [](const PartialPoint& part) {
    if (part.stage == PointStage::compiled) throw std::runtime_error("the caller is gone");
  };
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_EQ(point.reason, "the caller is gone");
}

TEST_F(Stages, AWrongResultIsNeverShownAsChecked) {
  experiment.kernel =
      edited_copy("load_packet<VEC_WIDTH>(tiles.k", "load_packet<VEC_WIDTH>(tiles.v").string();
  const Measurement point = grow(make_measure_service(installation));
  EXPECT_EQ(point.status, Status::wrong_result) << point.reason;
  EXPECT_EQ(part(PointStage::checked), nullptr);
  EXPECT_EQ(Json::diff(comparable(point), asked_once()), Json::array());
}

TEST_F(Stages, AnInvalidConfigurationHasNoStage) {
  experiment.parameters["BLOCK_M"] = std::int64_t{7};
  EXPECT_EQ(grow(make_measure_service(installation)).status, Status::invalid_configuration);
  EXPECT_TRUE(parts.empty());
}

TEST_F(Stages, ACancelIsObeyedInEachStageAndNothingIsSentAfterIt) {
  for (const PointStage last : {PointStage::judged, PointStage::compiled, PointStage::checked}) {
    installation.cache = scratch / to_string(last);
    const tilescope::Service service = make_measure_service(installation);
    std::atomic<bool> cancelled = false;
    parts.clear();
    on_part = [&](const PartialPoint& part) { cancelled = cancelled || part.stage == last; };
    control.cancelled = [&] { return bool(cancelled); };
    const Measurement point = grow(service);
    EXPECT_EQ(parts.back().stage, last);
    // A point that was finished before the cancel arrived is a valid answer too.
    const bool is_finished = point.status == Status::ok && parts.size() == 3;
    EXPECT_TRUE(point.status == Status::cancelled || is_finished) << to_string(last) << ": " << point.reason;
    control.cancelled = [] { return false; };
    on_part = nullptr;
    EXPECT_EQ(grow(service).status, Status::ok) << "the same again, after a cancel";
  }
}

TEST_F(Stages, WhatWasCompiledAheadComesFromTheCache) {
  const tilescope::Service service = make_measure_service(installation);
  Experiment invalid = experiment, unknown = experiment;
  invalid.parameters["BLOCK_M"] = std::int64_t{7};
  unknown.kernel = "no_such_kernel";
  const CompileAhead::Params params{{invalid, unknown, experiment}};
  EXPECT_EQ(test_support::ask<CompileAhead>(service, params).waiting, 1);
  for (int i = 0; i < 30'000 && kept_binary().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::string kept = kept_binary();
  const Measurement point = grow(service);
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_EQ(kept, point.provenance.binary_key) << "compiled before anybody measured it";
}

}  // namespace
}  // namespace tilescope
