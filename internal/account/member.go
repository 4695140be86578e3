// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
)

// ErrInvite is returned by CreateMember for people and roles that it is not for.
var ErrInvite = errors.New("only brokers and administrators make accounts for a project, and only for annotators and reviewers: ask an administrator")

// CreateMember makes an account of an annotator or reviewer for a project, and a token like
// that of [Service.Create]. Brokers may do this, and admins. It fails with ErrInvite, ErrName
// or ErrNameTaken. whereto names the project in the audit row.
func (s *Service) CreateMember(by User, name string, role Role, whereto string) (User, string, error) {
	if role != Annotator && role != Reviewer {
		return User{}, "", ErrInvite
	}
	return s.create(by, name, role, creation{may: mayInvite, detail: ", for project " + whereto})
}

// All lists the accounts for the program itself: it checks no permission.
func (s *Service) All() ([]User, error) {
	all, err := s.List(Operator())
	users := make([]User, len(all))
	for i, a := range all {
		users[i] = a.User
	}
	return users, err
}
