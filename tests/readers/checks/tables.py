"""Metrics by prometheus_client, the table by the csv module: `tables.py expected.json STEM`."""
import csv, json, sys
from importlib.metadata import version
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
from row import finish, row

expected, stem = json.load(open(sys.argv[1])), sys.argv[2]
results = []
for reader, extension, parse in [("prometheus_client, OpenMetrics", "om", open_metrics), ("prometheus_client, text", "prom", prometheus)]:
    families = list(parse(open(f"{stem}.{extension}", newline="").read()))
    totals, counts = {}, []
    for family in families:
        for sample in family.samples:
            totals[sample.name] = totals.get(sample.name, 0) + sample.value
        if family.type == "histogram":
            ends = [s.value for s in family.samples if s.labels.get("le") == "+Inf"]
            counts.append(sum(ends) - sum(s.value for s in family.samples if s.name.endswith("_count")))
    package = version("prometheus-client")
    for name, unit in [("busy", "seconds"), ("idle", "seconds"), ("queued", "seconds"), ("polls", ""), ("calls", ""), ("cancelled", "")]:
        metric = {"cancelled": "cancelled_calls"}.get(name, name) + (f"_{unit}" if unit else "")
        scale = 1e9 if unit else 1
        results.append(row(reader, package, f"Σ diagnose_{metric}_total", expected[name] / scale, float(totals.get(f"diagnose_{metric}_total", 0))))
    results.append(row(reader, package, "buckets up to +Inf − counts", 0.0, float(sum(counts))))

rows = list(csv.DictReader(open(f"{stem}.csv", newline=""), strict=True))
python = f"Python {sys.version.split()[0]}"
for column, name in [("self_busy_ns", "busy"), ("self_idle_ns", "idle")]:
    results.append(row("csv", python, f"Σ {column}", expected[name], sum(int(line[column]) for line in rows)))
calls = sum(int(line["calls"]) for line in rows if line["kind"] != "await")
results.append(row("csv", python, "Σ calls of functions", expected["calls"], calls))
formulas = [line for line in rows for cell in line.values() if cell[:1] in ("=", "+", "-", "@")]
results.append(row("csv", python, "cells that begin a formula", 0, len(formulas)))
finish(results)
