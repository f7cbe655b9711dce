"""tests/proc/scheduler.py: a `godwit sched serve` of a test, which may be killed and begun anew."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path


def wait_until(what: str, condition, seconds: float = 90):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f'not within {seconds} s: {what}')
        time.sleep(0.05)
    return found


class Scheduler:
    """A daemon with its state, and what one asks of it."""

    def __init__(self, godwit: str, dir: str, backend: str, variables: dict[str, str]):
        self.godwit, self.dir, self.backend = godwit, Path(dir), backend
        self.state = self.dir / 'state'
        self.variables = dict(os.environ, GODWIT_SCHED=str(self.state), **variables)
        self.process: subprocess.Popen | None = None
        self.log = open(self.dir / 'log', 'a', encoding='utf-8')

    def serve(self) -> None:
        (self.state / 'address').unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [self.godwit, 'sched', 'serve', '--cluster', str(self.dir / 'cluster.toml'),
             '--backend', self.backend], env=self.variables, stdout=self.log, stderr=self.log)
        wait_until(f'it answers: {self.said()}',
                   lambda: (self.state / 'address').exists() or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise AssertionError(self.said())

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def said(self) -> str:
        return (self.dir / 'log').read_text(encoding='utf-8')

    def ask(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.godwit, 'sched', *words], env=self.variables, cwd=self.dir,
                              text=True, capture_output=True, timeout=60, check=False)

    def submit(self, name: str, text: str) -> subprocess.CompletedProcess:
        (self.dir / f'{name}.toml').write_text(text, encoding='utf-8')
        return self.ask('submit', f'{name}.toml')

    def list(self) -> dict:
        done = self.ask('list', '--json')
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def jobs(self) -> dict[str, dict]:
        return {job['name']: job for job in self.list()['jobs']}

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            for name, job in self.jobs().items():
                if job['phase'] not in ('done', 'failed', 'cancelled', 'refused'):
                    self.ask('cancel', name)
            self.ask('stop')
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        self.log.close()
