#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DPCube as the dissertation describes it (5.3.2), in its plainest form, to hold `hide bench dp` against.

    python3 tools/reference/dpcube.py uci.data --runs 20

Half of epsilon counts each cell with Laplace noise. The noisy cells are split in two, again and again, where
the likelihood of a piecewise uniform density gains most, while that is more than a threshold. The other half
counts each block once. Nothing is merged, weighed or made consistent. The table is UCI Adult over age, sex,
income, education, marital status and race; errors are those of the three slices that the benchmark asks for,
and the sum over all cells, with 95 % intervals of the mean. It needs numpy; the noise has a seed and is for
measuring only.
"""
import argparse
import numpy as np

SHAPE = (74, 2, 2, 16, 7, 5)
SLICES = {"age, income": (0, 2), "education, income": (2, 3), "sex, marital": (1, 4)}


def cube(name):
    with open(name) as f:
        rows = [[v.strip() for v in line.split(",")] for line in f]
    rows = [r for r in rows if len(r) == 15 and "?" not in r]
    codes = [[int(r[0]) - 17 for r in rows]]
    for column in (9, 14, None, 5, 8):
        if column is None:
            codes.append([int(r[4]) - 1 for r in rows])
            continue
        number = {v: i for i, v in enumerate(sorted({r[column] for r in rows}))}
        codes.append([number[r[column]] for r in rows])
    counts = np.zeros(SHAPE)
    np.add.at(counts, tuple(codes), 1)
    return counts


def loglikelihood(count, cells):
    """count * log(density), 0 for nothing."""
    return np.where(count > 0, count * np.log(np.maximum(count, 1e-300) / cells), 0)


def best_split(block, threshold):
    """The dimension and place with the greatest gain above the threshold, or None, as when nobody seems to be there."""
    if block.sum() <= 0:
        return None
    best, where = threshold, None
    for d, n in enumerate(block.shape):
        if n < 2:
            continue
        slabs = np.maximum(block.sum(axis=tuple(a for a in range(block.ndim) if a != d)), 0)
        left, total, cells = slabs.cumsum()[:-1], slabs.sum(), block.size // n * np.arange(1, n)
        gain = loglikelihood(left, cells) + loglikelihood(total - left, block.size - cells) - loglikelihood(total, block.size)
        if gain.max() > best:
            best, where = gain.max(), (d, int(gain.argmax()) + 1)
    return where


def publish(counts, epsilon, threshold, rng):
    noisy = counts + rng.laplace(0, 2 / epsilon, SHAPE)
    out, todo = np.empty(SHAPE), [tuple(slice(0, n) for n in SHAPE)]
    while todo:
        box = todo.pop()
        split = best_split(noisy[box], threshold)
        if split is None:
            out[box] = (counts[box].sum() + rng.laplace(0, 2 / epsilon)) / counts[box].size
            continue
        d, at = split
        middle = box[d].start + at
        for half in (slice(box[d].start, middle), slice(middle, box[d].stop)):
            todo.append(box[:d] + (half,) + box[d + 1:])
    return out


def errors(published, counts):
    difference = published - counts
    line = [np.abs(difference.sum(axis=tuple(a for a in range(6) if a not in keep))).mean() for keep in SLICES.values()]
    return line + [np.abs(difference).sum()]


def main():
    parser = argparse.ArgumentParser(description="Errors of plain DPCube on UCI Adult.")
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--threshold", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    counts, rng = cube(a.file), np.random.default_rng(a.seed)
    print("epsilon", *SLICES, "sum over all cells", sep=" | ")
    for epsilon in (0.1, 0.5, 1.0):
        runs = np.array([errors(publish(counts, epsilon, a.threshold, rng), counts) for _ in range(a.runs)])
        mean, half = runs.mean(axis=0), 1.96 * runs.std(axis=0, ddof=1) / np.sqrt(a.runs)
        print(epsilon, *(f"{m:.1f} ± {h:.1f}" for m, h in zip(mean, half)), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
