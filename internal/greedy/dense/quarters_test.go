// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

func mustPrepare(t *testing.T, views []annotate.View) *Corpus {
	t.Helper()
	c, err := Prepare(context.Background(), views, crf.NewLists(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// about is a document of words of a topic, some of which all topics have.
func about(r *rand.Rand, topic, group, source string) annotate.View {
	d := &annotate.Note{Group: group, Attributes: map[string]string{"institution": source}}
	for range 30 {
		word := fmt.Sprintf("%s%d", topic, r.IntN(12))
		if r.IntN(2) == 0 {
			word = fmt.Sprintf("any%d", r.IntN(12))
		}
		d.Words, d.Sensitive = append(d.Words, word), append(d.Sensitive, r.IntN(5) == 0)
	}
	return annotate.View{Note: d}
}

func TestOppositeQuartersShareNoTopicAndNoGroup(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var views []annotate.View
		var topics []int
		for i := range 40 {
			topics = append(topics, i%2)
			views = append(views, about(r, []string{"renal", "cardiac"}[topics[i]], fmt.Sprint(i/4), ""))
		}
		sideOf, halfOf := map[int]int{}, map[string]int{}
		for i, q := range mustPrepare(t, views).Quarters() {
			if side, seen := sideOf[topics[i]]; seen && side != q%2 {
				t.Fatalf("seed %d: a topic is on both sides", seed)
			}
			if half, seen := halfOf[views[i].Group]; seen && half != q/2 {
				t.Fatalf("seed %d: a group is in both halves", seed)
			}
			sideOf[topics[i]], halfOf[views[i].Group] = q%2, q/2
		}
		if sideOf[0] == sideOf[1] {
			t.Fatalf("seed %d: both topics are on one side", seed)
		}
	}
}

// TestSourcesStayTogether has sources with documents of both topics.
func TestSourcesStayTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var views []annotate.View
	for i := range 40 {
		views = append(views, about(r, []string{"renal", "cardiac"}[i%2], fmt.Sprint(i), []string{"north", "south"}[i/20]))
	}
	for i, q := range mustPrepare(t, views).Quarters() {
		if first := mustPrepare(t, views).Quarters()[i/20*20]; q%2 != first%2 {
			t.Fatalf("document %d of its source is on the other side", i)
		}
	}
}

// TestRowsOfStrangersCountTheOppositeQuarterOnly counts by hand.
func TestRowsOfStrangersCountTheOppositeQuarterOnly(t *testing.T) {
	tried := 0
	for seed := range uint64(30) {
		views := random(seed, 24)
		c := mustPrepare(t, views)
		f, err := c.Fit(t.Context(), all(len(views)))
		if err != nil {
			t.Fatal(err)
		}
		x, y, err := f.Rows(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		known, _ := mustRows(t, f)
		if x.Rows() == known.Rows() {
			continue // a quarter has one class only
		}
		tried++
		row := known.Rows()
		for i := 0; i < len(views); i += 2 {
			for at, w := range views[i].Words {
				if views[i].Hidden(at) {
					continue
				}
				var n count
				for j, other := range views {
					for k := range other.Words {
						if c.Quarters()[j] == Opposite(c.Quarters()[i]) && !other.Hidden(k) && strings.EqualFold(other.Words[k], w) {
							n.add(other.Remaining(k))
						}
					}
				}
				if want := rate(n, f.share); x[keyLower][row] != want || y[row] != views[i].Remaining(at) {
					t.Fatalf("seed %d, document %d, token %d: rate %g, by hand %g", seed, i, at, x[keyLower][row], want)
				}
				row++
			}
		}
		if row != x.Rows() {
			t.Fatalf("%d rows of %d", row, x.Rows())
		}
	}
	if tried < 10 {
		t.Errorf("only %d of 30 corpora had rows of strangers", tried)
	}
}
