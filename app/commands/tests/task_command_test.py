"""`open` on a PyTorch task. What needs PyTorch is skipped where TILESCOPE_PYTHON, else python3, has none."""

import json
import os
import subprocess
import unittest

from command_line_test import CommandLine

PYTHON = os.environ.get("TILESCOPE_PYTHON", "python3")
HAS_TORCH = subprocess.run([PYTHON, "-c", "import torch, numpy"], capture_output=True, check=False).returncode == 0
needs_torch = unittest.skipUnless(HAS_TORCH, f"{PYTHON} has no PyTorch")

NEW = '''
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void shift(const float* x, const long* rows, float* y, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[rows[i / 40] * 40 + i % 40] + by;
}
torch::Tensor shifted(torch::Tensor x, torch::Tensor rows, double by) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  shift<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), rows.data_ptr<long>(), y.data_ptr<float>(), n, by);
  return y;
}
"""
module = load_inline(name="shifted", cpp_sources="", cuda_sources=source, functions=["shifted"])


class ModelNew(torch.nn.Module):
    def forward(self, x, rows):
        return module.shifted(x.cuda(), rows, 0.5).view(-1)
'''

OLD = '''
import torch


class Model(torch.nn.Module):
    def forward(self, x, rows):
        return (x[rows] + BY).view(-1)


def get_inputs():
    return [torch.randn(30, 40, device="cuda"), torch.arange(29, -1, -1)]
'''


class TaskCommand(CommandLine):
    def task(self, by="0.5"):
        (self.folder / "task").mkdir(exist_ok=True)
        (self.folder / "task" / "model.py").write_text(OLD.replace("BY", by))
        new = self.folder / "task" / "model_new.py"
        new.write_text(NEW)
        return new

    def test_it_is_not_run_without_being_asked(self):
        new = self.task()
        result = self.run_it("open", new, "--json", TILESCOPE_PYTHON="/nowhere/python")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("'model_new.py' and 'model.py' are a PyTorch task, which was not run: --trust", result.stderr)
        self.assertIn("Python was not run", " ".join(json.loads(result.stdout)["notes"]))
        self.assertEqual(self.run_it("open", new.parent, "--list", "--json").returncode, 0, "the folder is the task")

    def test_a_python_that_is_missing_is_named_and_the_file_opens(self):
        result = self.run_it("open", self.task(), "--trust", "--json", TILESCOPE_PYTHON="/nowhere/python")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("/nowhere/python", result.stderr)
        self.assertEqual(json.loads(result.stdout)["status"], "unchecked")

    def test_trust_says_where_there_is_no_task(self):
        file = self.task()
        (file.parent / "model.py").unlink()
        result = self.run_it("open", file.name, "--trust", "--json", cwd=file.parent)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("--trust: this is not a PyTorch task", result.stderr)

    def test_a_reference_that_is_missing_is_refused(self):
        result = self.run_it("open", self.task(), "--task", self.folder / "gone.py")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--task: there is no file", result.stderr)

    @needs_torch
    def test_its_tensors_and_its_reference_are_taken(self):
        result = self.run_it("open", self.task().parent, "--trust", "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        point = json.loads(result.stdout)
        self.assertEqual((point["status"], point["grid"]), ("ok", [19, 1, 1]))
        self.assertEqual([one["name"] for one in point["compared"]], ["y"])
        self.assertEqual(point["compared"][0]["wrong"], 0)
        guesses = {guess["what"]: guess["value"] for guess in point["guesses"]}
        self.assertEqual((guesses["n"], guesses["by"], guesses["rows: fill"]), ("1200", "0.5", "its tensor"))

    @needs_torch
    def test_a_result_that_the_model_changes_is_not_compared(self):
        new = self.task()
        new.write_text(NEW.replace("0.5).view(-1)", "0.5).add_(1).view(-1)"))
        point = json.loads(self.run_it("open", new, "--trust", "--json").stdout)
        self.assertEqual((point["status"], point["compared"]), ("unchecked", []))
        self.assertIn("does more with it", point["reason"])

    @needs_torch
    def test_a_wrong_kernel_is_found(self):
        file = self.task(by="0.75")
        result = self.run_it("open", file.name, "--trust", "--json", cwd=file.parent)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(json.loads(result.stdout)["compared"][0]["wrong"], 1200)

    @needs_torch
    def test_a_source_whose_function_the_reference_takes_is_checked(self):
        folder = self.folder / "functions"
        folder.mkdir()
        (folder / "forward.cu").write_text(NEW.split('"""')[1].replace("torch::Tensor shifted", "torch::Tensor forward"))
        (folder / "func_forward.py").write_text('''
import torch

def forward_fn(x, rows, by):
    return x[rows] + by

class Model(torch.nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def forward(self, x, rows, fn=forward_fn):
        return fn(x, rows, self.by)

def get_inputs():
    return [torch.randn(30, 40), torch.arange(29, -1, -1)]

def get_init_inputs():
    return {"by": 2.0}
''')
        result = self.run_it("open", folder, "--trust", "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(json.loads(result.stdout)["status"], "ok")


if __name__ == "__main__":
    unittest.main()
