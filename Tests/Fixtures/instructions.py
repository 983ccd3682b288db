#!/usr/bin/env python3
"""Counts the instructions of the function outside libcrypto, from what valgrind's callgrind has recorded.

usage: instructions.py --map FILE --folder FOLDER --events NUMBER [--check] [--top NUMBER]

The folder has a record of each process (Callgrind Format Specification; absolute addresses, names not abbreviated):
LOAD.short.PID and LOAD.long.PID. Each run of the benchmark has two processes: one that answers a single event, and one
that answers many. The long run answers so many events more than the short one, so their difference is the cost of
these events, without start and end.

Everything below a call of the function into libcrypto is libcrypto's, also the memory that it allocates. The linker's
map names the addresses of libcrypto's code.
"""

import argparse
import bisect
import collections
import glob
import os
import re
import sys

# The load, its name in the table and its budget: instructions outside libcrypto of one event, or of one process that
# starts, answers its first event and ends.
BUDGETS = [
    ("start", "cold start", 427_000),
    ("rs256", "rs256", 55_000),
    ("es256", "es256", 50_000),
    ("request", "request (4 KB)", 105_000),
    ("dpop", "dpop (4.6 KB)", 233_000),
    ("again", "again (cached verdict)", 41_000),
    ("rules", "rules (ten with any)", 103_000),
]


def code_of_libcrypto(path):
    """Returns whether an address belongs to libcrypto's code."""
    pattern = re.compile(r"\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s+\S*libcrypto\.a\(.*\):\(\.(?:text|init|fini)")
    ranges = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if match := pattern.match(line):
                start = int(match[1], 16)
                ranges.append((start, start + int(match[2], 16)))
    if not ranges:
        sys.exit("error: the linker's map names no code of libcrypto")
    ranges.sort()
    starts = [start for start, _ in ranges]

    def contains(address):
        index = bisect.bisect_right(starts, address) - 1
        return index >= 0 and address < ranges[index][1]

    return contains


class Record:
    """The instructions of one process."""

    def __init__(self, path, is_libcrypto):
        self.own = collections.Counter()
        self.calls = collections.Counter()
        self.inside = set()
        function = callee = target = None
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("fn="):
                    function = line[3:].strip()
                elif line.startswith("cfn="):
                    callee = line[4:].strip()
                elif line.startswith("calls="):
                    target = int(line.split()[1], 16)
                elif line.startswith("0x"):
                    address, _, count = line.split()
                    inside = is_libcrypto(int(address, 16))
                    if target is None:
                        self.own[function] += int(count)
                        if inside:
                            self.inside.add(function)
                    else:
                        self.calls[function, callee, inside, is_libcrypto(target)] += int(count)
                        target = None
        self.total = sum(self.own.values())

    def helpers(self):
        """The functions outside libcrypto's code that libcrypto alone calls, such as qsort(3)."""
        callers = collections.defaultdict(set)
        for caller, callee, inside, _ in self.calls:
            callers[callee].add((caller, inside))
        helpers = set()
        while True:
            more = {
                name for name, found in callers.items()
                if name not in self.inside and name not in helpers
                and all(inside or caller in helpers for caller, inside in found)
            }
            if not more:
                return helpers
            helpers |= more

    def libcrypto(self):
        """The instructions of libcrypto and of everything that it calls."""
        helpers = self.helpers()
        return sum(
            count for (caller, _, inside, enters), count in self.calls.items()
            if enters and not inside and caller not in helpers)


def records(folder, name, is_libcrypto):
    """The records of both processes of one run, the shorter first."""
    found = [Record(path, is_libcrypto) for path in glob.glob(os.path.join(glob.escape(folder), name + ".*"))]
    if len(found) != 2:
        sys.exit(f"error: {len(found)} records of {name} instead of 2")
    return sorted(found, key=lambda record: record.total)


def own_functions(short, long, events, count):
    """The functions outside libcrypto with the most instructions of their own, for one event."""
    cost = {
        name: (long.own[name] - short.own.get(name, 0)) / events for name in long.own if name not in long.inside
    }
    return sorted(cost.items(), key=lambda item: -item[1])[:count]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--map", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--top", type=int, default=0)
    arguments = parser.parse_args()
    is_libcrypto = code_of_libcrypto(arguments.map)

    failures = []
    print(f"{'instructions':24}{'outside libcrypto':>20}{'budget':>12}{'libcrypto':>12}")
    for load, name, budget in BUDGETS:
        source = "rs256" if load == "start" else load
        cold, short = records(arguments.folder, source + ".short", is_libcrypto)
        if load == "start":
            libcrypto, total = cold.libcrypto(), cold.total
        else:
            _, long = records(arguments.folder, source + ".long", is_libcrypto)
            libcrypto = (long.libcrypto() - short.libcrypto()) / arguments.events
            total = (long.total - short.total) / arguments.events
        figure = total - libcrypto
        print(f"{name:24}{figure:>20,.0f}{f'{budget:,}' if budget else '-':>12}{libcrypto:>12,.0f}")
        if budget and figure > budget:
            failures.append(f"{name}: {figure:,.0f} instructions, and the budget is {budget:,}")
        if arguments.top and load != "start":
            for function, cost in own_functions(short, long, arguments.events, arguments.top):
                print(f"  {cost:>10,.0f}  {function}")
    if failures and arguments.check:
        for failure in failures:
            print("error: " + failure, file=sys.stderr)
        print("hint: make instructions TOP=40 shows the functions with the most instructions", file=sys.stderr)
        sys.exit(1)


main()
