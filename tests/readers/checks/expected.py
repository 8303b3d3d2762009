"""The sums of a saved snapshot, from its JSON alone: `expected.py saved.json > expected.json`."""
import json, sys

snapshot = json.load(open(sys.argv[1]))
nodes, sites = snapshot["nodes"], snapshot["sites"]
roots = [node for node in nodes if node["parent"] is None]
functions = [node for node in nodes if sites[node["site"]]["kind"] != "await"]
busy = sum(root["busy_ns"] for root in roots) - sum(node["nested_ns"] for node in nodes)
below = [0] * len(nodes)
for node in nodes:
    if node["parent"] is not None:
        below[node["parent"]] += node["busy_ns"]
self_busy = {}
for index, node in enumerate(nodes):
    own = max(node["busy_ns"] - node["nested_ns"] - below[index], 0)
    self_busy[node["site"]] = self_busy.get(node["site"], 0) + own
# A task's wall time: its busy time, and its waits as they were charged to its paths, if those are more than its idle time.
charged = {}
for index, node in enumerate(nodes):
    node["root"] = index if node["parent"] is None else nodes[node["parent"]]["root"]
    charged[node["root"]] = charged.get(node["root"], 0) + node["wall_ns"]
idle = sum(max(nodes[root]["idle_ns"], waits + nodes[root]["queued_ns"]) for root, waits in charged.items())
top = max(self_busy, key=self_busy.get)
queued = sum(node.get("queued_ns", 0) for node in nodes)
states = [name for name, ns in [("busy", busy), ("queued", queued), ("waiting", idle)] if ns > 0]
print(json.dumps({
    "busy": busy,
    "wall": busy + idle,
    "idle": sum(node["self_idle_ns"] for node in nodes),
    "queued": queued,
    "states": " ".join(states),
    "polls": sum(node["polls"] for node in functions),
    "calls": sum(node["calls"] for node in functions),
    "cancelled": sum(node["cancelled"] for node in functions),
    "top_name": sites[top]["name"],
    "top_busy": self_busy[top],
}))
