// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
	"hide/internal/store"
)

// PrepareDraft starts to prepare a draft: it finds the identifiers of the chosen notes, plans
// what becomes of each, and runs the attacker on the text as it would be published. The draft
// before it stays until the new one is complete.
func (s *Service) PrepareDraft(_ context.Context, by account.User, id project.ID, settings Settings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	docs, err := s.check(ws, settings)
	if err != nil {
		return err
	}
	if err := s.projects.CheckRoom(); err != nil {
		return err
	}
	if !ws.task.Claim(Status{Doing: "reading notes", Total: len(docs)}) {
		return &project.Error{Kind: project.Stale, Message: "a draft is being prepared already", Hint: "wait for it, or cancel it first"}
	}
	ws.task.Start(func(ctx context.Context) error { return s.prepare(ctx, ws, by, settings, docs) }, func(st *Status, err error) {
		st.Error = project.Failure(err, "preparing was cancelled", "preparing failed: ")
	})
	return nil
}

// preparation is the state of preparing a draft.
type preparation struct {
	*Service
	ws     *workspace
	record record
	finder *finder
	key    surrogate.Key
	books  books              // of the release that this one is like
	spans  [][]transform.Span // by note of the record
	groups []group
	corpus *surrogate.Corpus
	index  *index
	taken  map[annotate.DocumentID][]placed
}

// group is the notes of a patient, as a range of the notes of the draft.
type group struct{ from, to int }

func (s *Service) prepare(ctx context.Context, ws *workspace, by account.User, settings Settings, docs []annotate.DocumentID) error {
	ws.settled()
	p := &preparation{Service: s, ws: ws, record: record{Settings: settings, Docs: docs, Created: s.projects.Now().UTC(), By: by.ID}}
	if err := p.begin(by); err != nil {
		return err
	}
	err := p.run(ctx, by)
	if err != nil { // what is left over does no harm, and the next preparation deletes it
		object := p.record.object(ws.ID)
		return errors.Join(err, s.projects.Update(ws.ID, project.EventBy(by, "drop unfinished draft", object), func(tx *store.Tx) error {
			now, err := store.FindJSON[record](tx, bucketDraft, recordKey)
			return errors.Join(err, dropOthers(tx, now.Number))
		}))
	}
	return nil
}

// begin takes a number for the draft and deletes what an interrupted preparation left.
func (p *preparation) begin(by account.User) (err error) {
	if p.finder, err = p.newFinder(p.ws, p.record.Settings); err != nil {
		return err
	}
	if err := p.takeKey(); err != nil {
		return err
	}
	if p.record.Inputs, err = p.inputsOf(p.ws, p.record.Settings, p.record.Docs); err != nil {
		return err
	}
	return p.projects.Transact(p.ws.ID, func(tx *store.Tx) error {
		now, err := store.FindJSON[record](tx, bucketDraft, recordKey)
		if err != nil {
			return err
		}
		if p.record.Number, err = tx.Next(bucketDraft); err != nil {
			return err
		}
		ev := project.EventBy(by, "prepare draft", p.record.object(p.ws.ID), p.record.Policy.ID(), p.record.Subset.Words())
		return errors.Join(dropOthers(tx, now.Number), tx.Audit(ev))
	})
}

// takeKey makes the key of the surrogates, or takes that of the release that this one is like.
func (p *preparation) takeKey() (err error) {
	if !p.record.Policy.Hides() {
		return nil
	}
	p.corpus = surrogate.NewCorpus()
	if p.record.Like == 0 {
		p.key, err = surrogate.NewKey(rand.Reader)
		return err
	}
	kept, err := p.keyOfRelease(p.ws.ID, p.record.Like)
	if err != nil {
		return err
	}
	before, err := project.GetJSON[[]keptBook](p.projects, p.ws.ID, bucketBooks, store.Key(uint64(p.record.Like)))
	if err != nil {
		return err
	}
	p.books = newBooks(before)
	p.key, err = surrogate.KeyOf(kept.Key)
	return err
}

