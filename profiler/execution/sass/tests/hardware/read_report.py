#!/usr/bin/env python3
"""Reads what Nsight Compute counted, for the whole launch and for each instruction, from its reports.

    read_report.py --metrics                 # ncu's names, for its option --metrics
    read_report.py REPORT.ncu-rep ... > counters.json

Reading needs the module ncu_report of Nsight Compute, in its folder extras/python.
"""
import glob
import json
import sys

# By the instruction: a short name, and the profiler's.
INSTRUCTION_METRICS = {
    "executions": "inst_executed",
    "threads": "thread_inst_executed",
    "threads_on": "thread_inst_executed_true",
    "shared_wavefronts": "memory_l1_wavefronts_shared",
    "shared_wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "global_tag_requests": "memory_l1_tag_requests_global",
    "global_sectors": "memory_l2_theoretical_sectors_global",
    "global_sectors_ideal": "memory_l2_theoretical_sectors_global_ideal",
    "local_sectors": "memory_l2_theoretical_sectors_local",
    "divergent_branches": "smsp__branch_targets_threads_divergent",
}

ACCESSES = {"shared_ld": "shared_ld", "shared_st": "shared_st", "ldsm": "ldsm", "stsm": "shared_stsm",
            "ldgsts": "ldgsts", "shared_atom": "shared_atom", "global_ld": "global_ld", "global_st": "global_st",
            "global_atom": "global_atom", "global_red": "global_red", "local_ld": "local_ld", "local_st": "local_st"}
PIPES = ("adu", "alu", "cbu", "fma", "fmaheavy", "fmalite", "fp64", "lsu", "tensor", "uniform", "xu")
SHARED = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_"
SECTORS = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_"

# Counters of the launch. smsp__sass counters count the requests of each instruction; l1tex counters count what the
# hardware did, including its waits for fills.
TOTAL_METRICS = {
    "instructions": "smsp__inst_executed",
    "instructions_issued": "smsp__inst_issued",
    "thread_instructions": "smsp__thread_inst_executed",
    "thread_instructions_on": "smsp__thread_inst_executed_pred_on",
    "branches": "smsp__sass_inst_executed_op_branch",
    "divergent_branches": "smsp__sass_branch_targets_threads_divergent",
    "ldc_instructions": "smsp__inst_executed_op_ldc",
}
TOTAL_METRICS |= {f"{short}_instructions": f"smsp__sass_inst_executed_op_{name}" for short, name in ACCESSES.items()}
TOTAL_METRICS |= {
    "shared_ld_wavefronts": SHARED + "ld",
    "shared_st_wavefronts": SHARED + "st",
    "ldsm_wavefronts": SHARED + "ldsm",
    "stsm_wavefronts": SHARED + "stsm",
    "ldgsts_wavefronts": SHARED + "ldgsts",
    "shared_atom_wavefronts": SHARED + "atom",
    "ldsm_conflicts": CONFLICTS + "ldsm",
    "stsm_conflicts": CONFLICTS + "stsm",
    "ldgsts_conflicts": CONFLICTS + "ldgsts",
    "global_ld_sectors": SECTORS + "global_op_ld",
    "global_st_sectors": SECTORS + "global_op_st",
    "global_ldgsts_sectors": SECTORS + "global_op_ldgsts",
    "global_atom_sectors": SECTORS + "global_op_atom",
    "global_red_sectors": SECTORS + "global_op_red",
    "local_ld_sectors": SECTORS + "local_op_ld",
    "local_st_sectors": SECTORS + "local_op_st",
    "l1tex_shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared",
    "l1tex_shared_ld_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld",
    "l1tex_shared_st_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
    "l1tex_shared_atom_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom",
    "l1tex_shared_ld_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
    "l1tex_shared_st_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st",
    "l1tex_global_ld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
    "l1tex_global_st_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st",
    "l1tex_global_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
    "l1tex_global_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
    "l1tex_local_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld",
    "l1tex_local_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st",
}
TOTAL_METRICS |= {f"pipe_{pipe}": f"smsp__inst_executed_pipe_{pipe}" for pipe in PIPES}
TOTAL_METRICS |= {"active_cycles": "smsp__cycles_active"}


def names_for_ncu():
    return ",".join(list(INSTRUCTION_METRICS.values()) + [f"{name}.sum" for name in TOTAL_METRICS.values()])


def open_report(file):
    folders = ("/opt/nvidia/nsight-compute/*/extras/python", "/usr/local/cuda*/nsight-compute*/extras/python")
    sys.path[:0] = sorted(path for folder in folders for path in glob.glob(folder))
    import ncu_report  # pylint: disable=import-error,import-outside-toplevel

    return ncu_report.load_report(file)


def launch_of(action):
    """The counts of one launch. Instructions by their address from the start of the kernel's code section."""
    known = set(action.metric_names())
    pcs = action.metric_by_name("launch__function_pcs")
    base = min(pcs.as_uint64(i) for i in range(pcs.num_instances()))
    by_instruction = {}
    for short, name in INSTRUCTION_METRICS.items():
        metric = action.metric_by_name(name) if name in known else None
        if metric is None or metric.num_instances() == 0:
            continue
        places = metric.correlation_ids()
        by_instruction[short] = sorted(
            (places.as_uint64(i) - base, metric.as_uint64(i)) for i in range(metric.num_instances()))
    totals = {}
    for short, name in TOTAL_METRICS.items():
        if name + ".sum" in known:
            totals[short] = int(action.metric_by_name(name + ".sum").as_double())
    functions = [pcs.as_uint64(i) - base for i in range(pcs.num_instances())]
    text = {place: action.sass_by_pc(base + place) for place, _ in by_instruction["executions"]}
    return {"kernel": action.name(), "functions": functions, "instructions": by_instruction, "totals": totals,
            "opcodes": [line.split("{")[0].strip() for line in text.values()]}


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(names_for_ncu())
        return
    launches = []
    for file in sys.argv[1:]:
        report = open_report(file)
        for index in range(report.num_ranges()):
            section = report.range_by_idx(index)
            launches += [launch_of(section.action_by_idx(i)) for i in range(section.num_actions())]
    json.dump(launches, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
