"""Remembers which files a check found clean, so that it does not read them again while nothing that decides the result
has changed: the file, the headers of ours that it reaches, its options, the check itself and the third-party headers.
Findings are not kept: a file that has some is read again.

The folder ${XDG_CACHE_HOME:-~/.cache}/tilescope/lint has one line per result. TILESCOPE_COLD=1 neither reads nor writes
it.
"""

import fcntl
import functools
import hashlib
import json
import os
import pathlib
import pwd
import re
import subprocess
import sys
import threading
import time

from file_batches import ROOT

INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|define HWY_TARGET_INCLUDE)[ \t]*"([^"\n]+)"', re.MULTILINE)
UNUSED_DAYS = 30
MAX_RESULTS = 50_000
# Files that every check depends on.
SHARED_SCRIPTS = ("file_batches.py", "kept_results.py", "unnamed_namespace.py")


def is_cold():
    return os.environ.get("TILESCOPE_COLD") == "1"


def default_folder():
    """As profiler/installation.cpp has it: variables that are not absolute paths are ignored."""
    named, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if not named.startswith("/"):
        named = f"{home if home.startswith('/') else pwd.getpwuid(os.geteuid()).pw_dir}/.cache"
    return pathlib.Path(named, "tilescope", "lint")


def hash_of(*texts):
    """A hash that differs also where a text ends elsewhere."""
    result = hashlib.sha256()
    for text in texts:
        data = text.encode()
        result.update(b"%d:" % len(data))
        result.update(data)
    return result.hexdigest()


def output_of(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except FileNotFoundError:
        return ""


def third_party(root):
    """What decides the third-party headers: the lists of packages and downloads, and the versions of the packages that
    are installed. Downloads have the version and the hash of their list."""
    lists = sorted([*root.glob("third_party/requirements*.txt"), *root.glob("third_party/packages*.txt")])
    packages = [line for path in root.glob("third_party/packages*.txt")
                for line in path.read_text().splitlines() if line and not line.startswith("#")]
    versions = output_of("dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Abbrev}\n", *sorted(packages),
                         "libstdc++-*-dev", "libc6-dev")
    return [*(path.read_text() for path in lists), output_of("c++", "--version"), versions]


class OwnHeaders:
    """Which of our headers a file reaches. Headers are included by their path from the root; third parties' are not
    found there."""

    def __init__(self, root):
        self.root = root
        self.text = functools.cache(lambda path: path.read_text())

    @functools.cache
    def included_by(self, path):
        found = []
        for name in INCLUDE.findall(self.text(path)):
            candidates = (path.parent / name, self.root / name)
            found += [candidate.resolve() for candidate in candidates if candidate.is_file()][:1]
        return found

    def reached_from(self, path):
        reached, waiting = set(), [path.resolve()]
        while waiting:
            new = set(self.included_by(waiting.pop())) - reached
            reached |= new
            waiting += new
        return sorted(reached)


class ResultFile:
    """The keys of clean files with the day when each was used last. Two runs may write at once: a writer reads
    the file again first, under a lock, and replaces it as a whole."""

    def __init__(self, folder, today=None):
        self.path = folder / "clean_files.jsonl"
        self.today = int(time.time() // 86400) if today is None else today

    def read(self):
        if not self.path.exists():
            return {}
        try:
            rows = map(json.loads, self.path.read_text().splitlines())
            return {row["key"]: int(row["used"]) for row in rows}
        except (OSError, ValueError, TypeError, KeyError) as error:
            print(f"{self.path} cannot be read ({error}); it is ignored and replaced.", file=sys.stderr)
            return {}

    def add(self, keys):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            results = self.recent(self.read() | dict.fromkeys(keys, self.today))
            new = self.path.with_suffix(".new")
            new.write_text("".join(json.dumps({"key": key, "used": day}) + "\n" for key, day in results.items()))
            new.replace(self.path)

    def recent(self, results):
        kept = [(key, day) for key, day in results.items() if day > self.today - UNUSED_DAYS]
        return dict(sorted(kept, key=lambda result: result[1])[-MAX_RESULTS:])


class KeptResults:
    """The files of `entries` that are to be read, and those that were found clean before. `texts` is what decides the
    result besides files and options; folders in options become the words of `placeholders`."""

    def __init__(self, entries, texts, placeholders, root=ROOT, folder=None):
        self.entries, self.root = entries, root
        self.results = ResultFile(folder or default_folder())
        self.lock = threading.Lock()
        scripts = [pathlib.Path(__file__).with_name(name).read_text() for name in SHARED_SCRIPTS]
        self.common = hash_of(*texts, *scripts, *third_party(root))
        # The build folder lies in the root, so the longest path is replaced first.
        words = {**placeholders, root: "ROOT"}
        self.words = sorted(((str(path), word) for path, word in words.items()), key=lambda pair: -len(pair[0]))
        self.keys = self.keys_of(entries)
        kept = {} if is_cold() else self.results.read()
        self.unchanged = [file for file, key in self.keys.items() if key in kept]
        self.write([self.keys[file] for file in self.unchanged])  # they were used today

    def keys_of(self, files):
        headers = OwnHeaders(self.root)
        hash_of_path = functools.cache(lambda path: hash_of(self.portable(str(path)), headers.text(path)))
        keys = {}
        for file in files:
            path = pathlib.Path(file).resolve()
            options = [self.portable(word) for word in self.entries[file]["options"]]
            keys[file] = hash_of(self.common, *options, "", *map(hash_of_path, [path, *headers.reached_from(path)]))
        return keys

    def portable(self, word):
        """An option or a path without the folders that another clone has elsewhere."""
        for path, placeholder in self.words:
            word = word.replace(path, f"<{placeholder}>")
        return word

    def files_to_read(self):
        unchanged = set(self.unchanged)
        return {file: entry for file, entry in self.entries.items() if file not in unchanged}

    def keep(self, files):
        """Remembers clean files, so that also a run that is stopped keeps what it has read; without those that
        changed since the start."""
        self.write([key for file, key in self.keys_of(files).items() if key == self.keys[file]])

    def write(self, keys):
        if keys and not is_cold():
            with self.lock:
                self.results.add(keys)

    def summary(self):
        return f"{len(self.unchanged):,} of {len(self.entries):,} files unchanged since they were found clean"
