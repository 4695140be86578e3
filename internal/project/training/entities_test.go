// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

func TestACheckCountsIdentifiersWithAllTheirMentions(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(12)
	direct := map[annotate.Label]bool{"PATIENT": true, "MEDICALRECORD": true} // and DATE and DOCTOR are quasi
	distinct, mentions := map[bool]map[string]bool{true: {}, false: {}}, map[bool]int{}
	for _, d := range docs {
		for _, s := range d.Spans {
			distinct[direct[s.Label]][d.Patient+" "+strings.ToLower(s.Surface(d.Text))] = true
			mentions[direct[s.Label]]++
		}
	}
	id := b.NewProject(docs, true)
	b.Trained(id)
	p := b.mustErrors(id, training.ErrorFilter{}).Entities
	if p == nil {
		t.Fatal("the check has no identifiers")
	}
	if got, want := p.Direct.Entities.Of, len(distinct[true]); got != want || p.Direct.Mentions.Of != mentions[true] {
		t.Errorf("%d direct identifiers and %d mentions, want %d and %d", got, p.Direct.Mentions.Of, want, mentions[true])
	}
	if got, want := p.Quasi.Entities.Of, len(distinct[false]); got != want || p.Quasi.Mentions.Of != mentions[false] {
		t.Errorf("%d quasi-identifiers and %d mentions, want %d and %d", got, p.Quasi.Mentions.Of, want, mentions[false])
	}
	if i := p.Direct.Entities.Interval; i == nil || i.Low > p.Direct.Entities.Share || i.High < p.Direct.Entities.Share {
		t.Errorf("the interval %+v does not hold the share", i)
	}
}

func TestLabelsHaveTheTypeOfTheDefaultLabelThatCorresponds(t *testing.T) {
	for label, want := range map[annotate.Label]entities.Identifier{
		"DIRECT": entities.Direct, "QUASI": entities.Quasi, "PERSON": entities.Direct, "CODE": entities.Direct, "DATETIME": entities.Quasi,
		"PATIENT": entities.Direct, "AGE": entities.Quasi, "OTHER": entities.Quasi, "NOBODY-KNOWS": entities.Quasi,
	} {
		if got := training.IdentifierOf([]annotate.Label{label})(label); got != want {
			t.Errorf("%s is %s, want %s", label, got, want)
		}
	}
}
