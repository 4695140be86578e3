// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web"
	"hide/web/webtest"
)

// asked has all methods that a server with these pages calls.
type asked interface {
	web.Projects
	Projects
}

// fakeLinks has a made-up linkage, and remembers the calls that change it.
type fakeLinks struct {
	*webtest.Frame

	mu        sync.Mutex // guards the fields below
	state     links.State
	progress  links.Progress
	pairs     []links.Pair // that wait
	decisions []links.Decision
	against   []links.Decision // of a person who says "same"; until replaced
	clusters  []links.Cluster
	view      links.View
	asked     []string // calls that change the linkage
	refuse    error    // of the next change
}

func (f *fakeLinks) did(words ...string) error {
	f.asked = append(f.asked, strings.Join(words, " "))
	return f.refuse
}

func (f *fakeLinks) StartLinking(context.Context, account.User, project.ID, links.Options) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse == nil {
		f.progress.Running = true
	}
	return f.did("start")
}

func (f *fakeLinks) CancelLinking(context.Context, account.User, project.ID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress = links.Progress{Error: "linking was cancelled; the links are as before"}
	return f.did("cancel")
}

func (f *fakeLinks) Linking(context.Context, account.User, project.ID) (links.Progress, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress, nil
}

func (f *fakeLinks) LinkState(context.Context, account.User, project.ID) (links.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.state
	s.Figures.Review = len(f.pairs)
	return s, nil
}

func (f *fakeLinks) LinkQueue(_ context.Context, _ account.User, _ project.ID, offset, limit int) (links.Queue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := min(offset, len(f.pairs))
	return links.Queue{Pairs: slices.Clone(f.pairs[from:min(from+limit, len(f.pairs))]), Offset: from, Left: len(f.pairs), Decided: len(f.decisions)}, nil
}

func (f *fakeLinks) LinkPair(_ context.Context, _ account.User, _ project.ID, pair links.PairID) (links.Pair, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if pair.B > 90 {
		return links.Pair{}, project.NotFoundf("the project has no record %d", pair.B)
	}
	p := madePair(pair.A, pair.B, links.Uncertain)
	if i := slices.IndexFunc(f.decisions, func(d links.Decision) bool { return d.Pair == pair }); i >= 0 {
		p.Decision, p.Status = &f.decisions[i], links.Decided
	}
	return p, nil
}

func (f *fakeLinks) DecideLink(_ context.Context, by account.User, _ project.ID, pair links.PairID, same, replace bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.did("decide", pair.String(), strconv.FormatBool(same), strconv.FormatBool(replace)); err != nil {
		return err
	}
	if same && len(f.against) > 0 && !replace {
		return &links.ContradictionError{Pair: pair, Earlier: f.against}
	}
	if same {
		f.against = nil
	}
	f.pairs = slices.DeleteFunc(f.pairs, func(p links.Pair) bool { return p.Pair == pair })
	d := links.Decision{Number: uint64(len(f.asked)), Pair: pair, Same: same, By: by.Name, At: webtest.MadeAt}
	f.decisions = slices.Insert(f.decisions, 0, d)
	return nil
}

func (f *fakeLinks) UndoLinkDecision(_ context.Context, _ account.User, _ project.ID, number uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.decisions, func(d links.Decision) bool { return d.Number == number })
	if i < 0 {
		return project.NotFoundf("the project has no decision %d about links", number)
	}
	pair := f.decisions[i].Pair
	f.decisions = slices.Delete(f.decisions, i, i+1)
	f.pairs = slices.Insert(f.pairs, 0, madePair(pair.A, pair.B, links.Uncertain))
	return f.did("undo", strconv.FormatUint(number, 10))
}

func (f *fakeLinks) LinkDecisions(context.Context, account.User, project.ID) ([]links.Decision, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.decisions), nil
}

func (f *fakeLinks) SetLinkThresholds(_ context.Context, _ account.User, _ project.ID, link, floor float64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.did("thresholds", strconv.FormatFloat(link, 'g', -1, 64), strconv.FormatFloat(floor, 'g', -1, 64)); err != nil {
		return err
	}
	f.state.Figures.Link, f.state.Figures.Floor = link, floor
	return nil
}

func (f *fakeLinks) TryLinkThreshold(_ context.Context, _ account.User, _ project.ID, link float64) (links.Threshold, error) {
	return links.Threshold{Link: link, Links: int(1000 * link), Patients: 1000 - int(100*link), False: 1 - link, Missed: 9 * link, Precision: .99, Recall: .9}, nil
}

func (f *fakeLinks) LinkClusters(_ context.Context, _ account.User, _ project.ID, offset, limit int) (links.Clusters, error) {
	from := min(offset, len(f.clusters))
	return links.Clusters{Clusters: f.clusters[from:min(from+limit, len(f.clusters))], Offset: from, Total: len(f.clusters)}, nil
}

func (f *fakeLinks) LinkedPatients(_ context.Context, _ account.User, _ project.ID, offset, limit int, query string) (links.View, error) {
	v := f.view
	v.Rows = slices.DeleteFunc(slices.Clone(v.Rows), func(p links.Patient) bool { return !strings.Contains(p.Records[0].Key, query) })
	v.Offset, v.Total = min(offset, len(v.Rows)), len(v.Rows)
	v.Rows = v.Rows[v.Offset:min(v.Offset+limit, len(v.Rows))]
	return v, nil
}

func madeRecord(n uint64) links.Record {
	return links.Record{Number: n, Key: "key-" + strconv.FormatUint(n, 10), Keyed: true, Notes: []annotate.DocumentID{annotate.DocumentID(2 * n), annotate.DocumentID(2*n + 1)}, Patient: n}
}

