// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hide/internal/words"
)

// Cluster draws the records of one patient as dots on a circle, and the links between them as
// lines.
type Cluster struct {
	ID, Title, Desc string
	W, H            float64
	Dots            []ClusterDot
	Links           []ClusterLink
}

// ClusterDot is a placed record.
type ClusterDot struct {
	Name           string
	X, Y           float64
	LabelX, LabelY float64
	Anchor         string
}

// ClusterLink is a placed link. Label is its probability, "" without room for it.
type ClusterLink struct {
	X1, Y1, X2, Y2 float64
	Bridge         bool
	Label          string
	LabelX, LabelY float64
}

// LinkedPair is a link between two records, by their indices.
type LinkedPair struct {
	A, B        int
	Probability float64
	Bridge      bool // without it the patient falls apart
}

// MostDots is how many records a drawing shows at most. Drawings with many records show no
// probability of links that have at least the probability Sure.
const (
	MostDots = 40
	Sure     = .99
)

const (
	fewDots                     = 4
	clusterWidth, clusterHeight = 280, 240
	pairHeight                  = 56 // of two records, which stand side by side
	clusterRadius               = 82
)

// NewCluster draws records by their names. Records that hang together without the bridges stand
// side by side. Of more than [MostDots] records the first are drawn.
func NewCluster(id, title string, names []string, links []LinkedPair) *Cluster {
	c := &Cluster{ID: id, Title: title, W: clusterWidth, H: clusterHeight, Desc: clusterWords(names, links)}
	names = names[:min(len(names), MostDots)]
	if len(names) == 2 {
		c.H = pairHeight
	}
	links = slices.DeleteFunc(slices.Clone(links), func(l LinkedPair) bool { return max(l.A, l.B) >= len(names) })
	place := c.around(names, links)
	// Bridges get room for their labels first, then the least likely links.
	slices.SortStableFunc(links, func(a, b LinkedPair) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(a.Probability, b.Probability))
	})
	taken := c.taken()
	for _, l := range links {
		a, b := c.Dots[place[l.A]], c.Dots[place[l.B]]
		line := ClusterLink{X1: a.X, Y1: a.Y, X2: b.X, Y2: b.Y, Bridge: l.Bridge}
		if l.Bridge || l.Probability < Sure || len(names) <= fewDots {
			taken = line.label(probabilityLabel(l.Probability), taken)
		}
		c.Links = append(c.Links, line)
	}
	return c
}

// rank puts bridges before other links.
func rank(l LinkedPair) int {
	if l.Bridge {
		return 1
	}
	return 0
}

func probabilityLabel(p float64) string {
	if p >= Sure {
		return "> " + words.ShortPercent(Sure)
	}
	return words.ShortPercent(p)
}

func clusterWords(names []string, links []LinkedPair) string {
	bridges := 0
	for _, l := range links {
		bridges += rank(l)
	}
	return fmt.Sprintf("%s, %s, %s. The list has all of them.",
		words.Count(len(names), "record", "records"), words.Count(len(links), "link", "links"), words.Count(bridges, "bridge", "bridges"))
}

// around places the records on the circle, and says which dot each one is.
func (c *Cluster) around(names []string, links []LinkedPair) (place []int) {
	order := byBlock(len(names), links)
	place = make([]int, len(names))
	for at, i := range order {
		angle := 2*math.Pi*float64(at)/float64(len(order)) - math.Pi/2
		if len(order) == 2 {
			angle -= math.Pi / 2 // side by side
		}
		sin, cos := math.Sincos(angle)
		d := ClusterDot{Name: names[i], X: c.W/2 + clusterRadius*cos, Y: c.H/2 + clusterRadius*sin, Anchor: "middle"}
		d.LabelX, d.LabelY = d.X, d.Y+4.5+17*sin
		switch {
		case cos > .3:
			d.LabelX, d.Anchor = d.X+10, "start"
		case cos < -.3:
			d.LabelX, d.Anchor = d.X-10, "end"
		}
		if len(order) > 16 {
			d.Name = ""
		}
		place[i] = at
		c.Dots = append(c.Dots, d)
	}
	return place
}

// byBlock orders records. Records that hang together without bridges are neighbours.
func byBlock(n int, links []LinkedPair) []int {
	block := make([]int, n)
	for i := range block {
		block[i] = i
	}
	for _, l := range links {
		if from, to := max(block[l.A], block[l.B]), min(block[l.A], block[l.B]); !l.Bridge && from != to {
			for i, b := range block {
				if b == from {
					block[i] = to
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(block[a], block[b]) })
	return order
}

// taken are the places of dots and their names.
func (c *Cluster) taken() (out []plotBox) {
	for _, d := range c.Dots {
		out = append(out, plotBox{d.X - 6, d.Y - 6, d.X + 6, d.Y + 6})
		width := 8 * float64(len(d.Name))
		b := plotBox{d.LabelX, d.LabelY - 14, d.LabelX + width, d.LabelY + 3}
		switch d.Anchor {
		case "end":
			b.Left, b.Right = b.Left-width, b.Left
		case "middle":
			b.Left, b.Right = b.Left-width/2, b.Left+width/2
		}
		out = append(out, b)
	}
	return out
}

// label writes the probability on the line where it covers nothing, or not at all.
func (l *ClusterLink) label(text string, taken []plotBox) []plotBox {
	width := 8 * float64(len(text))
	for _, t := range []float64{.5, .35, .65, .25, .75} {
		x, y := l.X1+t*(l.X2-l.X1), l.Y1+t*(l.Y2-l.Y1)
		b := plotBox{x - width/2, y - 10, x + width/2, y + 8}
		if !overlapsAny(b, taken) {
			l.Label, l.LabelX, l.LabelY = text, x, y+4.5
			return append(taken, b)
		}
	}
	return taken
}
