// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/linear"
	"hide/internal/wire"
)

// Selection trains the learner with the fewest errors on held-out documents ("Selection"
// of tkde figures 6 and 7), FP + FN of the hard labels (tkde equation 2). Ties go to the
// first. Learners with sampling are judged on all tokens of those documents.
type Selection struct {
	Learners []greedy.Learner // at least one
	Folds    int              // 0 means 3
	Seed     uint64           // of folds
	Weight   float64          // of a missed token among the errors; 0 means 1
}

var _ greedy.CostSensitive = Selection{}

// Weighted implements [greedy.CostSensitive]: each learner that can weighs tokens, and the
// errors are weight*FN + FP.
func (s Selection) Weighted(weight float64) greedy.Learner {
	s.Weight, s.Learners = weight, slices.Clone(s.Learners)
	for i, l := range s.Learners {
		s.Learners[i] = weightedOr(l, weight)
	}
	return s
}

// weightedOr is l with the weight, or l itself if it cannot weigh tokens.
func weightedOr(l greedy.Learner, weight float64) greedy.Learner {
	if c, can := l.(greedy.CostSensitive); can {
		return c.Weighted(weight)
	}
	return l
}

// Chosen is the classifier of a [Selection], a pointer so that it can be a map key.
type Chosen struct {
	greedy.Classifier
	Learner string    // its learner
	Errors  []float64 // out of fold, by learner; nil if nothing could be held out
}

// Name is "selection".
func (Selection) Name() string { return "selection" }

// Train implements [greedy.Learner]; its classifiers are *[Chosen]. With one group of
// documents nothing can be held out, and the first learner is taken.
func (s Selection) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	if len(s.Learners) == 0 {
		return nil, errors.New("there is no learner to select from")
	}
	wrong, err := s.errors(ctx, views)
	if err != nil {
		return nil, err
	}
	best := 0
	for i, n := range wrong {
		if n < wrong[best] {
			best = i
		}
	}
	h, err := greedy.Fit(ctx, s.Learners[best], views)
	if err != nil {
		return nil, err
	}
	return &Chosen{h, s.Learners[best].Name(), wrong}, nil
}

// Weights is how many weights training set in the classifier that was chosen.
func (c *Chosen) Weights() int { return int(greedy.Dimension(c.Classifier)) - 1 }

func (s Selection) errors(ctx context.Context, views []annotate.View) ([]float64, error) {
	var wrong []float64
	for _, l := range s.Learners {
		said, err := outOfFold(ctx, l, views, orDefault(s.Folds), s.Seed)
		if err != nil || said == nil {
			return nil, err
		}
		wrong = append(wrong, errorsOf(views, said, cmp.Or(s.Weight, 1)))
	}
	return wrong, nil
}

// errorsOf is FP + weight*FN.
func errorsOf(views []annotate.View, said []opinion, weight float64) float64 {
	n := 0.0
	for i, v := range views {
		for x, marked := range said[i].marks {
			switch {
			case !v.InTraining(x) || marked == v.Remaining(x):
			case marked:
				n++
			default:
				n += weight
			}
		}
	}
	return n
}

// orDefault is the number of folds when none is given.
func orDefault(folds int) int {
	if folds == 0 {
		return 3
	}
	return folds
}

// Ensemble combines one learner with a support vector machine that decides about the
// tokens which the first marks or finds probable enough (the "Ensemble" of tkde section
// 5, which takes false positives from a CRF). The machine is trained only on such tokens
// of documents that the first learner was not trained on, with the first learner's score
// as a feature. The zero value is a CRF and a machine with their default features.
type Ensemble struct {
	First greedy.Learner // nil means greedy.CRF{}
	Then  linear.SVM
	Least float64 // P(sensitive) from which on the machine decides about a token; 0 means 0.1
	Folds int     // 0 means 3
	Seed  uint64  // of folds
}

var _ greedy.CostSensitive = Ensemble{}

