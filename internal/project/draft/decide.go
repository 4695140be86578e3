// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/store"
	"hide/internal/words"
)

// mostUndo is how many changes can be undone.
const mostUndo = 20

// Decide makes a choice for places. It plans the notes of their patients again, and is one step
// to undo. The zero choice gives the places back to the policy. A choice of a person alone
// keeps the action that was chosen before, and a choice of an action keeps the person. It is
// refused if a place may not be treated so, and if other places pass the filter than the
// person saw.
func (s *Service) Decide(ctx context.Context, by account.User, id project.ID, which Which, c transform.Choice) (Changed, error) {
	ws, l, unlock, err := s.lock(s.enterToRead(by, id))
	if err != nil {
		return Changed{}, err
	}
	defer unlock()
	places, err := s.placesOf(ctx, ws, l, which)
	if err != nil {
		return Changed{}, err
	}
	choices := make(map[transform.Place]transform.Choice, len(places))
	for _, place := range places {
		choices[place] = c
	}
	return s.decide(ctx, ws, by, l, choices)
}

// placesOf lists the places of a change.
func (s *Service) placesOf(ctx context.Context, ws *workspace, l *loaded, which Which) ([]transform.Place, error) {
	if which.Places != nil {
		draft, _, _ := strings.Cut(which.Seen, ".")
		if now, _, _ := strings.Cut(l.version(), "."); which.Seen != "" && draft != now {
			return nil, errChanged
		}
		return which.Places, nil
	}
	if which.Seen != "" && which.Seen != l.version() {
		return nil, errChanged
	}
	var out []transform.Place
	err := s.each(ctx, ws, l, which.Filter, func(note int, passing []int, _ *noteText) error {
		for _, k := range passing {
			e := l.index.notes[note][k]
			out = append(out, transform.Place{Note: l.Docs[note], Start: annotate.ByteOff(e.start), End: annotate.ByteOff(e.end)})
		}
		return nil
	})
	if err == nil && len(out) != which.Total {
		return nil, &project.Error{Kind: project.Stale, Message: fmt.Sprintf("%s pass the filter, not %d: nothing was changed", words.Count(len(out), "place", "places"), which.Total), Hint: "look at the table again and confirm the number of places that it shows"}
	}
	return out, err
}

// decide makes choices for places of the draft.
func (s *Service) decide(ctx context.Context, ws *workspace, by account.User, l *loaded, choices map[transform.Place]transform.Choice) (Changed, error) {
	if len(choices) == 0 {
		return Changed{}, project.Invalidf("choose places first", "no place is chosen")
	}
	byNote := map[annotate.DocumentID]map[transform.Place]transform.Choice{}
	for place, c := range choices {
		if byNote[place.Note] == nil {
			byNote[place.Note] = map[transform.Place]transform.Choice{}
		}
		byNote[place.Note][place] = c
	}
	changed, did, resolved := map[annotate.DocumentID][]placed{}, tally{}, l.resolved()
	for doc, of := range byNote {
		n, old, err := s.readChoices(ws.ID, l.Number, doc)
		if err != nil {
			return Changed{}, err
		}
		for place, c := range of {
			i := slices.IndexFunc(n.Decisions, func(d transform.Decision) bool { return d.Start == place.Start && d.End == place.End })
			if i < 0 {
				return Changed{}, errChanged
			}
			d := n.Decisions[i]
			if err := check(resolved, d, c); err != nil {
				return Changed{}, err
			}
			did.add(d.Label, c)
			old = choose(old, d.Places(doc), c, d.By == transform.ByRepeat)
		}
		changed[doc] = old
	}
	return s.change(ctx, ws, l, changed, len(choices), project.EventBy(by, "decide draft", l.object(ws.ID), did.words()), func(tx *store.Tx, r *record) error {
		return remember(tx, r, changed, len(choices))
	})
}

// check refuses a choice that does not fit the policy.
func check(r policy.Resolved, d transform.Decision, c transform.Choice) error {
	if c == (transform.Choice{}) {
		return nil
	}
	if err := d.CheckChoice(r, c); err != nil {
		return project.Invalidf("choose another action, or prepare the draft with another policy", "this cannot be chosen for %s: %v", d.Label, err)
	}
	return nil
}

