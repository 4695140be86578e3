// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/candidate"
)

// Progress is how far the reading of a session is, and what it shows so far.
type Progress struct {
	Draw    Draw
	Reading audit.Reading
	audit.Certificate
	Complete bool     // every passage is answered
	Curve    []Point  // the bound after each answer that counts
	Readers  []Reader // by their first answer
	Repaired int      // passages with a finding that the session's candidate redacts
	Left     int      // at most so many passages of the session's candidate hold an identifier
}

// Point is the bound after so many passages.
type Point struct{ Read, Bound int }

// Reader is what a member has read. What others found is known when all passages are read.
type Reader struct {
	ID string
	audit.ReaderCount
}

// ReadingProgress is the state of the reading; nil before passages are drawn.
func (s *Service) ReadingProgress(ctx context.Context, by account.User, id project.ID, number int) (*Progress, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return nil, err
	}
	return s.progress(ctx, ws, &session)
}

func (s *Service) progress(ctx context.Context, ws *workspace, session *Session) (*Progress, error) {
	d, err := s.newestDraw(ws.ID, session)
	if project.KindOf(err) == project.NotFound || err == nil && !d.Begun() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := s.opened(ctx, ws, d)
	if err != nil {
		return nil, err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if o.progress == nil || o.counted != len(o.reads) {
		s.count(o)
	}
	p := *o.progress
	p.Draw = d.public()
	p.Repaired = repaired(session, d, &p.Reading, o.byPosition(o.reads))
	p.Left = max(0, p.Bound-p.Repaired)
	return &p, nil
}

// curvePoints is how many points the curve of a draw has that is read from the store.
const curvePoints = 30

// count computes what the answers so far show. Few things change with one more answer, but the
// bound must be that of all: it is computed once for each number of answers. The caller holds
// the lock of the workspace.
func (s *Service) count(o *openedDraw) {
	var curve []Point
	if o.progress != nil {
		curve = o.progress.Curve
	} else {
		for i := 1; i < curvePoints && len(o.reads) > curvePoints; i++ {
			r, _ := s.tally(o, o.reads[:i*len(o.reads)/curvePoints])
			curve = withPoint(curve, audit.Certify(r))
		}
	}
	p := &Progress{}
	p.Reading, p.Readers = s.tally(o, o.reads)
	p.Certificate = audit.Certify(p.Reading)
	p.Complete = p.Reading.Doubtful.Read+p.Reading.Random.Read >= len(o.shown)
	p.Curve = withPoint(curve, p.Certificate)
	o.progress, o.counted = p, len(o.reads)
}

// withPoint adds the bound after more passages to a curve, which others may read.
func withPoint(curve []Point, c audit.Certificate) []Point {
	if len(curve) > 0 && curve[len(curve)-1].Read == c.Read {
		return curve
	}
	return append(slices.Clip(curve), Point{c.Read, c.Bound})
}

// Ahead is what the bound would be if the next n random passages were clean, and their planted
// identifiers were caught as often as those so far. more is how many of the n are to be read;
// it is 0 if none is, or without a certificate.
func (p *Progress) Ahead(n int) (more, left int) {
	r := p.Reading.Clone()
	more = min(n, r.Random.Passages-r.Random.Read)
	if !r.Anytime {
		more = min(more, r.Planned-r.Random.Read)
	}
	if more <= 0 {
		return 0, 0
	}
	r.Random.Read += more
	if unread := r.Plants.Planned - r.Plants.Read; unread > 0 && r.Plants.Read > 0 {
		plants := min(unread, more*r.Plants.Planned/max(1, r.Planned+r.Doubtful.Passages))
		r.Plants.Caught += plants * r.Plants.Caught / r.Plants.Read
		r.Plants.Read += plants
	}
	c := audit.Certify(r)
	if c.Refusal != "" {
		return 0, 0
	}
	return more, max(0, c.Bound-p.Repaired)
}

// byPosition sorts answers by passage.
func (o *openedDraw) byPosition(reads []read) map[int][]read {
	out := map[int][]read{}
	for _, r := range reads {
		out[r.Position] = append(out[r.Position], r)
	}
	return out
}

// repaired counts the passages of a draw whose findings the session's candidate redacts: all
// that were found before the last repair, if only repairs lead from the draw's candidate to
// the session's. Only passages that the reading counts are counted here: the bound is of them.
func repaired(session *Session, d Draw, counted *audit.Reading, at map[int][]read) (n int) {
	if len(session.Repairs) == 0 || session.Hash == d.Hash {
		return 0
	}
	if !slices.ContainsFunc(session.Repairs, func(r Repair) bool { return r.Hash == d.Hash }) {
		return 0
	}
	last := session.Repairs[len(session.Repairs)-1].Until
	for position, reads := range at {
		if random := position - d.Parameters.Doubtful; random >= counted.Random.Read || random < 0 && position >= counted.Doubtful.Read {
			continue
		}
		found, later := false, false
		for _, r := range reads {
			found = found || len(r.Marks) > 0
			later = later || len(r.Marks) > 0 && r.At.After(last)
		}
		if found && !later {
			n++
		}
	}
	return n
}

// tally counts what was read as the engine wants it. A stratum counts up to its first passage
// that is not answered by as many readers as it needs; one found by any reader is found.
func (s *Service) tally(o *openedDraw, reads []read) (audit.Reading, []Reader) {
	p := o.draw.Parameters
	r := audit.Reading{
		Alpha: p.Alpha, Anytime: p.Anytime, Planned: p.Planned,
		Doubtful: audit.Stratum{Passages: p.Doubtful}, Random: audit.Stratum{Passages: p.Passages - p.Doubtful},
		Plants: audit.PlantCount{Planned: o.draw.Planted},
	}
	t := counting{o: o, at: o.byPosition(reads), r: &r, labels: map[annotate.Label]*audit.StrataCount{}, documents: map[int32]bool{}, patients: map[int32]bool{}}
	t.stratum(&r.Doubtful, 0, p.Doubtful, func(c *audit.StrataCount) *int { return &c.Doubtful })
	t.stratum(&r.Random, p.Doubtful, p.Planned+o.draw.More, func(c *audit.StrataCount) *int { return &c.Random })
	for _, label := range o.draw.Labels {
		c := audit.LabelCount{Label: string(label)}
		if n := t.labels[label]; n != nil {
			c.StrataCount = *n
		}
		r.Labels = append(r.Labels, c)
	}
	r.Documents = o.units(t.documents, func(p candidate.Passage) int32 { return p.Note })
	r.Patients = o.units(t.patients, func(p candidate.Passage) int32 { return p.Group })
	if o.draw.Readers == 2 {
		r.Double = t.double()
	}
	readers := s.readers(o, reads)
	for _, one := range readers {
		r.Readers = append(r.Readers, one.ReaderCount)
	}
	return r, readers
}

// counting is a tally under way.
type counting struct {
	o                   *openedDraw
	at                  map[int][]read
	r                   *audit.Reading
	labels              map[annotate.Label]*audit.StrataCount
	documents, patients map[int32]bool
}

func (t *counting) stratum(s *audit.Stratum, from, n int, of func(*audit.StrataCount) *int) {
	for i := range n {
		reads := t.at[from+i]
		if len(reads) < t.o.draw.Readers {
			break
		}
		s.Read++
		t.plant(from+i, reads)
		if t.found(t.o.passages[t.o.order[from+i]].Note, t.o.passages[t.o.order[from+i]].Group, reads, of) {
			s.Found = append(s.Found, i+1)
		}
	}
}

func (t *counting) plant(at int, reads []read) {
	if t.o.shown[at].Plant == nil {
		return
	}
	t.r.Plants.Read++
	if slices.ContainsFunc(reads, func(r read) bool { return r.Caught != nil && *r.Caught }) {
		t.r.Plants.Caught++
	}
}

// found counts the labels of a passage's findings, once each.
func (t *counting) found(note, group int32, reads []read, of func(*audit.StrataCount) *int) bool {
	labels := map[annotate.Label]bool{}
	for _, r := range reads {
		for _, m := range r.Marks {
			labels[m.Label] = true
		}
	}
	for label := range labels {
		if !slices.Contains(t.o.draw.Labels, label) {
			*of(&t.r.Unlabeled)++
			continue
		}
		if t.labels[label] == nil {
			t.labels[label] = &audit.StrataCount{}
		}
		*of(t.labels[label])++
	}
	if len(labels) == 0 {
		return false
	}
	t.documents[note] = true
	if group >= 0 {
		t.patients[group] = true
	}
	return true
}

// units counts the notes or patients that have a passage, none if some are not known.
func (o *openedDraw) units(found map[int32]bool, of func(candidate.Passage) int32) audit.Units {
	all := map[int32]bool{}
	for _, p := range o.passages {
		unit := of(p)
		if unit < 0 {
			return audit.Units{}
		}
		all[unit] = true
	}
	return audit.Units{Total: len(all), Found: len(found)}
}

// double counts the passages with a finding of the first and of the second reader.
func (t *counting) double() *audit.Double {
	d := &audit.Double{}
	for _, reads := range t.at {
		if len(reads) < 2 {
			continue
		}
		first, second := len(reads[0].Marks) > 0, len(reads[1].Marks) > 0
		if first {
			d.First++
		}
		if second {
			d.Second++
		}
		if first && second {
			d.Both++
		}
	}
	return d
}

// readers counts what each reader did.
func (s *Service) readers(o *openedDraw, reads []read) (out []Reader) {
	for _, r := range reads {
		i := slices.IndexFunc(out, func(one Reader) bool { return one.ID == r.Reader })
		if i < 0 {
			i = len(out)
			out = append(out, Reader{ID: r.Reader, ReaderCount: audit.ReaderCount{Name: s.projects.PersonName(r.Reader)}})
		}
		c := &out[i].ReaderCount
		c.Passages++
		c.Words += int(o.passages[o.order[r.Position]].Words)
		c.Seconds += r.Seconds
		if r.Hasty {
			c.Hasty++
		}
		if len(r.Marks) > 0 {
			c.Found++
		}
		if r.Caught != nil {
			c.Planted++
			if *r.Caught {
				c.Caught++
			}
		}
	}
	return out
}
