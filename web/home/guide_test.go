// SPDX-License-Identifier: Apache-2.0

package home_test

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/demo"
	"hide/web/home"
	"hide/web/webtest"
)

// made is a demo that is complete.
type made struct{}

func (made) Tour() demo.Tour { return demo.Tour{Work: "p1", Example: "p2"} }

func TestTheGuideOfADemoShowsWhatThePersonMayDo(t *testing.T) {
	f := &fakeWaiting{Frame: webtest.NewFrame()}
	s := webtest.New(t, f, home.New(f, made{}))
	steps := []string{"Tag a note", "Sanitize the notes", "Publish the notes", "Three steps to a release"}
	for role, may := range map[account.Role]int{account.Broker: 4, account.Annotator: 1, account.Reviewer: 0} {
		body := s.Get(role, "/").Body.String()
		for i, step := range steps {
			if strings.Contains(body, step) != (i < may) {
				t.Errorf("%s: %q", role, step)
			}
		}
		if !strings.Contains(body, "Finished example") {
			t.Errorf("%s is not shown the example", role)
		}
	}
}
