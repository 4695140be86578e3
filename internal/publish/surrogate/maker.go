// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/publish/policy"
)

// Locale says from which lists surrogates come. The names are stored: do not change them.
type Locale string

// The locales.
const (
	En Locale = "en" // with places of the United States
	Es Locale = "es"
	Fr Locale = "fr"
	De Locale = "de"
)

// Locales lists the locales.
func Locales() []Locale { return []Locale{En, Es, Fr, De} }

const (
	usualStay = 0.5
	usualDays = 365
	mostDays  = 3650
)

// Options of surrogates.
type Options struct {
	Key    Key
	Locale Locale        // "" means En
	Repeat policy.Repeat // "" means Consistent
	Stay   float64       // the probability of Markov to keep the last one; 0 means 0.5
	// Days is the largest shift of dates, either way; 0 means 365. A small one keeps seasons,
	// and leaves fewer shifts to guess from.
	Days int
	// Weekday shifts by whole weeks: weekdays stay, but there are seven times fewer shifts.
	Weekday bool
	// States is set where surrogates replace states too. Cities and ZIP codes then lie in the
	// invented state, else in the real one.
	States bool
	Real   *Corpus // nil is an empty corpus
}

// Maker makes the surrogates of a release. It is safe for concurrent use; its patients are not.
type Maker struct{ o Options }

// New checks the options.
func New(o Options) (*Maker, error) {
	if o.Locale == "" {
		o.Locale = En
	}
	if o.Repeat == "" {
		o.Repeat = policy.Consistent
	}
	if o.Stay == 0 {
		o.Stay = usualStay
	}
	if o.Days == 0 {
		o.Days = usualDays
	}
	if o.Real == nil {
		o.Real = NewCorpus()
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("surrogates: %w", err)
	}
	return &Maker{o}, nil
}

func (o Options) check() error {
	switch {
	case o.Key == Key{}:
		return errors.New("the key is missing: make one with NewKey")
	case !slices.Contains(Locales(), o.Locale):
		return fmt.Errorf("unknown locale %q: choose one of %v", o.Locale, Locales())
	case !slices.Contains(policy.Repeats(), o.Repeat):
		return fmt.Errorf("unknown repeat policy %q: choose consistent, random or markov", o.Repeat)
	case !(o.Stay > 0 && o.Stay < 1):
		return fmt.Errorf("the probability to keep the last surrogate is %g: choose one between 0 and 1", o.Stay)
	case o.Days < 1 || o.Days > mostDays:
		return fmt.Errorf("the largest shift of dates is %d days: choose 1 to %d", o.Days, mostDays)
	case o.Weekday && o.Days < 7:
		return fmt.Errorf("the largest shift of dates is %d days: whole weeks need at least 7", o.Days)
	}
	return nil
}

// IsReal reports whether a text as a whole is a value of the corpus, whatever its case, spaces
// and punctuation. The parts of a surrogate are not, but short forms of them can be: the
// initials of an invented name are those of somebody.
func (m *Maker) IsReal(text string) bool { return m.o.Real.values[squash(text)] }
