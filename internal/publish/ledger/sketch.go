// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
)

// MostUnits is how many units of a lineage are stored; of more, the ones with the
// smallest hashes.
const MostUnits = 1 << 16

// sketch is a sorted set of keyed hashes of units, the smallest MostUnits of them. Two
// sketches sample units alike (bottom-k; Cohen and Kaplan, Summarizing data using
// bottom-k sketches, PODC 2007): up to the lower of their largest hashes, both are
// complete.
type sketch []uint64

// Sketch is what the ledger stores about the units of a dataset, to recognize them under
// another lineage or with other columns: 8 bytes of a keyed hash of each key, at most
// [MostUnits]. "" is the empty sketch.
func (l *Ledger) Sketch(units iter.Seq[string]) (string, error) {
	mac, err := l.keyed()
	if err != nil {
		return "", err
	}
	var all sketch
	for unit := range units {
		mac.Reset()
		mac.Write([]byte("unit\x00" + unit)) // never fails
		all = append(all, binary.BigEndian.Uint64(mac.Sum(nil)))
		if len(all) >= 4*MostUnits {
			all = all.tidy()
		}
	}
	return all.tidy().String(), nil
}

// tidy sorts, removes duplicates and keeps the smallest hashes.
func (s sketch) tidy() sketch {
	slices.Sort(s)
	s = slices.Compact(s)
	return s[:min(len(s), MostUnits)]
}

// sketchSchema begins the sketches of this version. Sketches of older versions had 256
// bins, which cannot show an overlap: they are read as empty.
const sketchSchema = "8:"

func (s sketch) String() string {
	if len(s) == 0 {
		return ""
	}
	raw := make([]byte, 0, 8*len(s))
	for _, h := range s {
		raw = binary.BigEndian.AppendUint64(raw, h)
	}
	return sketchSchema + base64.StdEncoding.EncodeToString(raw)
}

var errSketch = errors.New("has no readable sketch of units")

// readSketch returns nil for "" and for sketches of older versions.
func readSketch(text string) (sketch, error) {
	body, ok := strings.CutPrefix(text, sketchSchema)
	raw, err := base64.StdEncoding.DecodeString(body)
	switch {
	case err == nil && !ok && (len(raw) == 256 || text == ""):
		return nil, nil
	case err != nil || !ok || len(raw) == 0 || len(raw)%8 != 0 || len(raw) > 8*MostUnits:
		return nil, errSketch
	}
	out := make(sketch, len(raw)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(raw[8*i:])
		if i > 0 && out[i] <= out[i-1] {
			return nil, errSketch
		}
	}
	return out, nil
}

// reach is the hash up to which the sketch has all units.
func (s sketch) reach() uint64 {
	if len(s) < MostUnits {
		return math.MaxUint64
	}
	return s[len(s)-1]
}

// upTo returns the units whose hashes are at most h.
func (s sketch) upTo(h uint64) sketch {
	at, found := slices.BinarySearch(s, h)
	if found {
		at++
	}
	return s[:at]
}

// shared is the share of the smaller sketch's units that are in both: exact up to
// MostUnits, else estimated from the range that both sketches cover.
func (s sketch) shared(t sketch) float64 {
	reach := min(s.reach(), t.reach())
	s, t = s.upTo(reach), t.upTo(reach)
	if len(s) == 0 || len(t) == 0 {
		return 0
	}
	return float64(len(s)-len(s.without(t))) / float64(min(len(s), len(t)))
}

// without returns the units of s that t does not have.
func (s sketch) without(t sketch) sketch {
	var out sketch
	for _, h := range s {
		for len(t) > 0 && t[0] < h {
			t = t[1:]
		}
		if len(t) == 0 || t[0] != h {
			out = append(out, h)
		}
	}
	return out
}

// union is the sketch of the units of both.
func (s sketch) union(t sketch) sketch {
	return slices.Concat(s, t).tidy()
}
