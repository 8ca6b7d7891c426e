// Several programs that add to one session at once.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "base/json.hpp"
#include "base/tests/scratch_folder.hpp"
#include "sessions/session.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

SharedMeasurement point(std::int64_t block) {
  Measurement point = sample::full_measurement();
  point.parameters["BLOCK_M"] = block;
  return std::make_shared<const Measurement>(point);
}

std::vector<std::int64_t> blocks_of(const Session& session) {
  std::vector<std::int64_t> blocks;
  blocks.reserve(session.points.size());
  for (const auto& one : session.points)
    blocks.push_back(std::get<std::int64_t>(one->parameters.at("BLOCK_M")));
  return blocks;
}

/// Acts as a command does: reads the session and adds points one by one.
class Appender {
 public:
  explicit Appender(const fs::path& file) : writer_(file) {
    session_ = writer_.read().value_or(sample::session_of(0));
  }
  void append(std::int64_t block, const LockPatience& patience = {}) {
    writer_.update(
        session_,
        [&](Session& session) {
          session.points.push_back(point(block));
          session.sources["source " + std::to_string(block)] = {"a.cu", "", {}};
          return true;
        },
        patience);
  }
  const Session& session() const { return session_; }

 private:
  SessionWriter writer_;
  Session session_;
};

class SessionUpdate : public testing::Test {
 protected:
  ~SessionUpdate() override { ::chmod(folder_.c_str(), 0700); }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const test_support::ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path();
  const fs::path file_ = folder_ / "points.json";
};

TEST_F(SessionUpdate, KeepsWhatOthersWroteAndAddsAtTheEnd) {
  Appender a(file_), b(file_);
  a.append(1);
  b.append(2);
  b.append(3);
  a.append(4);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(blocks_of(a.session()), (std::vector<std::int64_t>{1, 2, 3, 4})) << "theirs are seen, too";
  EXPECT_EQ(load_session(file_).sources.size(), 5U);
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(SessionUpdate, ThreadsAtOnceLoseNothing) {
  constexpr std::int64_t threads = 6, each = 12;
  {
    std::vector<std::jthread> all;
    all.reserve(threads);
    for (std::int64_t i = 0; i < threads; ++i) {
      all.emplace_back([this, i] {
        Appender appender(file_);
        for (std::int64_t k = 0; k < each; ++k) appender.append(100 * i + k, {std::chrono::minutes(5)});
      });
    }
  }
  const std::vector<std::int64_t> blocks = blocks_of(load_session(file_));
  EXPECT_EQ(blocks.size(), static_cast<std::size_t>(threads * each));
  EXPECT_EQ(std::set(blocks.begin(), blocks.end()).size(), blocks.size()) << "none is there twice";
}

TEST_F(SessionUpdate, ProcessesAtOnceLoseNothing) {
  constexpr int processes = 5;
  constexpr std::int64_t each = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        Appender appender(file_);
        for (std::int64_t k = 0; k < each; ++k) appender.append(100 * i + k, {std::chrono::minutes(5)});
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(load_session(file_).points.size(), static_cast<std::size_t>(processes * each));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(SessionUpdate, OfAProcessThatIsKilledLeavesAWholeSession) {
  Appender(file_).append(0);
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      Appender appender(file_);
      for (std::int64_t k = 0;; ++k) appender.append(k);
    }
    const std::size_t before = load_session(file_).points.size();
    while (load_session(file_).points.size() < before + 2) std::this_thread::yield();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Appender(file_).append(-1);
  }
  EXPECT_EQ(files_in_folder(), 1U) << "what the killed programs left goes";
}

TEST_F(SessionUpdate, WaitsNoLongerThanItMay) {
  Appender appender(file_);
  appender.append(1);
  {
    const FileLock other(file_);
    try {
      appender.append(2, {std::chrono::milliseconds(30)});
      FAIL();
    } catch (const SessionError& error) {
      EXPECT_NE(std::string(error.what()).find("another program"), std::string::npos) << error.what();
    }
    EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1}));
  }
  appender.append(3);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1, 2, 3})) << "2 was not lost";
}

TEST_F(SessionUpdate, DoesNotReadWhatNobodyElseWrote) {
  Appender appender(file_);
  appender.append(1);
  const auto first = appender.session().points.front();
  appender.append(2);
  EXPECT_EQ(appender.session().points.front(), first);
  Appender(file_).append(3);
  appender.append(4);
  EXPECT_EQ(appender.session().points.front(), first) << "known points are not exchanged for their copies";
}

