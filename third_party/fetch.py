#!/usr/bin/env python3
"""Download the pinned dependencies and unpack what is built from them.

    fetch.py [--dependencies FOLDER] [--for-driver VERSION] REQUIREMENTS.txt ...

--for-driver also fetches the NVRTC for a driver: "here" for that of this machine, a version, or "all". Downloads stay
in FOLDER/downloads and are identified by their hash, so that nothing is fetched twice and no network is needed once they
are there. Each dependency is unpacked into a temporary folder and renamed when complete, so that an interrupted run
leaves nothing that looks finished. Exit codes: 0 done, 2 wrong usage, 3 cannot be done here, with the reason.
"""

import argparse
import contextlib
import errno
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass

import nvrtc_choice

HERE = pathlib.Path(__file__).resolve().parent


class CannotFetch(Exception):
    """An error for the user: what happened, where, and what to do."""


@dataclass(frozen=True)
class Requirement:
    name: str  # "glad2", or "nvidia-cuda-crt for cuda12": the recipe's key
    version: str  # "2.0.8"
    sha256: str
    line: str  # as pip reads it


@dataclass(frozen=True)
class Unpack:
    """The files to take from a package: members that match a pattern, at the path made of the pattern's groups."""

    folder: str  # under the dependencies
    pattern: str
    path: str


# Static libraries, the second copy of NVRTC ("alt") and everything else that is not built or opened stay packed: 300
# MB. For cuDNN only the headers are taken, since the program opens the installed library. nvrtc.h is separate from the
# other headers, which the build takes only from cuda/, because it comes with the chosen NVRTC.
RECIPES = {
    "imgui-bundle": Unpack("imgui_bundle", r"[^/]+/(external/(?:imgui|implot|glfw)/(?:imgui|implot|glfw)/.+)", r"\1"),
    "glad2": Unpack("glad", r"(glad/.+)", r"\1"),
    "nvidia-cuda-runtime": Unpack("cuda", r"nvidia/cu13/(include/.+)", r"\1"),
    "nvidia-cuda-crt": Unpack("cuda", r"nvidia/cu13/(include/.+)", r"\1"),
    "nvidia-cuda-cupti": Unpack("cuda", r"nvidia/cu13/(include/.+|lib/lib(?:cupti|nvperf_host|nvperf_target)\.so.*)", r"\1"),
    "nvidia-cuda-nvrtc": Unpack("cuda13", r"nvidia/cu13/(?:include/(nvrtc\.h)|(lib/libnvrtc(?:-builtins)?\.so.+))", r"\1\2"),
    "nvidia-cuda-cccl": Unpack("cuda", r"nvidia/cu13/(include/cccl/(?:cuda|nv)/.+)", r"\1"),
    "nvidia-cuda-nvdisasm": Unpack("nvdisasm", r"nvidia/cu13/bin/(nvdisasm)", r"\1"),
    "nvidia-cuda-cuobjdump": Unpack("cuobjdump", r"nvidia/cu13/bin/(cuobjdump)", r"\1"),
    "nvidia-cudnn-frontend": Unpack("cudnn", r"(include/(?!cudnn_frontend/thirdparty/).+\.h)", r"\1"),
    "nvidia-cudnn-jit-cu13": Unpack("cudnn", r"nvidia/cudnn_jit/(include/.+)", r"\1"),
    "nvidia-cutlass": Unpack("cutlass", r"cutlass_library/source/(include/(?:cutlass|cute)/.+)", r"\1"),
    # The library and the grammar, of which each has headers in a folder "tree_sitter".
    "tree-sitter": Unpack("tree_sitter", r"[^/]+/tree_sitter/core/(lib/(?:src|include)/.+\.h|lib/src/.+\.c)", r"\1"),
    "tree-sitter-cuda": Unpack("tree_sitter", r"[^/]+/src/(.+\.[ch])", r"cuda/\1"),
    "nvidia-cuda-nvrtc-cu12": Unpack("cuda12", r"nvidia/cuda_nvrtc/(?:include/(nvrtc\.h)|(lib/libnvrtc(?:-builtins)?\.so.+))",
                                     r"\1\2"),
    "nvidia-cuda-runtime-cu12": Unpack("cuda12", r"nvidia/cuda_runtime/(include/.+)", r"\1"),
    "nvidia-cuda-cccl-cu12": Unpack("cuda12", r"nvidia/cuda_cccl/(include/(?:cuda|nv)/.+)", r"\1"),
    "nvidia-cuda-cupti-cu12": Unpack("cuda12", r"nvidia/cuda_cupti/(lib/lib(?:cupti|nvperf_host|nvperf_target)\.so.*)", r"\1"),
    # A folder as a toolkit's, which nvcc expects around it. Nothing is linked with it.
    "nvidia-cuda-nvcc": Unpack("nvcc", r"nvidia/cu13/(bin/(?:nvcc|nvcc\.profile|cudafe\+\+|fatbinary|ptxas|crt/.+)|include/.+)",
                               r"\1"),
    "nvidia-nvvm": Unpack("nvcc", r"nvidia/cu13/(nvvm/.+)", r"\1"),
    "nvidia-cuda-runtime for nvcc": Unpack("nvcc", r"nvidia/cu13/(include/.+)", r"\1"),
    "nvidia-cuda-crt for nvcc": Unpack("nvcc", r"nvidia/cu13/(include/.+)", r"\1"),
    "nvidia-cuda-cccl for nvcc": Unpack("nvcc", r"nvidia/cu13/(include/cccl/.+)", r"\1"),
    # With the compiler's own headers, which it looks for beside its folder.
    "clang-tidy": Unpack("clang_tidy", r"clang_tidy/data/(bin/clang-tidy|lib/.+)", r"\1"),
    "nvidia-cuda-crt for cuda12": Unpack("cuda12", r"nvidia/cu13/(include/crt/mma\.hp?p?)", r"\1"),
}