// Weighted implements [greedy.CostSensitive]: both learners weigh tokens.
func (e Ensemble) Weighted(weight float64) greedy.Learner {
	if e.First == nil {
		e.First = greedy.CRF{}
	}
	e.First, e.Then.Sensitive = weightedOr(e.First, weight), weight
	return e
}

// Name is "ensemble".
func (Ensemble) Name() string { return "ensemble" }

// Train implements [greedy.Learner]. If no mark was wrong, or none right, or there is
// only one group of documents, no machine can be trained and the first learner is used
// alone.
func (e Ensemble) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	if e.First == nil {
		e.First = greedy.CRF{}
	}
	e.Least = cmp.Or(e.Least, 0.1)
	if !(e.Least >= 0 && e.Least <= 1) {
		return nil, fmt.Errorf("the threshold %g for doubtful tokens must be from 0 to 1", e.Least)
	}
	said, err := outOfFold(ctx, e.First, views, orDefault(e.Folds), e.Seed)
	if err != nil {
		return nil, err
	}
	doubts := make([]linear.Doubt, len(said))
	for i, o := range said {
		doubts[i] = doubtful(views[i], o, e.Least)
	}
	first, err := greedy.Fit(ctx, e.First, views)
	if err != nil || !bothKinds(views, doubts) {
		return first, err
	}
	then, err := e.Then.TrainOn(ctx, views, doubts)
	if err != nil {
		return nil, err
	}
	return &corrected{e.Least, first, then}, nil
}

// finiteOdds keeps the log-odds of certainty finite.
const finiteOdds = 1e-9

// doubtful selects the tokens that are marked or probable enough.
func doubtful(v annotate.View, o opinion, least float64) linear.Doubt {
	d := linear.Doubt{Only: make([]bool, len(o.marks)), Odds: make([]float64, len(o.marks))}
	for x, p := range o.scores {
		d.Only[x] = !v.Hidden(x) && (o.marks[x] || p >= least)
		d.Odds[x] = greedy.LogOdds(p, finiteOdds)
	}
	return d
}

// bothKinds reports whether both classes occur among the doubtful tokens.
func bothKinds(views []annotate.View, doubts []linear.Doubt) bool {
	right, wrong := false, false
	for i, d := range doubts {
		for x, asked := range d.Only {
			asked = asked && !views[i].Skipped(x)
			right = right || asked && views[i].Remaining(x)
			wrong = wrong || asked && !views[i].Remaining(x)
		}
	}
	return right && wrong
}

// corrected is the classifier of an [Ensemble].
type corrected struct {
	least float64
	first greedy.Classifier
	then  *linear.Model
}

// Weights is how many weights training set in both.
func (c *corrected) Weights() int { return int(max(greedy.Dimension(c.first)-1, 0)) + c.then.Weights() }

// Scores are the first classifier's; for doubtful tokens, the mean of both log-odds.
func (c *corrected) Scores(v annotate.View) []float64 {
	o := ask(c.first, v)
	d := doubtful(v, o, c.least)
	for x, margin := range c.then.Judge(v, d) {
		if d.Only[x] {
			odds := (d.Odds[x] + greedy.LogOdds(c.then.Probability(margin), finiteOdds)) / 2
			o.scores[x] = greedy.Logistic(odds)
		}
	}
	return o.scores
}

// Hard is the machine's decision for the doubtful tokens.
func (c *corrected) Hard(v annotate.View) []bool {
	o := ask(c.first, v)
	d := doubtful(v, o, c.least)
	for x, margin := range c.then.Judge(v, d) {
		o.marks[x] = d.Only[x] && margin > 0
	}
	return o.marks
}

// Encode encodes a classifier as self-describing bytes. They contain words of its
// training notes. Equal classifiers give equal bytes. It fails if the classifier's
// learner is not [Kept].
func Encode(c greedy.Classifier) ([]byte, error) {
	switch c := c.(type) {
	case *Chosen:
		return Encode(c.Classifier)
	case *greedy.Model:
		var b bytes.Buffer
		err := c.CRF.Encode(&b)
		return b.Bytes(), err
	case encoding.BinaryMarshaler:
		return c.MarshalBinary()
	}
	return nil, fmt.Errorf("a classifier of type %T cannot be kept in a file", c)
}

