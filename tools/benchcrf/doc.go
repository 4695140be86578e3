// SPDX-License-Identifier: Apache-2.0

// Benchcrf holds hide's CRF against CRFsuite on the same features, penalty and
// stopping rule.
//
//	go build -o "$B/hide" ./cmd/hide
//	go build -C tools -o "$B/benchcrf" ./benchcrf
//	"$B/benchcrf" --crfsuite "$B/crfsuite" --hide "$B/hide" --case train.jsonl,dev.jsonl,names
//
// For each case it lets hide write the attributes, then runs, as often as
// --rounds says, one after the other: CRFsuite as it comes, hide on one
// processor, CRFsuite with more memory of L-BFGS, hide on more processors. What a
// machine does besides changes from minute to minute, so only ratios within a
// round mean anything; their least, median and greatest are printed.
//
// docs/performance.md tells how CRFsuite is built and what the figures say.
package main
