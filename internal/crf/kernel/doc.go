// SPDX-License-Identifier: Apache-2.0

// Package kernel does the arithmetic of training a linear-chain conditional
// random field whose states are BIO labels: sums of rows, sum-product over one
// sequence, and the vector operations of L-BFGS.
//
//	layout := kernel.NewLayout(labels)
//	t, counts := kernel.NewTransitions[float32](layout), kernel.NewCounts(layout)
//	chain := kernel.NewChain[float32](layout)
//	logZ, ok := chain.Run(scores, t, counts)
//
// [Chain.RunAll] does many short sequences at once.
//
// There are L = 2K+1 states over K labels: O is 0, B of label k is 1+k, I of
// label k is 1+K+k. O and every B can follow any state and start a document; I
// follows only B and I of its own label. A [Layout] gives their places in the padded
// rows that all functions use.
//
// All functions exist for float32 and float64. Long sums are computed in pieces of a
// fixed length, and the pieces are added in float64. So float32 is exact enough for
// training, and every result depends only on the data. Float32 can still leave its
// range; [Chain.Run] then reports it, and the caller repeats that sequence in float64.
//
// On amd64 with AVX2 and FMA, float32 uses assembly that tools/kernelgen generates (see
// [Name]). Elsewhere, and in float64, the scalar kernels of this package run; they
// define what the assembly computes. Both agree up to rounding. Each gives the same
// bits on every machine that has it, except that Go may fuse products and sums on other
// architectures. Assembly does not yield to the scheduler, so callers split work of
// more than a few milliseconds into several calls.
//
// Nothing here allocates once its scratch has grown. Two goroutines may share a value
// only if both just read it.
package kernel
