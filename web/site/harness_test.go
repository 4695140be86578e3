// SPDX-License-Identifier: Apache-2.0

package site

import (
	"path/filepath"
	"testing"

	"hide/internal/account"
	"hide/internal/store"
	"hide/web"
	"hide/web/admin"
	"hide/web/audit"
	"hide/web/candidate"
	"hide/web/dp"
	"hide/web/draft"
	"hide/web/home"
	"hide/web/importing"
	"hide/web/links"
	"hide/web/members"
	"hide/web/model"
	"hide/web/note"
	"hide/web/release"
	"hide/web/review"
	"hide/web/sanitize"
	"hide/web/signin"
	"hide/web/tables"
	"hide/web/takeback"
	"hide/web/webhooks"
	"hide/web/webtest"
)

// pages is what all features ask. [hide/internal/project/services.All] answers it, and
// so do the fakes of these tests.
type pages interface {
	web.Projects
	home.Projects
	importing.Projects
	note.Projects
	model.Projects
	sanitize.Projects
	audit.Projects
	release.Projects
	release.Outgoing
	candidate.Projects
	draft.Projects
	links.Projects
	tables.Projects
	dp.Projects
	takeback.Projects
	members.Projects
	webhooks.Projects
	review.Sessions
	review.Readings
	review.Games
	admin.Projects
}

// unasked is for fakes that know only what their test asks: the rest panics.
type unasked struct{ pages }

// every is the list of all features over p, as [New] makes it.
func every(p pages, accounts everyAccount) []web.Feature {
	names := webtest.Accounts{}
	return []web.Feature{
		home.New(p, nil), importing.New(p, names), note.New(p, names), model.New(p), sanitize.New(p), audit.New(p),
		release.New(p, p), candidate.New(p), draft.New(p), links.New(p), tables.New(p, names), dp.New(p), takeback.New(p), members.New(p, webtest.Origin), webhooks.New(p), review.New(p, p, p, names, webtest.Origin),
		signin.New(signin.Config{Accounts: accounts, Factors: accounts, Projects: p, Origin: webtest.Origin}), admin.New(admin.Config{Accounts: accounts, Projects: p, Origin: webtest.Origin}),
	}
}

// everyAccount is what the pages about people ask.
type everyAccount interface {
	signin.Accounts
	signin.Factors
	admin.Accounts
}

// noLogin is [everyAccount] without accounts.
type noLogin struct{ everyAccount }

func (noLogin) Empty() (bool, error) { return false, nil }

func newServer(t testing.TB, p pages) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, every(p, noLogin{})...)
}

func openBrowser(t *testing.T, role account.Role, p pages) *webtest.Browser {
	t.Helper()
	return webtest.Open(t, role, p, every(p, noLogin{})...)
}

// fake has a run, bundles and a release.
type fake struct {
	*webtest.Frame
	*webtest.Published
	unasked
}

func newFake() fake {
	frame, published := webtest.MadePublished()
	return fake{Frame: frame, Published: published}
}

// TestTheseTestsHaveTheRoutesOfTheProgram compares every with [New].
func TestTheseTestsHaveTheRoutesOfTheProgram(t *testing.T) {
	projects, _ := webtest.RealProject(t, 1)
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	accounts, err := account.New(st, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Accounts: accounts, Projects: projects, PublicOrigin: webtest.Origin})
	if err != nil {
		t.Fatal(err)
	}
	got, want := newServer(t, newFake()).Routes(), s.Routes()
	if len(got) != len(want) {
		t.Fatalf("got %d routes, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.Method != w.Method || g.Path != w.Path || g.Needs != w.Needs || g.Streams != w.Streams {
			t.Errorf("route %d is %s %s, want %s %s", i, g.Method, g.Path, w.Method, w.Path)
		}
	}
}
