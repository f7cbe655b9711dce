"""tests/proc/job.py: a job of real processes, started as a launcher would."""
import os
import shutil
import subprocess
import tempfile
import time

TOKEN = 'for this test only'


class Job:
    """Processes of `program`, one per node. Nothing is left of it after finish()."""

    def __init__(self, program: str, nodes: int, *arguments: str, start: bool = True):
        self.dir = tempfile.mkdtemp(prefix='godwit-test-')
        self.name = os.path.basename(self.dir)
        self.program = program
        self.nodes = nodes
        self.arguments = arguments
        self.processes: list[subprocess.Popen] = []
        if start:
            for node in range(nodes):
                self.start_node(node)

    def start_node(self, node: int, *arguments: str, **environment: str) -> subprocess.Popen:
        """Arguments and variables are those of the other nodes where they are not given."""
        variables = dict(os.environ, GODWIT_NODE=str(node), GODWIT_NODES=str(self.nodes),
                         GODWIT_RENDEZVOUS=f'unix:{self.dir}/meet', GODWIT_JOB=self.name,
                         GODWIT_TOKEN=TOKEN)
        # Freed memory that the address sanitizer keeps back is no growth.
        variables.setdefault('ASAN_OPTIONS', 'quarantine_size_mb=4')
        variables.update(environment)
        process = subprocess.Popen([self.program, *(arguments or self.arguments)], env=variables,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def wait_until_working(self) -> None:
        for process in self.processes:
            # Past the buffer of `stdout`, in which communicate() would not look for what follows.
            line = b''
            while not line.endswith(b'\n') and (byte := os.read(process.stdout.fileno(), 1)):
                line += byte
            if line != b'working\n':
                raise AssertionError(f'{line!r}: {process.stderr.read()}')

    def finish(self, seconds: float) -> list[tuple[int, str, str]]:
        """Exit code, standard output and error of each process, in the order of starting."""
        ends = []
        deadline = time.monotonic() + seconds
        try:
            for process in self.processes:
                out, err = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
                ends.append((process.returncode, out, err))
        finally:
            for process in self.processes:
                process.kill()
                process.wait()
                process.stdout.close()
                process.stderr.close()
            shutil.rmtree(self.dir, ignore_errors=True)
        return ends
