#!/usr/bin/env python3
"""tests/proc/exchange_test.py: groups of real processes that are killed and come back, or stopped.

  exchange_test.py PATH/exchange_job [unittest arguments]
"""
import os
import re
import signal
import sys
import time
import unittest

from host_time import HostTime, measured_again
from job import Job

EXCHANGE_JOB = ''
SERVERS = 2
GROUPS = 3
SYNC_PAUSE_MS = 2000  # for so long may one that is killed or stopped hold up sync rounds
SAID = re.compile(r'steps (\d+), longest (\d+) ms, missed (\d+), live (\d+)')


class Groups(Job):
    """A job that goes on for some seconds."""

    def __init__(self, mode: str, seconds: float, patience_ms: int = 1000):
        until = int((time.time() + seconds) * 1000)
        super().__init__(EXCHANGE_JOB, SERVERS + GROUPS, str(SERVERS), mode, str(until),
                         str(patience_ms))

    def wait_for(self, process) -> float:
        """Seconds until it says that it takes part."""
        begun = time.monotonic()
        line = b''
        while not line.endswith(b'\n') and (byte := os.read(process.stdout.fileno(), 1)):
            line += byte
        if line != b'working\n':
            raise AssertionError(f'{line!r}: {process.stderr.read()}')
        return time.monotonic() - begun


class GroupsTest(unittest.TestCase):
    def ends_well(self, job: Groups, killed: int | None = None) -> dict[int, list[int]]:
        """What each process said, by the order of starting."""
        said = {}
        for number, (code, out, err) in enumerate(job.finish(60)):
            if number == killed:
                self.assertEqual(code, -signal.SIGKILL)
                continue
            self.assertEqual(code, 0, f'process {number}: {err}')
            if number >= SERVERS:
                self.assertRegex(out, SAID, err)
                said[number] = [int(n) for n in SAID.search(out).groups()]
        return said

    def kill_and_come_back(self, mode: str, longest_ms: int) -> None:
        job = Groups(mode, 6)
        host = HostTime()
        job.wait_until_working()
        time.sleep(0.5)
        job.processes[-1].kill()
        job.processes[-1].wait()
        time.sleep(0.3)
        again = job.start_node(SERVERS + GROUPS - 1)
        took = job.wait_for(again)
        self.assertLess(took, 2)
        said = self.ends_well(job, killed=SERVERS + GROUPS - 1)
        print(f'{mode}: back after {took * 1000:.0f} ms; '
              + '; '.join(f'process {n}: steps, longest, missed, live {s}'
                          for n, s in said.items()), flush=True)
        self.assertEqual(len(said), GROUPS)
        for number, (steps, longest, missed, _live) in said.items():
            self.assertGreater(steps, 20, number)
            self.assertLess(longest, longest_ms + 1000 * host.taken(), number)
            self.assertEqual(missed, 0, number)

    @measured_again
    def test_who_is_killed_comes_back_and_others_never_pause(self):
        for mode in ('elastic', 'outer', 'async'):
            self.kill_and_come_back(mode, 500)

    @measured_again
    def test_sync_rounds_wait_for_who_is_killed_until_it_is_back(self):
        self.kill_and_come_back('sync', SYNC_PAUSE_MS)

    @measured_again
    def test_who_is_stopped_is_not_waited_for_and_takes_part_again(self):
        job = Groups('sync', 8, patience_ms=1000)
        host = HostTime()
        job.wait_until_working()
        time.sleep(0.5)
        frozen = job.processes[-1]
        frozen.send_signal(signal.SIGSTOP)
        time.sleep(3)
        frozen.send_signal(signal.SIGCONT)
        said = self.ends_well(job)
        print(f'stopped: {said}', flush=True)
        for number in range(SERVERS, SERVERS + GROUPS - 1):
            self.assertLess(said[number][1], SYNC_PAUSE_MS + 1000 * host.taken(),
                            'others went on after a second')
            self.assertEqual(said[number][2], 0)
        steps, longest, missed, _live = said[SERVERS + GROUPS - 1]
        self.assertGreater(longest, 2500)
        self.assertGreaterEqual(missed, 1)
        self.assertGreater(steps - missed, 100, 'it took part again')

    def test_servers_wait_for_a_group_that_dies_last(self):
        job = Groups('elastic', 3)
        job.wait_until_working()
        time.sleep(2.5)
        job.processes[-1].kill()
        job.processes[-1].wait()
        time.sleep(2)  # the others have ended by now
        again = job.start_node(SERVERS + GROUPS - 1)
        self.assertLess(job.wait_for(again), 2)
        said = self.ends_well(job, killed=SERVERS + GROUPS - 1)
        self.assertEqual(said[SERVERS + GROUPS][0], 0)

    def test_a_server_does_not_come_back(self):
        job = Groups('elastic', 4)
        job.wait_until_working()
        job.processes[1].kill()
        job.processes[1].wait()
        job.start_node(1)
        ends = job.finish(60)
        self.assertEqual([code for code, _, _ in ends], [3, -signal.SIGKILL, 3, 3, 3, 1])
        self.assertIn('node 1 owned rows: it cannot come back', ends[-1][2])


if __name__ == '__main__':
    EXCHANGE_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
