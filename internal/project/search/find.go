// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/store"
)

// The bounds of one search.
const (
	hitsOfPage   = 50
	mostRead     = 1000 // notes whose text is read to see whether words follow each other
	mostWords    = 40
	mostTyped    = 4000 // bytes of a query
	passageBytes = 240
	waitedFor    = 2000 // notes: the index of so many is made while the person waits
)

// Query is what to find, and where to go on.
type Query struct {
	Words string         // as typed, see [fulltext.Parse]
	State annotate.State // "" for any
	From  int            // matching notes to skip; those of [Found.Next]
}

// Found is one page of a search.
type Found struct {
	Coverage
	Searched bool // the query has words
	Hits     []Hit
	// Matching is how many notes have all words. If Ordered, it counts also those in which
	// the words do not follow each other.
	Matching int
	Ordered  bool
	From     int // matching notes before those that were looked at
	Looked   int // matching notes that were looked at for the hits
}

// Next is where the next page begins, 0 if this is the last.
func (f Found) Next() int {
	if f.From+f.Looked < f.Matching {
		return f.From + f.Looked
	}
	return 0
}

// Hit is a note with the words, and the passage that shows them.
type Hit struct {
	Document   annotate.DocumentID
	Name       string
	State      annotate.State
	Passage    fulltext.Passage
	Start, End annotate.RuneOff // the first place of the passage
}

// SearchNotes finds notes by the words of their text, in order of import. That the passages
// are read is recorded in the audit trail before they are returned.
func (s *Service) SearchNotes(ctx context.Context, by account.User, id project.ID, q Query) (Found, error) {
	ws, err := s.enter(by, account.ReadNotes, id)
	if err != nil {
		return Found{}, err
	}
	if len(q.Words) > mostTyped {
		return Found{}, project.Invalidf("search for fewer words", "the search has %d bytes, and at most %d are allowed", len(q.Words), mostTyped)
	}
	parsed := fulltext.Parse(q.Words)
	if parsed.Len() > mostWords {
		return Found{}, project.Invalidf("search for fewer words", "the search has %d words, and at most %d are allowed", parsed.Len(), mostWords)
	}
	if err := s.catchUp(ctx, ws); err != nil {
		return Found{}, err
	}
	f := Found{Searched: parsed.Len() > 0, Ordered: parsed.Ordered(), From: max(0, q.From)}
	c, err := s.candidates(ctx, ws, parsed, q.State, f.From)
	f.Coverage, f.Matching = s.coverage(ws, c.record), c.all
	if err != nil || !f.Searched {
		return f, err
	}
	if err := ws.read(ctx, parsed, c.docs, &f); err != nil {
		return Found{}, err
	}
	if err := s.projects.Record(id, project.EventBy(by, "search text", id.Object("documents"), numbers(f))); err != nil {
		return Found{}, err
	}
	return f, nil
}

// catchUp starts the indexing of notes that the index does not have, and waits for few.
func (s *Service) catchUp(ctx context.Context, ws *workspace) error {
	r, err := s.record(ws.ID)
	if err != nil {
		return err
	}
	missing := s.coverage(ws, r)
	if missing.Complete() {
		return nil
	}
	s.start(ws)
	if missing.Total-missing.Notes > waitedFor {
		return nil
	}
	return ws.task.Wait(ctx)
}

// candidates are the notes that have all words of a query.
type candidates struct {
	record record
	all    int
	docs   []annotate.DocumentID // some of them, from a place
}

func (s *Service) candidates(ctx context.Context, ws *workspace, q fulltext.Query, state annotate.State, from int) (c candidates, err error) {
	err = s.projects.View(ws.ID, func(tx *store.Tx) (err error) {
		if c.record, err = readRecord(tx); err != nil || q.Len() == 0 {
			return err
		}
		for _, g := range c.record.Segments {
			docs, err := g.match(ctx, tx, q)
			if err != nil {
				return fmt.Errorf("segment %d of the index: %w", g.Number, err)
			}
			docs = ws.Select(docs, state)
			skip := min(max(0, from-c.all), len(docs))
			c.docs = append(c.docs, docs[skip:min(len(docs), skip+mostRead-len(c.docs))]...)
			c.all += len(docs)
		}
		return nil
	})
	return c, err
}

func (g segment) match(ctx context.Context, tx *store.Tx, q fulltext.Query) ([]annotate.DocumentID, error) {
	opened, err := g.open(tx)
	if err != nil {
		return nil, err
	}
	found, err := opened.Match(q, func(page uint32) ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return tx.Get(bucketPages, pageKey(g.Number, page))
	})
	docs := make([]annotate.DocumentID, len(found))
	for i, doc := range found {
		docs[i] = annotate.DocumentID(doc)
	}
	return docs, err
}

// read opens notes until the page is full, and keeps those that match the query in their
// text. A note that was deleted meanwhile is left out.
func (ws *workspace) read(ctx context.Context, q fulltext.Query, docs []annotate.DocumentID, f *Found) error {
	for _, doc := range docs {
		if len(f.Hits) == hitsOfPage {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f.Looked++
		hit, err := ws.hit(q, doc)
		if project.KindOf(err) == project.NotFound {
			continue
		}
		if err != nil {
			return fmt.Errorf("note %d: %w", doc, err)
		}
		if hit.Passage.Parts != nil {
			f.Hits = append(f.Hits, hit)
		}
	}
	return nil
}

// hit reads a note. It has no passage if the words do not follow each other as they should.
func (ws *workspace) hit(q fulltext.Query, doc annotate.DocumentID) (Hit, error) {
	st, err := ws.Find(doc)
	if err != nil {
		return Hit{}, err
	}
	text, err := ws.Text(doc)
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Document: doc, Name: st.Name, State: st.State}
	if _, all := q.Find(text); all {
		h.Passage = q.Passage(text, passageBytes)
		first := h.Passage.First
		h.Start = annotate.RuneOff(utf8.RuneCountInString(text[:first.Start]))
		h.End = h.Start + annotate.RuneOff(utf8.RuneCountInString(text[first.Start:first.End]))
	}
	return h, nil
}

// numbers is the detail of the audit row: how many notes match, and which were shown. It has
// no word of the query.
func numbers(f Found) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d notes match, %d shown", f.Matching, len(f.Hits))
	for i := 0; i < len(f.Hits); {
		first, last := f.Hits[i].Document, f.Hits[i].Document
		for i++; i < len(f.Hits) && f.Hits[i].Document == last+1; i++ {
			last++
		}
		b.WriteByte(' ')
		fmt.Fprint(&b, first)
		if last > first {
			fmt.Fprint(&b, "-", last)
		}
	}
	return b.String()
}
