#!/usr/bin/env bash
# Fails a build that is slower than the one before: three recordings of each, in turns, and a threshold.
#
#   examples/ci.sh
#
# In a pipeline, build the base of the branch and the branch on one machine. Here a build is compared with itself, which
# passes, and then with one whose `parse` has twice the work, which fails. That is found in three recordings; make ten to
# find less.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cargo build --quiet --release --example ci --bin diagnose
# Many calls, each long enough to measure: a pipeline may ask for less, say 10%, where its machines are quiet.
gate() { target/release/diagnose diff "$dir/base" "$1" --fail-over 25% --markdown; }

for recording in 1 2 3; do
  target/release/examples/ci "$dir/base/$recording.json"
  target/release/examples/ci "$dir/same/$recording.json"
  target/release/examples/ci slower "$dir/slower/$recording.json"
done >/dev/null

echo "The same build:"
gate "$dir/same"
echo "A slower one:"
status=0
gate "$dir/slower" || status=$?
[ "$status" = 1 ] || { echo "the gate let a slower build pass: exit status $status" >&2; exit 1; }
