// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"strconv"

	"hide/internal/words"
)

// Tick is a labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// Scale maps values to 0..1 along an axis. Its ticks are ascending; the first and the last
// are its ends.
type Scale struct {
	Ticks []Tick
	Log   bool // logarithmic above 1: see at
	Lost  bool // of shares near 1: logarithmic in 1 minus the share
}

// at is the position of v on the axis, 0 to 1. Values outside are put at the ends, NaN at
// 0. A logarithmic scale is linear from 0 to 1 and follows log10(v) above, so that a count
// of 0 can be shown.
func (s Scale) at(v float64) float64 {
	if len(s.Ticks) < 2 || math.IsNaN(v) {
		return 0
	}
	lo, hi := s.Ticks[0].Value, s.Ticks[len(s.Ticks)-1].Value
	v = min(max(v, lo), hi)
	if s.Log {
		return (bend(v) - bend(lo)) / (bend(hi) - bend(lo))
	}
	if s.Lost {
		return math.Log((1-lo)/(1-v)) / math.Log((1-lo)/(1-hi))
	}
	return (v - lo) / (hi - lo)
}

// bend is v below 1 and 1 + 2 log10(v) above: continuous, rising, 0 at 0.
func bend(v float64) float64 {
	if v <= 1 {
		return v
	}
	return 1 + 2*math.Log10(v)
}

// covers reports whether v lies within the axis.
func (s Scale) covers(v float64) bool {
	return len(s.Ticks) >= 2 && v >= s.Ticks[0].Value && v <= s.Ticks[len(s.Ticks)-1].Value
}

// CountScale is an axis from 0 for counts. It is logarithmic when the counts above zero
// span more than a factor of 30.
func CountScale(values []float64) Scale {
	top, least := 0.0, math.Inf(1)
	for _, v := range values {
		if !known(v) || v <= 0 {
			continue
		}
		top, least = max(top, v), min(least, max(v, 1))
	}
	if top > 60 && top/least > 30 {
		return logScale(top)
	}
	return LinearScale(0, max(top, 1), 4, words.Amount)
}

// logScale has ticks at 0, 1, then at factors up to the first step at or above top.
func logScale(top float64) Scale {
	s := Scale{Log: true, Ticks: []Tick{{0, "0"}, {1, "1"}}}
	steps := []float64{10}
	if top <= 2000 {
		steps = []float64{3, 10}
	}
	for base := 1.0; ; base *= 10 {
		for _, step := range steps {
			v := base * step
			s.Ticks = append(s.Ticks, Tick{v, words.Amount(v)})
			if v >= top {
				return s
			}
		}
	}
}

// LinearScale covers lo to hi with about n equal steps of 1, 2, 2.5 or 5 times a power of
// ten. label writes a tick; counts get whole steps.
func LinearScale(lo, hi float64, n int, label func(float64) string) Scale {
	step := niceStep((hi - lo) / float64(n))
	if lo == 0 && step < 1 && hi >= 1 {
		step = 1
	}
	first := math.Floor(lo/step + 1e-9)
	last := max(math.Ceil(hi/step-1e-9), first+1)
	var s Scale
	for k := first; k <= last; k++ {
		v := k * step
		s.Ticks = append(s.Ticks, Tick{v, label(v)})
	}
	return s
}

// niceStep is the smallest of 1, 2, 2.5, 5, 10 times a power of ten at or above raw.
func niceStep(raw float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if raw <= f*base*(1+1e-9) {
			return f * base
		}
	}
	return 10 * base
}

// ShareScale covers shares (0 to 1) closely. It need not start at zero, as points are read
// by their position and not by the length of a bar.
func ShareScale(values []float64) Scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if known(v) {
			v = min(max(v, 0), 1)
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	if hi-lo < 0.01 {
		mid := min(max((lo+hi)/2, 0.005), 0.995)
		lo, hi = min(lo, mid-0.005), max(hi, mid+0.005)
	}
	step := niceStep((hi - lo) / 4)
	return LinearScale(lo, hi, 4, func(v float64) string { return percentTick(v, step) })
}

// lostSteps are 1 minus the share at the ticks of a [KeptScale]: each about a third of the
// one before.
var lostSteps = []float64{0.9, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4, 3e-5, 1e-5}

// KeptScale is a [ShareScale]. When 1 minus the share spans more than a factor of 8, it is
// logarithmic in it: 70, 90, 97, 99 %. It never reaches 100 %: an interval that does ends
// at the edge.
func KeptScale(values []float64) Scale {
	most, least := 0.0, math.Inf(1)
	for _, v := range values {
		if known(v) {
			most, least = max(most, 1-v), min(least, 1-v)
		}
	}
	if most > lostSteps[0] || least < lostSteps[len(lostSteps)-1] || most < 8*least {
		return ShareScale(values)
	}
	s := Scale{Lost: true}
	for i, lost := range lostSteps {
		if i+1 < len(lostSteps) && lostSteps[i+1] >= most {
			continue
		}
		s.Ticks = append(s.Ticks, Tick{1 - lost, percentTick(1-lost, lost)})
		if lost <= least {
			break
		}
	}
	return s
}

// RoundScale is an axis of whole numbers first..last with at most about 8 ticks.
func RoundScale(first, last int) Scale {
	if last <= first {
		last = first + 1
	}
	step := max(1, int(niceStep(float64(last-first)/8)+0.5))
	var s Scale
	for k := first; ; k += step {
		s.Ticks = append(s.Ticks, Tick{float64(k), strconv.Itoa(k)})
		if k >= last {
			return s
		}
	}
}

// percentTick writes a tick of a share axis with as many decimals as its step needs.
func percentTick(v, step float64) string {
	digits := 0
	for s := 100 * step; digits < 3 && math.Abs(s-math.Round(s)) > 1e-6; s *= 10 {
		digits++
	}
	return strconv.FormatFloat(100*v, 'f', digits, 64)
}

// RatioTick writes L/C on a chart, with grouped digits like the numbers beside it.
func RatioTick(lc float64) string {
	if lc >= 1000 && lc == math.Round(lc) {
		return words.Amount(lc)
	}
	return ratioDigits(lc)
}

// known reports whether v is a finite number.
func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// ratioDigits writes L/C: 10, 2.5.
func ratioDigits(lc float64) string { return strconv.FormatFloat(lc, 'f', -1, 64) }
