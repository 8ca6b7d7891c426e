"""Which NVRTC the set-up fetches, with a fake driver library that reports a CUDA version."""

import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
THIRD_PARTY = ROOT / "third_party"
sys.path.insert(0, str(THIRD_PARTY))
import nvrtc_choice  # noqa: E402

DRIVER = "int cuDriverGetVersion(int *version) { *version = %d; return %d; }\n"

# The packages in the lists of the test's set-up: the files of each wheel.
PACKAGES = {
    "nvidia-cuda-runtime": ["nvidia/cu13/include/cuda.h"],
    "nvidia-cuda-nvrtc": ["nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cu13/include/nvrtc.h"],
    "nvidia-cuda-nvrtc-cu12": ["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cuda_nvrtc/include/nvrtc.h"],
    "nvidia-cuda-crt": ["nvidia/cu13/include/crt/mma.h", "nvidia/cu13/include/crt/host_config.h"],
}
LISTS = {
    "requirements.txt": ["nvidia-cuda-runtime", "nvidia-cuda-crt"],
    "requirements-cuda13.txt": ["nvidia-cuda-nvrtc"],
    "requirements-cuda12.txt": ["nvidia-cuda-nvrtc-cu12", "nvidia-cuda-crt # for cuda12"],
}


def wheel(names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), name)
    return stream.getvalue()


