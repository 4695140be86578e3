// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/lab"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

// CertifyOptions configure [Certify].
type CertifyOptions struct {
	File, From string // of the notes published, and of those trained on if they are others
	Draws      int
	Documents  int // to read, or as many words in passages
	Plants     int
	LC         float64
	Mode       string
	Learners   []string
	First      string
	Preset     string
	Folds      int
	Workers    int
	Seed       uint64
}

// CertifyTable declares the options of [Certify].
var CertifyTable = option.Table[CertifyOptions]{
	option.Whole(option.About{Name: "draws", Default: "400", Value: "N", Help: "Draw the sample N times.", In: option.Command},
		option.From(1, 100_000), func(o *CertifyOptions) *int { return &o.Draws }),
	option.Whole(option.About{Name: "documents", Default: "30", Value: "N", Help: "Read N documents, or passages with as many words; at most half of the documents.", In: option.Command},
		option.AtLeast(3), func(o *CertifyOptions) *int { return &o.Documents }),
	option.Whole(option.About{Name: "plants", Default: "150", Value: "N", Help: "Planted identifiers, each in a passage of its own.", In: option.Command},
		option.AtLeast(1), func(o *CertifyOptions) *int { return &o.Plants }),
	option.Number(option.About{Name: "lc", Default: "10", Value: "L/C", Help: "The L/C to redact for.", In: option.Command},
		option.Above(0).AtMost(greedy.MaxLC), func(o *CertifyOptions) *float64 { return &o.LC }),
	option.Text(option.About{Name: "mode", Default: "default", Value: "MODE", Help: "How classifiers are chosen: a mode of hide experiment, such as default or cost.", In: option.Command},
		func(o *CertifyOptions) *string { return &o.Mode }),
	option.Some(option.About{Name: "learners", Default: "crf", Value: "LEARNERS", Help: "Learners, with commas between: " + lab.LearnersHelp(), In: option.Command},
		nil, func(o *CertifyOptions) *[]string { return &o.Learners }),
	option.Text(option.About{Name: "first", Default: "detector", Value: "LEARNER", Help: "The learner that redacts in round 1; none leaves the round out.", In: option.Command},
		func(o *CertifyOptions) *string { return &o.First }),
	option.One(option.About{Name: "preset", Default: "default", Value: "PRESET", Help: "The preset of feature families.", In: option.Command},
		evaluate.Presets, func(o *CertifyOptions) *string { return &o.Preset }),
	option.Whole(option.About{Name: "folds", Default: "4", Value: "K", Help: "Publish each document by classifiers of the other folds.", In: option.Command},
		option.AtLeast(2), func(o *CertifyOptions) *int { return &o.Folds }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N trainings at a time; 0 means one for each processor.", In: option.Command},
		option.AtLeast(0), func(o *CertifyOptions) *int { return &o.Workers }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides folds, draws and readers.", In: option.Command}, func(o *CertifyOptions) *uint64 { return &o.Seed }),
}

// CertifyResult says how often bounds held for passages that leak in a publication.
type CertifyResult struct {
	File      string  `json:"file"`
	From      string  `json:"from,omitempty"` // trained on other notes
	LC        float64 `json:"lc"`
	Mode      string  `json:"mode"`
	Documents int     `json:"documents"`
	Passages  int     `json:"passages"`
	Words     int     `json:"words"`   // kept
	Leaking   int     `json:"leaking"` // passages with a missed identifier
	Leaky     int     `json:"leaking_documents"`
	Missed    int     `json:"missed"` // tokens
	Draws     int     `json:"draws"`

	DocumentsRead int `json:"documents_read"` // by the document audit, one in three of them doubtful
	PassagesRead  int `json:"passages_read"`  // with as many words
	PlantedRead   int `json:"planted_read"`   // where plants need more passages than that
	Plants        int `json:"plants"`

	Methods []CertifyMethod `json:"methods"`
}

// CertifyMethod is how one method did.
type CertifyMethod struct {
	Method string  `json:"method"`
	Recall float64 `json:"recall"` // of the readers; 0 where nobody reads

	// Coverage is the share of draws without a wrong bound: it held the truth, with
	// any-time at every look, or was refused.
	Coverage  float64 `json:"coverage"`
	Refused   float64 `json:"refused"`    // share of draws
	MeanBound float64 `json:"mean_bound"` // of those not refused
	Truth     float64 `json:"truth"`      // mean: leaking passages of what the bound is about
}

// Certify publishes annotated notes by classifiers that were not trained on them, cuts the
// publication into passages, and draws samples: how often do the bounds of each method
// hold, and how wide are they? from are other notes to train on; nil: the notes of the other
// folds. A passage leaks if a missed token in it has a letter or digit.
func Certify(ctx context.Context, notes, from []annotate.Annotated, o CertifyOptions, progress lab.Progress) (*CertifyResult, error) {
	p, programs, err := o.params()
	if err != nil {
		return nil, err
	}
	ctx, stop := lab.Within(ctx, programs)
	defer stop()
	b := &certifyBench{o: o, progress: progress}
	if b.published, err = b.publish(ctx, p, annotate.NewNotes(notes), annotate.NewNotes(from)); err != nil {
		return nil, err
	}
	b.finished = b.published
	if from != nil {
		if b.finished, err = b.publish(ctx, p, annotate.NewNotes(from), nil); err != nil {
			return nil, fmt.Errorf("notes to train on: %w", err)
		}
	}
	result := b.describe()
	result.File, result.From, result.LC, result.Mode = o.File, o.From, o.LC, o.Mode
	return result, b.run(ctx, result)
}

func (o CertifyOptions) params() (greedy.Params, []*lab.Outside, error) {
	if !slices.Contains(greedy.Modes(), greedy.Mode(o.Mode)) {
		return greedy.Params{}, nil, &option.Problem{Name: "mode", Text: fmt.Sprintf("no mode is called so: enter one of %v", greedy.Modes())}
	}
	return GreedyOptions{LC: []float64{o.LC}, Learners: o.Learners, First: o.First, Preset: o.Preset, Folds: o.Folds, Workers: o.Workers, Seed: o.Seed}.params()
}

type certifyBench struct {
	o                   CertifyOptions
	progress            lab.Progress
	published, finished *publication
	passagesRead        int
	plantedRead         int
	documentsRead       int
}

// publication is passages by what is in them.
type publication struct {
	leaks     []bool    // by passage
	document  []int     // of each passage
	doubt     []float64 // expected missed tokens
	words     int
	groups    [][]int // documents by patient
	leaking   []int   // leaking passages by document
	tokens    []int   // missed tokens by document
	sensitive []int   // passages by document that hold identifiers in the original
	doubts    []float64
	units     int // documents with a passage
}

// publish redacts the notes by classifiers trained on from, or on other folds.
func (b *certifyBench) publish(ctx context.Context, p greedy.Params, notes, from []annotate.Note) (*publication, error) {
	bar := b.progress.Start("publishing, trainings")
	defer bar.End()
	t := greedy.Trial{Params: p, Modes: []greedy.Mode{greedy.Mode(b.o.Mode)}, Together: true}
	docs := notes
	if len(from) > 0 {
		docs, t.Test = from, notes
	}
	n := 0
	measured, err := greedy.Experiment(ctx, docs, t, func(_, _ int, doing string) { n++; bar.Step(n, 0, doing) })
	if err != nil {
		return nil, err
	}
	scores, err := b.scores(ctx, p, notes, from)
	if err != nil {
		return nil, err
	}
	out := &publication{}
	byGroup := map[string]int{}
	for i, v := range measured[0].Views {
		out.add(i, v, scores[i])
		g, known := byGroup[v.Group]
		if !known {
			g = len(out.groups)
			byGroup[v.Group], out.groups = g, append(out.groups, nil)
		}
		out.groups[g] = append(out.groups[g], i)
	}
	return out, nil
}

// scores are probabilities of tokens by the first learner, trained on other notes.
func (b *certifyBench) scores(ctx context.Context, p greedy.Params, notes, from []annotate.Note) ([][]float64, error) {
	if len(from) > 0 {
		h, err := p.Learners[0].Train(ctx, annotate.Views(from))
		if err != nil {
			return nil, err
		}
		return greedy.ScoreAll(h, annotate.Views(notes)), nil
	}
	out := make([][]float64, len(notes))
	fold, folds := greedy.PublishFolds(notes, b.o.Folds, b.o.Seed)
	for f := range folds {
		var train, test []annotate.View
		var at []int
		for i, v := range annotate.Views(notes) {
			if fold[i] != f {
				train = append(train, v)
				continue
			}
			test, at = append(test, v), append(at, i)
		}
		h, err := p.Learners[0].Train(ctx, train)
		if err != nil {
			return nil, err
		}
		for k, s := range greedy.ScoreAll(h, test) {
			out[at[k]] = s
		}
	}
	return out, ctx.Err()
}

// add cuts a document as it is published.
func (p *publication) add(document int, v annotate.View, scores []float64) {
	text, tokens := v.Published()
	var hidden []annotate.Span
	for i, t := range tokens {
		if v.Hidden(i) && (len(hidden) == 0 || hidden[len(hidden)-1].Start != t.Start) {
			hidden = append(hidden, annotate.Span{Start: t.Start, End: t.End})
		}
	}
	p.leaking, p.tokens, p.sensitive, p.doubts = append(p.leaking, 0), append(p.tokens, 0), append(p.sensitive, 0), append(p.doubts, 0)
	passages := audit.Cut(text, hidden)
	p.units += min(1, len(passages))
	i := 0
	for _, passage := range passages {
		leaks, sensitive, doubt := false, false, 0.
		for ; i < len(tokens) && tokens[i].Start < passage.End; i++ {
			sensitive = sensitive || v.Sensitive[i]
			if v.Hidden(i) {
				continue
			}
			doubt += scores[i]
			if v.Sensitive[i] {
				p.tokens[document]++
				leaks = leaks || strings.ContainsFunc(v.Words[i], isWordRune)
			}
		}
		p.leaks, p.document, p.doubt = append(p.leaks, leaks), append(p.document, document), append(p.doubt, doubt)
		p.words += passage.Words
		p.doubts[document] += doubt
		p.leaking[document] += count(leaks)
		p.sensitive[document] += count(sensitive)
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func total(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// describe sizes the reading.
func (b *certifyBench) describe() *CertifyResult {
	p := b.published
	documents, passages := len(p.leaking), len(p.leaks)
	b.documentsRead = min(b.o.Documents, documents/2)
	b.passagesRead = max(1, int(math.Round(float64(b.documentsRead)*float64(passages)/float64(documents)))) // mean words cancel
	b.plantedRead = min(passages, max(b.passagesRead, 2*b.o.Plants))
	r := &CertifyResult{Documents: documents, Passages: passages, Words: p.words, Leaking: total(p.leaking), Missed: total(p.tokens), Draws: b.o.Draws,
		DocumentsRead: b.documentsRead, PassagesRead: b.passagesRead, PlantedRead: b.plantedRead, Plants: b.o.Plants}
	for _, n := range p.leaking {
		r.Leaky += count(n > 0)
	}
	return r
}

// run draws, and sums up by method.
func (b *certifyBench) run(ctx context.Context, r *CertifyResult) error {
	methods := b.methods()
	bar := b.progress.Start("drawing")
	defer bar.End()
	sums := make([]tallyOfBounds, len(methods))
	for draw := range b.o.Draws {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, m := range methods {
			sums[i].add(m.bound(rand.New(rand.NewPCG(b.o.Seed, uint64(draw)))))
		}
		bar.Step(draw+1, b.o.Draws, "")
	}
	for i, m := range methods {
		r.Methods = append(r.Methods, sums[i].result(m))
	}
	return nil
}

// outcome is one bound and the truth.
type outcome struct {
	bound, truth float64
	refused      bool
}

type tallyOfBounds struct{ draws, held, refused, bounds, truths float64 }

func (t *tallyOfBounds) add(o outcome) {
	t.draws++
	t.truths += o.truth
	t.held += float64(count(o.refused || o.bound >= o.truth))
	if o.refused {
		t.refused++
		return
	}
	t.bounds += o.bound
}

func (t *tallyOfBounds) result(m certifyMethod) CertifyMethod {
	return CertifyMethod{Method: m.name, Recall: m.recall, Coverage: t.held / t.draws, Refused: t.refused / t.draws, MeanBound: t.bounds / max(1, t.draws-t.refused), Truth: t.truths / t.draws}
}

// Write prints the result as text.
func (r *CertifyResult) Write(w io.Writer) {
	fmt.Fprintf(w, "%d documents, %d passages, %d leaking in %d documents; L/C %g, %s; %d draws\n", r.Documents, r.Passages, r.Leaking, r.Leaky, r.LC, r.Mode, r.Draws)
	fmt.Fprintf(w, "read: %d documents, or %d passages with as many words; with %d plants %d passages\n\n", r.DocumentsRead, r.PassagesRead, r.Plants, r.PlantedRead)
	t := lab.Table(w)
	fmt.Fprint(t, "method\trecall\tcoverage\trefused\tmean bound\ttruth\t\n")
	for _, m := range r.Methods {
		fmt.Fprintf(t, "%s\t%g\t%.3f\t%.3f\t%.1f\t%.1f\t\n", m.Method, m.Recall, m.Coverage, m.Refused, m.MeanBound, m.Truth)
	}
	t.Flush() // an error shows in a later write to w
}
