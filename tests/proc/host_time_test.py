"""tests/proc/host_time_test.py: failures are forgiven only while the host was away."""
import unittest
from unittest import mock

import host_time


class HostTimeTest(unittest.TestCase):
    def runs(self, share: float, good: int) -> int:
        """How often a test is run that passes the `good`-th time."""
        count = 0

        @host_time.measured_again
        def test(_):
            nonlocal count
            count += 1
            self.assertGreaterEqual(count, good)

        with mock.patch.object(host_time.HostTime, 'share', lambda _: share):
            test(self)
        return count

    def test_who_passes_is_run_once(self):
        self.assertEqual(self.runs(share=0.5, good=1), 1)

    def test_on_a_busy_host_it_is_tried_again(self):
        self.assertEqual(self.runs(share=0.5, good=3), 3)
        with self.assertRaises(AssertionError):
            self.runs(share=0.5, good=4)

    def test_on_a_calm_one_a_failure_is_one(self):
        with self.assertRaises(AssertionError):
            self.runs(share=0.01, good=2)

    def test_time_is_counted(self):
        host = host_time.HostTime()
        with mock.patch.object(host_time, 'stolen', lambda: host._begin + 2):
            self.assertAlmostEqual(host.taken(), 2)
            self.assertGreater(host.share(), 1)
        self.assertGreaterEqual(host_time.stolen(), 0)


if __name__ == '__main__':
    unittest.main()
