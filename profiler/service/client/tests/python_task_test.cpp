// Tasks of PyTorch. A shell script stands in for Python and the recorder.
#include "profiler/service/client/python_task.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>
#include <vector>

#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char *answer = "class ModelNew(nn.Module):\n  pass\n",
                     *reference = "class Model(nn.Module):\n  pass\ndef get_inputs():\n  return []\n";

class PythonTasks : public testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& text) const {
    const fs::path path = folder.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  // Runs a task with this script in the place of the recorder: its arguments are the folder, the limit and both files.
  std::string run(const std::string& script, OpenFile::Params& params) {
    const PythonTask task{file("new.py", answer), file("old.py", reference)};
    return task_run.add_calls(task, {file("recorder.sh", script), "/bin/sh"}, {}, params);
  }

  TemporaryFolder folder;
  PythonTaskRun task_run;
};

TEST_F(PythonTasks, AreAFileWithBothModelsOrTwoFilesWithTheNearestNames) {
  const fs::path both = file("both.py", std::string(answer) + reference);
  EXPECT_EQ(find_python_task(both), (PythonTask{both, both}));
  const fs::path alone = file("17_softmax_new.py", answer);
  file("other.py", reference);
  const fs::path near = file("17_softmax.py", reference);
  EXPECT_EQ(find_python_task(alone), (PythonTask{alone, near}));
  EXPECT_FALSE(find_python_task(near)) << "a reference alone has no kernels";
  EXPECT_FALSE(find_python_task(file("x.py", "# class ModelNew\nclass ModelNewer:\n  pass\n")));
  EXPECT_FALSE(find_python_task(folder.path() / "missing.py"));
}

TEST_F(PythonTasks, AreAFolderWithOneOfThem) {
  EXPECT_FALSE(find_python_task(folder.path()));
  const fs::path old = file("task.py",
                            "class Model:\n  def forward(self, x, fn=forward_fn):\n    return fn(x)\n"
                            "def get_inputs():\n  return []\n");
  const fs::path source = file("forward.cu", "__global__ void k() {}");
  EXPECT_EQ(find_python_task(folder.path()), (PythonTask{source, old}));
  const fs::path made = file("made.py", answer);
  EXPECT_EQ(find_python_task(folder.path()), (PythonTask{made, old})) << "a model in Python goes first";
  file("second.py", answer);
  EXPECT_EQ(find_python_task(folder.path()), (PythonTask{source, old})) << "which of two models is not known";
}

TEST_F(PythonTasks, AreTrustedUntilTheyChange) {
  const TrustedTasks trusted(folder.path() / "data");
  const PythonTask task{file("new.py", answer), file("old.py", reference)};
  EXPECT_FALSE(trusted.has(task));
  trusted.add(task);
  EXPECT_TRUE(TrustedTasks(folder.path() / "data").has(task));
  file("old.py", std::string(reference) + "import os\n");
  EXPECT_FALSE(trusted.has(task));
  trusted.add(task);
  file("old.py", reference);
  EXPECT_TRUE(trusted.has(task)) << "the first one is kept";
  std::ofstream(folder.path() / "data" / "trusted_tasks.json") << "{";
  EXPECT_FALSE(trusted.has(task));
  EXPECT_FALSE(trusted.has({folder.path() / "gone.py", task.reference}));
}

TEST_F(PythonTasks, GiveTheirCallsAndArrays) {
  OpenFile::Params params;
  EXPECT_EQ(run("test -f \"$3\" && test -f \"$4\" && test \"$2\" -gt 1000 || exit 1\n"
                "printf abc > \"$1/t.npy\"\n"
                "echo '{\"problem\": \"\", \"calls\": [{\"function\": \"f\", \"caller\": \"new.py\", "
                "\"arguments\": ["
                "{\"number\": 2.5, \"tensor\": null}, {\"number\": null, \"tensor\": {\"element\": \"f32\", "
                "\"shape\": [2, 3],"
                " \"strides\": [3, 1], \"array\": \"t.npy\"}}], \"results\": []}]}' > \"$1/calls.json\"\n",
                params),
            "");
  ASSERT_EQ(params.calls.size(), 1u);
  ASSERT_EQ(params.calls[0].arguments.size(), 2u);
  EXPECT_EQ(params.calls[0].arguments[0].number, 2.5);
  EXPECT_EQ(params.calls[0].arguments[1].tensor->count(), 6);
  ASSERT_EQ(params.subject.arrays.size(), 1u);
  EXPECT_EQ(params.subject.arrays[0].file.contents, "abc");
}

TEST_F(PythonTasks, SayWhatIsMissing) {
  const std::vector<std::pair<std::string, std::string>> scripts = {
      {"echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1", "TILESCOPE_PYTHON"},
      {"echo 'Traceback' >&2; echo 'ValueError: no inputs' >&2; exit 1", "ValueError: no inputs"},
      {"exit 0", "cannot be read"},
      {"echo '{\"calls\": [{\"function\": 3}], \"problem\": \"\"}' > \"$1/calls.json\"", "cannot be read"},
      {"echo '{\"calls\": [], \"problem\": \"the model calls no function\"}' > \"$1/calls.json\"",
       "calls no function"}};
  for (const auto& [script, words] : scripts) {
    OpenFile::Params params;
    const std::string problem = run(script, params);
    EXPECT_NE(problem.find(words), std::string::npos) << problem;
    EXPECT_TRUE(params.calls.empty());
    EXPECT_TRUE(params.subject.arrays.empty());
  }
  OpenFile::Params params;
  const PythonTask task{file("new.py", answer), file("old.py", reference)};
  EXPECT_NE(task_run.add_calls(task, {"r.py", "/nowhere/python"}, {}, params).find("/nowhere/python"),
            std::string::npos);
}

TEST_F(PythonTasks, EndWhereTheUserCancels) {
  OpenFile::Params params;
  const PythonTask task{file("new.py", answer), file("old.py", reference)};
  EXPECT_THROW(task_run.add_calls(
                   task, {file("recorder.sh", "sleep 20"), "/bin/sh"}, [] { return true; }, params),
               ProgramCancelled);
}

}  // namespace
}  // namespace tilescope
