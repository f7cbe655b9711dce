# tools/header_check.py: every header compiles when it is included first. What headers include of
# the standard library takes most of the time, so some sets of that are precompiled; a header is
# compiled with one of which it includes everything, so that nothing that it lacks is hidden.
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Iterator

import cxx_text
from repo import Finding, Repo

GXX = ['g++', '-std=c++20']
JOBS = 2
PRECOMPILED_SHARE = 1.5  # what it takes to precompile a set, by what it takes to parse it
SETS_MAX = 8  # precompiled; of some 50 MB each


def flags_of(repo: Repo) -> list[str]:
    flags: dict[str, None] = {}  # in order, each once
    for command in repo.compile_commands:
        words = shlex.split(command['command'])
        for word, following in zip(words, words[1:] + ['']):
            if word.startswith(('-I', '-D')):
                flags[word] = None
            elif word == '-isystem':
                flags[f'-isystem{following}'] = None
    return list(flags)


def standard_includes(repo: Repo, header: str) -> frozenset[str]:
    """What a header includes of the standard library and fmt, itself or by other headers; nothing
    that depends on a condition."""
    names: set[str] = set()
    seen: set[str] = set()
    left = [header]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        code = cxx_text.unconditional(repo.text(path))
        for include in cxx_text.includes(code):
            if include.quoted:
                own = (f'{folder}/{include.name}' for folder in ('src', 'include'))
                left += [other for other in own if other in repo.files]
            elif not {'.', '/'} & set(include.name) or include.name.startswith('fmt/'):
                names.add(include.name)
    return frozenset(names)


def cost_of(flags: list[str]) -> Callable[[frozenset[str]], int]:
    """How much there is to parse in a set of headers: bytes."""
    files: dict[str, dict[str, int]] = {}

    def files_of(name: str) -> dict[str, int]:
        done = subprocess.run([*GXX, '-M', *flags, '-x', 'c++', '-'], text=True,
                              input=f'#include <{name}>\n', stdout=subprocess.PIPE)
        paths = done.stdout.replace('\\\n', ' ').split()[1:]
        return {path: Path(path).stat().st_size for path in paths if Path(path).is_file()}

    def cost(names: frozenset[str]) -> int:
        together: dict[str, int] = {}
        for name in names:
            if name not in files:
                files[name] = files_of(name)
            together |= files[name]
        return sum(together.values())

    return cost


def worthwhile(wanted: list[frozenset[str]],
               cost: Callable[[frozenset[str]], int]) -> list[frozenset[str]]:
    """Sets that save more than they take, the one that saves most first."""
    costs = {names: cost(names) for names in set(wanted)}
    spared = [0] * len(wanted)
    chosen: list[frozenset[str]] = []
    while len(chosen) < SETS_MAX:
        best, gain = None, 0.0
        for names, price in costs.items():
            saves = sum(max(0, price - before) for one, before in zip(wanted, spared)
                        if names <= one)
            if saves - PRECOMPILED_SHARE * price > gain:
                best, gain = names, saves - PRECOMPILED_SHARE * price
        if best is None:
            break
        chosen.append(best)
        spared = [max(before, costs[best]) if best <= one else before
                  for one, before in zip(wanted, spared)]
    return chosen


def check_headers(repo: Repo) -> Iterator[Finding]:
    """Every header compiles when it is included first."""
    flags = flags_of(repo)
    if not flags:
        yield Finding(str(repo.build), 1, 'no compile_commands.json: configure the build first')
        return
    headers = repo.match({'.h'}, 'src/', 'include/')
    wanted = [standard_includes(repo, header) for header in headers]
    cost = cost_of(flags)
    sets = worthwhile(wanted, cost)
    costs = [cost(names) for names in sets]
    with (tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(max_workers=JOBS) as pool):

        def precompile(number: int) -> None:
            path = Path(folder, f'{number}.h')
            path.write_text(''.join(f'#include <{name}>\n' for name in sorted(sets[number])))
            subprocess.run([*GXX, *flags, '-x', 'c++-header', path, '-o', f'{path}.gch'],
                           check=True)

        def compiler_output(header: str, names: frozenset[str]) -> str:
            fitting = [number for number, one in enumerate(sets) if one <= names]
            first = max(fitting, key=lambda number: costs[number], default=None)
            before = [] if first is None else ['-include', f'{folder}/{first}.h']
            return subprocess.run(
                [*GXX, '-fsyntax-only', *flags, *before, '-x', 'c++', '-'], text=True,
                input=f'#include "{header.split("/", 1)[1]}"\n', stderr=subprocess.PIPE).stderr

        list(pool.map(precompile, range(len(sets))))
        for path, output in zip(headers, pool.map(compiler_output, headers, wanted)):
            if output:
                yield Finding(path, 1, f'does not compile alone:\n{output.rstrip()}')
