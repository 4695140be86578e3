// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/store"
)

// Backup writes a backup of the whole data file, every project and account, as it
// is at this moment, while work goes on. It is as encrypted as the data is and
// worth nothing without the key. The files of releases are not in it.
func (s *Service) Backup(ctx context.Context, by account.User, w io.Writer) error {
	if err := Allow(by, account.ManagePeople); err != nil {
		return err
	}
	ev := EventBy(by, "backup", store.System)
	if err := s.store.Update(store.System, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return s.store.Backup(w)
}