# Options for pip that select the pinned file of a package, when its name and version leave a choice.
PIP_OPTIONS = {
    "imgui-bundle": ["--no-binary", "imgui-bundle", "--no-build-isolation"],
    "tree-sitter": ["--no-binary", "tree-sitter", "--no-build-isolation"],
    "tree-sitter-cuda": ["--no-binary", "tree-sitter-cuda", "--no-build-isolation"],
    # Headers packed with a Python extension: the wheel for Python 3.11 has the pinned hash, whatever Python runs here.
    "nvidia-cudnn-frontend": ["--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11",
                              "--abi", "cp311", "--platform", "manylinux_2_28_x86_64"],
}


def read_requirements(file):
    """The pinned requirements of a pip requirements file; every line must carry one SHA-256. A comment "# for FOLDER"
    after it selects the package's recipe for that folder."""
    requirements = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})(?: #( for \w+))?", line)
        name = match[1] + (match[4] or "") if match else ""
        if name not in RECIPES:
            raise CannotFetch(f"{file}, line {number}: expected NAME==VERSION --hash=sha256:... of a package that "
                              f"fetch.py knows how to unpack ({', '.join(RECIPES)}), found: {line}")
        requirements.append(Requirement(name, match[2], match[3], line))
    return requirements


def sha256_of(file):
    digest = hashlib.sha256()
    with open(file, "rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def find_downloads(folder):
    """{sha256: file} of previous downloads. Only their contents matter, not their names."""
    return {sha256_of(file): file for file in folder.iterdir() if file.is_file()}


def explain_pip(requirement, message, folder):
    """Turn pip's error into a sentence that says what to do."""
    what = f"{requirement.name} {requirement.version}"
    if "DO NOT MATCH THE HASHES" in message:
        return (f"{what} was downloaded, but it is not the file that Tilescope was built with: its SHA-256 differs from "
                f"the one in third_party/. It was not used. Try again; if it happens again, a proxy or a "
                f"mirror changes the file.")
    if "No space left" in message or "Disk quota" in message:
        return f"The disk is full: {what} did not fit under {folder} or the temporary folder. Free 1 GB and try again."
    if re.search(r"NewConnection|ConnectTimeout|ReadTimeout|name resolution|ProxyError|Max retries|SSLError", message):
        return (f"No network: pip could not reach its package index to fetch {what}. Connect and try again, or copy the "
                f"files of {folder} from a machine that has them: ./tilescope setup --for-driver VERSION fetches them there.")
    return f"pip could not fetch {what}; its output is above."


def pip_command(requirement, lists, target):
    """Run pip itself, so that the user's index, proxy and certificates are used."""
    lists.write_text(requirement.line + "\n")
    return [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps", "--require-hashes",
            "--retries", "2", *PIP_OPTIONS.get(requirement.name, []), "--dest", str(target), "--requirement", str(lists)]


def download(requirement, downloads):
    """Fetch one package into `downloads` and return its file."""
    with tempfile.TemporaryDirectory(dir=downloads, prefix=".incoming-") as folder:
        folder = pathlib.Path(folder)
        command = pip_command(requirement, folder / "requirements.txt", folder / "files")
        paths = [str(HERE / "metadata_backend"), os.environ.get("PYTHONPATH", "")]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths)))
        pip = subprocess.Popen(command, env=environment, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)
        message = []
        for line in pip.stderr:
            message.append(line)
            sys.stderr.write(line)
        if pip.wait() != 0:
            raise CannotFetch(explain_pip(requirement, "".join(message), downloads))
        (file,) = (folder / "files").iterdir()
        return file.rename(downloads / file.name)


