// SPDX-License-Identifier: Apache-2.0

// Package shard redacts an input in n shards, on any machines and in any order, and merges
// them to one release.
//
//	files, err := shard.Find([]string{"notes/*.jsonl"})
//	job := shard.Job{Bundle: bundle, Files: files, Number: shard.Number{3, 16}, Dir: "out", ...}
//	manifest, done, err := job.Do(ctx)
//	merged, err := shard.Merge(ctx, []string{"out"}, "release", version, created)
//
// The files are sorted by name and laid end to end. Shard i of n begins at byte i·T/n of the
// T bytes. Lines of JSON are cut at the start of a line: a line belongs to the shard in which
// its first byte lies. Messages are cut at the start of a file. Nobody reads more than its own
// shard, and one line more.
//
// The outputs of the shards in order have the bytes of the output of a single shard, whatever
// n is. Each output appears whole or not at all, and its [Manifest] after it: where there is
// a manifest, the shard is done.
package shard
