"""tests/proc/job_test.py: the harness itself: nothing that a job prints is lost."""
import os
import stat
import tempfile
import time
import unittest

from job import Job


class JobTest(unittest.TestCase):
    def test_what_follows_the_first_line_at_once_is_not_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'fast')
            with open(program, 'w', encoding='utf-8') as script:
                script.write('#!/bin/sh\nprintf "working\\ndone\\n"\n')
            os.chmod(program, stat.S_IRWXU)
            job = Job(program, 2)
            time.sleep(0.2)  # both lines are in the pipes
            job.wait_until_working()
            for code, out, _ in job.finish(10):
                self.assertEqual(code, 0)
                self.assertEqual(out, 'done\n')


if __name__ == '__main__':
    unittest.main()
