#!/usr/bin/env python3
"""tests/proc/ckpt_test.py: jobs of real processes that are killed while they save.

  ckpt_test.py PATH/godwit PATH/ckpt_job [unittest arguments]
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

from job import Job

GODWIT = ''
CKPT_JOB = ''


class CkptTest(unittest.TestCase):
    def test_killed_while_saving_the_next_job_goes_on(self):
        rng = random.Random(1)
        with tempfile.TemporaryDirectory(prefix='godwit-ckpt-') as directory:
            last = 0
            for nodes in (2, 3, 1, 4):
                job = Job(CKPT_JOB, nodes, directory, '0')
                deadline = time.monotonic() + 20
                # At some moment after the first save of this job, whatever it does then.
                while self.latest(directory) <= last and time.monotonic() < deadline:
                    time.sleep(0.01)
                last = self.latest(directory)
                time.sleep(rng.random() * 0.3)
                job.processes[rng.randrange(nodes)].kill()
                for code, _, err in job.finish(30):
                    self.assertIn(code, (-9, 3), err)
                self.assertGreaterEqual(self.latest(directory), last)
                last = self.latest(directory)
            job = Job(CKPT_JOB, 3, directory, '2')
            for code, out, err in job.finish(30):
                self.assertEqual(code, 0, err)
                self.assertIn('sums are right', out)
                found = int(re.search(r'loaded (\d+) of', out).group(1))
                self.assertGreaterEqual(found, last)
            self.look_at(directory)

    def latest(self, directory: str) -> int:
        try:
            with open(os.path.join(directory, 'LATEST'), encoding='utf-8') as file:
                return int(file.read().strip().removeprefix('step-'))
        except FileNotFoundError:
            return 0

    def look_at(self, directory: str) -> None:
        """What the program says of the directory, damaged and not."""
        def godwit(*arguments: str) -> tuple[int, str]:
            done = subprocess.run([GODWIT, 'ckpt', *arguments, directory], text=True,
                                  capture_output=True, timeout=20, check=False)
            return done.returncode, done.stdout + done.stderr

        name = f'step-{self.latest(directory):08}'
        self.assertRegex(godwit('ls')[1], rf'{name}.*latest')
        self.assertEqual(godwit('verify')[0], 0)
        shard = os.path.join(directory, name, 'sums-00001-of-00003.safetensors')
        with open(shard, 'r+b') as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        code, said = godwit('verify')
        self.assertEqual(code, 1)
        self.assertIn('sums-00001-of-00003.safetensors', said)
        job = Job(CKPT_JOB, 2, directory, '1')
        for code, out, err in job.finish(30):
            self.assertEqual(code, 0, err)
            self.assertIn(f'loaded {self.latest(directory) - 1} ', out)
        self.assertEqual(godwit('prune', '--keep', '1')[0], 0)
        self.assertEqual(len(os.listdir(directory)), 2)


if __name__ == '__main__':
    GODWIT = os.path.abspath(sys.argv.pop(1))
    CKPT_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
