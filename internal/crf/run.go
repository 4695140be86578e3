// SPDX-License-Identifier: Apache-2.0

package crf

import "strconv"

// run is a stretch of tokens that look as if they were one thing: capitalised
// words with what joins them ("Dr. Ana de la Cruz-Ruiz"), or a piece without a
// space that has a digit ("#BC-654321"). What stands before and after the whole
// of it tells more than what stands beside one of its tokens.
type run struct {
	kind       runKind
	start, end int32 // tokens [start, end)
}

type runKind uint8

const (
	noRun runKind = iota
	names
	numbers
)

const (
	longestRun = 10 // tokens
	cueReach   = 6  // words before a number that may say what it numbers
)

func (x *extractor) prepareRuns() {
	s := &x.doc
	s.runs = s.runs[:0]
	for t := 0; t < len(s.ids); {
		r := x.runAt(t)
		for ; t < int(r.end); t++ {
			s.runs = append(s.runs, r)
		}
	}
}

// runAt is the run that begins at t, or t alone with no kind.
func (x *extractor) runAt(t int) run {
	if end := x.numberEnd(t); end > t {
		return run{numbers, int32(t), int32(end)}
	}
	if end := x.nameEnd(t); end > t {
		return run{names, int32(t), int32(end)}
	}
	return run{noRun, int32(t), int32(t + 1)}
}

// numberEnd is where the piece without a space that begins at t ends, or t when it
// has no digit.
func (x *extractor) numberEnd(t int) int {
	end, digits := t, false
	for end < len(x.doc.ids) && end-t < longestRun && (end == t || x.doc.gaps[end] == glued) {
		k := x.infoAt(end).class
		digits = digits || k == both || '1' <= k && k <= '5'
		end++
	}
	for end > t && digits && closes(x.infoAt(end-1).class) {
		end--
	}
	if !digits {
		return t
	}
	return end
}

func closes(k class) bool {
	return k == ',' || k == '.' || k == ';' || k == ':' || k == ')' || k == '?' || k == '!'
}

// nameEnd is where the capitalised words that begin at t end, or t for none.
func (x *extractor) nameEnd(t int) int {
	end := t
	for at := t; at < len(x.doc.ids) && at-t < longestRun && (at == t || x.doc.gaps[at] < newLine); at++ {
		switch w := x.infoAt(at); {
		case w.class.named():
			end = at + 1
		case at == t || w.class != '.' && w.class != '-' && w.class != '\'' && w.symbol != 'c':
			return end
		}
	}
	return end
}

// runs gives what stands around the run that a token is part of.
func (x *extractor) runs(t int, to []int32) []int32 {
	r := x.doc.runs[t]
	if r.kind == noRun {
		return to
	}
	kind, place, size := string('0'+byte(r.kind)), min(t-int(r.start), 4), min(int(r.end-r.start), 6)
	before, earlier, after := x.infoAt(int(r.start)-1), x.infoAt(int(r.start)-2), x.infoAt(int(r.end))
	to = keep(to, x.keyed(bundleKey{runBeforeBundle, int32(r.kind), before.lowerID, earlier.blurID}, func(a *attributes) {
		a.add("r-=", kind, "|", before.lower)
		a.add("r--=", kind, "|", earlier.blur, "|", before.lower)
	}))
	to = keep(to, x.keyed(bundleKey{runAfterBundle, int32(r.kind), after.lowerID, 0}, func(a *attributes) {
		a.add("r+=", kind, "|", after.lower)
	}))
	to = keep(to, x.keyed(bundleKey{runBundle, int32(r.kind), int32(place), int32(size)}, func(a *attributes) {
		a.add("r@=", kind, "|", strconv.Itoa(place), "|", strconv.Itoa(size))
		a.add("r#=", kind, "|", strconv.Itoa(size))
	}))
	if r.kind == numbers {
		to = x.cues(r, to)
	}
	return to
}

// cues are the words before a number, wherever among the last few.
func (x *extractor) cues(r run, to []int32) []int32 {
	for at := int(r.start) - 1; at >= max(0, int(r.start)-cueReach); at-- {
		w := x.infoAt(at)
		if !w.class.named() && w.class != small {
			continue
		}
		to = keep(to, x.keyed(bundleKey{cueBundle, w.lowerID, 0, 0}, func(a *attributes) { a.add("cue=", w.lower) }))
	}
	return to
}

// blurOf is a word for contexts: digits by their number, capitalised words by the
// lists that hold them, or by their class when none does.
func (x *extractor) blurOf(w *word) string {
	switch {
	case w.class.named() && w.lists != 0:
		return clipName(w.member)
	case w.class.named(), w.class == both, '1' <= w.class && w.class <= '5':
		return string(rune(w.class))
	}
	return w.lower
}
