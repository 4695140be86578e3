// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/sanitize"
)

func TestWhatIsLostMostOftenComesFirstAndTogether(t *testing.T) {
	var views []project.Excerpt
	for i, text := range strings.Fields("once HIV MRI HIV MRI CT HIV MRI CT") {
		views = append(views, project.Excerpt{Text: text, Score: 1 / float64(i+1)})
	}
	var got []string
	for _, v := range sanitize.MostOften(views) {
		got = append(got, fmt.Sprint(v.Text, v.Often))
	}
	if want := "HIV3 HIV3 HIV3 MRI3 MRI3 MRI3 CT2 CT2 once1"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if views[0].Score < views[1].Score {
		t.Error("equal texts are not in their order")
	}
}
