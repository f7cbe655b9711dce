"""tests/proc/slurm_cluster.py: a private Slurm cluster on this host for the time of a test."""
import os
import shutil
import subprocess
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / 'tools' / 'slurm_one_host'


def missing_program() -> str:
    """The first program of Slurm that is not installed; '' if all are."""
    path = os.environ['PATH'] + ':/usr/sbin'
    names = ('munged', 'slurmctld', 'slurmd', 'srun', 'sbatch', 'salloc')
    return next((name for name in names if not shutil.which(name, path=path)), '')


class SlurmCluster:
    """Nodes n1, n2, ... with 4 processors each, whose files are in `dir`."""

    def __init__(self, dir: str, nodes: int):
        self.dir, self.nodes = dir, nodes

    def __enter__(self) -> 'SlurmCluster':
        subprocess.run([TOOL, 'start', self.dir, '--nodes', str(self.nodes)], check=True,
                       stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_) -> None:
        subprocess.run([TOOL, 'stop', self.dir], check=True)

    def before(self, *command: str) -> tuple[str, ...]:
        """`command` so that it means this cluster."""
        return (str(TOOL), 'run', self.dir, '--', *command)

    def variables(self) -> dict[str, str]:
        return {'SLURM_CONF': os.path.join(self.dir, 'slurm.conf')}

    def run(self, *command: str) -> str:
        return subprocess.run(self.before(*command), check=True, text=True,
                              stdout=subprocess.PIPE).stdout