func one(text string, from links.Origin) []links.Value {
	return []links.Value{{Text: text, From: from, Notes: []annotate.DocumentID{4}, Count: 2}}
}

func madePair(a, b uint64, s links.Status) links.Pair {
	return links.Pair{
		Pair: links.PairID{A: a, B: b}, Probability: .71, Status: s, Linked: s == links.Bridge, Left: madeRecord(a), Right: madeRecord(b),
		Rows: []links.Row{
			{Field: "given name", Left: one("Rosemary", links.FromFields), Right: one("Rose", links.FromPeople), Differs: true},
			{Field: "surname", Left: append(one("Payne", links.FromFields), one("Payne-Lund", links.FromKnown)...), Right: one("Payne", links.FromFields), Same: true},
			{Field: "birth date", Left: one("1961-03-04", links.FromFields), Right: one("1961-03-14", links.FromModel), Differs: true},
			{Field: "medical record number", Left: one("5570-118", links.FromFields)},
		},
		Bars: []links.Bar{
			{Field: "prior", Level: "", Weight: -9.4}, {Field: "given name", Level: "nickname", Weight: 5.2},
			{Field: "surname", Level: "equal", Weight: 8.1, Rare: 1.9}, {Field: "birth date", Level: "one digit differs", Weight: 3.3},
			{Field: "medical record number", Level: "missing"}, {Field: "sex", Level: "equal", Weight: 1}, {Field: "postcode", Level: "differs", Weight: -6.9},
		},
	}
}

// madeLinks is a project whose records are linked, with three pairs that wait.
func madeLinks() *fakeLinks {
	f := &fakeLinks{Frame: webtest.NewFrame(), pairs: []links.Pair{madePair(12, 15, links.Bridge), madePair(3, 9, links.Uncertain), madePair(20, 31, links.Split)}}
	f.state = links.State{Linked: true, Figures: links.Figures{
		Version: 3, At: webtest.MadeAt, Records: 1204, Patients: 1130, Links: 96, Decided: 4, Link: .5, Floor: .05, Missed: 3.4, False: .8, Precision: .992, Recall: .966,
	}, Run: madeRun()}
	f.clusters = []links.Cluster{madeCluster(4, true), madeCluster(6, false), madeCluster(2, false), madeCluster(60, false)}
	f.view = links.View{Fields: []string{"given name", "surname", "birth date"}, All: 1130}
	for n := range uint64(120) {
		f.view.Rows = append(f.view.Rows, madePatient(n+1))
	}
	return f
}

func madeRun() links.Run {
	r := links.Run{
		Passes:   []links.Pass{{Patients: 1204, Found: 310, Values: 4020}, {Links: 80, Patients: 1140, Found: 450, Values: 4110}, {Links: 96, Patients: 1130, Found: 470, Values: 4150}},
		Fields:   []links.Field{{Name: "surname", Kind: "surname", Records: 1180, Levels: []links.Level{{Name: "equal", M: .93, U: .0021, Weight: 8.8}, {Name: "differs", M: .07, U: .99, Weight: -3.8}}}},
		Ignored:  []links.Column{{Name: "ward", Reason: "says something of the note"}},
		Rules:    []links.Rule{{Words: "same birth date", Pairs: 900, Only: 120}, {Words: "same surname and initial", Pairs: 4100, Only: 3000, Cut: 1}},
		Compared: 5200, Seconds: 1.4,
	}
	for low := -20; low < 24; low++ {
		pairs := max(2, 900-(low+14)*(low+14)*20)
		r.Histogram = append(r.Histogram, links.Bin{Low: low, Pairs: pairs, Matches: float64(pairs) * probability(float64(low)+.5)})
	}
	for _, link := range []float64{.1, .5, .9, .99} {
		r.Thresholds = append(r.Thresholds, links.Threshold{Link: link, Links: 90, Patients: 1130, Precision: .99, Recall: .97})
	}
	return r
}

// madeCluster has n records in a ring, or two halves with a bridge.
func madeCluster(n uint64, bridge bool) links.Cluster {
	c := links.Cluster{Patient: n}
	add := func(a, b uint64, p float64, bridge bool) {
		c.Links = append(c.Links, links.Link{Pair: links.PairID{A: min(a, b), B: max(a, b)}, Probability: p, Bridge: bridge})
	}
	for i := range n {
		c.Records = append(c.Records, madeRecord(n+i))
		if to := n + (i+1)%n; !bridge && (n > 2 || i == 0) {
			add(n+i, to, .9+float64(i)/1000, false)
		}
	}
	if bridge {
		add(n, n+1, .98, false)
		add(n+2, n+3, .97, false)
		add(n, n+1, .96, false)
		add(n+1, n+2, .61, true)
		c.Bridges = 1
	}
	return c
}

func madePatient(n uint64) links.Patient {
	p := links.Patient{Number: n, Records: []links.Record{madeRecord(n)}, Notes: 2, Values: []links.Survivor{
		{Value: one("Rose", links.FromFields)[0], Others: one("Rosemary", links.FromPeople)},
		{Value: one("Payne", links.FromFields)[0]}, {},
	}}
	if n == 1 {
		p.Records = append(p.Records, madeRecord(200))
		p.Links = []links.Link{{Pair: links.PairID{A: 1, B: 200}, Probability: .97, Decided: true}}
		p.Values[2] = links.Survivor{Value: one("1961-03-04", links.FromFields)[0], Others: one("1964-07-20", links.FromModel), Conflict: true}
	}
	return p
}

func newServer(t testing.TB, p asked) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, New(p))
}

func openBrowser(t *testing.T, role account.Role, p asked) *webtest.Browser {
	t.Helper()
	return webtest.Open(t, role, p, New(p))
}
