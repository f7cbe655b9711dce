"""tests/proc/train_case.py: starts `godwit train` and looks at what it says and leaves."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

DATA = 'generated:lowrank,rows=300,columns=40,ratings=10000,held_out=500,rank=2'
SMALL = ('--set', 'rank=2', '--set', 'learning_rate=0.15', '--workers', '1')
# So long that a signal comes before the end.
LONG = ('--epochs', '1000000', '--set', 'judge_every=0')
STARTUP_SECONDS = 30


def variables(**more: str) -> dict[str, str]:
    """The environment without settings of whoever runs the tests."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith('GODWIT_') or name == 'GODWIT_DATA'} | more


class TrainCase(unittest.TestCase):
    """In a directory of its own; `godwit` is the program."""
    godwit = ''

    def setUp(self) -> None:
        self.dir = tempfile.mkdtemp(prefix='godwit-train-')
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, *parts: str) -> str:
        return os.path.join(self.dir, *parts)

    def write(self, name: str, content: str | bytes) -> str:
        with open(self.path(name), 'wb') as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, *parts: str) -> str:
        with open(self.path(*parts), encoding='utf-8') as file:
            return file.read()

    def run_any(self, command: list[str], seconds: float = 60,
                **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.dir, env=variables(**environment), text=True,
                              capture_output=True, timeout=seconds, check=False)

    def train(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return self.run_any([self.godwit, 'train', *arguments], **environment)

    def final(self, *arguments: str, code: int = 0, **environment: str) -> dict:
        """The last object that a training says."""
        done = self.train(*arguments, '--json', **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.last_of(done.stdout)

    def last_of(self, out: str) -> dict:
        objects = [json.loads(line) for line in out.splitlines()]
        self.assertTrue(objects[-1]['final'], out)
        self.assertEqual(sum('final' in one for one in objects), 1)
        return objects[-1]

    def start(self, *arguments: str) -> subprocess.Popen:
        """A training in a group of processes of its own."""
        process = subprocess.Popen([self.godwit, 'train', *arguments], cwd=self.dir,
                                   env=variables(), text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process: subprocess.Popen) -> None:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def wait_for(self, what, message: str, process: subprocess.Popen | None = None):
        deadline = time.monotonic() + STARTUP_SECONDS
        while not (found := what()):
            if process and process.poll() is not None:
                self.fail(f'{message}: it ended with {process.returncode}: {process.stderr.read()}')
            self.assertLess(time.monotonic(), deadline, message)
            time.sleep(0.005)
        return found

    def has_metrics(self, run: str) -> bool:
        """Whether a segment has been trained."""
        try:
            return '"loss"' in self.read(run, 'metrics.jsonl')
        except FileNotFoundError:
            return False

    def step(self, run: str) -> int:
        """Of the newest checkpoint."""
        try:
            return int(self.read(run, 'ckpt', 'LATEST').strip().removeprefix('step-'))
        except FileNotFoundError:
            return 0

    def processes(self) -> dict[int, str]:
        """Those that work in this test's directory, by id: their node, or '' of the launcher."""
        found = {}
        for name in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.readlink(f'/proc/{name}/cwd') != os.path.realpath(self.dir):
                    continue
                with open(f'/proc/{name}/environ', encoding='utf-8') as file:
                    settings = dict(entry.partition('=')[::2] for entry in file.read().split('\0'))
                found[int(name)] = settings.get('GODWIT_NODE', '')
            except OSError:
                continue
        return found

    def assert_nobody_left(self) -> None:
        self.wait_for(lambda: not self.processes(), f'left: {self.processes()}')


def main() -> None:
    """Runs the tests of the script; its first argument is the path of the program."""
    TrainCase.godwit = os.path.abspath(sys.argv.pop(1))
    unittest.main()
