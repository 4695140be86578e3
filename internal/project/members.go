// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/store"
)

// bucketMembers is in each project's space: account id -> membership.
const bucketMembers = "members"

// membersKey is in bucketProject. Projects from before there were memberships do not have it,
// see [Service.takeInMembers].
var membersKey = []byte("members")

// People are the accounts, as far as memberships need them.
type People interface {
	All() ([]account.User, error)
	User(id string) (account.User, error)
	Find(name string) (account.User, error)
	CreateMember(by account.User, name string, role account.Role, whereto string) (account.User, string, error)
	Changed(id string) // the person's rights have changed
}

// membership is what one person may do in a project, as it is stored.
type membership struct {
	Role  account.Role `json:"role"`
	Since time.Time    `json:"since"`
	By    string       `json:"by"`
}

// memberships are those of a project, by account. They are not changed, but replaced.
type memberships map[string]membership

// Member is a person with a role in a project.
type Member struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Role     account.Role `json:"role"` // in the project
	Since    time.Time    `json:"since"`
	By       string       `json:"by"`       // name of the person who gave the role
	Admin    bool         `json:"admin"`    // may do everything, whatever the role
	Disabled bool         `json:"disabled"` // cannot sign in
}

// MemberRoles are the roles in a project, from least to most allowed.
func MemberRoles() []account.Role {
	return []account.Role{account.Annotator, account.Reviewer, account.Broker}
}

// NoProject is the error about a project that does not exist. People who are not members of
// a project get the same error, so that they cannot tell that it exists.
func NoProject(id ID) error { return NotFoundf("there is no project %s", shown(id)) }

// RoleIn is a person's role in a project. Administrators and the command line have the role
// of an administrator in every project, and the role of any other account counts for nothing
// in it. Who is not a member gets the error about a project that does not exist.
func (s *Service) RoleIn(by account.User, id ID) (account.Role, error) {
	switch {
	case by.Disabled:
		return "", forbidden("use this project")
	case by.Role == account.Admin:
		return account.Admin, nil
	}
	all, err := s.memberships(id)
	if err != nil {
		return "", err
	}
	m, ok := all[by.ID]
	if !ok {
		return "", NoProject(id)
	}
	return m.Role, nil
}

// May reports whether a person's role in a project grants p.
func (s *Service) May(by account.User, id ID, p account.Permission) bool {
	role, err := s.RoleIn(by, id)
	return err == nil && role.Can(p)
}

// memberships finds those of a project in memory or reads them.
func (s *Service) memberships(id ID) (memberships, error) {
	s.mu.Lock()
	all := s.members[id]
	s.mu.Unlock()
	if all != nil {
		return all, nil
	}
	s.membering.Lock()
	defer s.membering.Unlock()
	return s.readMembers(id)
}

// readMembers reads the memberships of a project into memory. The caller holds s.membering,
// so that nobody changes them meanwhile.
func (s *Service) readMembers(id ID) (memberships, error) {
	spaces, err := s.store.Spaces()
	if err != nil {
		return nil, err
	}
	if !validID(id) || !slices.Contains(spaces, string(id)) {
		return nil, NoProject(id)
	}
	all := memberships{}
	err = s.View(id, func(tx *store.Tx) error {
		return tx.Scan(bucketMembers, nil, func(key, raw []byte) error {
			m, err := store.DecodeJSON[membership](bucketMembers, raw)
			all[string(key)] = m
			return err
		})
	})
	if err == nil {
		s.remember(id, all)
	}
	return all, err
}

func (s *Service) remember(id ID, all memberships) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members[id] = all
}

// Members lists the people with a role in a project by name. Administrators are members only
// if they have a role of their own in it.
func (s *Service) Members(_ context.Context, by account.User, id ID) ([]Member, error) {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return nil, err
	}
	all, err := s.memberships(id)
	out := make([]Member, 0, len(all))
	for person, m := range all {
		out = append(out, s.member(person, m))
	}
	slices.SortFunc(out, func(a, b Member) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return out, err
}

func (s *Service) member(person string, m membership) Member {
	out := Member{ID: person, Name: s.PersonName(person), Role: m.Role, Since: m.Since, By: s.PersonName(m.By)}
	if s.opts.People == nil {
		return out
	}
	if u, err := s.opts.People.User(person); err == nil {
		out.Admin, out.Disabled = u.Role == account.Admin, u.Disabled
	}
	return out
}

// AddMember makes the account with this name a member. The name must be exact: a list to
// choose from would tell every broker who has an account.
func (s *Service) AddMember(ctx context.Context, by account.User, id ID, name string, role account.Role) (Member, error) {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return Member{}, err
	}
	u, err := s.find(name)
	if err != nil {
		return Member{}, err
	}
	all, err := s.memberships(id)
	if err != nil {
		return Member{}, err
	}
	if m, ok := all[u.ID]; ok {
		return Member{}, Invalidf("change the role in the list instead", "%s is already a member, with the role %s", u.Name, m.Role)
	}
	return s.SetMember(ctx, by, id, u.ID, role)
}

// find is the account with this name that can sign in.
func (s *Service) find(name string) (account.User, error) {
	if s.opts.People == nil {
		return account.User{}, errors.New("project: no accounts to find members in")
	}
	u, err := s.opts.People.Find(name)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return u, Invalidf("check the spelling, or make a new account for this person", "there is no account with the name “%s”", strings.TrimSpace(name))
	case err == nil && u.Disabled:
		return u, Invalidf("ask an administrator to enable it", "the account of %s is disabled", u.Name)
	}
	return u, err
}

