#!/usr/bin/env python3
"""tests/proc/bad_input_test.py: jobs that were started wrongly: a clear error on the right side,
the right exit code, and no harm to the others.

  bad_input_test.py PATH/sum_job [unittest arguments]
"""
import os
import socket
import sys
import unittest

from job import Job

SUM_JOB = ''


class BadInputTest(unittest.TestCase):
    def assert_end(self, end, code: int, *texts: str) -> None:
        got, _, err = end
        self.assertEqual(got, code, err)
        for text in texts:
            self.assertIn(text, err)

    def test_a_port_in_use_is_named(self):
        with socket.create_server(('127.0.0.1', 0)) as taken:
            port = taken.getsockname()[1]
            job = Job(SUM_JOB, 2, '1', start=False)
            job.start_node(0, GODWIT_RENDEZVOUS=f'tcp:127.0.0.1:{port}')
            self.assert_end(job.finish(10)[0], 2, f'port {port} of 127.0.0.1 is in use')

    def test_a_rendezvous_where_nobody_is_is_named(self):
        with socket.create_server(('127.0.0.1', 0)) as was_free:
            address = f'127.0.0.1:{was_free.getsockname()[1]}'
        job = Job(SUM_JOB, 2, '1', start=False)
        job.start_node(1, '1', '4', '1', GODWIT_RENDEZVOUS=f'tcp:{address}')
        self.assert_end(job.finish(10)[0], 3, address, 'connection refused')

    def test_a_node_that_does_not_come_is_named(self):
        job = Job(SUM_JOB, 3, start=False)
        job.start_node(0, '1', '4', '2')
        job.start_node(1, '1', '4', '9')  # has more patience, so that it is not missing too
        for end in job.finish(10):
            self.assert_end(end, 1, 'node 2')

    def test_a_wrong_token_is_refused_and_the_job_goes_on(self):
        job = Job(SUM_JOB, 2, '5', start=False)
        job.start_node(0)
        intruder = job.start_node(1, '5', '4', '3', GODWIT_TOKEN='a good guess')
        intruder.wait(10)
        job.start_node(1)
        first, wrong, second = job.finish(20)
        self.assert_end(wrong, 2, 'different tokens')
        self.assert_end(first, 0)
        self.assert_end(second, 0)

    def test_the_second_of_two_nodes_with_one_rank_is_refused(self):
        job = Job(SUM_JOB, 3, '5', start=False)
        job.start_node(0)
        for _ in range(2):
            job.start_node(1)
        twins = job.processes[1:]
        while all(process.poll() is None for process in twins):
            pass
        job.start_node(2)
        ends = job.finish(20)
        self.assertEqual(sorted(code for code, _, _ in ends), [0, 0, 0, 2])
        for end in ends:
            if end[0] == 2:
                self.assert_end(end, 2, 'two processes say that they are node 1')

    def test_another_size_of_the_job_is_told(self):
        job = Job(SUM_JOB, 2, '1', start=False)
        job.start_node(0)
        job.start_node(1, '1', '4', '3', GODWIT_NODES='3')
        for end in job.finish(20):
            self.assert_end(end, 2, 'one of 3 nodes', 'one of 2')

    def test_a_table_with_another_spec_is_refused(self):
        job = Job(SUM_JOB, 2, '1', start=False)
        job.start_node(0, '1', '4')
        job.start_node(1, '1', '8')
        ends = job.finish(20)
        self.assertIn(2, [code for code, _, _ in ends])
        for code, _, err in ends:
            self.assertIn(code, (2, 3))
            self.assertIn("table 'sums'" if code == 2 else 'node', err)

    def test_variables_that_are_no_numbers_are_named(self):
        for name, value in (('GODWIT_NODE', 'one'), ('GODWIT_NODE', '2'), ('GODWIT_NODES', '-1')):
            job = Job(SUM_JOB, 2, '1', start=False)
            job.start_node(0, **{name: value})
            self.assert_end(job.finish(10)[0], 2, name, value)


if __name__ == '__main__':
    SUM_JOB = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
