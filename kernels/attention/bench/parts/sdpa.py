"""PyTorch's side of the comparison: each backend of scaled_dot_product_attention, captured in a CUDA graph."""

import statistics
import sys
import time

from outcomes import Missing

BACKENDS = {"flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION", "efficient": "EFFICIENT_ATTENTION"}
REPLAY_US = 5000.0  # [us] At least, so that the gap between two replays does not count.
# [clocks] About 0.1 ms. The difference between spins of one and three times this gives the clock, without the launch.
SPIN_CLOCKS = 200_000


def find_torch():
    try:
        import torch
        import torch.nn.attention
    except ImportError as error:
        raise Missing(f"PyTorch is not installed for {sys.executable} ({error})") from error
    if not torch.cuda.is_available():
        raise Missing("PyTorch finds no GPU")
    return torch


class Backend:
    """One backend on one shape, captured. Raises RuntimeError if the backend does not support the shape."""

    def __init__(self, torch, name, shape, tensors):
        kind = getattr(torch.nn.attention.SDPBackend, BACKENDS[name])
        attention = torch.nn.functional.scaled_dot_product_attention

        def capture(calls):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(calls):
                    attention(*tensors, is_causal=shape.causal)
            return graph

        self.torch = torch
        with torch.no_grad(), torch.nn.attention.sdpa_kernel([kind]):
            # Libraries choose and load their kernels at the first calls, which cannot happen in a capture.
            for _ in range(3):
                attention(*tensors, is_causal=shape.causal)
            torch.cuda.synchronize()
            self.calls = 16
            self.graph = capture(self.calls)
            per_call_us = min(self.samples(4)) / self.calls
            self.calls = max(1, round(1.2 * REPLAY_US / per_call_us))
            self.graph = capture(self.calls)

    def samples(self, count):
        """[us] for each of several consecutive replays. The first is not timed, so that no event waits for the host."""
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
        self.graph.replay()
        events[0].record()
        for event in events[1:]:
            self.graph.replay()
            event.record()
        self.torch.cuda.synchronize()
        return [begin.elapsed_time(end) * 1e3 for begin, end in zip(events, events[1:])]

    def sm_clock_mhz(self):
        """[MHz] of the SMs right after a replay, from the time of kernels that spin for a known number of clocks."""
        events = [self.torch.cuda.Event(enable_timing=True) for _ in range(3)]
        self.graph.replay()
        for event, clocks in zip(events, (SPIN_CLOCKS, 3 * SPIN_CLOCKS, None)):
            event.record()
            if clocks:
                self.torch.cuda._sleep(clocks)
        self.torch.cuda.synchronize()
        short_us, long_us = (begin.elapsed_time(end) * 1e3 for begin, end in zip(events, events[1:]))
        return 2 * SPIN_CLOCKS / (long_us - short_us)

    def p50_us(self, budget_s):
        end, samples = time.monotonic() + budget_s, []
        while len(samples) < 10 or time.monotonic() < end:
            samples += self.samples(5)
        return statistics.median(samples) / self.calls


def random_tensors(torch, shape):
    """Q, K and V as in random_input.cuh: the sum of four uniform numbers, with mean 0 and variance 1."""
    generator = torch.Generator(device="cuda").manual_seed(1)

    def tensor():
        uniform = torch.rand((4, shape.B, shape.H, shape.S, shape.D), device="cuda", generator=generator)
        return ((uniform.sum(0) - 2) * 3**0.5).to(torch.float16)

    return tensor(), tensor(), tensor()


def make_backends(torch, shape):
    """Returns ({name: Backend}, {name: why it cannot be used})."""
    tensors, backends, absent = random_tensors(torch, shape), {}, {}
    for name in BACKENDS:
        try:
            backends[name] = Backend(torch, name, shape, tensors)
        except RuntimeError as error:
            absent[name] = str(error).split("\n", 1)[0]
    return backends, absent
