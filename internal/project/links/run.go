// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// The thresholds of a project's first run: a pair is linked if it is more likely one person than
// not.
const (
	defaultLink  = .5
	defaultFloor = .05
)

// StartLinking starts a run. The links before it stay until it is complete, and the decisions of
// people count in it too.
func (s *Service) StartLinking(_ context.Context, by account.User, id project.ID, o Options) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	docs := ws.All()
	if len(docs) == 0 {
		return project.Invalidf("import notes first", "the project has no notes to link")
	}
	if err := s.projects.CheckRoom(); err != nil {
		return err
	}
	if !ws.task.Claim(Progress{Doing: "reading notes", Total: len(docs)}) {
		return &project.Error{Kind: project.Stale, Message: "the records are being linked already", Hint: "wait for it, or cancel it first"}
	}
	ws.task.Start(func(ctx context.Context) error { return s.runLinking(ctx, ws, by, o, docs) }, func(p *Progress, err error) {
		p.Error = project.Failure(err, "linking was cancelled; the links are as before", "linking failed, the links are as before: ")
	})
	return nil
}

// linking is the state of a run.
type linking struct {
	*Service
	*gathering
	ws     *workspace
	by     account.User
	record record
	before *loaded // nil for the first run
	passes []Pass
	scored *scored
	groups *groups
}

func (s *Service) runLinking(ctx context.Context, ws *workspace, by account.User, o Options, docs []annotate.DocumentID) error {
	begun := s.projects.Now()
	r := &linking{Service: s, gathering: newGathering(ws.Workspace), ws: ws, by: by}
	if err := r.begin(); err != nil {
		return err
	}
	err := r.passesOf(ctx, o, docs)
	if err == nil {
		err = r.store(ctx)
	}
	if err == nil {
		r.scored.run.Seconds = max(0, s.projects.Now().Sub(begun).Seconds())
		err = r.replace()
	}
	if err != nil {
		return errors.Join(err, r.drop())
	}
	return nil
}

// begin takes a number for the run and deletes what an interrupted one left.
func (r *linking) begin() (err error) {
	r.before, err = r.load(r.ws)
	if errors.Is(err, errNone) {
		r.before, err = nil, nil
	}
	if err != nil {
		return err
	}
	r.record = record{Link: defaultLink, Floor: defaultFloor}
	if r.before != nil {
		r.record = r.before.record
	}
	now := r.record.Number
	r.record.By = r.by.ID
	return r.projects.Transact(r.ws.ID, func(tx *store.Tx) (err error) {
		if r.record.Number, err = tx.Next(bucketLinkage); err != nil {
			return err
		}
		ev := project.EventBy(r.by, "link records", object(r.ws.ID, r.record.Number))
		return errors.Join(dropOthers(tx, now), tx.Audit(ev))
	})
}

// drop deletes what an unfinished run has stored.
func (r *linking) drop() error {
	ev := project.EventBy(r.by, "drop unfinished links", object(r.ws.ID, r.record.Number))
	return r.projects.Update(r.ws.ID, ev, func(tx *store.Tx) error {
		now, err := store.FindJSON[record](tx, bucketLinkage, recordKey)
		return errors.Join(err, dropOthers(tx, now.Number))
	})
}

func (r *linking) doing(pass int, what string, total int) {
	r.ws.task.Change(func(p *Progress) { p.Pass, p.Doing, p.Done, p.Total = pass, what, 0, total })
}

func (r *linking) step(done int) { r.ws.task.Change(func(p *Progress) { p.Done = done }) }

// passesOf runs the passes. The second compares with what the first made known.
func (r *linking) passesOf(ctx context.Context, o Options, docs []annotate.DocumentID) error {
	r.doing(0, "reading notes", len(docs))
	if err := r.read(ctx, docs, r.step); err != nil {
		return err
	}
	r.number()
	r.passes = []Pass{{Patients: len(r.records), Found: r.found, Values: r.values()}}
	if err := r.pass(ctx, 1); err != nil || o.PassOne {
		return err
	}
	r.doing(2, "searching notes for what is known", len(docs))
	if err := r.spread(ctx, r.step); err != nil {
		return err
	}
	return r.pass(ctx, 2)
}

