#!/usr/bin/env python3
"""tests/proc/ticks_test.py: jobs of real processes whose reads may not be older than some ticks.

  ticks_test.py PATH/tick_job [unittest arguments]
"""
import os
import signal
import sys
import time
import unittest

from job import Job

TICK_JOB = ''


class TicksTest(unittest.TestCase):
    def check_end(self, job: Job, seconds: float) -> list[str]:
        """All ended well; what each said."""
        ends = job.finish(seconds)
        for node, (code, out, err) in enumerate(ends):
            self.assertEqual(code, 0, f'node {node}: {err}')
            self.assertIn('sums are right', out, f'node {node}: {err}')
        return [err for _, _, err in ends]

    def check_cause(self, said: list[str], frozen: int) -> None:
        """All others named the one they waited for."""
        cause = (rf'waiting for worker [01] of node {frozen}, in tick \d+ for [1-9]\.\d s|'
                 rf'node {frozen}, last heard [1-9]')
        for node, text in enumerate(said):
            if node != frozen:
                self.assertRegex(text, cause, f'node {node}')

    def freeze_for_a_while(self, job: Job, frozen: int) -> None:
        """The others wait, say for whom, and all end with the right sums."""
        job.wait_until_working()
        time.sleep(0.2)
        job.processes[frozen].send_signal(signal.SIGSTOP)
        time.sleep(5)
        self.assertIsNone(job.processes[0].poll(), 'it waits')
        job.processes[frozen].send_signal(signal.SIGCONT)
        self.check_cause(self.check_end(job, 100), frozen)

    def test_reads_are_no_older_than_allowed(self):
        for consistency in ('ssp:0', 'ssp:3', 'bsp', 'auto'):
            job = Job(TICK_JOB, 4, '150', consistency, '20', '1')
            job.wait_until_working()
            for process in job.processes:  # each is slow for a moment
                process.send_signal(signal.SIGSTOP)
                time.sleep(0.05)
                process.send_signal(signal.SIGCONT)
            self.check_end(job, 60)

    def test_slow_links_change_nothing(self):
        for consistency in ('ssp:1', 'bsp'):
            job = Job(TICK_JOB, 4, '100', consistency, '20', '1', '100mbit,1ms')
            job.wait_until_working()
            self.check_end(job, 60)

    def test_who_waits_says_for_whom_and_goes_on(self):
        self.freeze_for_a_while(Job(TICK_JOB, 4, '3000', 'ssp:1', '2', '0'), 2)

    def test_a_lost_node_is_named(self):
        for consistency in ('ssp:0', 'bsp'):
            job = Job(TICK_JOB, 3, '100000', consistency, '20', '1')
            job.wait_until_working()
            time.sleep(0.2)
            job.processes[1].kill()
            for node, (code, _, err) in enumerate(job.finish(60)):
                if node != 1:
                    self.assertEqual(code, 3, err)
                    self.assertIn('node 1', err)

    def test_a_frozen_node_changes_nothing_of_a_bsp_job(self):
        self.freeze_for_a_while(Job(TICK_JOB, 4, '1500', 'bsp', '2', '1'), 1)


if __name__ == '__main__':
    TICK_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
