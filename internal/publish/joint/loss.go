// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"math"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Loss is the information loss of a recoding: the normalized certainty penalty (rx-anon,
// section 5.3), from 0 to 1:
//
//	NCP_A(r) = mean over the quasi-identifiers of NCP_Ai(r)
//	NCP_X(r) = suppressed terms of X' / |X'|
//	NCP(r)   = (NCP_A(r) + NCP_X(r)) / 2
//
// and the mean over persons for a dataset. With several text attributes NCP_X is the mean
// over them. For a person without terms NCP_X is 0; the paper does not define it.
type Loss struct {
	Total      float64         `json:"total"`
	Relational float64         `json:"relational"`
	Textual    float64         `json:"textual"`
	WithTerms  float64         `json:"textual_of_persons_with_terms"` // mean over these only, as in rx-anon's program
	Attributes []AttributeLoss `json:"attributes"`
	Types      []TypeLoss      `json:"types"`
}

// AttributeLoss is the mean NCP of one quasi-identifier.
type AttributeLoss struct {
	Name string  `json:"name"`
	Loss float64 `json:"loss"`
}

// TypeLoss is the information loss of the terms of one type (rx-anon, section 6.3).
type TypeLoss struct {
	Text       string         `json:"text"`
	Type       annotate.Label `json:"type"`
	Persons    int            `json:"persons"`    // who have such terms
	Terms      int            `json:"terms"`      // summed over persons, each counted once a person
	Suppressed int            `json:"suppressed"` // of those
	Loss       float64        `json:"loss"`       // mean over those persons of the share suppressed
}

// Loss measures a recoding.
func (r *Recoding) Loss() Loss {
	var l Loss
	v := r.view
	l.Attributes = make([]AttributeLoss, len(v.columns))
	for i, c := range v.columns {
		l.Attributes[i].Name = c.Name
	}
	for class, people := range r.classes {
		for i, cell := range r.Cells[class] {
			l.Attributes[i].Loss += cell.Loss * float64(len(people))
		}
	}
	for i := range l.Attributes {
		l.Attributes[i].Loss /= float64(len(v.people))
		l.Relational += l.Attributes[i].Loss / float64(len(v.columns))
	}
	r.textual(&l)
	l.Total = (l.Relational + l.Textual) / 2
	return l
}

// textual fills in NCP_X and the loss by type.
func (r *Recoding) textual(l *Loss) {
	v := r.view
	texts := len(v.Config.with(table.Text))
	for _, t := range v.types {
		l.Types = append(l.Types, TypeLoss{Text: v.Config.TextAttributes()[t.text], Type: t.label})
	}
	sum, with := make([]float64, texts), make([]int, texts)
	for who := range v.people {
		all, lost := make([]int, texts), make([]int, texts)
		for i, t := range v.types {
			n, gone := r.lostOf(who, t)
			all[t.text], lost[t.text] = all[t.text]+n, lost[t.text]+gone
			l.Types[i].add(n, gone)
		}
		for x := range texts {
			if all[x] > 0 {
				sum[x] += float64(lost[x]) / float64(all[x])
				with[x]++
			}
		}
	}
	for x := range texts {
		l.Textual += sum[x] / float64(len(v.people)) / float64(texts)
		if with[x] > 0 {
			l.WithTerms += sum[x] / float64(with[x]) / float64(texts)
		}
	}
	for i := range l.Types {
		if t := &l.Types[i]; t.Persons > 0 {
			t.Loss /= float64(t.Persons)
		}
	}
}

// lostOf counts a person's terms of a type, and those that are not kept.
func (r *Recoding) lostOf(who int, t termType) (all, lost int) {
	for _, term := range r.view.people[who].terms {
		if t.from <= term && term < t.to {
			all++
			if !contains(r.kept[r.of[who]], term) {
				lost++
			}
		}
	}
	return all, lost
}

func (t *TypeLoss) add(all, lost int) {
	if all == 0 {
		return
	}
	t.Persons++
	t.Terms += all
	t.Suppressed += lost
	t.Loss += float64(lost) / float64(all)
}

// PublishedLoss is the loss of the same recoding in rx-anon's program
// (information_loss.py): it counts whole numbers, both ends included; a shortened code has
// no loss; terms count as often as they occur in the texts; and in a class of three or
// more only the first and the last person keep any term.
func (r *Recoding) PublishedLoss() (relational, textual float64) {
	v := r.view
	for class, people := range r.classes {
		for i, c := range v.columns {
			relational += r.publishedCell(class, i, c, people) * float64(len(people)) / float64(len(v.people)) / float64(len(v.columns))
		}
	}
	texts := len(v.Config.with(table.Text))
	for x := range texts {
		sum, with := 0.0, 0
		for class, people := range r.classes {
			for i, who := range people {
				all, kept := r.spansOf(class, who, x)
				if all == 0 {
					continue
				}
				if with++; i > 0 && i < len(people)-1 {
					kept = 0
				}
				sum += 1 - float64(kept)/float64(all)
			}
		}
		if with > 0 {
			textual += sum / float64(with) / float64(texts)
		}
	}
	return relational, textual
}

func (r *Recoding) publishedCell(class, i int, c *table.Column, people []int) float64 {
	loss := r.Cells[class][i].Loss
	switch {
	case loss == 0 || c.Kind == table.Code:
		return 0
	case c.Kind != table.Number || c.Tree != nil || c.Missing:
		return loss
	}
	lo, hi := missing, -missing
	for _, who := range people {
		for _, code := range r.view.cells[i][who] {
			lo, hi = min(lo, c.Numbers[code]), max(hi, c.Numbers[code])
		}
	}
	least, greatest := math.Floor(c.Numbers[0]), math.Ceil(c.Numbers[len(c.Numbers)-1])
	return (math.Ceil(hi) - math.Floor(lo) + 1) / (greatest - least + 1)
}

// spansOf counts the plain mentions in a person's texts, and the kept ones.
func (r *Recoding) spansOf(class, who, text int) (all, kept int) {
	for _, row := range r.view.people[who].rows {
		for _, m := range r.view.mentions[row][text] {
			if m.kind != plain {
				continue
			}
			all++
			if contains(r.kept[class], m.term) {
				kept++
			}
		}
	}
	return all, kept
}