// run prepares the places and replaces the draft of the project.
func (p *preparation) run(ctx context.Context, by account.User) error {
	if err := p.find(ctx); err != nil {
		return err
	}
	planner, err := p.planner()
	if err != nil {
		return err
	}
	if err := p.readChoices(); err != nil {
		return err
	}
	p.index = newIndex(p.record.Docs)
	if err := p.plan(ctx, by, planner); err != nil {
		return err
	}
	l := &loaded{record: p.record, index: p.index}
	p.doing("running the attacker", len(p.record.Docs))
	if l.Attack, err = p.attack(ctx, p.ws, l, func(done, total int) { p.step(done) }); err != nil {
		return err
	}
	return p.replace(by, l, planner)
}

func (p *preparation) doing(what string, total int) {
	p.ws.task.Change(func(st *Status) { st.Doing, st.Done, st.Total = what, 0, total })
}

func (p *preparation) step(done int) { p.ws.task.Change(func(st *Status) { st.Done = done }) }

// find finds the identifiers of all notes, and what the plans need to know of all of them: the
// real values, and the order in which dates are written.
func (p *preparation) find(ctx context.Context) error {
	p.doing("finding identifiers", len(p.record.Docs))
	docs := p.record.Docs
	p.record.Docs, p.spans = nil, make([][]transform.Span, 0, len(docs))
	all := newSeen()
	var together []project.StoredNote
	for n, err := range p.ws.Documents(ctx, docs) {
		if err != nil {
			return err
		}
		if len(together) > 0 && n.Group() != together[0].Group() {
			p.findIn(together, all)
			together = nil
		}
		together = append(together, n)
	}
	p.findIn(together, all)
	if len(p.groups) == 0 {
		return errChanged
	}
	p.record.Patients, p.record.Labels = len(p.groups), all.labels(p.ws.Labels().Labels())
	p.record.Order = all.tell(p.record.resolved(), p.corpus)
	return ctx.Err()
}

// findIn finds the identifiers of the notes of a patient.
func (p *preparation) findIn(notes []project.StoredNote, all *seen) {
	if len(notes) == 0 {
		return
	}
	found := p.finder.find(notes)
	for i, n := range notes {
		p.record.Docs = append(p.record.Docs, n.ID)
		all.add(n.Document, found[i])
	}
	p.groups = append(p.groups, group{len(p.spans), len(p.spans) + len(found)})
	p.spans = append(p.spans, found...)
	p.step(len(p.spans))
}

// seen are the real values of all notes.
type seen struct {
	values map[annotate.Label]map[string]int // by label of the project: how often each occurs
	known  map[realValue]bool                // of structured data and of linked records, also where no note has them
}

// realValue is a value under a label of the default set.
type realValue struct {
	label annotate.Label
	text  string
}

func newSeen() *seen {
	return &seen{values: map[annotate.Label]map[string]int{}, known: map[realValue]bool{}}
}

func (v *seen) add(d annotate.Document, spans []transform.Span) {
	for _, s := range spans {
		if v.values[s.Label] == nil {
			v.values[s.Label] = map[string]int{}
		}
		v.values[s.Label][d.Text[s.Start:s.End]]++
	}
	for _, one := range d.About() {
		v.known[realValue{one.Label, one.Value}] = true
	}
}

// labels adds to the labels of the project others that occur.
func (v *seen) labels(all []annotate.Label) []annotate.Label {
	var more []annotate.Label
	for l := range v.values {
		if !slices.Contains(all, l) {
			more = append(more, l)
		}
	}
	slices.Sort(more)
	return append(slices.Clone(all), more...)
}

// tell tells the corpus of real values, if there is one, and finds the order of numeric dates.
func (v *seen) tell(r policy.Resolved, corpus *surrogate.Corpus) value.Order {
	var dates []string
	for one := range v.known {
		if corpus != nil {
			corpus.Add(one.label, one.text)
		}
	}
	for _, l := range r.Labels {
		as := l.Treated()
		for text, n := range v.values[l.Label] {
			if corpus != nil {
				corpus.Add(as, text)
			}
			for range n {
				if as == "DATE" {
					dates = append(dates, text)
				}
			}
		}
	}
	return value.OrderOf(dates)
}

