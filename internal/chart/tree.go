// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hide/internal/words"
)

// Tree is a hierarchy laid out from left to right, the most general level first. A large
// one shows only some labels below each label, and the number of the others.
type Tree struct {
	ID, Title, Desc string
	W, H            float64
	Nodes           []treeMark
	Links           []string // paths
}

// treeMark is a placed label.
type treeMark struct {
	X, Y  float64
	Label string // shortened to the width available
	Full  string // with the number of values below
	More  bool   // a placeholder for labels not drawn
	Inner bool
}

const (
	treeRow    = 20
	treeGap    = 44 // between the end of a label and the next column
	treeChars  = 20 // characters of a label drawn
	treeLetter = 7.0
	mostRows   = 48 // per drawing
)

// NewTree lays out a tree with as many labels below each label as the rows allow.
func NewTree(tops []*TreeNode) *Tree {
	limit := mostRows
	for limit > 1 && treeRows(tops, limit) > mostRows {
		limit--
	}
	d := &Tree{ID: "tree-drawing", Title: "The hierarchy, most general level first"}
	p := treePlacer{d: d, limit: limit}
	p.measure(tops, 0)
	p.place(tops, 0)
	d.H = float64(p.rows*treeRow + 8)
	for _, width := range p.widths {
		d.W += width + treeGap
	}
	d.describe(tops)
	return d
}

// treeRows is the number of rows when each label shows at most limit labels below it.
func treeRows(nodes []*TreeNode, limit int) int {
	rows := 0
	for i, n := range nodes {
		if i == limit {
			return rows + 1
		}
		if len(n.Below) == 0 {
			rows++
		} else {
			rows += treeRows(n.Below, limit)
		}
	}
	return rows
}

// describe lists the top labels, the labels below them and their numbers of values.
func (d *Tree) describe(tops []*TreeNode) {
	var b strings.Builder
	for _, top := range tops {
		fmt.Fprintf(&b, "%s: %s. ", top.Label, words.Count(top.Leafs, "value", "values"))
		for i, n := range top.Below {
			if i == mostExamples {
				fmt.Fprintf(&b, "And %d more.", len(top.Below)-i)
				break
			}
			fmt.Fprintf(&b, "%s: %s. ", n.Label, words.Count(n.Leafs, "value", "values"))
		}
	}
	d.Desc = b.String()
}

// mostExamples is the number of labels that a description lists.
const mostExamples = 6

// treePlacer holds the layout in progress.
type treePlacer struct {
	d      *Tree
	limit  int
	rows   int
	widths []float64 // of the labels of each column
}

// shown returns the labels to draw and the number of the others.
func (p *treePlacer) shown(nodes []*TreeNode) ([]*TreeNode, int) {
	if len(nodes) <= p.limit {
		return nodes, 0
	}
	return nodes[:p.limit], len(nodes) - p.limit
}

func (p *treePlacer) measure(nodes []*TreeNode, column int) {
	if len(nodes) == 0 {
		return
	}
	if column == len(p.widths) {
		p.widths = append(p.widths, 0)
	}
	shown, more := p.shown(nodes)
	for _, n := range shown {
		p.widths[column] = max(p.widths[column], labelWidth(clipped(n.Label)))
		p.measure(n.Below, column+1)
	}
	if more > 0 {
		p.widths[column] = max(p.widths[column], labelWidth(moreWords(more)))
	}
}

// place puts nodes below each other, and each parent halfway between its first and last
// child. It returns their y positions.
func (p *treePlacer) place(nodes []*TreeNode, column int) []float64 {
	x := p.left(column)
	shown, more := p.shown(nodes)
	var places []float64
	for _, n := range shown {
		below := p.place(n.Below, column+1)
		y := 0.0
		if len(below) == 0 {
			y = p.next()
		} else {
			y = (below[0] + below[len(below)-1]) / 2
		}
		full := n.Label
		if len(n.Below) > 0 {
			full += ": " + words.Count(n.Leafs, "value", "values")
		}
		p.d.Nodes = append(p.d.Nodes, treeMark{X: x, Y: y, Label: clipped(n.Label), Full: full, Inner: len(n.Below) > 0})
		p.link(x+12+labelWidth(clipped(n.Label)), y, column+1, below)
		places = append(places, y)
	}
	if more > 0 {
		y := p.next()
		p.d.Nodes = append(p.d.Nodes, treeMark{X: x, Y: y, Label: moreWords(more), Full: moreWords(more), More: true})
		places = append(places, y)
	}
	return places
}

// left is the x position of a column.
func (p *treePlacer) left(column int) float64 {
	x := 8.0
	for _, width := range p.widths[:min(column, len(p.widths))] {
		x += width + treeGap
	}
	return x
}

// next is the y position of the next row.
func (p *treePlacer) next() float64 {
	p.rows++
	return float64(p.rows)*treeRow - treeRow/2 + 4
}

// link draws lines from a label to those below it.
func (p *treePlacer) link(x, y float64, column int, below []float64) {
	if len(below) == 0 {
		return
	}
	to := p.left(column) - 6
	bend := to - 16
	for _, at := range below {
		p.d.Links = append(p.d.Links, "M"+Px(x)+" "+Px(y)+"H"+Px(bend)+"C"+Px(bend+8)+" "+Px(y)+" "+Px(bend+8)+" "+Px(at)+" "+Px(to)+" "+Px(at))
	}
}

func moreWords(n int) string { return "and " + words.Number(n) + " more" }

func labelWidth(label string) float64 { return treeLetter * float64(utf8.RuneCountInString(label)) }

// clipped is the part of a label that is drawn.
func clipped(label string) string {
	if runes := []rune(label); len(runes) > treeChars {
		return string(runes[:treeChars-1]) + "…"
	}
	return label
}

// TreeNode is a label of a hierarchy with the labels below it.
type TreeNode struct {
	Label string
	Level int // 0 for the values
	Below []*TreeNode
	Leafs int
}