// choose gives places a choice, or none if it is zero. repeat says that the places are unmarked
// repeats.
func choose(all []placed, places []transform.Place, c transform.Choice, repeat bool) []placed {
	all = slices.Clone(all)
	for _, p := range places {
		one := placed{p.Start, p.End, c, repeat}
		i := slices.IndexFunc(all, func(o placed) bool { return comparePlaced(o, one) == 0 })
		switch {
		case i < 0 && c != (transform.Choice{}):
			all = append(all, one)
		case i < 0:
		case c == (transform.Choice{}):
			all = slices.Delete(all, i, i+1)
		default:
			if all[i].Repeat == repeat {
				one.Choice = merged(all[i].Choice, c)
			}
			all[i] = one
		}
	}
	slices.SortFunc(all, comparePlaced)
	return all
}

// merged is a choice after another one.
func merged(old, c transform.Choice) transform.Choice {
	if c.Action == "" && c.To == "" && c.Text == "" {
		old.Person = cmp.Or(c.Person, old.Person)
		return old
	}
	c.Person = cmp.Or(c.Person, old.Person)
	return c
}

// readChoices reads what the draft knows of a note, and the choices of people for it.
func (s *Service) readChoices(id project.ID, draft uint64, doc annotate.DocumentID) (n storedNote, all []placed, err error) {
	err = s.projects.View(id, func(tx *store.Tx) (err error) {
		if n, err = store.GetJSON[storedNote](tx, bucketPlaces, placeKey(draft, doc)); errors.Is(err, store.ErrNotFound) {
			return errChanged
		}
		if err == nil {
			all, err = store.FindJSON[[]placed](tx, bucketChoices, docKey(doc))
		}
		return err
	})
	return n, all, err
}

// tally counts choices for the audit trail, without text.
type tally map[string]int

func (t tally) add(l annotate.Label, c transform.Choice) {
	what := string(c.Action)
	switch {
	case c == (transform.Choice{}):
		what = "as the policy says"
	case c.Action == "" && c.Person > 0:
		what = "another person"
	}
	t[string(l)+": "+what]++
}

func (t tally) words() string {
	var out []string
	for _, what := range slices.Sorted(maps.Keys(t)) {
		out = append(out, fmt.Sprintf("%s (%d)", what, t[what]))
	}
	return strings.Join(out, ", ")
}

// change stores choices and plans the notes of their patients again, in one transaction.
// Planning happens before it, so that nobody waits for it. The caller holds ws.deciding.
func (s *Service) change(ctx context.Context, ws *workspace, l *loaded, changed map[annotate.DocumentID][]placed, places int, ev store.Event, also func(*store.Tx, *record) error) (Changed, error) {
	if err := s.needPlanner(ctx, ws, l.record); err != nil {
		return Changed{}, err
	}
	plans, err := s.replan(ctx, ws, l, changed)
	if err != nil {
		return Changed{}, err
	}
	r := l.record
	r.Undo = slices.Clone(r.Undo)
	r.Revision++
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		if err := also(tx, &r); err != nil {
			return err
		}
		for doc, all := range changed {
			if err := putChoices(tx, doc, all); err != nil {
				return err
			}
		}
		return errors.Join(putPlans(tx, r.Number, plans), putRecord(tx, r))
	})
	if err != nil {
		return Changed{}, err
	}
	now := &loaded{r, l.index.with(plans)}
	ws.use(now)
	s.projects.Tell(ws.ID, project.TopicPublish)
	return Changed{Places: places, Patients: len(plans), Problems: problemsIn(now), Version: r.version()}, nil
}

func putChoices(tx *store.Tx, doc annotate.DocumentID, all []placed) error {
	if len(all) == 0 {
		return tx.Delete(bucketChoices, docKey(doc))
	}
	return store.PutJSON(tx, bucketChoices, docKey(doc), all)
}

// remember keeps the choices before a change, and forgets the oldest change of too many.
func remember(tx *store.Tx, r *record, changed map[annotate.DocumentID][]placed, places int) error {
	n, err := tx.Next(bucketUndo)
	for doc := range changed {
		if err != nil {
			return err
		}
		var old []placed
		if old, err = store.FindJSON[[]placed](tx, bucketChoices, docKey(doc)); err == nil {
			err = store.PutJSON(tx, bucketUndo, placeKey(n, doc), old)
		}
	}
	r.Undo = append(r.Undo, change{n, places})
	for err == nil && len(r.Undo) > mostUndo {
		err = tx.DeletePrefix(bucketUndo, store.Key(r.Undo[0].Number))
		r.Undo = slices.Delete(r.Undo, 0, 1)
	}
	return err
}

