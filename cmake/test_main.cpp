// The main() of all test executables. cmake/test_groups.py runs many cases in one process and reads from this main() what
// became of each, also when the process ends in the middle of one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::TestInfo;
using testing::TestSuite;

std::map<std::string, std::string> environment_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    const std::size_t end = line.find('=');
    if (end != std::string::npos) found[line.substr(0, end)] = line.substr(end + 1);
  }
  return found;
}

/// Every case begins with the environment variables and in the folder with which the process began, as if it were alone.
class Surroundings : public testing::EmptyTestEventListener {
 private:
  struct Saved {
    std::map<std::string, std::string> variables;
    fs::path folder;
  };

  void OnTestSuiteStart(const TestSuite& /*suite*/) override { save(); }
  void OnTestStart(const TestInfo& /*test*/) override { save(); }
  void OnTestEnd(const TestInfo& /*test*/) override { restore(); }
  void OnTestSuiteEnd(const TestSuite& /*suite*/) override { restore(); }

  void save() {
    std::error_code ignored;
    saved_.push_back({environment_variables(), fs::current_path(ignored)});
  }

  void restore() {
    const Saved saved = saved_.back();
    saved_.pop_back();
    const std::map<std::string, std::string> now = environment_variables();
    for (const auto& [name, value] : now) {
      if (!saved.variables.contains(name)) ::unsetenv(name.c_str());
    }
    for (const auto& [name, value] : saved.variables) {
      const auto found = now.find(name);
      if (found == now.end() || found->second != value) ::setenv(name.c_str(), value.c_str(), 1);
    }
    std::error_code ignored;
    fs::current_path(saved.folder, ignored);
  }

  std::vector<Saved> saved_;
};

/// Writes a line when a case begins and one when it ends: "begin Suite.Case", "passed Suite.Case 0.012".
class Outcomes : public testing::EmptyTestEventListener {
 public:
  explicit Outcomes(const char* file)
      : file_(::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}
  ~Outcomes() override { ::close(file_); }
  Outcomes(const Outcomes&) = delete;
  Outcomes& operator=(const Outcomes&) = delete;

 private:
  void OnTestStart(const TestInfo& test) override { write("begin " + name_of(test)); }
  void OnTestEnd(const TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    const std::string what = result.Skipped() ? "skipped " : result.Passed() ? "passed " : "failed ";
    write(what + name_of(test) + " " + std::to_string(static_cast<double>(result.elapsed_time()) * 1e-3));
  }

  static std::string name_of(const TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }
  /// In one call, so that nothing is lost with the process.
  void write(const std::string& line) const {
    const std::string text = line + "\n";
    if (::write(file_, text.data(), text.size()) < 0) std::abort();
  }

  int file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new Surroundings);
  if (const char* file = std::getenv("TILESCOPE_TEST_OUTCOMES")) {
    listeners.Append(new Outcomes(file));
    // A program that a test starts has no outcomes.
    ::unsetenv("TILESCOPE_TEST_OUTCOMES");
  }
  return RUN_ALL_TESTS();
}
