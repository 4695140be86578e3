// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
)

// RestoredError says that an account is to be opened where a backup was restored, or
// in a copy, without a reason. An account that was opened after the backup was made,
// and spent, is not in it, and would be opened a second time.
type RestoredError struct{ Lineage string }

func (e *RestoredError) Error() string {
	return fmt.Sprintf("a backup was restored here, or this is a copy, so that later debits are unknown: a new budget for %q could be spent a second time, and is opened only with a reason", e.Lineage)
}

// Restored says that a backup was restored here, that this is a copy, or that an older
// copy was charged for what it has forgotten, so that accounts need a reason to be
// opened: nobody knows whom the forgotten accounts were about.
func (l *Ledger) Restored() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wasRestored()
}

func (l *Ledger) wasRestored() bool { return l.restored || l.state.restored }

// checkRestored refuses to open an account without the reason that it needs, or with
// one that would be untrue.
func (l *Ledger) checkRestored(o Opening) error {
	switch {
	case !l.wasRestored() && o.Despite != "":
		return errors.New("no backup was restored here: omit the reason")
	case !l.wasRestored():
		return nil
	case o.Despite == "":
		return &RestoredError{o.Lineage}
	}
	return checkReason(o.Despite)
}
