// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"errors"
	"fmt"

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Cut is how a part is cut in two.
type Cut string

const (
	NCP     Cut = "ncp"     // where the two parts lose least, of all cuts of all attributes
	Nearest Cut = "nearest" // of the widest attribute, the allowable cut nearest to the middle
	LeFevre Cut = "lefevre" // of the widest attribute, after the median
	RxAnon  Cut = "rxanon"  // of the widest attribute: numbers before the median, others after half of their different values
)

// Cuts are all of them, the default first.
var Cuts = []Cut{NCP, Nearest, LeFevre, RxAnon}

// Options say what classes must be like and how they are found.
type Options struct {
	K          int                 // rows of a class at least, without those that are [table.Table.Absent]; 2 or more
	Cut        Cut                 // default NCP, or Nearest when Relaxed
	Relaxed    bool                // rows at the median may go to both sides; with Nearest only
	Conditions []privacy.Condition // on the sensitive values of each class
}

// ErrImpossible is wrapped when no partition can be as asked for, because the
// table as a whole is not.
var ErrImpossible = errors.New("the table cannot satisfy the requirements")

func (o *Options) check(t *table.Table) error {
	if o.Cut == "" {
		o.Cut = NCP
		if o.Relaxed {
			o.Cut = Nearest
		}
	}
	known := false
	for _, c := range Cuts {
		known = known || c == o.Cut
	}
	switch {
	case !known:
		return fmt.Errorf("unknown cut; it is one of %v", Cuts)
	case o.Relaxed && o.Cut != Nearest:
		return fmt.Errorf("relaxed partitioning is for cut %s", Nearest)
	case o.K < 2:
		return fmt.Errorf("k must be at least 2: a class of one row is that row")
	case len(t.With(table.Quasi)) == 0:
		return fmt.Errorf("%w: no attribute is a quasi-identifier", ErrImpossible)
	case o.K > t.Rows-t.Beyond:
		return fmt.Errorf("%w: k is %d and there are %d rows to count", ErrImpossible, o.K, t.Rows-t.Beyond)
	}
	return nil
}
