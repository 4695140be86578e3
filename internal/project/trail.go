// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"hide/internal/account"
	"hide/internal/store"
	"io"
	"strings"
)

// auditPage is the default number of audit rows on a page.
const auditPage = 100

// Audit lists audit rows, newest first, at most limit of them (0 means 100), older than
// the row before (0 means from the newest). An empty id lists the rows of every project
// and of the accounts.
func (s *Service) Audit(ctx context.Context, by account.User, id ID, before uint64, limit int) ([]AuditRow, error) {
	if err := Allow(by, account.ReadAudit); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = auditPage
	}
	rows, err := s.store.AuditRows(before, limit, func(r store.AuditRow) bool {
		return id == "" || r.Object == string(id) || strings.HasPrefix(r.Object, string(id)+"/")
	})
	if err != nil {
		return nil, err
	}
	out := make([]AuditRow, len(rows))
	for i, r := range rows {
		out[i] = AuditRow{Seq: r.Seq, At: r.Time, Who: s.who(r.Actor), Action: r.Action, Object: r.Object, Detail: r.Detail}
	}
	return out, nil
}

func (s *Service) who(actor string) string {
	if actor == "system" {
		return actor
	}
	return s.opts.PersonName(actor)
}

// Backup writes a backup of the whole data file at this moment, while work continues. It
// is encrypted like the data and useless without the key. It does not contain the files
// of releases.
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

// HandOut writes a stored file, numbered in its bucket. The access is recorded in the
// audit trail before the first byte is written.
func (s *Service) HandOut(id ID, bucket string, number int, ev store.Event, w io.Writer) error {
	var raw []byte
	err := s.Transact(id, func(tx *store.Tx) (err error) {
		if raw, err = tx.Get(bucket, store.Key(uint64(number))); err != nil {
			return err
		}
		return tx.Audit(ev)
	})
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