def members(archive):
    """(name, permission bits, open) of each file in a wheel or a source package."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for info in wheel.infolist():
                if not info.is_dir():
                    yield info.filename, info.external_attr >> 16, lambda info=info: wheel.open(info)
    else:
        with tarfile.open(archive) as package:
            for info in package:
                if info.isfile():
                    yield info.name, info.mode, lambda info=info: package.extractfile(info)


def extract(archive, recipe, target):
    """Copy the recipe's members into `target`."""
    count = 0
    for name, mode, open_member in members(archive):
        match = re.fullmatch(recipe.pattern, name)
        if not match or ".." in pathlib.PurePosixPath(name).parts:
            continue
        file = target / match.expand(recipe.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_member() as source, open(file, "wb") as destination:
            shutil.copyfileobj(source, destination, 1 << 20)
        if mode & stat.S_IXUSR:
            file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        count += 1
    if count == 0:
        raise CannotFetch(f"{archive} has no file that matches {recipe.pattern}: third_party/fetch.py is out of step "
                          f"with its pinned version.")


def generate_glad(package, target):
    """Let glad generate the OpenGL 3.3 loader from its bundled specification: no network, no extensions."""
    command = [sys.executable, "-m", "glad", "--quiet", "--reproducible", "--api", "gl:core=3.3", "--extensions", "",
               "--out-path", str(target), "c"]
    result = subprocess.run(command, env=dict(os.environ, PYTHONPATH=str(package)), capture_output=True, text=True)
    if result.returncode != 0 or not (target / "src" / "gl.c").exists():
        raise CannotFetch(f"glad could not write the OpenGL loader: {result.stderr.strip() or result.stdout.strip()}")


def stamp_of(requirements):
    """Identifies the contents of an unpacked folder: its packages and how they are unpacked."""
    text = "".join(f"{r.sha256} {RECIPES[r.name]}\n" for r in requirements)
    return hashlib.sha256(text.encode()).hexdigest() + "\n"


def is_unpacked(folder, requirements):
    stamp = folder / ".stamp"
    return stamp.is_file() and stamp.read_text() == stamp_of(requirements)


def unpack(dependencies, name, requirements, files):
    """Make dependencies/name from its packages, completely or not at all."""
    print(f"Unpacking {name}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=dependencies, prefix=".unpacking-") as temporary:
        fresh = pathlib.Path(temporary) / name
        for requirement in requirements:
            extract(files[requirement.sha256], RECIPES[requirement.name], fresh)
        if name == "glad":
            generated = pathlib.Path(temporary) / "generated"
            generate_glad(fresh, generated)
            fresh = generated
        (fresh / ".stamp").write_text(stamp_of(requirements))
        target = dependencies / name
        if target.exists():
            target.rename(pathlib.Path(temporary) / "old")
        fresh.rename(target)


@contextlib.contextmanager
def locked(dependencies):
    """Allow one set-up at a time, and remove leftovers of an interrupted one."""
    dependencies.mkdir(parents=True, exist_ok=True)
    with open(dependencies / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in [*dependencies.glob(".unpacking-*"), *dependencies.glob("downloads/.incoming-*")]:
            shutil.rmtree(leftover)
        yield


def stale_folders(dependencies, requirements):
    """{folder: its requirements} for folders that are missing or were made from other packages."""
    folders = {}
    for requirement in requirements:
        folders.setdefault(RECIPES[requirement.name].folder, []).append(requirement)
    return {name: parts for name, parts in folders.items() if not is_unpacked(dependencies / name, parts)}


def fetch(dependencies, requirements):
    """Bring every required folder up to date. Nothing is written when all are."""
    if not stale_folders(dependencies, requirements):
        return
    with locked(dependencies):
        stale = stale_folders(dependencies, requirements)  # Again, because another set-up may just have made them.
        downloads = dependencies / "downloads"
        downloads.mkdir(exist_ok=True)
        files = find_downloads(downloads)
        missing = [part for parts in stale.values() for part in parts if part.sha256 not in files]
        for number, requirement in enumerate(missing, 1):
            print(f"Downloading {number} of {len(missing)}: {requirement.name} {requirement.version}", file=sys.stderr)
            files[requirement.sha256] = download(requirement, downloads)
        for name, parts in stale.items():
            unpack(dependencies, name, parts, files)


def default_dependencies():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "tilescope" / "dependencies"


def fetch_nvrtc(dependencies, for_driver):
    """Fetch the NVRTC for the driver. If that fails, another usable one that is already here is enough."""
    if for_driver != "here":
        for nvrtc in nvrtc_choice.named(for_driver):
            fetch(dependencies, read_requirements(HERE / nvrtc.requirements))
        return
    cuda = nvrtc_choice.driver_cuda()
    chosen, remark = nvrtc_choice.chosen_here(cuda)
    requirements = read_requirements(HERE / chosen.requirements)
    if stale_folders(dependencies, requirements):
        if remark:
            print(f"tilescope: {remark}", file=sys.stderr)
        elif cuda:
            print(f"The NVIDIA driver supports CUDA {cuda[0]}.{cuda[1]}: {chosen.name} fits", file=sys.stderr)
    try:
        fetch(dependencies, requirements)
    except CannotFetch as error:
        others = [nvrtc for nvrtc in nvrtc_choice.usable(cuda) if nvrtc is not chosen and
                  not stale_folders(dependencies, read_requirements(HERE / nvrtc.requirements))]
        if not others:
            raise
        print(f"tilescope: {error} {others[0].name} is here and is used until then.", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="Download and unpack the pinned dependencies.")
    parser.add_argument("--dependencies", type=pathlib.Path, default=default_dependencies())
    parser.add_argument("--for-driver", metavar="VERSION")
    parser.add_argument("requirements", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    try:
        if arguments.for_driver not in (None, "here"):
            nvrtc_choice.named(arguments.for_driver)  # Before anything is downloaded.
        requirements = [part for file in arguments.requirements for part in read_requirements(file)]
        fetch(arguments.dependencies, requirements)
        if arguments.for_driver:
            fetch_nvrtc(arguments.dependencies, arguments.for_driver)
    except nvrtc_choice.WrongDriver as error:
        print(f"tilescope: {error}", file=sys.stderr)
        return 2
    except CannotFetch as error:
        print(f"tilescope: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"tilescope: The disk is full: {arguments.dependencies} needs about 700 MB. Free some space and "
                  f"try again; complete downloads are kept.", file=sys.stderr)
        else:
            print(f"tilescope: Could not write the downloads: {error}. Set XDG_CACHE_HOME to a folder that you may "
                  f"write.", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
