#!/usr/bin/env python3
"""tests/proc/storm_test.py: jobs of four real processes that lease, push and pull rows at random,
while nodes are stopped for a moment now and then. Every sum must come out exactly.

  storm_test.py PATH/storm_job [unittest arguments]

STORM_SECONDS=600 goes on with new seeds for that long; STORM_SEED begins with another one.
"""
import os
import random
import signal
import sys
import time
import unittest

from job import Job

STORM_JOB = ''
# Copies of replicate_all stay for good: what is read may be a round old, so its sums are not exact.
PLACEMENTS = ['intent', 'intent', 'intent', 'intent_plain', 'static', 'relocate_only',
              'replicate_only']


def disturb(job: Job, chance: random.Random) -> None:
    """Stops nodes for a moment each, as a busy machine does."""
    for _ in range(chance.randrange(4)):
        time.sleep(chance.uniform(0, 0.2))
        process = chance.choice(job.processes)
        if process.poll() is not None:
            return
        process.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.01, 0.3))
        process.send_signal(signal.SIGCONT)


class StormTest(unittest.TestCase):
    def run_one(self, seed: int) -> None:
        chance = random.Random(seed)
        placement = chance.choice(PLACEMENTS)
        rows = chance.choice([5, 60, 500, 20000])
        ticks = chance.randrange(200, 3000)
        job = Job(STORM_JOB, 4, str(seed), str(ticks), str(rows), placement)
        job.wait_until_working()
        disturb(job, chance)
        for node, (code, out, err) in enumerate(job.finish(120)):
            said = f'seed {seed}, {ticks} ticks, {rows} rows, {placement}, node {node}: {err}'
            self.assertEqual(code, 0, said)
            self.assertIn('sums are right', out, said)

    def test_sums_are_exact(self):
        seed = int(os.environ.get('STORM_SEED', '1'))
        deadline = time.monotonic() + float(os.environ.get('STORM_SECONDS', '8'))
        count = 0
        while time.monotonic() < deadline:
            self.run_one(seed)
            seed += 1
            count += 1
        print(f'{count} jobs, all sums exact', flush=True)


if __name__ == '__main__':
    STORM_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
