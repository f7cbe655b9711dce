"""tests/proc/host_time.py: what the host of a virtual machine took from it while a test measured.

A virtual processor that is not run makes every step longer, by up to seconds on a busy host. That
is no fault of what is tested: pauses may be longer by it, and what fails is measured again.
"""
import functools
import os

TRIES = 3
SHARE_MAX = 0.03  # of all processors' time: more than that, and a failure says nothing


def stolen() -> float:
    """Seconds since the machine began, over all processors; 0 where nobody counts them."""
    with open('/proc/stat', encoding='ascii') as stat:
        fields = stat.readline().split()
    return int(fields[8]) / os.sysconf('SC_CLK_TCK') if len(fields) > 8 else 0.0


class HostTime:
    """Counts from when it is made."""

    def __init__(self):
        self._begin = stolen()
        self._at = os.times().elapsed

    def taken(self) -> float:
        return stolen() - self._begin

    def share(self) -> float:
        elapsed = max(os.times().elapsed - self._at, 1e-3)
        return self.taken() / (elapsed * (os.cpu_count() or 1))


def measured_again(test):
    """A test that fails while the host was away is tried again."""
    @functools.wraps(test)
    def tried(self):
        for left in reversed(range(TRIES)):
            host = HostTime()
            try:
                return test(self)
            except AssertionError as failure:
                if left == 0 or host.share() < SHARE_MAX:
                    raise
                self.doCleanups()
                self.setUp()
                print(f'the host took {100 * host.share():.0f} % of the time: tried again after '
                      f'{failure}', flush=True)
        return None
    return tried
