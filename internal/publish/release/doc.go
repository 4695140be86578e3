// SPDX-License-Identifier: Apache-2.0

// Package release writes and reads the envelope that all releases share, whatever
// they hold: a folder of files with one manifest.
//
//	manifest.json  a [Manifest]: kind, program, statement, warnings, claims, files
//	SHA256SUMS     the SHA-256 of every other file, as sha256sum writes and checks it
//	...            the files of its kind, such as notes.jsonl or table.csv
//
// [Write] writes a folder from a list of files; [Create] is for a release whose
// files are not known in advance. Either way the folder appears whole or not at
// all, and its files can be read by its owner only. [Zip] packs it. [Open] reads a
// release whose manifest hash is on record. What is claimed, the room that makes the
// release decides; package verify, which shares no code with this one, checks it.
package release
