// SPDX-License-Identifier: Apache-2.0

// Package check verifies a release with strong privacy from its files alone. It
// shares no code with what publishes, and imports the standard library only.
//
//	report, err := check.Release(fsys)
//
// It finds each changed, missing and added byte, and holds the arithmetic against
// itself: what the phases spend adds up to epsilon, their sensitivity is how many
// rows of one unit count, the scale of the noise is what it and epsilon ask for,
// the receipt says the same amount and no more than the limit, there are as many
// counts as noise was drawn for, and blocks of cells are as many cells as the
// domain has.
//
// # Caveats
//
// That noise was drawn as claimed cannot be seen in one release. Whether the debit
// is in a ledger, only who has the ledger can say.
package check
