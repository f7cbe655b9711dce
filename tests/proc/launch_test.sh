#!/usr/bin/env bash
# tests/proc/launch_test.sh: `godwit launch` as a user meets it: exit codes, interrupts, and that
# nothing is left when it is killed. Prints the name of each check that fails.
set -uo pipefail

if (($# != 1)); then
  echo "usage: tests/proc/launch_test.sh <godwit>" >&2
  exit 2
fi
godwit=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir tmp
export TMPDIR=$scratch/tmp
failures=0

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

wait_until() {  # command...: at most 20 s
  local deadline=$((SECONDS + 20))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

# Processes are told from all others on this host by a word of their own on their command line.
word=100.$$$RANDOM
count_is() {  # number; the pattern is written so that grep does not find itself
  [[ $(grep -lszx -- "[1]${word:1}" /proc/[0-9]*/cmdline | wc -l) == "$1" ]]
}
nothing_left() {
  count_is 0 && [[ -z $(ls -A "$TMPDIR") ]]
}

expect() {  # what, exit code, command...: checks the code; the output is in out and err
  local what=$1 code=$2 got=0
  shift 2
  timeout 60 "$@" >out 2>err || got=$?
  ((got == code)) || fail "$what: exit code $got, not $code: $(cat err)"
}

# --- ends
expect "all well" 0 "$godwit" launch -n 3 -- sh -c 'echo "node $GODWIT_NODE of $GODWIT_NODES"'
diff <(sort out) <(printf '[%d] node %d of 3\n' 0 0 1 1 2 2) >/dev/null ||
  fail "tagged lines: $(cat out)"
[[ $(cat godwit-logs/*/node-1.log) == "node 1 of 3" ]] || fail "a log per node"
wait_until nothing_left || fail "nothing left after a good job"

expect "a training error" 1 "$godwit" launch --no-logs -n 3 -- \
  sh -c "if [ \$GODWIT_NODE = 1 ]; then echo why; exit 1; fi; exec sleep $word"
grep -q 'node 1 exited with code 1' err && grep -qx '  why' err || fail "report: $(cat err)"
wait_until nothing_left || fail "nothing left after a failure"

expect "a lost node" 3 "$godwit" launch --no-logs -n 3 -- \
  sh -c "if [ \$GODWIT_NODE = 2 ]; then kill -9 \$\$; fi; sleep $word & wait"
grep -q 'node 2 was killed by signal 9' err || fail "report of a killed node: $(cat err)"
wait_until nothing_left || fail "nothing left after a lost node"

# --- bad usage
expect "no such command" 2 "$godwit" launch -n 2 -- no-such-command
grep -q "'no-such-command' not found" err || fail "names the command: $(cat err)"
expect "no nodes" 2 "$godwit" launch -n 0 -- true
expect "too many nodes" 2 "$godwit" launch -n 5000 -- true
expect "no command" 2 "$godwit" launch -n 2
wait_until nothing_left || fail "nothing left after bad usage"

# --- output
expect "a megabyte without a line end" 0 "$godwit" launch --log-dir logs -n 2 -- \
  sh -c 'head -c 1048576 /dev/zero | tr "\0" x'
[[ $(tr -cd x <out | wc -c) == 2097152 ]] || fail "all of the megabyte arrives"
[[ $(stat -c %s logs/node-0.log) == 1048576 ]] || fail "the log is as it was written"

got=$(timeout 60 "$godwit" launch --no-logs -n 1 -- seq 1 100000 2>err | head -n 1)
[[ $got == "[0] 1" ]] || fail "a reader that leaves early: $got"

# The token is for the nodes only: in their environment, never where `ps` shows it.
expect "the token" 0 "$godwit" launch --no-logs -n 1 -- \
  sh -c 'tr "\0" " " </proc/$PPID/cmdline; tr "\0" " " </proc/$$/cmdline; echo; echo "$GODWIT_TOKEN"'
token=$(sed -n 's/^\[0\] \([0-9a-f]\{32\}\)$/\1/p' out)
[[ -n $token ]] || fail "nodes get a token: $(cat out)"
[[ $(grep -c -- "$token" out) == 1 ]] || fail "the token is on a command line"

# --- interrupts: the launcher is its own job, as in a terminal
interrupted() {  # what, signals, script
  local what=$1 signals=$2 script=$3 pid signal code=0
  : >out
  setsid "$godwit" launch --no-logs -n 2 -- sh -c "$script" >out 2>err &
  pid=$!
  wait_until two_ready || fail "$what: nodes start: $(cat out err)"
  for signal in $signals; do
    kill "-$signal" "$pid"
    sleep 0.1
  done
  wait "$pid" || code=$?
  ((code == 130)) || fail "$what: exit code $code, not 130: $(cat err)"
  wait_until nothing_left || fail "$what: something is left"
}
two_ready() { [[ $(grep -c ready out) == 2 ]]; }

interrupted "ctrl-c" INT "trap 'echo saved; exit 0' INT; sleep $word & echo ready; wait; wait"
[[ $(grep -c saved out) == 2 ]] || fail "ctrl-c lets nodes save once: $(cat out)"
interrupted "sigterm" TERM "trap 'echo saved; exit 0' TERM; sleep $word & echo ready; wait; wait"
[[ $(grep -c saved out) == 2 ]] || fail "sigterm lets nodes save once: $(cat out)"
interrupted "twice" "INT INT" "trap '' INT TERM; echo ready; while :; do sleep 1; done"

# --- kill -9: nodes, their children and the directory of the sockets go all the same
setsid "$godwit" launch --no-logs -n 3 -- sh -c "sleep $word & sleep $word & wait" >out 2>err &
launcher=$!
wait_until count_is 6 || fail "nodes start"
disown "$launcher"  # so that the shell does not tell of its end
kill -9 "$launcher"
wait_until nothing_left || fail "something outlives a killed launcher: $(ls "$TMPDIR")"

((failures == 0)) || exit 1
echo "all well"
