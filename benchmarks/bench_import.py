"""`import support` against `import numpy`, each as a whole Python process, in turn; prints the ratio of medians."""

import statistics
import subprocess
import sys
import time

RUNS = 15


def seconds(statement: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - started


def main() -> None:
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(seconds("import support"))
        theirs.append(seconds("import numpy"))
    a, b = statistics.median(ours), statistics.median(theirs)
    print(
        f"import support {1000 * a:.0f} ms, import numpy {1000 * b:.0f} ms (medians of {RUNS}): ratio {a / b:.2f}"
    )


if __name__ == "__main__":
    main()