class StandInDriver(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def driver(self, version, result=0):
        """A libcuda.so.1 in a separate folder, for the loader's path."""
        source = self.folder / "driver.c"
        source.write_text(DRIVER % (version, result))
        library = self.folder / f"driver-{version}-{result}" / "libcuda.so.1"
        library.parent.mkdir(exist_ok=True)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
        return library


class AskTheDriver(StandInDriver):
    def test_its_cuda_version(self):
        for version, cuda in ((12000, (12, 0)), (12040, (12, 4)), (12080, (12, 8)), (13000, (13, 0))):
            self.assertEqual(nvrtc_choice.driver_cuda(str(self.driver(version))), cuda)

    def test_without_one_there_is_no_answer(self):
        self.assertIsNone(nvrtc_choice.driver_cuda("libcuda.so.no-such-version"))
        self.assertIsNone(nvrtc_choice.driver_cuda("libm.so.6"))

    def test_the_stub_of_a_toolkit_is_no_driver(self):
        self.assertIsNone(nvrtc_choice.driver_cuda(str(self.driver(13000, result=34))))


class Choose(unittest.TestCase):
    def chosen(self, cuda):
        return nvrtc_choice.chosen_here(cuda)[0].name

    def test_machine_code_of_the_drivers_own_major_version(self):
        for cuda, name in (((12, 0), "NVRTC 12.9"), ((12, 4), "NVRTC 12.9"), ((12, 8), "NVRTC 12.9"),
                           ((13, 0), "NVRTC 13.0"), ((14, 1), "NVRTC 13.0"), (None, "NVRTC 13.0")):
            self.assertEqual(self.chosen(cuda), name)
            self.assertIsNone(nvrtc_choice.chosen_here(cuda)[1])

    def test_a_driver_before_cuda_12_is_said_to_be_too_old(self):
        _, remark = nvrtc_choice.chosen_here((11, 8))
        self.assertIn("supports CUDA 11.8", remark)
        self.assertIn("driver 525 (CUDA 12.0) or newer", remark)

    def test_by_the_version_that_nvidia_smi_shows(self):
        for text, names in (("12.4", ["NVRTC 12.9"]), ("550.54.15", ["NVRTC 12.9"]), ("525", ["NVRTC 12.9"]),
                            ("579.9", ["NVRTC 12.9"]), ("580", ["NVRTC 13.0"]), ("13.1", ["NVRTC 13.0"]),
                            ("all", ["NVRTC 13.0", "NVRTC 12.9"])):
            self.assertEqual([nvrtc.name for nvrtc in nvrtc_choice.named(text)], names)

    def test_what_is_no_version_and_what_is_too_old_is_refused(self):
        for text, words in (("latest", "not a version of a driver"), ("12.x", "not a version of a driver"),
                            ("520.61", "driver 520.61 is too old"), ("11.8", "CUDA 11.8 is too old")):
            with self.assertRaisesRegex(nvrtc_choice.WrongDriver, words):
                nvrtc_choice.named(text)


class Fetch(StandInDriver):
    """The set-up of a checkout whose lists have small packages."""

    def setUp(self):
        super().setUp()
        self.checkout = self.folder / "third_party"
        self.checkout.mkdir()
        for script in ("fetch.py", "nvrtc_choice.py"):
            shutil.copy(THIRD_PARTY / script, self.checkout)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        for name, files in PACKAGES.items():
            (self.wheels / f"{name}.whl").write_bytes(wheel(files))
        for file, names in LISTS.items():
            (self.checkout / file).write_text("".join(map(self.line, names)))
        self.dependencies = self.folder / "dependencies"
        self.pip(f"shutil.copy({str(self.wheels)!r} + '/' + name + '.whl', destination)")

    def line(self, name):
        package, mark, where = name.partition(" # ")
        sha256 = hashlib.sha256((self.wheels / f"{package}.whl").read_bytes()).hexdigest()
        return f"{package}==1.0 --hash=sha256:{sha256}{mark}{where}\n"

    def pip(self, statement):
        package = self.folder / "pip"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text("")
        (package / "__main__.py").write_text(
            "import pathlib, shutil, sys\n"
            "destination = pathlib.Path(sys.argv[sys.argv.index('--dest') + 1])\n"
            "destination.mkdir()\n"
            "name = pathlib.Path(sys.argv[sys.argv.index('--requirement') + 1]).read_text().split('==')[0]\n"
            f"{statement}\n")

    def no_network(self):
        self.pip("sys.exit('NewConnectionError: Temporary failure in name resolution')")

    def fetch(self, for_driver="here", driver=None, code=0):
        # A folder without a driver hides the machine's own one: its file is not a library.
        if driver is None:
            library = self.folder / "no-driver" / "libcuda.so.1"
            library.parent.mkdir(exist_ok=True)
            library.write_text("")
        else:
            library = self.driver(driver)
        result = subprocess.run([sys.executable, self.checkout / "fetch.py", "--dependencies", self.dependencies,
                                 "--for-driver", for_driver, self.checkout / "requirements.txt"],
                                env=dict(os.environ, PYTHONPATH=str(self.folder), LD_LIBRARY_PATH=str(library.parent)),
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        return result.stderr

    def nvrtcs(self):
        return sorted(file.name for file in self.dependencies.glob("cuda1*/lib/libnvrtc.so.*"))

    def downloads(self):
        return sorted(file.name for file in (self.dependencies / "downloads").iterdir())

    def test_drivers_of_cuda_12_get_nvrtc_12_alone(self):
        for version in (12000, 12040, 12080):
            with self.subTest(version):
                shutil.rmtree(self.dependencies, ignore_errors=True)
                said = self.fetch(driver=version)
                self.assertEqual(self.nvrtcs(), ["libnvrtc.so.12"])
                self.assertNotIn("nvidia-cuda-nvrtc.whl", self.downloads())
                self.assertIn(f"supports CUDA 12.{version % 1000 // 10}: NVRTC 12.9 fits", said)
                self.assertTrue((self.dependencies / "cuda12/nvrtc.h").exists())

    def test_cuda_13_and_no_driver_get_nvrtc_13_alone(self):
        for version in (13000, None):
            with self.subTest(version):
                shutil.rmtree(self.dependencies, ignore_errors=True)
                self.fetch(driver=version)
                self.assertEqual(self.nvrtcs(), ["libnvrtc.so.13"])
                self.assertTrue((self.dependencies / "cuda13/nvrtc.h").exists())

    def test_another_machine_is_prepared_for(self):
        self.fetch("550.54", driver=13000)
        self.assertEqual(self.nvrtcs(), ["libnvrtc.so.12"])
        self.fetch("all", driver=13000)
        self.assertEqual(self.nvrtcs(), ["libnvrtc.so.12", "libnvrtc.so.13"])

    def test_a_later_start_fetches_and_says_nothing(self):
        self.fetch(driver=12040)
        self.no_network()
        self.assertEqual(self.fetch(driver=12040), "")

    def test_a_driver_that_changed_gets_the_other_and_keeps_the_first(self):
        self.fetch(driver=12040)
        self.fetch(driver=13000)
        self.assertEqual(self.nvrtcs(), ["libnvrtc.so.12", "libnvrtc.so.13"])
        self.no_network()
        self.assertEqual(self.fetch(driver=12040), "")

    def test_without_a_network_a_newer_driver_runs_on_with_what_is_there(self):
        self.fetch(driver=12040)
        self.no_network()
        said = self.fetch(driver=13000)
        self.assertIn("No network", said)
        self.assertIn("NVRTC 12.9 is here and is used until then", said)

    def test_without_a_network_an_older_driver_is_said_what_is_missing(self):
        self.fetch(driver=13000)
        self.no_network()
        said = self.fetch(driver=12040, code=3)
        self.assertIn("No network", said)
        self.assertIn("nvidia-cuda-nvrtc-cu12", said)
        self.assertIn("./tilescope setup --for-driver", said)

    def test_a_driver_that_is_too_old_is_said_and_kernels_can_be_interpreted(self):
        said = self.fetch(driver=11080)
        self.assertIn("install a newer NVIDIA driver", said)
        self.assertEqual(self.nvrtcs(), ["libnvrtc.so.13"])

    def test_a_wrong_version_ends_before_anything_is_fetched(self):
        said = self.fetch("newest", code=2)
        self.assertIn("nvidia-smi", said)
        self.assertFalse(self.dependencies.exists())

    def test_of_crt_version_12_gets_only_what_it_lacks(self):
        self.fetch("all")
        found = [file.name for file in (self.dependencies / "cuda12/include/crt").iterdir()]
        self.assertEqual(found, ["mma.h"])
        self.assertTrue((self.dependencies / "cuda/include/crt/host_config.h").exists())


class Lists(unittest.TestCase):
    def test_each_nvrtc_has_a_list_with_its_version(self):
        for nvrtc in nvrtc_choice.NEWEST_FIRST:
            text = (THIRD_PARTY / nvrtc.requirements).read_text()
            version = nvrtc.name.removeprefix("NVRTC ")
            self.assertRegex(text, rf"(?m)^nvidia-cuda-nvrtc(-cu12)?=={version}\.")


if __name__ == "__main__":
    unittest.main()
