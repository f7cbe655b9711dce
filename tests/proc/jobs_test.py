#!/usr/bin/env python3
"""tests/proc/jobs_test.py: jobs of real processes: sums, two jobs at once, killed, frozen and idle
nodes.

  jobs_test.py PATH/sum_job PATH/idle_job [unittest arguments]

KILLS=100 repeats the test with a killed node that often, several jobs at a time.
"""
import json
import os
import signal
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from job import Job

SUM_JOB = ''
IDLE_JOB = ''


def sums(nodes: int, rounds: int) -> Job:
    return Job(SUM_JOB, nodes, str(rounds))


def kill_one(victim: int) -> tuple[str, float]:
    """Kills a node amid pushes: what is wrong with how the others took it, and the seconds until
    all of them had gone."""
    job = sums(3, 0)
    job.wait_until_working()
    job.processes[victim].send_signal(signal.SIGKILL)
    begin = time.monotonic()
    wrong = ''
    for node, (code, _, err) in enumerate(job.finish(20)):
        if node == victim:
            continue
        named = f'node {victim} is lost' in err or 'gave up' in err
        if code != 3 or not named:
            wrong += f'node {node} ended with {code}: {err}'
    return wrong, time.monotonic() - begin


class JobsTest(unittest.TestCase):
    def assert_right(self, ends) -> None:
        for code, out, err in ends:
            self.assertEqual((code, err), (0, ''))
            self.assertIn('sums are right', out)

    def test_four_nodes_get_the_right_sums(self):
        self.assert_right(sums(4, 50).finish(60))

    def test_two_jobs_at_once_do_not_meet(self):
        first, second = sums(3, 50), sums(2, 60)
        self.assert_right(first.finish(60))
        self.assert_right(second.finish(60))

    def test_a_killed_node_is_named_and_the_others_exit_with_3(self):
        repetitions = int(os.environ.get('KILLS', '3'))
        with ThreadPoolExecutor(5) as pool:
            ends = list(pool.map(kill_one, [i % 3 for i in range(repetitions)]))
        slowest = max(seconds for _, seconds in ends)
        print(f'{repetitions} kills, the slowest end after {slowest:.2f} s', file=sys.stderr)
        self.assertEqual([wrong for wrong, _ in ends if wrong], [])
        self.assertLess(slowest, 6)

    def test_a_frozen_node_is_named_and_then_everything_goes_on(self):
        job = sums(3, 3000)
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

    def test_idle_nodes_send_beats_and_use_no_processor(self):
        for code, out, err in Job(IDLE_JOB, 2, '6').finish(60):
            self.assertEqual((code, err), (0, ''))
            print(out.strip(), file=sys.stderr)
            idle = json.loads(out)
            self.assertLess(idle['cpu_percent'], 0.5)
            self.assertLessEqual(abs(idle['frames'] - 6), 1, 'one beat a second')
            self.assertEqual(idle['bytes'], 40 * idle['frames'], 'a beat has 40 bytes')


if __name__ == '__main__':
    SUM_JOB = os.path.abspath(sys.argv.pop(1))
    IDLE_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
