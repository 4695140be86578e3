// SPDX-License-Identifier: Apache-2.0

// Package strong makes releases with strong privacy: it reads a configuration and
// a table, debits the ledger, lets cube or prefixtree draw their noise, and writes
// what came of it with a manifest that says what it promises.
//
//	c, err := strong.ParseCube(config)
//	r, err := strong.PublishCube(ctx, l, c, table, epsilon, strong.Meta{Tool: version, Now: time.Now})
//	sum, err := r.Write(ctx, "release-1")
//
// Everything that can be refused is refused before the debit: configuration,
// table, domain, and size. A request that was answered before gets the same bytes
// again, times and all.
//
// What a configuration says is public: it becomes part of the manifest. It has to
// say where its domain comes from, and a column that says which rows are whose, or
// that each row is somebody of their own.
package strong
