// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"path/filepath"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

// Installation is the services of the whole program over one store, with real accounts, and a
// project that its administrator has made.
type Installation struct {
	Accounts *account.Service
	Projects *services.All
	Project  project.ID
	Admin    account.User
	Session  string // of Admin

	t *testing.T
}

// Install makes one, with these notes as JSONL in its project.
func Install(t *testing.T, content string) *Installation {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	i := &Installation{t: t}
	if i.Accounts, err = account.New(st, account.Options{}); err != nil {
		t.Fatal(err)
	}
	i.Projects = openServices(t, st, project.Options{Releases: filepath.Join(dir, "releases"), Version: "test", NewRule: &project.Rule{}, People: i.Accounts, PersonName: i.name})
	token, err := i.Accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	if i.Session, i.Admin, err = i.Accounts.Redeem(token, account.Redemption{Name: "Ada"}); err != nil {
		t.Fatal(err)
	}
	i.Project = fill(t, i.Projects, i.Admin, content)
	return i
}

func (i *Installation) name(id string) string {
	name, err := i.Accounts.NameOf(id)
	if err != nil {
		i.t.Error(err)
	}
	return name
}

// Person makes an account and signs its person in.
func (i *Installation) Person(name string, role account.Role) (u account.User, session string) {
	i.t.Helper()
	_, token, err := i.Accounts.Create(i.Admin, name, role)
	if err != nil {
		i.t.Fatal(err)
	}
	if session, u, err = i.Accounts.Redeem(token, account.Redemption{}); err != nil {
		i.t.Fatal(err)
	}
	return u, session
}

// Join gives a person a role in the project.
func (i *Installation) Join(u account.User, role account.Role) {
	i.t.Helper()
	if _, err := i.Projects.SetMember(i.t.Context(), i.Admin, i.Project, u.ID, role); err != nil {
		i.t.Fatal(err)
	}
}