// SetMember gives the person of an account a role in a project, or another one.
func (s *Service) SetMember(_ context.Context, by account.User, id ID, person string, role account.Role) (Member, error) {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return Member{}, err
	}
	if !slices.Contains(MemberRoles(), role) {
		return Member{}, Invalidf("", "the roles in a project are %s", Joined(MemberRoles()))
	}
	if s.opts.People != nil {
		if _, err := s.opts.People.User(person); err != nil {
			return Member{}, err
		}
	}
	m := membership{Role: role, Since: s.opts.Now().UTC(), By: by.ID}
	err := s.changeMembers(by, id, person, func(tx *store.Tx, all memberships) (action, detail string, err error) {
		action, detail = "add member", "role "+string(role)
		if was, ok := all[person]; ok {
			action, detail = "change member", fmt.Sprintf("role %s to %s", was.Role, role)
		}
		all[person] = m
		return action, detail, store.PutJSON(tx, bucketMembers, []byte(person), m)
	})
	return s.member(person, m), err
}

// RemoveMember takes a person's role in a project away.
func (s *Service) RemoveMember(_ context.Context, by account.User, id ID, person string) error {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return err
	}
	return s.changeMembers(by, id, person, func(tx *store.Tx, all memberships) (action, detail string, err error) {
		was, ok := all[person]
		if !ok {
			return "", "", &Error{Kind: NotFound, Message: "this person is not a member of the project", Hint: "the page with the members shows who is"}
		}
		delete(all, person)
		return "remove member", "role " + string(was.Role), tx.Delete(bucketMembers, []byte(person))
	})
}

// changeMembers makes one change with its audit row, and tells what shows the project to the
// person.
func (s *Service) changeMembers(by account.User, id ID, person string, change func(*store.Tx, memberships) (action, detail string, err error)) error {
	s.membering.Lock()
	defer s.membering.Unlock()
	old, err := s.readMembers(id)
	if err != nil {
		return err
	}
	all := maps.Clone(old)
	err = s.Transact(id, func(tx *store.Tx) error {
		action, detail, err := change(tx, all)
		if err == nil {
			err = keepsBroker(by, old, all)
		}
		if err != nil {
			return err
		}
		return tx.Audit(EventBy(by, action, id.Object("members", person), detail))
	})
	if err != nil {
		return err
	}
	s.remember(id, all)
	if s.opts.People != nil {
		s.opts.People.Changed(person)
	}
	return nil
}

// keepsBroker refuses that brokers leave a project to nobody. Administrators may do so: every
// project stays open to them.
func keepsBroker(by account.User, old, all memberships) error {
	isBroker := func(all memberships) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(all)), func(m membership) bool { return m.Role == account.Broker })
	}
	if by.Role == account.Admin || !isBroker(old) || isBroker(all) {
		return nil
	}
	return Invalidf("make somebody else a broker of it first, or ask an administrator", "the project would have no broker any more")
}

// InviteMember makes an account for a new person, with the role of an annotator or reviewer in
// the installation and in the project, and returns its one-time token.
func (s *Service) InviteMember(ctx context.Context, by account.User, id ID, name string, role account.Role) (Member, string, error) {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return Member{}, "", err
	}
	if s.opts.People == nil {
		return Member{}, "", errors.New("project: no accounts to invite people with")
	}
	u, token, err := s.opts.People.CreateMember(by, name, role, string(id))
	if err != nil {
		return Member{}, "", err
	}
	m, err := s.SetMember(ctx, by, id, u.ID, role)
	return m, token, err
}

// takeInMembers makes everybody who has an account a member of the projects from before there
// were memberships, with the role of the account, so that nobody loses anything. Accounts that
// are disabled, and administrators, are left out.
func (s *Service) takeInMembers() error {
	if s.opts.People == nil {
		return nil
	}
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.takeInMembersOf(id); err != nil {
			return fmt.Errorf("members of project %s: %w", id, err)
		}
	}
	return nil
}

func (s *Service) takeInMembersOf(id ID) error {
	old := false
	err := s.View(id, func(tx *store.Tx) error {
		_, named := tx.Get(bucketProject, infoKey)
		_, marked := tx.Get(bucketProject, membersKey)
		old = named == nil && errors.Is(marked, store.ErrNotFound)
		return nil
	})
	if err != nil || !old {
		return err
	}
	people, err := s.opts.People.All()
	if err != nil {
		return err
	}
	people = slices.DeleteFunc(people, func(u account.User) bool { return u.Disabled || !slices.Contains(MemberRoles(), u.Role) })
	ev := SystemEvent("take in members", id.Object("members"), fmt.Sprintf("%d people, with the roles of their accounts", len(people)))
	return s.Update(id, ev, func(tx *store.Tx) error {
		now := s.opts.Now().UTC()
		for _, u := range people {
			if err := store.PutJSON(tx, bucketMembers, []byte(u.ID), membership{Role: u.Role, Since: now, By: ev.Actor}); err != nil {
				return err
			}
		}
		return store.PutJSON(tx, bucketProject, membersKey, now)
	})
}

// found makes the person who creates a project its first broker. The command line has no
// account.
func (s *Service) found(tx *store.Tx, by account.User, at time.Time) error {
	err := store.PutJSON(tx, bucketProject, membersKey, at)
	if s.opts.People != nil {
		if _, none := s.opts.People.User(by.ID); none != nil {
			return err
		}
	}
	return errors.Join(err, store.PutJSON(tx, bucketMembers, []byte(by.ID), membership{Role: account.Broker, Since: at, By: by.ID}))
}
