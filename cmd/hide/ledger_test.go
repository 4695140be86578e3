// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// TestTheHeadOfADataFolderIsBesideIt is what keeps a backup of the folder, put
// back whole, from bringing back the budget of that day.
func TestTheHeadOfADataFolderIsBesideIt(t *testing.T) {
	for _, dir := range []string{"ward", "ward/", "./ward//", "x/../ward"} {
		if got := (&ledgerFlags{data: &dataFlags{dir: dir}}).storeHead(); got != "ward.budget" {
			t.Errorf("of %q it is %q", dir, got)
		}
	}
}
