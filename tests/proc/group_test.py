#!/usr/bin/env python3
"""tests/proc/group_test.py: groups of real processes: over MPI by mpirun, and over gloo with ranks
that are killed. What is not installed, or not built in, is skipped.

  group_test.py PATH/group_job PATH/godwit [unittest arguments]

PATH/group_job_mpich, if it is there, is group_job with MPICH instead of Open MPI.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GROUP_JOB = ''
GODWIT = ''
MPIRUN = shutil.which('mpirun.openmpi')
MPIRUN_MPICH = shutil.which('mpirun.mpich')


def has_mpich(program: str) -> bool:
    linked = subprocess.run(['ldd', program], text=True, stdout=subprocess.PIPE, check=False)
    return 'libmpich' in linked.stdout


class GroupTest(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix='godwit-test-')
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)


@unittest.skipUnless(MPIRUN, 'Open MPI is not installed; run tools/setup test')
class MpiTest(GroupTest):
    def setUp(self):
        super().setUp()
        if has_mpich(GROUP_JOB):
            self.skipTest('built with MPICH')

    def run_job(self, ranks: int, what: str) -> tuple[int, str]:
        # A folder of its own for each job: two launchers that make the same one at once fail.
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1',
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                           OMPI_MCA_orte_tmpdir_base=self.dir)
        command = [MPIRUN, '--oversubscribe', '--mca', 'mpi_yield_when_idle', '1', '-n',
                   str(ranks), GROUP_JOB, 'mpi', what]
        done = subprocess.run(command, env=environment, text=True, timeout=100,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if 'built without MPI' in done.stdout:
            self.skipTest('built without MPI')
        return done.returncode, done.stdout

    def test_all_verbs_give_the_right_values(self):
        for ranks in (1, 2, 3, 4):
            code, out = self.run_job(ranks, 'sums')
            self.assertEqual((code, out.count('sums are right')), (0, ranks), out)

    def test_an_idle_group_uses_no_processor(self):
        code, out = self.run_job(2, 'idle')
        self.assertEqual(code, 0, out)
        self.assertEqual(out.count('idle: 0.00'), 2, out)

    def test_different_calls_are_named_on_all_ranks(self):
        begin = time.monotonic()
        _, out = self.run_job(3, 'mismatch')
        self.assertLess(time.monotonic() - begin, 30)  # not the deadline of 60 s
        self.assertEqual(out.count('aborted: rank'), 3, out)
        self.assertRegex(out, 'this one is at allgather #1 .* rank . at allreduce #1|'
                         'this one is at allreduce #1 .* rank . at allgather #1|'
                         'bytes where .* are meant: it is at another call')

    def test_a_rank_that_does_not_come_is_named(self):
        _, out = self.run_job(2, 'late')
        self.assertIn('timeout: rank 0 of 2 in barrier #1: rank 1 does not', out)
        self.assertNotIn('after the deadline', out)

    def test_a_rank_that_fails_elsewhere_keeps_nobody_waiting(self):
        begin = time.monotonic()
        _, out = self.run_job(3, 'give_up')
        self.assertLess(time.monotonic() - begin, 30)  # nor does the end of MPI wait
        self.assertEqual(out.count('rank 2 gave up: its session is over'), 2, out)

    def test_the_benchmark_runs_and_verifies(self):
        done = subprocess.run([GODWIT, 'bench', 'collective', '--quick', '--ranks', '2', '--json'],
                              text=True, timeout=100, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if 'built without MPI' in done.stderr:
            self.skipTest('built without MPI')
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = [json.loads(line) for line in done.stdout.splitlines()]
        names = [case['case'] for case in cases]
        for name in ('one/4MB', 'copies=4/4MB', 'small tensors', 'unequal tensors'):
            self.assertIn(f'2 ranks/{name}', names)
        self.assertTrue(all(case['ratio'] > 0 for case in cases), cases)


@unittest.skipUnless(MPIRUN_MPICH, 'MPICH is not installed; run tools/setup test')
class MpichTest(GroupTest):
    """The file that knows MPI, compiled against its other header."""

    def run_job(self, what: str) -> tuple[int, str]:
        job = GROUP_JOB if has_mpich(GROUP_JOB) else GROUP_JOB + '_mpich'
        if not os.path.exists(job):
            self.skipTest('built without MPICH')
        # Two, and no more: its ranks never give their processor away.
        done = subprocess.run([MPIRUN_MPICH, '-n', '2', job, 'mpi', what], text=True, timeout=100,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_all_verbs_give_the_right_values(self):
        code, out = self.run_job('sums')
        self.assertEqual((code, out.count('sums are right')), (0, 2), out)

    def test_different_calls_are_named_on_all_ranks(self):
        begin = time.monotonic()
        _, out = self.run_job('mismatch')
        self.assertLess(time.monotonic() - begin, 30)  # not the deadline of 60 s
        self.assertEqual(out.count('aborted: rank'), 2, out)

    def test_a_rank_that_fails_elsewhere_keeps_nobody_waiting(self):
        begin = time.monotonic()
        _, out = self.run_job('give_up')
        self.assertLess(time.monotonic() - begin, 30)
        self.assertIn('rank 1 gave up: its session is over', out)


class GlooTest(GroupTest):
    WAY = 'gloo'

    def start(self, rank: int, size: int, what: str) -> subprocess.Popen:
        return subprocess.Popen([GROUP_JOB, self.WAY, self.dir, str(rank), str(size), what],
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, processes: list[subprocess.Popen]) -> list[tuple[int, str]]:
        ends = []
        try:
            for process in processes:
                out, _ = process.communicate(timeout=60)
                if 'built without gloo' in out:
                    self.skipTest('built without gloo')
                ends.append((process.returncode, out))
        finally:
            for process in processes:
                process.kill()
                process.wait()
                process.stdout.close()
        return ends

    def test_all_verbs_give_the_right_values(self):
        for size in (2, 3):
            self.dir = tempfile.mkdtemp(dir=self.dir)
            ends = self.finish([self.start(rank, size, 'sums') for rank in range(size)])
            self.assertEqual([code for code, _ in ends], [0] * size, ends)

    def test_an_idle_group_uses_no_processor(self):
        ends = self.finish([self.start(rank, 2, 'idle') for rank in range(2)])
        for code, out in ends:
            self.assertEqual(code, 0, out)
            self.assertLess(float(re.search(r'idle: ([0-9.]+) of', out)[1]), 0.01, out)

    def check_kill(self, size: int, victims: set[int]):
        processes = [self.start(rank, size, 'work') for rank in range(size)]
        for process in processes:
            line = process.stdout.readline()
            if 'built without gloo' in line:
                self.finish(processes)
            self.assertEqual(line, 'working\n')
        time.sleep(0.3)
        for victim in victims:
            processes[victim].send_signal(signal.SIGKILL)
        for rank, (code, out) in enumerate(self.finish(processes)):
            if rank in victims:
                continue
            self.assertEqual(code, 0, out)
            self.assertIn('unavailable: rank', out)
            self.assertIn(f'{size - len(victims)} ranks go on', out)
            self.assertIn('sums are right', out)
            self.assertLess(int(re.search(r'told after (\d+) ms', out)[1]), 5000, out)

    def test_survivors_of_a_killed_rank_go_on(self):
        self.check_kill(3, {1})

    def test_survivors_of_two_killed_ranks_go_on(self):
        self.check_kill(4, {0, 2})


class SocketsTest(GlooTest):
    """The same, without the memory that ranks of a host share."""
    WAY = 'sockets'


if __name__ == '__main__':
    GROUP_JOB = os.path.abspath(sys.argv.pop(1))
    GODWIT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