// number gives each record its number, the same as in earlier runs, and orders them by it. A note
// without a key is another record than a deleted one of the same name.
func (r *linking) number() {
	type id struct {
		key  string
		note annotate.DocumentID // 0 for a patient's key, and for notes of earlier versions
	}
	was := map[id]uint64{}
	if r.before != nil {
		for n, k := range r.before.known {
			was[id{k.key, k.note}] = n
		}
	}
	for _, e := range r.records {
		if e.number = cmp.Or(was[id{e.key, e.note()}], was[id{key: e.key}]); e.number == 0 {
			r.record.Last++
			e.number = r.record.Last
		}
	}
	slices.SortFunc(r.records, func(a, b *evidence) int { return int(a.number) - int(b.number) })
}

// pass compares the records and measures what that gives.
func (r *linking) pass(ctx context.Context, number int) (err error) {
	r.doing(number, "comparing records", 0)
	r.scored, err = compareRecords(ctx, r.records, func(done, total int) {
		r.ws.task.Change(func(p *Progress) { p.Done, p.Total = done, total })
	})
	if err != nil {
		return err
	}
	like := markCopies(r.records)
	r.groups = newNetwork(len(r.records), r.scored.pairs, r.decided(), r.record.Link, like).group()
	r.doing(number, "counting known identifiers", len(r.byDoc))
	found, err := r.recount(ctx, r.known(), r.step)
	if err != nil {
		return err
	}
	r.passes = append(r.passes, Pass{Links: len(r.groups.linkedPairs()), Patients: r.groups.patients(), Found: found, Values: r.values()})
	return nil
}

// decided are the decisions of people by the indices of the records.
func (r *linking) decided() map[[2]int]bool {
	out := map[[2]int]bool{}
	if r.before == nil {
		return out
	}
	at := map[uint64]int{}
	for i, e := range r.records {
		at[e.number] = i
	}
	for _, d := range r.before.decisions {
		a, okA := at[d.A]
		b, okB := at[d.B]
		if okA && okB {
			out[[2]int{min(a, b), max(a, b)}] = d.Same
		}
	}
	return out
}

// known is what the records of each patient say together, by each of their keys.
func (r *linking) known() map[string][]annotate.Identity {
	out := map[string][]annotate.Identity{}
	for _, group := range r.groups.members {
		var all []cells
		for _, i := range group {
			all = append(all, r.records[i].cells)
		}
		together := about(all)
		for _, i := range group {
			out[r.records[i].key] = together
		}
	}
	return out
}

// values counts the values that are compared.
func (r *linking) values() (n int) {
	for _, e := range r.records {
		for _, c := range e.cells {
			n += len(c)
		}
	}
	return n
}

// portion bounds one transaction of a run, in records. pairPortion is how many pairs are stored
// as one value.
const (
	portion     = 500
	pairPortion = 2000
)

// store stores records, pairs and waterfalls in portions, each with its audit row.
func (r *linking) store(ctx context.Context) error {
	r.doing(len(r.passes)-1, "storing", len(r.records))
	at := 0
	for some := range slices.Chunk(r.records, portion) {
		err := r.put(ctx, fmt.Sprintf("%d records", len(some)), func(tx *store.Tx) (err error) {
			for _, e := range some {
				err = errors.Join(err, store.PutJSON(tx, bucketRecords, recordsKey(r.record.Number, e.number), e.stored()))
			}
			return err
		})
		if err != nil {
			return err
		}
		at += len(some)
		r.step(at)
	}
	n := uint64(0)
	for some := range slices.Chunk(r.scored.pairs, pairPortion) {
		n++
		if err := r.put(ctx, fmt.Sprintf("%d pairs", len(some)), func(tx *store.Tx) error { return r.putPairs(tx, n, some) }); err != nil {
			return err
		}
	}
	return nil
}

func (r *linking) put(ctx context.Context, what string, fn func(*store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.projects.Update(r.ws.ID, project.EventBy(r.by, "store links", object(r.ws.ID, r.record.Number), what), fn)
}

func (r *linking) putPairs(tx *store.Tx, portion uint64, some []scoredPair) (err error) {
	out := make([]storedPair, len(some))
	for i, p := range some {
		id := PairID{r.records[p.a].number, r.records[p.b].number}
		out[i] = storedPair{id.A, id.B, p.odds, p.conflict}
		if bars := r.scored.bars[[2]int{p.a, p.b}]; bars != nil {
			err = errors.Join(err, store.PutJSON(tx, bucketBars, pairKey(r.record.Number, id), bars))
		}
	}
	return errors.Join(err, store.PutJSON(tx, bucketPairs, recordsKey(r.record.Number, portion), out))
}
