// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"errors"
	"slices"

	"hide/internal/project"
	"hide/internal/store"
)

// Purge deletes the audits that show one of the removed notes, and those of deleted
// bundles. Releases keep the results of their audits. It returns how many it deleted.
func (s *Service) Purge(tx *store.Tx, r project.Removal, bundles map[int]bool) (n int, err error) {
	all, err := store.ListJSON[Audit](tx, bucketAudits)
	for _, a := range all {
		shows := slices.ContainsFunc(a.Notes, func(n Note) bool { return r.Docs[n.Document] })
		if err != nil || !shows && !bundles[a.Bundle] {
			continue
		}
		n++
		err = errors.Join(tx.Delete(bucketAudits, store.Key(uint64(a.Number))), dropParts(tx, a.Number))
	}
	return n, err
}

// dropParts deletes the texts, places and readings of an audit.
func dropParts(tx *store.Tx, number int) (err error) {
	for _, bucket := range []string{bucketAuditTexts, bucketAuditPlaces, bucketAuditReads} {
		err = errors.Join(err, tx.DeletePrefix(bucket, store.Key(uint64(number))))
	}
	return err
}
