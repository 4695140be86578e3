// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
)

// runNameLimit is how long a run's name may be, in characters.
const runNameLimit = 40

// NameRun names a run, or removes the name with "". Names need not be unique. The audit
// trail records that it was named, but not the name, because people can write anything
// into it.
func (s *Service) NameRun(ctx context.Context, by account.User, id project.ID, number int, name string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	name = strings.TrimSpace(name)
	if !project.FitsName(name, runNameLimit) {
		return project.Invalidf("choose another name", "a run's name has at most %d visible characters", runNameLimit)
	}
	err := s.projects.Update(id, project.EventBy(by, "name run", id.Object("runs", number)), func(tx *store.Tx) error {
		key := store.Key(uint64(number))
		r, err := store.GetJSON[Run](tx, bucketRuns, key)
		if err != nil {
			return err
		}
		r.Name = name
		return store.PutJSON(tx, bucketRuns, key, r)
	})
	if errors.Is(err, store.ErrNotFound) {
		return noRun(id, number)
	}
	if err == nil {
		s.tellRuns(id)
	}
	return err
}
