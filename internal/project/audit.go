// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"strings"

	"hide/internal/account"
	"hide/internal/store"
)

// auditPage is how many audit rows a page shows when it does not say.
const auditPage = 100

// Audit lists the newest rows first, at most limit of them (0 means 100), older
// than the row before (0 means from the newest). An empty id lists the rows of
// every project and of the accounts.
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
