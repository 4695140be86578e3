// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

// another is a second project.
func (b *bench) another(docs []annotate.Annotated, finished bool) project.ID {
	b.T.Helper()
	p, err := b.Create(b.T.Context(), projecttest.Broker, "Ward 8", nil)
	if err != nil {
		b.T.Fatal(err)
	}
	b.MustImport(p.ID, docs, finished)
	return p.ID
}

func TestARunKeepsWhatOtherAttackersFind(t *testing.T) {
	b := newBench(t)
	id, other := b.FinishedProject(projecttest.Notes(10)), b.another(projecttest.Notes(6), true)
	p := sanitize.Params{LC: []float64{1, 10}, Folds: 2, First: sanitize.NoFirst, Learners: []string{"crf", "bayes"}, Share: 0.25,
		Attackers: []attack.Kind{attack.Stacked, attack.Transfer, attack.Dictionary, attack.Repeat}, Transfer: other}
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p)
	if err != nil {
		t.Fatal(err)
	}
	r := b.FinishedRun(id, number)
	for _, c := range r.Choices {
		var who []string
		for _, a := range c.Attackers {
			who = append(who, strings.TrimSpace(string(a.Kind)+" "+a.Learner))
			if float64(a.Sensitive) != c.Outcome.Residual.Value {
				t.Errorf("L/C %g: %s looks for %d, %g are left", c.LC, a.Kind, a.Sensitive, c.Outcome.Residual.Value)
			}
			if last := a.Points[len(a.Points)-1]; last.Budget != 1000 || last.Found > float64(a.Sensitive) {
				t.Errorf("L/C %g: %s finds %+v of %d", c.LC, a.Kind, last, a.Sensitive)
			}
		}
		if want := []string{"stacked", "transfer crf", "transfer bayes", "dictionary", "repeat"}; !slices.Equal(who, want) {
			t.Errorf("L/C %g: attacked by %v, want %v", c.LC, who, want)
		}
	}
	if got := r.Params; got.Share != 0.25 || got.Transfer != other || len(got.Attackers) != 4 {
		t.Errorf("the run forgets what it was asked: %+v", got)
	}
}

// TestARunIsAttackedAmongAllPatients: of equal notes, one tells what only the record of its
// patient has. Patients with open notes count among those whom the attacker confuses.
func TestARunIsAttackedAmongAllPatients(t *testing.T) {
	const finished, all = 8, 12
	notes := make([]annotate.Annotated, all)
	for i := range notes {
		hobby := fmt.Sprintf("quark%cing", 'a'+i)
		var m projecttest.Markup
		m.Text("Seen by Dr. ").Span("Weiss", "NAME").Text(" for a cough.\n")
		if i == 3 {
			m.Text("Likes " + hobby + ".\n")
		}
		notes[i] = annotate.Annotated{Spans: m.Spans, Document: annotate.Document{Name: fmt.Sprint("note-", i), Patient: fmt.Sprint("pat-", i), Text: m.String(), Attributes: map[string]string{"hobby": hobby}}}
	}
	b := newBench(t)
	id := b.FinishedProject(notes[:finished])
	b.MustImport(id, notes[finished:], false)
	for _, c := range b.Ran(id, sanitize.Params{LC: []float64{1, 10}, Folds: 2, Learners: []string{"bayes"}, First: sanitize.NoFirst}).Choices {
		if c.Linked == nil || c.Linked.Patients != all || c.Linked.Notes != finished {
			t.Fatalf("L/C %g: the attacker had %+v", c.LC, c.Linked)
		}
		best, _ := c.Linked.Best(retrieve.Table)
		if want := 1 + float64(finished-1)/all; best.Top1.Hits < want-.2 || best.Top1.Hits > want+.2 {
			t.Errorf("L/C %g: she links %v notes, want about %v", c.LC, best.Top1.Hits, want)
		}
	}
}

func TestOneLearnerHasNoStack(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{Mode: greedy.Paper, LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, Attackers: []attack.Kind{attack.Stacked, attack.Repeat}})
	if err != nil {
		t.Fatal(err)
	}
	if all := b.FinishedRun(id, number).Choices[0].Attackers; len(all) != 1 || all[0].Kind != attack.Repeat {
		t.Errorf("attacked by %+v", all)
	}
}

func TestARunByWeightOfInstancesCanBeChosen(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{Mode: greedy.CostWeight, LC: []float64{10}, Folds: 2, Learners: []string{"bayes", "svm"}})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, number, 10); err != nil {
		t.Error(err)
	}
}

