// SPDX-License-Identifier: Apache-2.0

package web

import "testing"

// TestWhatTakesAFileAloneHasNoDeadline: its neighbours carry a form.
func TestWhatTakesAFileAloneHasNoDeadline(t *testing.T) {
	for path, want := range map[string]bool{
		populationUpload: true, populationUpload + "/remove": false, "/p/:project/publish/table": false,
	} {
		if streams(path) != want {
			t.Errorf("%s is without deadline: want %t", path, want)
		}
	}
}