TEST_F(SessionUpdate, OfADamagedFileWritesNothingAndKeepsThePoint) {
  Appender appender(file_);
  appender.append(1);
  const std::string whole = read_text(file_);
  std::ofstream(file_) << "{\"format\": ";
  EXPECT_THROW(appender.append(2), SessionError);
  EXPECT_EQ(read_text(file_), "{\"format\": ");
  std::ofstream(file_) << whole;
  appender.append(3);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(SessionUpdate, WritesAllAgainWhereTheFileWasRemoved) {
  Appender appender(file_);
  appender.append(1);
  fs::remove(file_);
  appender.append(2);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(SessionUpdate, WithoutAChangeWritesNothing) {
  SessionWriter writer(file_);
  Session session = writer.read().value_or(sample::session_of(0));
  writer.update(session, [](Session&) { return false; });
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(SessionUpdate, InAReadOnlyFolderKeepsThePoint) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write into a read-only folder";
  Appender appender(file_);
  appender.append(1);
  ::chmod(folder_.c_str(), 0500);
  EXPECT_THROW(appender.append(2), SessionError);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1}));
  ::chmod(folder_.c_str(), 0700);
  appender.append(3);
  EXPECT_EQ(blocks_of(load_session(file_)), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(SessionUpdate, KeepsMembersThatItDoesNotKnow) {
  Appender(file_).append(1);
  Json document = Json::parse(read_text(file_));
  document["later"] = {{"a", 1}};
  document["sources"]["source 1"]["license"] = "MIT";
  document["points"][0]["later"] = "point";
  document["points"][0]["latency"]["l2_warm"]["later"] = 7;
  document["points"][0]["memory"]["sites"][1]["later"] = Json::array({1, 2});
  for (const int indent : {-1, 2}) {  // As another tool lays it out.
    std::ofstream(file_) << document.dump(indent);
    Appender appender(file_);
    appender.append(2);
    Json again = Json::parse(read_text(file_));
    again["points"].erase(1);
    again["sources"].erase("source 2");
    EXPECT_EQ(nlohmann::json(again), nlohmann::json(document)) << again.dump(1);
  }
  // As this program lays it out, and in what another program appended.
  Appender first(file_), second(file_);
  second.append(3);
  first.append(4);
  const Json again = Json::parse(read_text(file_));
  EXPECT_EQ(again["points"].size(), 4U);
  EXPECT_EQ(again["points"][0]["later"], "point");
  EXPECT_EQ(again["points"][0]["memory"]["sites"][1]["later"], Json::array({1, 2}));
  EXPECT_EQ(again["later"], Json({{"a", 1}}));
  EXPECT_EQ(again["sources"]["source 1"]["license"], "MIT");
}

TEST_F(SessionUpdate, DamageIsRefusedWithItsPlace) {
  Appender(file_).append(1);
  const Json good = Json::parse(read_text(file_));
  const auto complaint = [&](const std::string& place, const Json& value) -> std::string {
    Json document = good;
    document["points"][0][Json::json_pointer(place)] = value;
    std::ofstream(file_) << document.dump();
    try {
      load_session(file_);
    } catch (const SessionError& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& [place, value] :
       std::initializer_list<std::pair<std::string, Json>>{{"/latency/p50_us", 0},
                                                           {"/latency/p50_us", -3.5},
                                                           {"/latency/p10_us", 30.45},
                                                           {"/latency/tflops", -2.76},
                                                           {"/latency/samples", 0},
                                                           {"/shape/Hq", -8},
                                                           {"/shape/D", 0},
                                                           {"/resources/registers", -1},
                                                           {"/occupancy/waves", -9e18},
                                                           {"/occupancy/waves", 9e18},
                                                           {"/occupancy/fraction", 1.5},
                                                           {"/prediction/p50_us", 0},
                                                           {"/prediction/low_us", 28.75},
                                                           {"/memory/bytes/global_read", -4096},
                                                           {"/memory/sites/0/degrees/7", -3},
                                                           {"/error/max_abs", -1e-3},
                                                           {"/latency/p90_us", "NaN"},
                                                           {"/findings/0/lines/1", -40}}) {
    const std::string said = complaint(place, value);
    EXPECT_NE(said.find("/points/0" + place + ": "), std::string::npos)
        << place << " " << value << ": " << said;
    EXPECT_NE(said.find(file_.string()), std::string::npos);
  }
  EXPECT_EQ(complaint("/latency/p50_us", 30.4), "");

  Json zero = good["points"][0]["latency"]["l2_cold"];
  for (const auto& [name, value] : zero.items())
    if (name.ends_with("_us")) zero[name] = 0;
  EXPECT_EQ(complaint("/latency/l2_cold", zero), "") << "the clears of L2 are subtracted from it";
  EXPECT_NE(complaint("/latency/l2_warm", zero).find("/latency/l2_warm/p50_us: 0 is out of range"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
