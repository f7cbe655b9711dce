#!/usr/bin/env bash
# tests/proc/two_hosts_test.sh: a job of four nodes on two hosts, which are network namespaces with a
# cable between them: found by TCP, right sums, also when the cable is out for a while. Exits with 77
# (skipped) where no namespaces can be made.
set -euo pipefail

if (($# != 1)); then
  echo "usage: tests/proc/two_hosts_test.sh <sum_job>" >&2
  exit 2
fi
sum_job=$(realpath "$1")
a=godwit-a-$$ b=godwit-b-$$ cable=gw$$
scratch=$(mktemp -d)
cleanup() {
  for host in "$a" "$b"; do
    ip netns pids "$host" 2>/dev/null | xargs -r kill -9
    ip netns delete "$host" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap cleanup EXIT

fail() {
  echo "FAILED: $1" >&2
  exit 1
}
if ! command -v ip >/dev/null || ! ip netns add "$a" 2>/dev/null; then
  echo "skipped: needs root and ip (iproute2); run tools/setup test" >&2
  exit 77
fi
ip netns add "$b"
ip link add "${cable}a" netns "$a" type veth peer name "${cable}b" netns "$b"
ip -n "$a" address add 10.99.0.1/24 dev "${cable}a"
ip -n "$b" address add 10.99.0.2/24 dev "${cable}b"
for host in "$a" "$b"; do ip -n "$host" link set lo up; done
ip -n "$a" link set "${cable}a" up
ip -n "$b" link set "${cable}b" up

# Starts the four nodes; their output is in $scratch/<name>.<node>.
start_job() {  # name rounds
  export GODWIT_JOB=$1 GODWIT_NODES=4 GODWIT_TOKEN="for this test only"
  export GODWIT_RENDEZVOUS=tcp:10.99.0.1:7077
  pids=()
  for node in 0 1 2 3; do
    local host=$a
    if ((node >= 2)); then host=$b; fi
    GODWIT_NODE=$node ip netns exec "$host" timeout 100 "$sum_job" "$2" \
      >"$scratch/$1.$node" 2>&1 &
    pids+=($!)
  done
}
finish_job() {  # name
  for pid in "${pids[@]}"; do wait "$pid" || fail "$1: $(cat "$scratch/$1".*)"; done
  [[ $(cat "$scratch/$1".* | grep -c 'sums are right') == 4 ]] || fail "$(cat "$scratch/$1".*)"
}

start_job plain 200
finish_job plain

start_job cut 4000
deadline=$((SECONDS + 30))
until [[ $(cat "$scratch"/cut.* | grep -c working) == 4 ]]; do
  ((SECONDS < deadline)) || fail "the job did not begin: $(cat "$scratch"/cut.*)"
  sleep 0.05
done
ip -n "$a" link set "${cable}a" down
sleep 2
ip -n "$a" link set "${cable}a" up
finish_job cut
echo "two hosts: all well"