// UndoDecision undoes the last change of the draft, no matter who made it.
func (s *Service) UndoDecision(ctx context.Context, by account.User, id project.ID) (Changed, error) {
	ws, l, unlock, err := s.lock(s.enterToRead(by, id))
	if err != nil {
		return Changed{}, err
	}
	defer unlock()
	if len(l.Undo) == 0 {
		return Changed{}, project.Invalidf("", "there is no change of the draft to undo")
	}
	last := l.Undo[len(l.Undo)-1]
	was := map[annotate.DocumentID][]placed{}
	err = s.projects.View(id, func(tx *store.Tx) error {
		return tx.Scan(bucketUndo, store.Key(last.Number), func(key, raw []byte) error {
			all, err := store.DecodeJSON[[]placed](bucketUndo, raw)
			was[annotate.DocumentID(store.Number(key[len(store.Key(0)):]))] = all
			return err
		})
	})
	if err != nil {
		return Changed{}, err
	}
	ev := project.EventBy(by, "undo decision", l.object(id), words.Count(last.Places, "place", "places"))
	return s.change(ctx, ws, l, was, last.Places, ev, func(tx *store.Tx, r *record) error {
		r.Undo = r.Undo[:len(r.Undo)-1]
		return tx.DeletePrefix(bucketUndo, store.Key(last.Number))
	})
}

// replan plans the notes of the patients whose choices change.
func (s *Service) replan(ctx context.Context, ws *workspace, l *loaded, changed map[annotate.DocumentID][]placed) ([]planned, error) {
	touched := map[int]bool{}
	for doc := range changed {
		i, found := l.index.at[doc]
		if !found {
			return nil, errChanged
		}
		touched[int(l.index.patient[i])] = true
	}
	numbers := slices.Sorted(maps.Keys(touched))
	return planAll(ctx, len(numbers), func(i int) (planned, error) { return s.replanOne(ctx, ws, l, numbers[i], changed) })
}

func (s *Service) replanOne(ctx context.Context, ws *workspace, l *loaded, number int, changed map[annotate.DocumentID][]placed) (planned, error) {
	stored, err := project.GetJSON[storedPatient](s.projects, ws.ID, bucketPatients, append(store.Key(l.Number), store.Key(uint64(number))...))
	if err != nil {
		return planned{}, err
	}
	spans, choices := map[annotate.DocumentID][]transform.Span{}, map[transform.Place]transform.Choice{}
	for _, doc := range stored.Docs {
		n, all, err := s.readChoices(ws.ID, l.Number, doc)
		if err != nil {
			return planned{}, err
		}
		if fresh, there := changed[doc]; there {
			all = fresh
		}
		spans[doc] = n.Spans
		addChoices(choices, doc, n.Spans, all)
	}
	in, err := readPatient(ctx, ws, stored.Docs, spans)
	if err != nil {
		return planned{}, err
	}
	in.Choices, in.Book = choices, stored.Earlier
	return planPatient(ws.planner, number, in)
}

// needPlanner makes the planner of a draft that was read from the store.
func (s *Service) needPlanner(ctx context.Context, ws *workspace, r record) error {
	if ws.planned == r.Number {
		return nil
	}
	var corpus *surrogate.Corpus
	var key surrogate.Key
	if r.Policy.Hides() {
		corpus = surrogate.NewCorpus()
		raw, err := project.Read(s.projects, ws.ID, func(tx *store.Tx) ([]byte, error) { return tx.Get(bucketDraft, secretKey) })
		if errors.Is(err, store.ErrNotFound) {
			return project.Invalidf("prepare the draft again", "the key of the surrogates was destroyed")
		}
		if err != nil {
			return err
		}
		if key, err = surrogate.KeyOf(raw); err != nil {
			return err
		}
		if err := s.readValues(ctx, ws, r, corpus); err != nil {
			return err
		}
	}
	planner, err := newPlanner(r, key, corpus)
	if err == nil {
		ws.planner, ws.planned = planner, r.Number
	}
	return err
}

// readValues reads the real values of all notes of a draft.
func (s *Service) readValues(ctx context.Context, ws *workspace, r record, corpus *surrogate.Corpus) error {
	all := newSeen()
	for d, err := range ws.Documents(ctx, r.Docs) {
		if err != nil {
			return err
		}
		n, err := s.readNote(ws.ID, r.Number, d.ID)
		if err != nil {
			return err
		}
		all.add(d.Document, n.Spans)
	}
	all.tell(r.resolved(), corpus)
	return nil
}
