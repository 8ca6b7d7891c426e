// Launches that the GPU ends, with a fake driver that reports the end: what the point says of them, and that the
// interpreter names the line.
#include <algorithm>
#include <optional>
#include <ostream>
#include <string>

#include "profiler/gpu/calibrate/tests/fake_driver.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

const std::string store = "from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class EndedLaunch : public test_support::ServiceTest {
 protected:
  EndedLaunch() {
    experiment.device = "gpu:0";
    experiment.shape = {1, 2, 2, 128, 128, 64, DataType::fp16, false};
    constexpr const char* entry = "flash_scalar";
    std::string(entry).copy(driver->state->faulty_entry.data(), driver->state->faulty_entry.size() - 1);
  }

  // As a new worker does that begins with a new context: the GPU ends the kernel's launches with this error.
  Measurement measure_ended_by(CUresult fault) {
    driver->state->fault = fault;
    driver->state->fault_is_pending = driver->state->is_poisoned = false;
    service = make_measure_service(installation);
    return test_support::ask<Measure>(*service, {experiment, false, true}, control);
  }
  // Neither a place in our source nor advice that rests on a whole launch.
  static void expect_of_an_ended_launch(const Measurement& point) {
    EXPECT_EQ(point.status, Status::launch_failed) << point.reason;
    EXPECT_FALSE(has(point.reason, ".cpp:")) << point.reason;
    EXPECT_FALSE(has(point.reason, "cuStream") || has(point.reason, "cuLaunch")) << point.reason;
    EXPECT_FALSE(point.latency || point.memory || point.prediction);
    ASSERT_TRUE(point.diagnoses && !point.diagnoses->empty());
    for (const Diagnosis& diagnosis : *point.diagnoses)
      EXPECT_EQ(diagnosis.severity, Severity::fault) << diagnosis.kind << ": " << diagnosis.text;
  }

  std::optional<FakeDriver> driver{std::in_place};
  std::optional<Service> service;
};

struct Fault {
  const char* name;
  CUresult result;
  const char* driver_words;
  std::string from;
  std::string to;
  std::string kind;   // of the finding that explains it
  std::string found;  // in the reason
  bool is_at_store;   // the finding is at the line of the store

  friend std::ostream& operator<<(std::ostream& stream, const Fault& fault) { return stream << fault.name; }
};

const std::vector<Fault> faults{
    {"BehindABuffer", CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory address was encountered", store,
     "from_float(1.0f, o[column + (1ll << 40)]);", "out_of_bounds",
     "Thread 0 of block (0, 0, 0) writes 2 bytes", true},
    // Not in the blocks that stand for the grid.
    {"InOneBlock", CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory address was encountered", store,
     "from_float(1.0f, o[column + (blockIdx.x == 2 && blockIdx.y == 1 ? (1ll << 40) : 0)]);", "out_of_bounds",
     "of block (2, 1, 0) writes 2 bytes", true},
    {"NullPointer", CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory address was encountered",
     "Element* o = static_cast<Element*>(problem.o) +",
     "Element* o = static_cast<Element*>(problem.queries > 0 ? nullptr : problem.o) +", "out_of_bounds",
     "writes 2 bytes", true},
    {"SharedMemory", CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory address was encountered",
     "4*D*BLOCK_M + 8*BLOCK_M", "8*BLOCK_M", "out_of_bounds", "bytes of shared memory", false},
    {"Misaligned", CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", store,
     "*reinterpret_cast<unsigned*>(reinterpret_cast<char*>(o + column) + 1) = 1u;", "misaligned",
     "must be a multiple of 4", true},
    {"Trap", CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure", store, "if (row == 3) __trap();", "trap",
     "executed a trap", true},
    {"Assertion", CUDA_ERROR_ASSERT, "device-side assert triggered", store,
     "if (row == 5) __assertfail(\"row != 5\", \"mine.cu\", 7u, \"store\", 1);", "trap",
     "the assertion 'row != 5' failed", true},
    {"EndlessLoop", CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated", store,
     "for (volatile float* at = tiles.row_sum; *at > -1.0f;) {}", "livelock", "makes no progress", true},
};

class EveryFault : public EndedLaunch, public ::testing::WithParamInterface<Fault> {};

