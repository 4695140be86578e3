// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

// town is an installation with an admin, a broker, an annotator and a disabled reviewer.
type town struct {
	*services.All
	t                        *testing.T
	people                   *account.Service
	admin, broker, ann, gone account.User
}

func newTown(t *testing.T) *town {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &town{t: t}
	if w.people, err = account.New(st, account.Options{}); err != nil {
		t.Fatal(err)
	}
	token, err := w.people.FirstRun()
	if err == nil {
		_, w.admin, err = w.people.Redeem(token, account.Redemption{Name: "Ada"})
	}
	w.must(err)
	for who, u := range map[string]*account.User{"Bea broker": &w.broker, "Ann annotator": &w.ann, "Gus reviewer": &w.gone} {
		name, role, _ := strings.Cut(who, " ")
		*u, _, err = w.people.Create(w.admin, name, account.Role(role))
		w.must(err)
	}
	w.must(w.people.Disable(w.admin, w.gone.ID))
	w.open(st)
	t.Cleanup(func() { w.must(errors.Join(w.Close(t.Context()), st.Close())) })
	return w
}

func (w *town) open(st *store.Store) {
	w.t.Helper()
	var err error
	w.All, err = services.New(st, project.Options{Releases: w.t.TempDir(), People: w.people})
	w.must(err)
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *town) wantRole(u account.User, id project.ID, want account.Role) {
	w.t.Helper()
	if got, err := w.RoleIn(u, id); got != want || (err == nil) != (want != "") {
		w.t.Errorf("%s is %q, %v; want %q", u.Name, got, err, want)
	}
}

// TestProjectsFromBeforeMembershipsTakeEverybodyIn once.
func TestProjectsFromBeforeMembershipsTakeEverybodyIn(t *testing.T) {
	w := newTown(t)
	p, err := w.Create(t.Context(), account.Operator(), "Ward 7", nil)
	w.must(err)
	w.wantRole(w.broker, p.ID, "")
	w.must(w.Store().Update(string(p.ID), func(tx *store.Tx) error {
		return errors.Join(tx.Delete("project", []byte("members")), tx.Audit(store.Event{Actor: "system", Action: "test"}))
	}))
	w.open(w.Store())
	w.wantRole(w.broker, p.ID, account.Broker)
	w.wantRole(w.ann, p.ID, account.Annotator)
	w.wantRole(account.User{ID: w.gone.ID}, p.ID, "")
	rows, err := w.Audit(t.Context(), w.broker, p.ID, 0, 1)
	if err != nil || len(rows) != 1 || rows[0].Action != "take in members" || !strings.HasPrefix(rows[0].Detail, "2 people") {
		t.Errorf("the audit trail says %v, %v", rows, err)
	}
	later, _, err := w.people.Create(w.admin, "Lea", account.Broker)
	w.must(err)
	w.must(w.RemoveMember(t.Context(), w.admin, p.ID, w.ann.ID))
	w.open(w.Store())
	w.wantRole(later, p.ID, "")
	w.wantRole(w.ann, p.ID, "")
}

// TestBrokersChooseMembers and nobody else, and keep one broker.
func TestBrokersChooseMembers(t *testing.T) {
	w := newTown(t)
	ctx := t.Context()
	p, err := w.Create(ctx, w.broker, "Ward 7", nil)
	w.must(err)
	w.wantRole(w.broker, p.ID, account.Broker)
	for name, words := range map[string]string{"Nobody": "there is no account", "Gus": "is disabled", "bea": "is already a member"} {
		if _, err := w.AddMember(ctx, w.broker, p.ID, name, account.Reviewer); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), words) {
			t.Errorf("add %s: %v", name, err)
		}
	}
	if _, err := w.AddMember(ctx, w.broker, p.ID, "ann", account.Admin); project.KindOf(err) != project.Invalid {
		t.Errorf("an admin of a project: %v", err)
	}
	_, err = w.AddMember(ctx, w.broker, p.ID, "ann", account.Reviewer)
	w.must(err)
	w.wantRole(w.ann, p.ID, account.Reviewer)
	var told []string
	defer w.people.Changes(func(id string) { told = append(told, id) })()
	for what, err := range map[string]error{
		"last broker leaves": w.RemoveMember(ctx, w.broker, p.ID, w.broker.ID),
		"last broker steps down": func() error {
			_, err := w.SetMember(ctx, w.broker, p.ID, w.broker.ID, account.Reviewer)
			return err
		}(),
	} {
		if project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := w.SetMember(ctx, w.ann, p.ID, w.ann.ID, account.Broker); project.KindOf(err) != project.Forbidden {
		t.Errorf("a reviewer becomes broker alone: %v", err)
	}
	m, token, err := w.InviteMember(ctx, w.broker, p.ID, "Rob", account.Reviewer)
	w.must(err)
	_, rob, err := w.people.Redeem(token, account.Redemption{})
	w.must(err)
	w.wantRole(rob, p.ID, account.Reviewer)
	if len(told) == 0 || told[0] != m.ID {
		t.Errorf("told of changes: %v", told)
	}
	if _, _, err := w.InviteMember(ctx, w.broker, p.ID, "Eve", account.Broker); !errors.Is(err, account.ErrInvite) {
		t.Errorf("a broker makes a broker's account: %v", err)
	}
	w.must(w.RemoveMember(ctx, w.admin, p.ID, w.broker.ID))
	w.wantRole(w.broker, p.ID, "")
}
