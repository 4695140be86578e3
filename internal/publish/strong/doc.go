// SPDX-License-Identifier: Apache-2.0

// Package strong makes differentially private releases. It reads a configuration and a
// table, debits the ledger, lets package cube, query or prefixtree add noise, and writes
// the release with what it promises.
//
//	c, err := strong.ParseCube(config)
//	r, err := strong.PublishCube(ctx, l, c, strong.CSV(file), epsilon, strong.Meta{Tool: version, Now: time.Now})
//	sum, err := r.Write(ctx, "release-1")
//
// Everything that can be refused is refused before the debit: configuration, table,
// domain and size. A request that was answered before gets the same bytes again,
// including times.
//
// The configuration is public: it becomes part of the manifest. It states where its
// domain comes from, and either the column that identifies people or that each row is
// another person.
package strong