func TestWhatAttackersAndPartsCannotBeIsRefusedBeforeARun(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	empty := b.another(projecttest.Strip(projecttest.Notes(2)), false)
	for want, p := range map[string]sanitize.Params{
		`unknown value "guess"`:         {Attackers: []attack.Kind{"guess"}},
		"repeat is there twice":         {Attackers: []attack.Kind{attack.Repeat, attack.Repeat}},
		"needs a project to train on":   {Attackers: []attack.Kind{attack.Transfer}},
		"trains on the other project":   {Transfer: empty},
		"on another project":            {Attackers: []attack.Kind{attack.Transfer}, Transfer: id},
		"has no finished notes":         {Attackers: []attack.Kind{attack.Transfer}, Transfer: empty},
		"enter a share from 0.1 to 0.5": {Share: 0.6},
		`unknown value "nose"`:          {WithoutParts: []string{"nose"}},
		"needs one of its base":         {WithoutParts: []string{"crf", "trees"}},
		"does not use the detector":     {WithoutParts: []string{"trees"}, First: "bayes"},
		"weights tokens by cost":        {Mode: greedy.CostWeight, Learners: []string{"bayes"}},
		`unknown value "outside:cat"`:   {Learners: []string{"outside:cat"}},
	} {
		p.LC = []float64{10}
		_, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p)
		var refused *project.Error
		if !errors.As(err, &refused) || refused.Kind != project.Invalid || !strings.Contains(refused.Message, want) || refused.Hint == "" {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	if runs, _ := b.Runs(t.Context(), projecttest.Broker, id); len(runs) != 0 {
		t.Errorf("%d runs are on record", len(runs))
	}
}

func TestMoreLabelsThanAModelCanTellApartAreRefusedBeforeARun(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(6)
	var m projecttest.Markup
	for i := range crf.MaxLabels + 1 {
		m.Span(fmt.Sprint("n", i), annotate.Label(fmt.Sprint("L", i))).Text(" ")
	}
	docs[0].Text, docs[0].Spans = m.String(), m.Spans
	id := b.FinishedProject(docs)
	_, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}})
	if err == nil || !strings.Contains(err.Error(), "labels; placeholders can name 1000 at most") {
		t.Error(err)
	}
	if runs, _ := b.Runs(t.Context(), projecttest.Broker, id); len(runs) != 0 {
		t.Errorf("%d runs are on record", len(runs))
	}
}

func TestAttackersThatLearnAreRefusedForOnePatientBeforeARun(t *testing.T) {
	b, docs := newBench(t), projecttest.Notes(8)
	for i := range docs {
		docs[i].Patient = "one"
	}
	id := b.FinishedProject(docs)
	p := sanitize.Params{Mode: greedy.Paper, LC: []float64{10}, Folds: 2, Learners: []string{"bayes", "svm"}, Attackers: []attack.Kind{attack.Stacked}}
	var refused *project.Error
	if _, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p); !errors.As(err, &refused) || refused.Kind != project.Invalid || !strings.Contains(refused.Message, "of one patient") {
		t.Errorf("%v", err)
	}
}

// An attacker learns from all words, whatever the publisher leaves out.
func TestAttackersDoNotSampleAsThePublisherDoes(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(10))
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ws.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	views := make([]annotate.View, len(c.Docs))
	for i, d := range c.Docs {
		views[i].Note = new(annotate.NewNote(d.Annotated))
	}
	p := sanitize.Params{LC: []float64{10}, Learners: []string{"bayes"}, Attackers: []attack.Kind{attack.Ranked}}
	found := func(p sanitize.Params) []attack.Result {
		all, err := b.FoundByAttackers(t.Context(), p, views)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := found(p)
	p.Sampling = project.Sampling{O: 0.1, Seed: 3}
	if sampled := found(p); !reflect.DeepEqual(sampled, all) {
		t.Errorf("attackers of a sampling publisher find %+v, of another %+v", sampled, all)
	}
	class, err := p.Class()
	if err != nil {
		t.Fatal(err)
	}
	if l, is := class[0].(greedy.Bayes); !is || l.Options.Sampling.O != 0.1 {
		t.Errorf("the publisher learns with %+v", class[0])
	}
}

// capitals marks words that begin with a capital, as a tagger from elsewhere.
type capitals struct{}

func (capitals) Name() string { return "outside:capitals" }

func (c capitals) Train(ctx context.Context, _ []annotate.View) (greedy.Classifier, error) {
	return c, ctx.Err()
}

func (capitals) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x := range out {
		if w := v.Word(x); !v.Hidden(x) && w[0] >= 'A' && w[0] <= 'Z' {
			out[x] = 0.9
		}
	}
	return out
}

func (c capitals) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, p := range c.Scores(v) {
		out[x] = p > 0.5
	}
	return out
}

// A tagger that was trained elsewhere attacks at every L/C, redacts nothing, and is not stored.
func TestATaggerFromElsewhereAttacks(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{Mode: greedy.Cost, LC: []float64{1, 10}, Folds: 2, Learners: []string{"bayes"}, Outside: []greedy.Learner{capitals{}}})
	if err != nil {
		t.Fatal(err)
	}
	r := b.FinishedRun(id, number)
	for _, c := range r.Choices {
		if len(c.Attackers) != 1 || c.Attackers[0].Kind != attack.Outside || c.Attackers[0].Learner != "outside:capitals" || c.Attackers[0].Marked == (greedy.Counts{}) {
			t.Errorf("L/C %g: attacked by %+v; %s %s", c.LC, c.Attackers, r.State, r.Error)
		}
	}
	if r.Params.Outside != nil {
		t.Error("the tagger is stored")
	}
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, number, 10); err != nil {
		t.Error(err)
	}
}
