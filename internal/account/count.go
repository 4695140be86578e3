// SPDX-License-Identifier: Apache-2.0

package account

import "hide/internal/store"

// OpenSessions is the number of sessions that have not ended.
func (s *Service) OpenSessions() (n int, err error) {
	err = s.view(func(tx *store.Tx) error {
		return s.eachLive(tx, func([]byte, sessionRecord, Session) error {
			n++
			return nil
		})
	})
	return n, err
}
