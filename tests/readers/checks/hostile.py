"""A snapshot whose names are everything that some format takes for its own: `hostile.py saved.json > hostile.json`."""
import json, sys

NAMES = [
    '</script><script>alert(1)</script>', '"; DROP TABLE x; --', "=HYPERLINK(\"http://x\")", "a;b 12", "line\nbreak\r\n",
    "{{marker.data.name}}", "]]>&amp;<svg onload=alert(1)>", "end", "a\\\"b", "`x`|{y}", "\u202egnp.exe", "\x1b[2J\x00",
]
snapshot = json.load(open(sys.argv[1]))
for index, site in enumerate(snapshot["sites"]):
    site["name"] = NAMES[index % len(NAMES)] + ("" if index < len(NAMES) else str(index))
    site["place"]["file"] = "src/<b>\"x\".rs"
    site["module"] = "m\"\\"
for node in snapshot["nodes"]:
    node["label"] = "\"}\n# EOF\n{x=\"1"
snapshot["process"]["name"] = "<b>\"server\"\n# EOF"
snapshot["producer"] = "x\"} 1\n# EOF\n"
json.dump(snapshot, sys.stdout)
