// SPDX-License-Identifier: Apache-2.0

package account

import "hide/internal/store"

// OpenSessions is the number of sessions that have not ended.
func (s *Service) OpenSessions() (n int, err error) {
	err = s.view(func(tx *store.Tx) error {
		now := s.now()
		return each(tx, bucketSessions, func(key []byte, r sessionRecord) error {
			r.Seen = s.seen.latest(key, r.Seen)
			if !s.seen.hasEnded(key) && r.session(key, s.idleFor).live(now) {
				n++
			}
			return nil
		})
	})
	return n, err
}
