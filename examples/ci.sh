#!/usr/bin/env bash
# Fails a build that is slower than the one before: three recordings of each, in turns, and a threshold.
#
#   examples/ci.sh [THRESHOLD]
#
# In a pipeline, build the base of the branch and the branch on one machine. Here both sides are the same build, so
# nothing is reported and the exit status is 0.
set -euo pipefail
cd "$(dirname "$0")/.."
threshold=${1:-50%}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cargo build --quiet --release --example quickstart --bin diagnose
mkdir "$dir/old" "$dir/new"
for recording in 1 2 3; do
  for side in old new; do
    target/release/examples/quickstart >/dev/null
    cp target/diagnose/quickstart.json "$dir/$side/$recording.json"
  done
done
target/release/diagnose diff "$dir/old" "$dir/new" --fail-over "$threshold" --markdown
