// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"fmt"
	"hide/internal/annotate/dictionary"
	"slices"
	"sync"
)

// ownGazetteer has the program's own lists alone.
var ownGazetteer = sync.OnceValue(func() *gazetteer { return newGazetteer(dictionary.Own()) })

// gazetteer has the lists that the options ask for; nil for none.
func (o Options) gazetteer() *gazetteer {
	user := o.Dictionaries
	if o.Features&(Dictionary|Member) == 0 {
		user = nil
	}
	if o.Features&List == 0 {
		return newGazetteer(user)
	}
	return NewLists(user).gazette
}

// Lists are the program's own lists and a user's, ready to be looked up. They are
// immutable and safe for concurrent use.
type Lists struct{ gazette *gazetteer }

// NewLists adds a user's lists to the program's own. nil is fine.
func NewLists(user []dictionary.List) *Lists {
	if len(user) == 0 {
		return &Lists{ownGazetteer()}
	}
	return &Lists{newGazetteer(slices.Concat(dictionary.Own(), user))}
}

// Len is how many lists there are, the program's own first.
func (l *Lists) Len() int { return len(l.gazette.names) }

// Append adds the bytes of the lists to b: those of the program alone are one byte.
// Equal lists give equal bytes.
func (l *Lists) Append(b []byte) []byte {
	if l.gazette == ownGazetteer() {
		return append(b, 0)
	}
	to := bytes.NewBuffer(b)
	e := newEncoder(to)
	e.gazetteer(l.gazette)
	_ = e.w.Flush() // a buffer cannot fail
	return to.Bytes()
}

// DecodeLists reads what [Lists.Append] wrote, and refuses anything else, such as
// lists of another version of the program. Memory is in proportion to b.
func DecodeLists(b []byte) (*Lists, error) {
	d := &decoder{data: b}
	g := d.gazetteer()
	if d.err == nil && d.at < len(b) {
		d.fail("something follows the dictionaries")
	}
	if d.err != nil {
		return nil, d.err
	}
	if g == nil {
		return NewLists(nil), nil
	}
	own := ownGazetteer().names
	if len(g.names) <= len(own) || !slices.Equal(g.names[:len(own)], own) {
		return nil, fmt.Errorf("%w: it has other dictionaries of the program's", ErrModel)
	}
	return &Lists{g}, nil
}
