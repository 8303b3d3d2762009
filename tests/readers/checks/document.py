"""The table as a document: `document.py table.tsv > docs/readers.md`."""
import sys

HEAD = """# Readers of the reports

Each report for another program was read by that program, unmodified, and the figures that it shows were compared with the
snapshot. Sums of the snapshot are computed from its JSON by a script of twenty lines. To repeat:

```sh
tests/readers/setup FOLDER          # fetches the readers, once
tests/readers/run FOLDER --write    # checks, and writes this file
```

Inputs: `load` is `examples/quickstart` under load. `deadlock` is two tasks that acquire two locks
in opposite orders. `names` is that deadlock, with names that have a special meaning in some format.
Times without a unit are nanoseconds.
"""
WHAT = {"load": "load", "deadlock": "deadlock", "names": "names"}
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
versions = {}
for _, reader, version, *_ in rows:
    versions[reader] = version
print(HEAD)
print("| reader | version |")
print("|---|---|")
for reader, version in versions.items():
    print(f"| {reader} | {version} |")
print(f"\n{len(rows)} figures, {sum(row[-1] != 'ok' for row in rows)} of them differ.\n")
print("| input | reader | read | snapshot | reader says | |")
print("|---|---|---|---:|---:|---|")
for name, reader, _, what, expected, read, result in rows:
    cells = (WHAT[name], reader, what, expected, read, result)
    print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
