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
// follows only B and I of its own label. A [Layout] says where they stand in the
// padded rows that all functions work on.
//
// Everything is written for float32 and float64. Sums that could grow long are
// made in pieces of a fixed length that are added up in float64, so that float32
// is exact enough to train with and every result depends on the data only. The
// numbers of float32 can leave its range all the same; [Chain.Run] then says so,
// and the caller does that sequence again in float64.
//
// On amd64 with AVX2 and FMA float32 is computed by assembly that tools/kernelgen
// writes ([Name] tells); elsewhere, and in float64, by the scalar kernels in this
// package, which say what the assembly does. Both are the same to rounding. Each
// gives the same bits on every machine that has it, save that Go may fuse products
// and sums on other architectures. Assembly does not yield to the scheduler, so a
// caller cuts what would take more than some milliseconds into several calls.
//
// Nothing here allocates once its scratch has grown, and nothing is safe for use
// by two goroutines except what is only read.
package kernel