TEST_P(EveryFault, StandsWithItsLineBesideTheDriversWords) {
  const Fault& fault = GetParam();
  experiment.kernel = edited_copy(fault.from, fault.to).string();
  const Measurement point = measure_ended_by(fault.result);
  expect_of_an_ended_launch(point);
  EXPECT_EQ(point.reason.find(std::string("The GPU ended the launch: ") + fault.driver_words), 0U)
      << point.reason;
  EXPECT_TRUE(has(point.reason, "In the interpreter the same launch fails as well: ")) << point.reason;
  EXPECT_TRUE(has(point.reason, fault.found)) << point.reason;
  EXPECT_TRUE(has(point.reason, "block (")) << point.reason;
  ASSERT_FALSE(point.findings.empty());
  const Finding& first = point.findings.front();
  EXPECT_EQ(first.kind, fault.kind);
  ASSERT_FALSE(first.lines.empty());
  EXPECT_TRUE(has(point.reason, "copy.cu:" + std::to_string(first.lines.front()))) << point.reason;
  if (fault.is_at_store) {
    EXPECT_EQ(first.lines.front(), line_with(flash_scalar(), store));
  }
  EXPECT_EQ(point.diagnoses->front().kind, fault.kind);
  EXPECT_EQ(point.diagnoses->front().lines, first.lines);
  EXPECT_NE(point.diagnoses->front().repair, "");
  EXPECT_NE(service->why_unusable(), "") << "the context is lost";
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryFault, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

TEST_F(EndedLaunch, IsSaidToBeUnexplainedWhereTheInterpreterFindsNothing) {
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  EXPECT_TRUE(point.findings.empty());
  EXPECT_TRUE(has(point.reason, "executed all 8 blocks of the same launch and found no access out of bounds"))
      << point.reason;
  EXPECT_TRUE(has(point.reason, "compute-sanitizer --target-processes all ")) << point.reason;
  EXPECT_TRUE(has(point.reason, "measure flash_scalar --set ")) << point.reason;
  EXPECT_EQ(point.diagnoses->front().kind, "ended_launch");
}

TEST_F(EndedLaunch, ByAnotherFaultThanTheInterpretersIsSaidToBeOne) {
  experiment.kernel = edited_copy(store, "if (row == 3) __trap();").string();
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  EXPECT_TRUE(has(point.reason, "fails for another reason: The kernel executed a trap")) << point.reason;
}

TEST_F(EndedLaunch, NamesARaceThatMayBeTheCause) {
  const std::string barrier =
      "__syncthreads();  // the tiles (and, the first time, Q and the zeroed output) are written";
  experiment.kernel = edited_copy(barrier, "").string();
  experiment.shape = {1, 1, 1, 8, 64, 64, DataType::fp16, false};
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  ASSERT_FALSE(point.findings.empty());
  EXPECT_EQ(point.findings.front().kind, "race");
  EXPECT_TRUE(has(point.reason, "which may lead to such a fault: Thread ")) << point.reason;
  EXPECT_TRUE(has(point.reason, "compute-sanitizer")) << point.reason;
}

TEST_F(EndedLaunch, OfCodeThatIsNotInterpretedSaysWhy) {
  experiment.kernel = edited_copy(store, "asm volatile(\"pmevent 1;\"); " + store).string();
  const Measurement point = measure_ended_by(CUDA_ERROR_LAUNCH_FAILED);
  expect_of_an_ended_launch(point);
  EXPECT_TRUE(has(point.reason, "The launch was not interpreted: ")) << point.reason;
  EXPECT_TRUE(has(point.reason, "pmevent")) << point.reason;
  EXPECT_TRUE(has(point.reason, "compute-sanitizer")) << point.reason;
}

TEST_F(EndedLaunch, IsInterpretedFromThePtxWithoutNvdisasm) {
  const test_support::WithoutNvdisasm without(installation, scratch);
  experiment.kernel = edited_copy(store, "from_float(1.0f, o[column + (1ll << 40)]);").string();
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  EXPECT_EQ(point.findings.front().lines.front(), line_with(flash_scalar(), store));
  EXPECT_TRUE(std::ranges::any_of(
      point.notes, [](const std::string& note) { return has(note, "was interpreted from the PTX"); }));
}

TEST_F(EndedLaunch, IsInterpretedWithinHalfOfTheTimeLimit) {
  experiment.shape = {1, 8, 8, 4096, 4096, 64, DataType::fp16, false};
  control.time_limit_s = 0.002;
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  EXPECT_TRUE(has(point.reason, " of 1,024 blocks of the same launch within the time limit")) << point.reason;
}

TEST_F(EndedLaunch, LeavesTheNextWorkerAsItWas) {
  experiment.kernel = edited_copy(store, "if (row == 3) __trap();").string();
  EXPECT_EQ(measure_ended_by(CUDA_ERROR_LAUNCH_FAILED).status, Status::launch_failed);
  experiment.kernel = "flash_scalar";
  const Measurement next = measure_ended_by(CUDA_SUCCESS);
  EXPECT_EQ(next.status, Status::ok) << next.reason;
  EXPECT_EQ(service->why_unusable(), "");
}

TEST_F(EndedLaunch, AfterOthersSaysThatTheyRan) {
  driver->state->first_faulty_launch = 2;
  const Measurement point = measure_ended_by(CUDA_ERROR_ILLEGAL_ADDRESS);
  expect_of_an_ended_launch(point);
  EXPECT_TRUE(has(point.reason,
                  "(CUDA_ERROR_ILLEGAL_ADDRESS). An earlier launch of the point ran to its end. "
                  "The interpreter executed all 8 blocks"))
      << point.reason;
}

TEST_F(EndedLaunch, BeforeItBeganNamesWhatABlockNeeds) {
  const Measurement point = measure_ended_by(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  expect_of_an_ended_launch(point);
  EXPECT_EQ(point.reason.find("The GPU refused the launch: too many resources requested for launch "
                              "(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES). A block needs 256 threads of "),
            0U)
      << point.reason;
  EXPECT_TRUE(has(point.reason, "101,376 B of shared memory per block")) << point.reason;
  EXPECT_EQ(service->why_unusable(), "") << "the context is as it was";
  EXPECT_EQ(point.diagnoses->front().kind, "ended_launch");
  EXPECT_FALSE(has(point.diagnoses->front().repair, "command"));
}

TEST_F(EndedLaunch, IsNotTakenForAnErrorOfOurOwnUseOfTheDriver) {
  driver->state->fail_at = 40;  // before the kernel's launch
  driver->state->fail_with = CUDA_ERROR_INVALID_VALUE;
  const Measurement point = measure_ended_by(CUDA_SUCCESS);
  EXPECT_EQ(point.status, Status::launch_failed) << point.reason;
  EXPECT_TRUE(has(point.reason, " at profiler/")) << point.reason;
  EXPECT_FALSE(has(point.reason, "interpreter")) << point.reason;
}

}  // namespace
}  // namespace tilescope
