#!/usr/bin/env python3
"""tests/proc/jobs_test.py: jobs of real processes: sums, two jobs at once, killed and frozen nodes.

  jobs_test.py PATH/sum_job [unittest arguments]

KILLS=100 repeats the test with a killed node that often, several jobs at a time.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

SUM_JOB = ''


class Job:
    """A job of sum_job processes, started as a launcher would."""

    def __init__(self, nodes: int, rounds: int):
        self.dir = tempfile.mkdtemp(prefix='godwit-test-')
        name = os.path.basename(self.dir)
        self.processes = []
        for node in range(nodes):
            environment = dict(os.environ, GODWIT_NODE=str(node), GODWIT_NODES=str(nodes),
                               GODWIT_RENDEZVOUS=f'unix:{self.dir}/meet', GODWIT_JOB=name,
                               GODWIT_TOKEN='for this test only')
            self.processes.append(subprocess.Popen(
                [SUM_JOB, str(rounds)], env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def wait_until_working(self) -> None:
        for process in self.processes:
            line = process.stdout.readline()
            if line != 'working\n':
                raise AssertionError(f'{line!r}: {process.stderr.read()}')

    def finish(self, seconds: float) -> list[tuple[int, str, str]]:
        """Exit code, standard output and error of each node. Nothing is left over."""
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
            shutil.rmtree(self.dir, ignore_errors=True)
        return ends


def kill_one(victim: int) -> str:
    """Kills a node amid pushes; what is wrong with how the others took it, or nothing."""
    job = Job(3, 0)
    job.wait_until_working()
    job.processes[victim].send_signal(signal.SIGKILL)
    begin = time.monotonic()
    for node, (code, _, err) in enumerate(job.finish(20)):
        if node == victim:
            continue
        named = f'node {victim} is lost' in err or 'gave up' in err
        if code != 3 or not named:
            return f'node {node} ended with {code}: {err}'
    seconds = time.monotonic() - begin
    return '' if seconds < 6.5 else f'took {seconds:.1f} s'


class JobsTest(unittest.TestCase):
    def assert_right(self, ends) -> None:
        for code, out, err in ends:
            self.assertEqual((code, err), (0, ''))
            self.assertIn('sums are right', out)

    def test_four_nodes_get_the_right_sums(self):
        self.assert_right(Job(4, 50).finish(60))

    def test_two_jobs_at_once_do_not_meet(self):
        first, second = Job(3, 50), Job(2, 60)
        self.assert_right(first.finish(60))
        self.assert_right(second.finish(60))

    def test_a_killed_node_is_named_and_the_others_exit_with_3(self):
        repetitions = int(os.environ.get('KILLS', '3'))
        with ThreadPoolExecutor(10) as pool:
            wrong = [text for text in pool.map(kill_one, [i % 3 for i in range(repetitions)])
                     if text]
        self.assertEqual(wrong, [])

    def test_a_frozen_node_is_named_and_then_everything_goes_on(self):
        job = Job(3, 3000)
        job.wait_until_working()
        job.processes[1].send_signal(signal.SIGSTOP)
        time.sleep(8)
        job.processes[1].send_signal(signal.SIGCONT)
        ends = job.finish(90)
        for node, (code, out, err) in enumerate(ends):
            self.assertEqual(code, 0, err)
            self.assertIn('sums are right', out)
            if node != 1:
                self.assertIn('waiting for node 1, last heard', err)


if __name__ == '__main__':
    SUM_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