// planner makes the planner of the draft.
func (p *preparation) planner() (*transform.Planner, error) {
	return newPlanner(p.record, p.key, p.corpus)
}

func newPlanner(r record, key surrogate.Key, corpus *surrogate.Corpus) (*transform.Planner, error) {
	maker, err := transform.NewMaker(r.Policy, key, r.Locale, corpus)
	if err != nil {
		return nil, err
	}
	return transform.New(transform.Options{Policy: r.resolved(), Maker: maker, Order: r.Order, Locale: r.Locale})
}

// portion bounds one transaction of a preparation, in notes.
const portion = 200

// plan plans the notes of all patients and stores the result in portions. Each has its audit
// row, as every change of the store.
func (p *preparation) plan(ctx context.Context, by account.User, planner *transform.Planner) error {
	p.doing("planning replacements", len(p.record.Docs))
	for first := 0; first < len(p.groups); {
		last, from := first+1, p.groups[first].from
		for last < len(p.groups) && p.groups[last].to-from <= portion {
			last++
		}
		held, err := planAll(ctx, last-first, func(i int) (planned, error) { return p.planGroup(ctx, planner, first+i, p.groups[first+i]) })
		if err != nil {
			return err
		}
		to := p.groups[last-1].to
		ev := project.EventBy(by, "plan draft", p.record.object(p.ws.ID), fmt.Sprintf("%d notes", to-from))
		if err := p.projects.Update(p.ws.ID, ev, func(tx *store.Tx) error { return putPlans(tx, p.record.Number, held) }); err != nil {
			return err
		}
		for _, one := range held {
			one.enter(p.index)
		}
		p.step(to)
		first = last
	}
	return nil
}

func (p *preparation) planGroup(ctx context.Context, planner *transform.Planner, number int, g group) (planned, error) {
	docs, spans, choices := p.record.Docs[g.from:g.to], map[annotate.DocumentID][]transform.Span{}, map[transform.Place]transform.Choice{}
	for i, doc := range docs {
		spans[doc] = p.spans[g.from+i]
		addChoices(choices, doc, spans[doc], p.taken[doc])
	}
	in, err := readPatient(ctx, p.ws, docs, spans)
	if err != nil {
		return planned{}, err
	}
	in.Choices, in.Book = choices, p.books.of(in.ID, docs)
	return planPatient(planner, number, in)
}

// readChoices reads what people decided about drafts of the same notes before.
func (p *preparation) readChoices() error {
	p.taken = map[annotate.DocumentID][]placed{}
	return p.projects.View(p.ws.ID, func(tx *store.Tx) error {
		return tx.Scan(bucketChoices, nil, func(key, raw []byte) error {
			all, err := store.DecodeJSON[[]placed](bucketChoices, raw)
			p.taken[annotate.DocumentID(store.Number(key))] = all
			return err
		})
	})
}

// replace makes the new draft the project's.
func (p *preparation) replace(by account.User, l *loaded, planner *transform.Planner) error {
	p.ws.deciding.Lock()
	defer p.ws.deciding.Unlock()
	places, problems, _, _ := l.index.counts()
	ev := project.EventBy(by, "draft prepared", l.object(p.ws.ID), fmt.Sprintf("%d notes, %d places, %d to decide", len(l.Docs), places, problems))
	err := p.projects.Update(p.ws.ID, ev, func(tx *store.Tx) error {
		err := errors.Join(putRecord(tx, l.record), tx.DeletePrefix(bucketUndo, nil), dropOthers(tx, l.Number))
		if l.Policy.Hides() {
			return errors.Join(err, tx.Put(bucketDraft, secretKey, p.key.Bytes()))
		}
		return errors.Join(err, tx.Delete(bucketDraft, secretKey))
	})
	if err == nil {
		p.ws.planner, p.ws.planned = planner, l.Number
		p.ws.use(l)
	}
	return err
}
