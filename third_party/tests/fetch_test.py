"""fetch.py with a fake pip: what is unpacked, what is fetched again, and its errors."""

import hashlib
import importlib.util
import io
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FETCH = ROOT / "third_party" / "fetch.py"

sys.path.insert(0, str(FETCH.parent))  # for what it imports
specification = importlib.util.spec_from_file_location("fetch", FETCH)
fetch = importlib.util.module_from_spec(specification)
sys.modules["fetch"] = fetch
specification.loader.exec_module(fetch)


def wheel(files, programs=()):
    """The bytes of a wheel that contains {name: text}; the files named in `programs` are executable."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if name in programs else 0o100644) << 16
            archive.writestr(info, text)
    return stream.getvalue()


NVRTC = wheel({
    "nvidia/cu13/lib/libnvrtc.so.13": "library",
    "nvidia/cu13/lib/libnvrtc.alt.so.13": "the second copy",
    "nvidia/cu13/include/nvrtc.h": "header",
    "nvidia_cuda_nvrtc-13.0.88.dist-info/METADATA": "metadata",
})
CUDNN_HEADERS = wheel({
    "nvidia/cudnn_jit/include/cudnn.h": "header",
    "nvidia/cudnn_jit/lib/libcudnn.so.9": "library",
})
CUDNN_FRONTEND = wheel({
    "include/cudnn_frontend.h": "header",
    "include/cudnn_frontend/node/sdpa.h": "header",
    "include/cudnn_frontend/thirdparty/nlohmann/json.hpp": "a second copy of a library",
    "cudnn/_compiled_module.so": "library",
})


class Fetch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.dependencies = self.folder / "dependencies"
        self.requirements = self.folder / "requirements.txt"
        self.pin(hashlib.sha256(NVRTC).hexdigest())
        (self.folder / "served.whl").write_bytes(NVRTC)
        self.pip_does(f"shutil.copy({str(self.folder / 'served.whl')!r}, destination / 'nvrtc.whl')")

    def pin(self, sha256):
        self.requirements.write_text(f"nvidia-cuda-nvrtc==13.0.88 --hash=sha256:{sha256}\n")

    def pip_does(self, statement):
        """Replace pip by a module of the same name, found first through PYTHONPATH."""
        package = self.folder / "pip"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text("")
        (package / "__main__.py").write_text(
            "import pathlib, shutil, sys\n"
            "destination = pathlib.Path(sys.argv[sys.argv.index('--dest') + 1])\n"
            "destination.mkdir()\n"
            f"open({str(self.folder / 'calls')!r}, 'a').write('called\\n')\n"
            f"{statement}\n")

    def run_fetch(self):
        return subprocess.run([sys.executable, FETCH, "--dependencies", self.dependencies, self.requirements],
                              env=dict(os.environ, PYTHONPATH=str(self.folder)), capture_output=True, text=True)

    def calls(self):
        file = self.folder / "calls"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def test_unpacks_what_is_used_and_nothing_else(self):
        result = self.run_fetch()
        self.assertEqual(result.returncode, 0, result.stderr)
        found = sorted(str(file.relative_to(self.dependencies)) for file in (self.dependencies / "cuda13").rglob("*")
                       if file.is_file())
        self.assertEqual(found, ["cuda13/.stamp", "cuda13/lib/libnvrtc.so.13", "cuda13/nvrtc.h"])

    def test_cudnn_gives_its_headers_from_two_packages_and_no_library(self):
        served = {"nvidia-cudnn-jit-cu13": CUDNN_HEADERS, "nvidia-cudnn-frontend": CUDNN_FRONTEND}
        self.requirements.write_text("".join(f"{name}==1.0 --hash=sha256:{hashlib.sha256(archive).hexdigest()}\n"
                                             for name, archive in served.items()))
        for name, archive in served.items():
            (self.folder / f"{name}.whl").write_bytes(archive)
        self.pip_does(
            "name = pathlib.Path(sys.argv[sys.argv.index('--requirement') + 1]).read_text().split('==')[0]\n"
            f"shutil.copy(pathlib.Path({str(self.folder)!r}) / (name + '.whl'), destination)")
        result = self.run_fetch()
        self.assertEqual(result.returncode, 0, result.stderr)
        found = sorted(str(file.relative_to(self.dependencies)) for file in (self.dependencies / "cudnn").rglob("*")
                       if file.is_file() and file.name != ".stamp")
        self.assertEqual(found, ["cudnn/include/cudnn.h", "cudnn/include/cudnn_frontend.h",
                                 "cudnn/include/cudnn_frontend/node/sdpa.h"])

    def test_a_program_is_unpacked_executable_and_other_files_are_not(self):
        program = "nvidia/cu13/bin/nvdisasm"
        archive = wheel({program: "#!/bin/sh\necho runs\n", "nvidia/cu13/bin/other": ""}, programs=[program])
        (self.folder / "served.whl").write_bytes(archive)
        self.requirements.write_text(f"nvidia-cuda-nvdisasm==13.5.37 --hash=sha256:{hashlib.sha256(archive).hexdigest()}\n")
        self.assertEqual(self.run_fetch().returncode, 0)
        unpacked = self.dependencies / "nvdisasm"
        self.assertEqual(sorted(os.listdir(unpacked)), [".stamp", "nvdisasm"])
        self.assertEqual(subprocess.run([unpacked / "nvdisasm"], capture_output=True, text=True).stdout, "runs\n")
        self.assertFalse(os.access(unpacked / ".stamp", os.X_OK))

    def test_pip_is_asked_for_the_one_pinned_wheel_whatever_python_runs(self):
        lists = self.folder / "pip.txt"
        line = "nvidia-cudnn-frontend==1.32.0 --hash=sha256:" + "0" * 64
        requirement = fetch.Requirement("nvidia-cudnn-frontend", "1.32.0", "0" * 64, line)
        command = fetch.pip_command(requirement, lists, self.folder / "files")
        self.assertEqual(command[command.index("--python-version") + 1], "3.11")
        self.assertEqual(command[command.index("--abi") + 1], "cp311")
        self.assertIn("--require-hashes", command)
        self.assertEqual(lists.read_text(), line + "\n")

    def test_options_of_pip_belong_to_packages_that_are_unpacked(self):
        self.assertLessEqual(set(fetch.PIP_OPTIONS), set(fetch.RECIPES))

    def test_a_second_run_fetches_and_writes_nothing(self):
        self.run_fetch()
        before = (self.dependencies / "cuda13").stat().st_mtime_ns
        result = self.run_fetch()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.calls(), 1)
        self.assertEqual((self.dependencies / "cuda13").stat().st_mtime_ns, before)

    def test_a_download_that_is_there_is_not_fetched_again(self):
        (self.dependencies / "downloads").mkdir(parents=True)
        (self.dependencies / "downloads" / "under another name.whl").write_bytes(NVRTC)
        self.assertEqual(self.run_fetch().returncode, 0)
        self.assertEqual(self.calls(), 0)

    def test_recovers_from_an_interrupted_run(self):
        half = self.dependencies / "cuda13"
        half.mkdir(parents=True)
        (half / "half-written").write_text("")
        leftover = self.dependencies / ".unpacking-123"
        leftover.mkdir()
        result = self.run_fetch()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((half / "half-written").exists())
        self.assertTrue((half / "lib" / "libnvrtc.so.13").exists())
        self.assertFalse(leftover.exists())

    def test_a_damaged_download_is_fetched_again(self):
        (self.dependencies / "downloads").mkdir(parents=True)
        (self.dependencies / "downloads" / "nvrtc.whl").write_bytes(NVRTC[:40])
        self.assertEqual(self.run_fetch().returncode, 0)
        self.assertEqual(self.calls(), 1)
        self.assertEqual((self.dependencies / "downloads" / "nvrtc.whl").read_bytes(), NVRTC)

    def assert_refused(self, *words):
        result = self.run_fetch()
        self.assertEqual(result.returncode, 3, result.stderr)
        last = result.stderr[result.stderr.rindex("tilescope: "):]
        for word in words:
            self.assertIn(word, last)
        self.assertNotIn("Traceback", result.stderr)
        self.assertFalse((self.dependencies / "cuda13").exists())

    def test_a_hash_mismatch_is_said(self):
        self.pip_does("sys.exit('ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.')")
        self.assert_refused("nvidia-cuda-nvrtc 13.0.88", "SHA-256 differs")

    def test_no_network_is_said(self):
        self.pip_does("sys.exit('NewConnectionError: Temporary failure in name resolution')")
        self.assert_refused("No network", "nvidia-cuda-nvrtc 13.0.88", "downloads")

    def test_a_full_disk_is_said(self):
        self.pip_does("sys.exit('OSError: [Errno 28] No space left on device')")
        self.assert_refused("disk is full")

    def test_an_unknown_package_is_named_with_its_line(self):
        self.requirements.write_text("# comment\nleft-pad==1.0 --hash=sha256:" + "0" * 64 + "\n")
        self.assert_refused("line 2", "left-pad")

    def test_a_requirement_without_a_hash_is_refused(self):
        self.requirements.write_text("nvidia-cuda-nvrtc==13.0.88\n")
        self.assert_refused("line 1", "sha256")

    def test_a_new_version_replaces_the_old_one(self):
        self.run_fetch()
        newer = wheel({"nvidia/cu13/lib/libnvrtc.so.14": "newer"})
        (self.folder / "served.whl").write_bytes(newer)
        self.pin(hashlib.sha256(newer).hexdigest())
        self.assertEqual(self.run_fetch().returncode, 0)
        self.assertEqual(sorted(os.listdir(self.dependencies / "cuda13" / "lib")), ["libnvrtc.so.14"])

    def test_a_folder_that_cannot_be_written_is_said(self):
        if os.geteuid() == 0:
            self.dependencies.write_text("a file where the folder should be")
        else:
            self.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
            self.addCleanup(self.folder.chmod, stat.S_IRWXU)
        self.assert_refused("XDG_CACHE_HOME")

    def test_the_shipped_lists_are_read(self):
        for name, least in (("requirements.txt", 10), ("requirements-cuda12.txt", 5), ("requirements-cuda13.txt", 1),
                            ("requirements-lint.txt", 1)):
            self.assertGreaterEqual(len(fetch.read_requirements(ROOT / "third_party" / name)), least)


if __name__ == "__main__":
    unittest.main()
