# tools/repo.py: the files of this repository, and what a rule of tools/check.py says about them.
import json
import os
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import cxx_text

SKIPPED_FOLDERS = {'.git', 'build', 'runs', '__pycache__'}


class Finding(NamedTuple):
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: {self.message}'


class Repo:
    """The files below `root`, by their path from there, with what was built from them."""

    def __init__(self, root: Path, build: Path | None = None):
        self.root = root
        self.build = build or root / 'build' / 'dev'

    @cached_property
    def files(self) -> list[str]:
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in sorted(set(folders) - SKIPPED_FOLDERS)
                          if not Path(folder, name, 'CMakeCache.txt').exists()]
            found += [Path(folder, name).relative_to(self.root).as_posix() for name in names]
        return sorted(found)

    def match(self, suffixes: set[str], *starts: str) -> list[str]:
        return [path for path in self.files if PurePosixPath(path).suffix in suffixes
                and (not starts or path.startswith(starts))]

    @lru_cache(maxsize=None)
    def text(self, path: str) -> str:
        """Empty for what is not text."""
        data = (self.root / path).read_bytes()
        return '' if b'\0' in data else data.decode(errors='replace')

    @lru_cache(maxsize=None)
    def code(self, path: str) -> str:
        """C++ without comments and strings; offsets are those of text()."""
        return cxx_text.blank(self.text(path))

    @cached_property
    def compile_commands(self) -> list[dict]:
        """Empty when nothing was built."""
        path = self.build / 'compile_commands.json'
        return json.loads(path.read_text()) if path.exists() else []

    @cached_property
    def built_files(self) -> set[str]:
        """Real paths of what is compiled, alone or in a batch (tools/batches.py)."""
        found = set()
        for command in self.compile_commands:
            file = Path(command['directory'], command['file'])
            found.add(os.path.realpath(file))
            if file.name.startswith('unity_') and file.exists():
                found |= {os.path.realpath(include.name)
                          for include in cxx_text.includes(file.read_text())}
        return found
