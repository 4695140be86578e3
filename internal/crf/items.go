// SPDX-License-Identifier: Apache-2.0

package crf

import "hide/internal/crf/kernel"

// items are the tables of a dataset whose items name single numbers, for the kernel.
type items struct {
	narrow, direct, narrowOf, directOf, termsOf kernel.Lists
}

func itemsOf(d *dataset) items {
	return items{
		narrow: d.narrow.lists(), direct: d.direct.lists(),
		narrowOf: d.narrowOf.lists(), directOf: d.directOf.lists(),
		termsOf: kernel.NewLists(d.termsOf.start, d.termsOf.index),
	}
}
