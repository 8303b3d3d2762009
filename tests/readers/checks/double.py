"""A saved snapshot with twice the times: `double.py saved.json > double.json`."""
import json, sys

snapshot = json.load(open(sys.argv[1]))
for node in snapshot["nodes"]:
    for key in ["busy_ns", "nested_ns", "idle_ns", "self_idle_ns", "queued_ns", "wall_ns"]:
        if key in node:
            node[key] *= 2
print(json.dumps(snapshot))
