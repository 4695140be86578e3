// SPDX-License-Identifier: Apache-2.0

// Package auditsink copies the audit trail out of the store while a server runs: to a file, to
// a syslog server, or to both.
//
//	c, err := auditsink.New(auditsink.Options{File: "/var/log/hide/audit.jsonl"})
//	stop, err := c.Start(ctx, st)
//	c.Status()
//
// The encrypted trail in the store is the queue. Each copy has a cursor there: the number of
// the last row that has arrived. Nothing else is kept, so no plaintext waits on the disk, and
// a killed server goes on where the cursor stands. A new copy begins with the first row of
// the trail.
//
// # Guarantee
//
// Each row arrives at least once, in order. Rows after the cursor are sent again after a
// failure or a kill, so a row may come twice: its number says so. For the file, "arrived"
// means that fsync has returned. Syslog over TLS has no acknowledgement. The program
// therefore ends the connection every few seconds and waits for the server to end it, too,
// which a server does after it has read everything. A server that does not end it within a
// minute, while the connection lives and a new one can be made, counts as one that has read
// everything. After a failure the rows of the last minute are sent again. What a server loses
// later, or without a failure that the program sees, is lost: its own queue should be on a disk.
//
// A copy delays no edit. While it is far behind, [Copies.Check] returns an error, and the
// program hands out nothing.
package auditsink