// Decode reads the output of [Encode] and nothing else. Its errors come from the
// classifier's own package and say nothing about the content.
func Decode(b []byte) (greedy.Classifier, error) {
	switch {
	case bytes.HasPrefix(b, []byte(detect.Magic)):
		return kept(detect.Decode(b))
	case bytes.HasPrefix(b, []byte(linear.Magic)):
		return kept(linear.Decode(b))
	case bytes.HasPrefix(b, []byte(ensembleMagic)):
		return kept(decodeEnsemble(b))
	}
	r := bytes.NewReader(b)
	m, err := crf.Decode(r)
	if err != nil {
		return nil, err
	}
	if r.Len() > 0 {
		return nil, fmt.Errorf("%d bytes after its end", r.Len())
	}
	return &greedy.Model{CRF: m}, nil
}

// kept makes sure that a failed result is nil.
func kept[C greedy.Classifier](c C, err error) (greedy.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Kept lists the learners whose classifiers can be kept in a file, to be used on later
// notes.
func Kept() []string {
	var names []string
	for _, e := range Table() {
		if e.kept {
			names = append(names, e.Name)
		}
	}
	return names
}

// ensembleMagic is how the file of an [Ensemble]'s classifier begins.
const ensembleMagic = "HIDEENS\n"

// ErrEnsemble is returned for bytes that are no ensemble.
var ErrEnsemble = errors.New("not an ensemble")

var (
	_ encoding.BinaryMarshaler = (*corrected)(nil)
	_ greedy.Keeper            = Ensemble{}
	_ greedy.Keeper            = Selection{}
)

// EncodeClassifier implements [greedy.Keeper].
func (Ensemble) EncodeClassifier(h greedy.Classifier) ([]byte, error) { return Encode(h) }

// DecodeClassifier implements [greedy.Keeper].
func (Ensemble) DecodeClassifier(raw []byte) (greedy.Classifier, error) { return Decode(raw) }

// EncodeClassifier implements [greedy.Keeper]. What was not chosen is not kept.
func (Selection) EncodeClassifier(h greedy.Classifier) ([]byte, error) { return Encode(h) }

// DecodeClassifier implements [greedy.Keeper]: the classifier that was chosen.
func (Selection) DecodeClassifier(raw []byte) (greedy.Classifier, error) { return Decode(raw) }

// MarshalBinary writes Least, the length of the first classifier, both classifiers,
// and a checksum.
func (c *corrected) MarshalBinary() ([]byte, error) {
	first, err := Encode(c.first)
	if err != nil {
		return nil, err
	}
	then, err := c.then.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b := wire.AppendFloat([]byte(ensembleMagic), c.least)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(first)))
	return wire.Seal(append(append(b, first...), then...)), nil
}

// decodeEnsemble reads the output of MarshalBinary. Nested ensembles are refused: none is
// ever trained, and reading would nest as deep as the bytes say.
func decodeEnsemble(b []byte) (*corrected, error) {
	r, err := wire.Open(b, ensembleMagic)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEnsemble, err)
	}
	least, length := r.Float(1), r.Uint64()
	if r.Err() != nil || least < 0 || length > uint64(r.Left()) {
		return nil, fmt.Errorf("%w: its parts do not fit", ErrEnsemble)
	}
	raw := r.Take(int(length))
	if bytes.HasPrefix(raw, []byte(ensembleMagic)) {
		return nil, fmt.Errorf("%w: it is inside another", ErrEnsemble)
	}
	first, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("first classifier of an ensemble: %w", err)
	}
	then, err := linear.Decode(r.Take(r.Left()))
	if err != nil {
		return nil, fmt.Errorf("second classifier of an ensemble: %w", err)
	}
	return &corrected{least, first, then}, nil
}
