// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web/webtest"
)

func TestWordClassesAreLearntFromThePage(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	s, path := newServer(t, projects), "/p/"+string(id)+"/dictionaries"
	page := s.Get(account.Broker, path).Body.String()
	for _, want := range []string{`id="classes"`, "This project has learnt no classes.", "Learn word classes"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := s.Get(account.Annotator, path).Body.String(); strings.Contains(page, ">Learn word classes<") {
		t.Error("an annotator is offered to learn")
	}
	if w := s.Post(account.Annotator, path+"/classes", url.Values{"action": {"learn"}}); w.Code != http.StatusForbidden {
		t.Errorf("an annotator learns: status %d", w.Code)
	}
	if w := s.Post(account.Broker, path+"/classes", url.Values{"action": {"learn"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d\n%s", w.Code, w.Body)
	}
	ended := func(page string) bool {
		return strings.Contains(page, "Learn word classes again") || strings.Contains(page, "Learning failed")
	}
	for range 1000 {
		if page = s.Get(account.Broker, path).Body.String(); ended(page) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !ended(page) {
		t.Error("learning does not end")
	}
	if w := s.Post(account.Broker, path+"/classes", url.Values{"action": {"x"}}); w.Code != http.StatusUnprocessableEntity && w.Code != http.StatusBadRequest {
		t.Errorf("an unknown action: status %d", w.Code)
	}
}
