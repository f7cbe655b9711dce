#!/usr/bin/env bash
# tests/proc/launchers_test.sh: real launchers start `godwit doctor --place`, a job of four nodes and
# a training; every process must find its place, two jobs at once must not meet, and nothing is left
# over. Exits with 77 (skipped) if the launcher is missing.
set -euo pipefail

if (($# != 3)); then
  echo "usage: tests/proc/launchers_test.sh <godwit> <sum_job> launch|openmpi|mpich|slurm" >&2
  exit 2
fi
godwit=$(realpath "$1") sum_job=$(realpath "$2") kind=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
slurm=$here/../../tools/slurm_one_host
scratch=$(mktemp -d)
cleanup() {
  if [[ -e $scratch/slurm ]]; then "$slurm" stop "$scratch/slurm"; fi
  rm -rf "$scratch"
}
trap cleanup EXIT
cd "$scratch"

fail() {
  echo "FAILED: $1" >&2
  exit 1
}
skip() {
  echo "skipped: $1 is not installed; run tools/setup test" >&2
  exit 77
}

case $kind in
  launch)
    run=("$godwit" launch --no-logs -n 4 --)
    run_one=("$godwit" launch --no-logs -n 1 --)
    source=GODWIT_NODE
    ;;
  openmpi)
    command -v mpirun.openmpi >/dev/null || skip "Open MPI (openmpi-bin)"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    run=(mpirun.openmpi --oversubscribe -n 4)
    run_one=(mpirun.openmpi -n 1)
    source=OMPI_COMM_WORLD_RANK
    ;;
  mpich)
    command -v mpirun.mpich >/dev/null || skip "MPICH (mpich)"
    run=(mpirun.mpich -n 4)
    run_one=(mpirun.mpich -n 1)
    source=PMI_RANK
    ;;
  slurm)
    PATH=$PATH:/usr/sbin
    for name in munged slurmctld slurmd srun; do
      command -v "$name" >/dev/null || skip "$name (slurm-wlm, munge)"
    done
    "$slurm" start "$scratch/slurm" --nodes 2 >/dev/null
    in_slurm=("$slurm" run "$scratch/slurm" --)
    run=("${in_slurm[@]}" srun -N2 -n4)
    run_one=("${in_slurm[@]}" srun -n1)
    source=SLURM_PROCID
    ;;
  *) fail "unknown launcher $kind" ;;
esac

value() {  # name file: the distinct values of a field
  sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$2" | sort -u | paste -sd' '
}

check_job() {  # file: four processes that agree on everything but their number
  local file=$1 name
  [[ $(value node "$file") == "0 1 2 3" ]] || fail "$kind: nodes $(value node "$file")"
  [[ $(value nodes "$file") == 4 ]] || fail "$kind: sizes $(value nodes "$file")"
  [[ $(value source "$file") == "$source" ]] || fail "$kind: source $(value source "$file")"
  [[ $(value local "$file") == true ]] || fail "$kind: not local"
  [[ $(value rendezvous "$file") == unix:/*/rendezvous ]] ||
    fail "$kind: meets at $(value rendezvous "$file")"
  for name in job rendezvous token; do
    [[ $(value "$name" "$file" | wc -w) == $((1 + (${#name} == 5))) ]] ||
      fail "$kind: processes differ in $name: $(value "$name" "$file")"
  done
}

# Open MPI has a folder of its own for each job: two of its launchers that make the same one at the
# same moment fail.
run_apart() {  # name command...
  mkdir "$scratch/mpi_$1"
  OMPI_MCA_orte_tmpdir_base=$scratch/mpi_$1 timeout 100 "${run[@]}" "${@:2}"
}

# Two jobs that are alive at the same time: each process waits for a file made when all are there.
probe='"$0" doctor --place >>"$1.$$"; until [ -e go ]; do sleep 0.05; done'
run_apart a sh -c "$probe" "$godwit" "$scratch/a" &
first=$!
run_apart b sh -c "$probe" "$godwit" "$scratch/b" &
second=$!
deadline=$((SECONDS + 40))
until [[ $(cat a.* b.* 2>/dev/null | wc -l) == 8 ]]; do
  ((SECONDS < deadline)) || fail "$kind: not all processes started: $(cat a.* b.* 2>/dev/null)"
  sleep 0.05
done
touch go
wait "$first" || fail "$kind: the first job failed"
wait "$second" || fail "$kind: the second job failed"
cat a.* >first
cat b.* >second
check_job first
check_job second
[[ $(value job first) != "$(value job second)" ]] || fail "$kind: two jobs have one name"
[[ $(value rendezvous first) != "$(value rendezvous second)" ]] || fail "$kind: two jobs meet"

# Two jobs at once that work.
mkdir tmp
sums() {  # file
  TMPDIR=$scratch/tmp run_apart "$1" "$sum_job" 100 >"$1" 2>&1
}
sums sums_a &
first=$!
sums sums_b || fail "$kind: the second job of sums: $(cat sums_b)"
wait "$first" || fail "$kind: the first job of sums: $(cat sums_a)"
for file in sums_a sums_b; do
  [[ $(grep -c 'sums are right' "$file") == 4 ]] || fail "$kind: sums: $(cat "$file")"
done
left=$(find tmp /tmp -maxdepth 1 -name "godwit-$EUID-$(value job first)*")
[[ -z $left$(find tmp -name 'godwit*') ]] || fail "$kind: left over: $left $(ls tmp)"

# The same command trains, whoever starts it.
data=generated:lowrank,rows=300,columns=200,ratings=20000,held_out=2000
timeout 100 "${run[@]}" "$godwit" train mf --data "$data" --epochs 3 --workers 1 --quiet \
  --run trained >train 2>&1 || fail "$kind: training: $(cat train)"
[[ $(value nodes trained/metrics.jsonl) == 4 ]] ||
  fail "$kind: trained by $(value nodes trained/metrics.jsonl) nodes"
[[ -s trained/report.html ]] || fail "$kind: no report"

# Contradicting variables are refused, by name; godwit launch makes its nodes forget them.
if RANK=9 WORLD_SIZE=10 "${run[@]}" "$godwit" doctor --place >out 2>err; then
  [[ $kind == launch ]] || fail "$kind: RANK=9 beside $source was accepted"
else
  grep -q "RANK=9 WORLD_SIZE=10 and $source=" err || fail "$kind: names both: $(cat err)"
fi
# A launcher inside of another is its own.
"${run_one[@]}" "$godwit" launch --no-logs -n 2 -- "$godwit" doctor --place >nested
[[ $(value node nested) == "0 1" && $(value source nested) == GODWIT_NODE ]] ||
  fail "$kind: launch inside of it: $(cat nested)"

if [[ $kind == slurm ]]; then
  "${in_slurm[@]}" sbatch -W -n2 -o "$scratch/batch" --wrap "'$godwit' doctor --place" >/dev/null
  [[ $(value source batch) == alone ]] || fail "slurm: a batch script is alone: $(cat batch)"
  "$slurm" stop "$scratch/slurm"
  "$slurm" stop "$scratch/slurm"  # twice is well
fi
echo "$kind: all well"
