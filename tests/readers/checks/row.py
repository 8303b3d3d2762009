"""A line of the table: reader, version, what was read, what the snapshot says, what the reader says."""
import sys

def row(reader, version, what, expected, read):
    is_equal = expected == read
    if isinstance(expected, float) or isinstance(read, float):
        is_equal = abs(expected - read) <= 1e-9 * max(abs(expected), abs(read), 1.0)
        expected, read = (f"{value:.9f}".rstrip("0").rstrip(".") for value in (expected, read))
    print(reader, version, what, expected, read, "ok" if is_equal else "DIFFERS", sep="\t")
    return is_equal

def finish(results):
    sys.exit(0 if all(results) and results else 1)
