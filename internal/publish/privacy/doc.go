// SPDX-License-Identifier: Apache-2.0

// Package privacy says what a class of a published table must be like beside
// large: how diverse its sensitive values are (l-diversity: distinct, entropy,
// recursive) and how close their distribution is to that of the whole table
// (t-closeness).
//
// A [Model] looks at one sensitive attribute of one class, as counts by code. A
// missing value is a value like any other.
//
//	m, err := privacy.New(column, table.Diversity{L: 3, Kind: "entropy"})
//	ok := m.Holds(counts)
//
// Machanavajjhala et al., l-Diversity, TKDD 2007; Li, Li, Venkatasubramanian,
// t-Closeness, ICDE 2007.
package privacy
