#!/usr/bin/env python3
"""Concurrent breakpoints on the programs of tests/programs/wrong: breakpoints_bench.py PREFIX [options] [PROGRAM ...]

PREFIX is where symbiosis is installed. Each program is recorded, diagnosed and patched (`symbiosis breakpoints --emit
patch`); then the source as it is and the patched one are compiled by plain gcc and clang and run. One row each, as
Markdown: how often the plain build fails, how often the patched ones do, and the mean time to the error, from the
start of the program on; and, where there is a fixed program, how often that fails with the same patch. What could not
be patched is listed with what symbiosis said.
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "programs" / "wrong"
FIXED = PROGRAMS.parent / "fixed"  # some of them, mended: the same breakpoints must find nothing


def run(command, directory, seconds):
    """Status and output; 124 if it took too long."""
    try:
        done = subprocess.run(command, cwd=directory, timeout=seconds, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, ""


class Refused(Exception):
    pass


def prepare(program, prefix, directory, seconds):
    """Records, diagnoses and patches; the number of orderings."""
    is_c = program.suffix == ".c"
    symbiosis = str(prefix / "bin" / "symbiosis")
    standard = [] if is_c else ["-std=c++20"]
    shutil.copy(program, directory / program.name)
    steps = [
        [symbiosis, "cc" if is_c else "c++", "-g", "-O1", *standard, program.name, "-o", "p", "-pthread"],
        [symbiosis, "profile", "--timeout", "3", "./p"],
        [symbiosis, "diagnose"],
        [symbiosis, "breakpoints", "--emit", "patch", "-o", "breakpoints.patch"],
    ]
    for step in steps:
        status, output = run(step, directory, seconds)
        if status != 0:
            last = (output.strip().splitlines() or ["nothing"])[-1] if status != 124 else "takes too long"
            if step[1] == "breakpoints":
                said = [line for line in output.splitlines() if line.startswith("symbiosis: ")]
                last = said[-1] if said else last
            raise Refused(f"{step[1]}, exit {status}: {last.removeprefix('symbiosis: ')}")
    shutil.copy(program, directory / f"patched{program.suffix}")
    status, output = run(["patch", f"patched{program.suffix}", "breakpoints.patch"], directory, 10)
    if status != 0:
        raise Refused(f"patch, exit {status}: {output.strip()}")
    return (directory / f"patched{program.suffix}").read_text().count("SYMBIOSIS_AWAIT(")


def compile_with(compiler, source, output, prefix, directory):
    standard = ["-std=c++20"] if source.endswith(".cpp") else []
    command = [compiler, *standard, "-O1", f"-I{prefix}/include", source, "-o", output, "-pthread"]
    status, said = run(command, directory, 120)
    if status != 0:
        raise Refused(f"{compiler} does not compile {source}: {said.strip().splitlines()[0]}")


def fails_of(program, directory, times, seconds):
    """How often it fails, and the mean time until it did."""
    failed, spent = 0, 0.0
    for _ in range(times):
        begin = time.monotonic()
        if run([program], directory, seconds)[0] != 0:
            failed += 1
            spent += time.monotonic() - begin
    return failed, spent / failed if failed else 0.0


def fails_when_fixed(program, options, directory):
    """How often the mended program fails with the same patch; None: nobody has mended it."""
    if not (FIXED / program.name).exists():
        return None
    shutil.copy(FIXED / program.name, directory / f"fixed{program.suffix}")
    status, output = run(["patch", f"fixed{program.suffix}", "breakpoints.patch"], directory, 10)
    if status != 0:
        raise Refused(f"the patch does not apply to the fixed program: {output.strip()}")
    compile_with("gcc" if program.suffix == ".c" else "g++", f"fixed{program.suffix}", "./fixed", options.prefix,
                 directory)
    return fails_of("./fixed", directory, max(1, options.times // 10), options.seconds + 5)[0]


def measure(program, options):
    """A row of the table; or why there is none."""
    with tempfile.TemporaryDirectory(prefix="symbiosis-bench-") as name:
        directory = Path(name)
        compilers = ["gcc", "clang-19"] if program.suffix == ".c" else ["g++", "clang++-19"]
        try:
            orderings = prepare(program, options.prefix, directory, 120)
            rows = []
            for compiler in compilers:
                for source, output in [(program.name, "./plain"), (f"patched{program.suffix}", "./patched")]:
                    compile_with(compiler, source, output, options.prefix, directory)
                    rows.append(fails_of(output, directory, options.times, options.seconds))
            return orderings, rows, fails_when_fixed(program, options, directory)
        except Refused as refused:
            return str(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=lambda text: Path(text).resolve(), help="where symbiosis is installed")
    parser.add_argument("programs", nargs="*", help="names in tests/programs/wrong (default: all)")
    parser.add_argument("--times", type=int, default=100, help="runs of each build (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2.0, help="a run that takes longer waits for ever")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default: %(default)s)")
    options = parser.parse_intermixed_args()
    programs = [PROGRAMS / name for name in options.programs] or sorted(PROGRAMS.glob("*.c*"))
    print("| program | orderings | plain gcc | patched gcc | plain clang | patched clang | mean time to error | fixed |")
    print("|---|---|---|---|---|---|---|---|")
    refusals = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for program, result in zip(programs, pool.map(lambda each: measure(each, options), programs)):
            if isinstance(result, str):
                refusals.append(f"- `{program.name}`: {result}")
                continue
            orderings, rows, fixed = result
            cells = [f"{failed}/{options.times}" for failed, _ in rows]
            mean = max(rows[1][1], rows[3][1])
            print(f"| `{program.name}` | {orderings} | " + " | ".join(cells) + f" | {mean:.3f} s |"
                  + (f" {fixed}/{max(1, options.times // 10)} |" if fixed is not None else " – |"), flush=True)
    print("\nNot patched:\n" + "\n".join(refusals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
