// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
)

// memberChange is what hide member add, role and remove print.
type memberChange struct {
	Project project.ID   `json:"project"`
	Name    string       `json:"name"`
	Role    account.Role `json:"role"` // "" after a removal
}

func roleFlag(f *flag.FlagSet) *string {
	return f.String("role", "", "`ROLE` in the project: broker, annotator or reviewer")
}

func runMemberAdd(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d, role := e.dataFlags(f), roleFlag(f)
	return e.changeMember(ctx, f, d, args, "added as "+memberRole, []string{"role"}, func(f *folder, p project.ID, name string) (memberChange, error) {
		m, err := f.projects.AddMember(ctx, operator(ctx), p, name, account.Role(*role))
		return memberChange{p, m.Name, m.Role}, err
	})
}

func runMemberRole(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d, role := e.dataFlags(f), roleFlag(f)
	return e.changeMember(ctx, f, d, args, "now "+memberRole, []string{"role"}, func(f *folder, p project.ID, name string) (memberChange, error) {
		m, err := f.member(ctx, p, name)
		if err == nil {
			m, err = f.projects.SetMember(ctx, operator(ctx), p, m.ID, account.Role(*role))
		}
		return memberChange{p, m.Name, m.Role}, err
	})
}

func runMemberRemove(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	return e.changeMember(ctx, f, e.dataFlags(f), args, "no longer a member", nil, func(f *folder, p project.ID, name string) (memberChange, error) {
		m, err := f.member(ctx, p, name)
		if err == nil {
			err = f.projects.RemoveMember(ctx, operator(ctx), p, m.ID)
		}
		return memberChange{Project: p, Name: m.Name}, err
	})
}

// memberRole is the place of the role in the words of a result.
const memberRole = "ROLE"

// changeMember is a command about one person in one project.
func (e *env) changeMember(ctx context.Context, f *flag.FlagSet, d *dataFlags, args []string, said string, required []string, change func(f *folder, p project.ID, name string) (memberChange, error)) error {
	rest, err := e.parse(f, args, 2, 2, required...)
	if err != nil {
		return err
	}
	return d.withProject(ctx, rest[0], func(f *folder, p project.Overview) error {
		c, err := change(f, p.ID, rest[1])
		if err != nil {
			return err
		}
		return e.result(c, func(w io.Writer) {
			fmt.Fprintf(w, "%s is %s in project %s\n", c.Name, strings.ReplaceAll(said, memberRole, string(c.Role)), p.Name)
		})
	})
}

// member finds a member by name.
func (f *folder) member(ctx context.Context, p project.ID, name string) (project.Member, error) {
	u, err := f.accounts.Find(name)
	if err != nil {
		return project.Member{}, withHint(err, "see: hide member list")
	}
	all, err := f.projects.Members(ctx, operator(ctx), p)
	for _, m := range all {
		if m.ID == u.ID {
			return m, nil
		}
	}
	if err == nil {
		err = withHint(fmt.Errorf("%s is not a member of project %s", u.Name, p), "see: hide member list")
	}
	return project.Member{}, err
}

func runMemberList(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	return d.withProject(ctx, rest[0], func(f *folder, p project.Overview) error {
		all, err := f.projects.Members(ctx, operator(ctx), p.ID)
		if err != nil {
			return err
		}
		return e.result(map[string]any{"project": p.ID, "members": all}, func(w io.Writer) {
			for _, m := range all {
				fmt.Fprintf(w, "%-24s %-10s %-22s since %s, by %s\n", m.Name, m.Role, m.ID, m.Since.Format("2 January 2006"), m.By)
			}
		})
	})
}
