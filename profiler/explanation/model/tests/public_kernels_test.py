"""The README's table of public kernels has the figures that predict.py prints of the recorded launches."""

import pathlib
import subprocess
import sys
import unittest

MODEL = pathlib.Path(__file__).resolve().parents[1]


class PublicKernels(unittest.TestCase):
    def test_the_table_is_what_the_launches_give(self):
        printed = subprocess.run([sys.executable, MODEL / "launches/public/predict.py"], capture_output=True, text=True,
                                 check=True).stdout
        readme = (MODEL / "README.md").read_text()
        lines = printed.splitlines()[1:]
        self.assertEqual(len(lines), 4, printed)
        for line in lines:
            name, (n, mean, median, ninth, _, beyond, inside) = line[:34].strip(), line[34:].replace(" %", "").split()
            row = next(one for one in readme.splitlines() if one.strip("| *").startswith(name.replace("us", "µs")))
            cells = [cell.strip(" *").split(" (")[0] for cell in row.strip("|").split("|")][1:]
            self.assertEqual(cells, [n, f"{float(mean):.2f}", f"{float(median):.2f}", f"{float(ninth):.2f}", beyond,
                                     f"{inside} %"], line)


if __name__ == "__main__":
    unittest.main()
