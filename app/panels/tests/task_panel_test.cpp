// The PyTorch task of a file in panel Kernel file. A shell script stands in for Python.

#include <fstream>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/task_of_file.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

constexpr const char* new_model = R"py(source = """
__global__ void twice(float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = 2.0f;
}
torch::Tensor run(int n) {
  auto y = torch::empty({n});
  twice<<<1, 64>>>(y.data_ptr<float>(), n);
  return y;
}
"""
class ModelNew:
  pass
)py";

class TaskPanel : public WorkerPanels {
 protected:
  TaskPanel() {
    write("old.py", "class Model:\n  pass\ndef get_inputs():\n  return []\n");
    write("new.py", new_model);
  }
  ~TaskPanel() override { unsetenv("TILESCOPE_PYTHON"); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories(scratch_.folder() / "task");
    const fs::path file = scratch_.folder() / "task" / name;
    std::ofstream(file) << text;
    return file;
  }
  // Called with the recorder, the folder, the limit and both files.
  void python(const std::string& script) const {
    const fs::path file = write("python.sh", "#!/bin/sh\n" + script);
    fs::permissions(file, fs::perms::owner_all);
    setenv("TILESCOPE_PYTHON", file.c_str(), 1);
  }
  void python_that_calls() const {
    python(
        "echo '{\"problem\": \"\", \"calls\": [{\"function\": \"run\", \"caller\": \"new.py\", "
        "\"arguments\": "
        "[{\"number\": 37, \"tensor\": null}], \"results\": []}]}' > \"$2/calls.json\"\n");
  }
  TaskOfFile& task() { return explorer_->board().get<TaskOfFile>(); }
  OpenedFile& opened() { return explorer_->board().get<OpenedFile>(); }
  std::string number(const std::string& name) {
    for (const LaunchRow& row : opened().launch())
      if (row.what == name) return row.value;
    return "";
  }
  // The script must be written before: a worker that is forked meanwhile inherits the open file, and a file that is open for
  // writing cannot be executed. The panel's layout is stable once the file is open, so that a click hits its button.
  bool shows_task(test_support::HeadlessGui& gui, const fs::path& file) {
    start_worker(false);
    opened().open(file);
    show(gui, "kernel-file");
    return wait_for(gui, "kernel_file.task.run") && wait_until(gui, [&] { return !opened().waits(); });
  }
  bool waits_for_end(test_support::HeadlessGui& gui) {
    return wait_until(gui, [&] {
      return task().state() == TaskOfFile::State::done || task().state() == TaskOfFile::State::failed;
    });
  }
};

TEST_F(TaskPanel, RunsOnceTheUserLetsItAndThenByItself) {
  python_that_calls();
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(shows_task(gui, scratch_.folder() / "task")) << "a folder that is a task opens its file";
  EXPECT_EQ(opened().file().filename(), "new.py");
  EXPECT_EQ(task().state(), TaskOfFile::State::asks);
  gui.click("kernel_file.task.run");
  ASSERT_TRUE(waits_for_end(gui));
  EXPECT_EQ(task().problem(), "");
  ASSERT_TRUE(wait_until(gui, [&] { return number("n") == "37"; }));
  opened().open("/nowhere.cu");
  ASSERT_TRUE(wait_until(gui, [&] { return task().state() == TaskOfFile::State::none; }));
  opened().open(scratch_.folder() / "task" / "new.py");
  ASSERT_TRUE(waits_for_end(gui)) << "it was allowed before";
  EXPECT_EQ(task().problem(), "");
}

TEST_F(TaskPanel, AsksAboutAFileThatHasChanged) {
  python_that_calls();
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(shows_task(gui, scratch_.folder() / "task" / "new.py"));
  gui.click("kernel_file.task.run");
  ASSERT_TRUE(waits_for_end(gui));
  ASSERT_EQ(task().problem(), "");
  write("new.py", std::string(new_model) + "# newer\n");
  opened().reload();
  ASSERT_TRUE(wait_for(gui, "kernel_file.task.run"));
  EXPECT_TRUE(task().is_outdated());
  ASSERT_TRUE(wait_until(gui, [&] { return !opened().waits() && number("n") == "37"; }))
      << "the tensors stay in use";
}

TEST_F(TaskPanel, SaysWhatIsMissingAndOpensTheFileWithout) {
  python("echo \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1\n");
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(shows_task(gui, scratch_.folder() / "task" / "new.py"));
  gui.click("kernel_file.task.run");
  ASSERT_TRUE(waits_for_end(gui));
  EXPECT_NE(task().problem().find("TILESCOPE_PYTHON"), std::string::npos) << task().problem();
  ASSERT_TRUE(wait_for(gui, "kernel_file.status"));
}

TEST_F(TaskPanel, IsCancelled) {
  python("sleep 60\n");
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(shows_task(gui, scratch_.folder() / "task" / "new.py"));
  gui.click("kernel_file.task.run");
  ASSERT_TRUE(wait_for(gui, "kernel_file.task.cancel"));
  gui.click("kernel_file.task.cancel");
  EXPECT_EQ(task().state(), TaskOfFile::State::asks);
}

}  // namespace
}  // namespace tilescope
