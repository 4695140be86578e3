// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
	"hide/internal/store"
)

// The buckets of a project's space that this package writes. Keys begin with the number of the
// draft, except those of choices, which outlive drafts.
const (
	bucketDraft    = "draft"           // "record" -> record, "version" -> version, "key" -> key of surrogates
	bucketPlaces   = "draft-places"    // draft, document number -> storedNote
	bucketPatients = "draft-patients"  // draft, number of the patient from 0 -> storedPatient
	bucketChoices  = "draft-choices"   // document number -> []placed
	bucketUndo     = "draft-undo"      // number of the change, document number -> []placed before it
	bucketKeys     = "surrogate-keys"  // release number -> keptKey
	bucketBooks    = "surrogate-books" // release number -> []keptBook
)

var (
	recordKey  = []byte("record")
	versionKey = []byte("version")
	secretKey  = []byte("key")
)

// record is a draft without its places.
type record struct {
	Number   uint64 `json:"number"`   // from 1; every preparation has its own
	Revision int    `json:"revision"` // rises with every change
	Settings
	Labels   []annotate.Label      `json:"labels"` // those of the project, and others of known identifiers
	Docs     []annotate.DocumentID `json:"docs"`   // those of a patient beside each other
	Patients int                   `json:"patients"`
	Order    value.Order           `json:"order"` // of numeric dates in the notes
	Inputs   inputs                `json:"inputs"`
	Created  time.Time             `json:"created"`
	By       string                `json:"by"` // account
	Attack   *retrieve.Result      `json:"attack,omitempty"`
	Attacked int                   `json:"attacked"` // revision of the text that was attacked
	Undo     []change              `json:"undo,omitempty"`
}

// change is one that can be undone.
type change struct {
	Number uint64 `json:"number"`
	Places int    `json:"places"`
}

// version identifies a state of the draft.
func (r record) version() string { return fmt.Sprintf("%d.%d", r.Number, r.Revision) }

// object names the draft in the audit trail.
func (r record) object(id project.ID) string { return id.Object("draft", r.Number) }

// resolved are the rules of the policy for the labels of the draft.
func (r record) resolved() policy.Resolved { return r.Policy.Resolve(r.Labels, r.Pairs) }

// removed lists the labels whose words the policy removes or changes.
func removed(r policy.Resolved) (out []annotate.Label) {
	for _, l := range r.Labels {
		if l.Rule.Action != policy.Keep {
			out = append(out, l.Label)
		}
	}
	return out
}

// storedNote is what the draft knows of a note. It holds replacements, and no text of the note.
type storedNote struct {
	Spans     []transform.Span     `json:"spans"`
	Decisions []transform.Decision `json:"decisions"`
}

// storedPatient is what the draft knows of a patient.
type storedPatient struct {
	Group   string                `json:"group"`   // as [annotate.Document.Group] gives it
	Patient string                `json:"patient"` // key in the files; the name of the note if it names no patient
	Docs    []annotate.DocumentID `json:"docs"`
	Earlier surrogate.Book        `json:"earlier"` // of the release that this one is like
	Book    surrogate.Book        `json:"book"`
	People  []transform.Person    `json:"people"`
}

// placed is a choice with its place in a note.
type placed struct {
	Start  annotate.ByteOff `json:"start"`
	End    annotate.ByteOff `json:"end"`
	Choice transform.Choice `json:"choice"`
	Repeat bool             `json:"repeat,omitempty"` // nobody had marked or found the place
}

// addChoices adds the choices for a note with these spans. If a person kept an unmarked repeat, and
// it was marked or found since, the choice no longer counts and the policy decides.
func addChoices(to map[transform.Place]transform.Choice, doc annotate.DocumentID, spans []transform.Span, all []placed) {
	for _, one := range all {
		if one.Repeat && one.Choice.Action == policy.Keep && slices.ContainsFunc(spans, func(s transform.Span) bool { return s.Start == one.Start && s.End == one.End }) {
			continue
		}
		to[transform.Place{Note: doc, Start: one.Start, End: one.End}] = one.Choice
	}
}

func comparePlaced(a, b placed) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

func placeKey(draft uint64, doc annotate.DocumentID) []byte {
	return append(store.Key(draft), store.Key(uint64(doc))...)
}

func docKey(doc annotate.DocumentID) []byte { return store.Key(uint64(doc)) }

// putRecord stores the record with the version that readers of single notes compare.
func putRecord(tx *store.Tx, r record) error {
	return errors.Join(store.PutJSON(tx, bucketDraft, recordKey, r), tx.Put(bucketDraft, versionKey, []byte(r.version())))
}

// discard deletes a draft with all choices.
func discard(tx *store.Tx) error {
	var all error
	for _, bucket := range []string{bucketDraft, bucketPlaces, bucketPatients, bucketChoices, bucketUndo} {
		all = errors.Join(all, tx.DeletePrefix(bucket, nil))
	}
	return all
}

// dropOthers deletes what belongs to other drafts than this: the one before, and one whose
// preparation was interrupted.
func dropOthers(tx *store.Tx, draft uint64) error {
	return tx.DeleteOthers(draft, bucketPlaces, bucketPatients)
}

// loaded is the draft as memory holds it. It never changes: a change of the draft makes another.
type loaded struct {
	record
	index *index
}

// use makes a draft the one in memory, nil for none.
func (ws *workspace) use(l *loaded) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.loaded = l
}

// load gives the draft, read from the store the first time.
func (s *Service) load(ws *workspace) (*loaded, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.loaded != nil {
		return ws.loaded, nil
	}
	l := &loaded{}
	err := s.projects.View(ws.ID, func(tx *store.Tx) (err error) {
		l.record, err = store.GetJSON[record](tx, bucketDraft, recordKey)
		if errors.Is(err, store.ErrNotFound) {
			return errNone
		}
		if err != nil {
			return err
		}
		l.index = newIndex(l.Docs)
		return errors.Join(l.readNotes(tx), l.readPatients(tx))
	})
	if err != nil {
		return nil, err
	}
	ws.loaded = l
	return l, nil
}

func (l *loaded) readNotes(tx *store.Tx) error {
	return tx.Scan(bucketPlaces, store.Key(l.Number), func(key, raw []byte) error {
		n, err := store.DecodeJSON[storedNote](bucketPlaces, raw)
		if err == nil {
			l.index.set(annotate.DocumentID(store.Number(key[len(store.Key(0)):])), n)
		}
		return err
	})
}

func (l *loaded) readPatients(tx *store.Tx) error {
	return tx.Scan(bucketPatients, store.Key(l.Number), func(key, raw []byte) error {
		p, err := store.DecodeJSON[storedPatient](bucketPatients, raw)
		if err == nil {
			l.index.name(int(store.Number(key[len(store.Key(0)):])), p)
		}
		return err
	})
}
