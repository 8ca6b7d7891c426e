"""The program's side of the comparison: its worker, and its cache of compiled kernels."""

import concurrent.futures
import json
import os
import subprocess
import threading

TIME_LIMIT_S = 60.0  # [s] For each point, in case a kernel hangs.


class Worker:
    """`tilescope worker`: measures points without a new CUDA context and float64 reference for each."""

    def __init__(self, program):
        self.program = program
        self.process = None
        self.asked = 0

    def request(self, method, params, limit_s=TIME_LIMIT_S):
        """Returns the result. Raises OSError when the worker ended, by itself or at the time limit."""
        if self.process is None:
            self.process = subprocess.Popen([self.program, "worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        timer = threading.Timer(limit_s, self.process.kill)
        timer.start()
        try:
            return self._exchange(method, params)
        except (OSError, ValueError) as error:  # ValueError: a truncated line.
            self.close()
            raise OSError(f"the worker failed, or took more than {limit_s:g} s: {error}") from error
        finally:
            timer.cancel()

    def _exchange(self, method, params):
        self.asked += 1
        message = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        leaves = False
        for line in self.process.stdout:
            answer = json.loads(line)
            leaves = leaves or answer.get("method") == "leaving"
            if answer.get("id") != self.asked:
                continue
            if leaves:  # A kernel's illegal access: the next request needs a new process.
                self.close()
            if "error" in answer:
                raise OSError(answer["error"]["message"])
            return answer["result"]
        raise OSError("it ended")

    def measure(self, shape, configuration, budget_s, blocks="auto"):
        """A Measurement (sessions/schema.json); `blocks` of the grid are interpreted for its bank conflicts."""
        experiment = {"kernel": configuration.split()[0], "parameters": parameters_of(configuration),
                      "shape": shape.document(), "device": "", "seed": 1, "timing_budget_s": budget_s, "blocks": blocks}
        try:
            return self.request("measure", {"experiment": experiment, "time_limit_s": TIME_LIMIT_S})
        except OSError as error:
            return {"status": "crashed", "reason": str(error), "latency": None, "resources": None, "memory": None}

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


def parameters_of(configuration):
    pairs = (setting.split("=") for setting in configuration.split()[1:])
    return {name: int(value) if value.isdigit() else value for name, value in pairs}


def fill_cache(program, device, plan):
    """Compiles the candidates of all shapes side by side, so that measuring one after another finds them compiled.

    With a hidden GPU, `measure` compiles for the table's device of that name and interprets a block, which takes no time
    on the GPU. What fails here fails again, with its reason, when it is measured.
    """
    commands = set()
    for shape, configurations in plan:
        for configuration in configurations:
            kernel, *settings = configuration.split()
            sets = [word for setting in settings for word in ("--set", setting)]
            commands.add((program, "measure", kernel, *sets, "--device", device, "--blocks", "1", "--shape",
                          f"1,1,{shape.S},{shape.D}", *(["--causal"] if shape.causal else [])))
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="-1")

    def compile_one(command):
        subprocess.run(command, env=hidden, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() * 3 // 4)) as pool:
        list(pool.map(compile_one, commands))
