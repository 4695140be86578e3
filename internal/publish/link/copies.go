// SPDX-License-Identifier: Apache-2.0

package link

// MostCopies is how many records with equal values are compared. Of further ones [Run] gives the
// pair with the last of these only, and that one's pairs are theirs.
const MostCopies = mostCopies
