// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"slices"
	"strconv"
	"strings"
)

const (
	missingText = "na"
	suppressed  = "*"
)

// originalValue is the value of a column before the release.
type originalValue struct {
	Value string   `json:"value"`
	Above []string `json:"above"` // labels of its hierarchy, specific to general
	Rank  int      `json:"rank"`  // of an ordinal, from 1
}

// covers reports whether a released cell of a quasi-identifier is true for a value. ranks
// are those of the column's ordinals.
func covers(kind, cell string, was originalValue, ranks map[string]int) bool {
	if cell == was.Value || cell == suppressed {
		return true
	}
	if len(was.Above) > 0 {
		return slices.Contains(was.Above, cell)
	}
	if kind == "nominal" {
		members, ok := membersOf(cell)
		return ok && slices.Contains(members, was.Value)
	}
	if was.Value == missingText {
		return false // with other values it is suppressed
	}
	switch kind {
	case "number":
		return spansNumber(cell, was.Value)
	case "date":
		return spansDate(cell, was.Value)
	case "code":
		prefix, cut := strings.CutSuffix(cell, suppressed)
		return cut && strings.HasPrefix(was.Value, prefix)
	case "ordinal":
		return spansRank(cell, was.Rank, ranks)
	}
	return false
}

// membersOf reads a set of values, {a, b}, with a backslash before each comma, brace and
// backslash of a value.
func membersOf(cell string) (members []string, ok bool) {
	inner, opened := strings.CutPrefix(cell, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return nil, false
	}
	var one strings.Builder
	for i := 0; i < len(inner); i++ {
		switch b := inner[i]; b {
		case '\\':
			if i++; i == len(inner) || !strings.ContainsRune(`\,{}`, rune(inner[i])) {
				return nil, false
			}
			one.WriteByte(inner[i])
		case ',':
			if i++; i == len(inner) || inner[i] != ' ' {
				return nil, false
			}
			members = append(members, one.String())
			one.Reset()
		case '{', '}':
			return nil, false
		default:
			one.WriteByte(b)
		}
	}
	return append(members, one.String()), true
}

// interval tries every way to read an interval, [a-b], because a minus may belong to a
// number or a value.
func interval(cell string, right func(lo, hi string) bool) bool {
	inner, opened := strings.CutPrefix(cell, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return false
	}
	for i := 1; i < len(inner); i++ {
		if inner[i] == '-' && right(inner[:i], inner[i+1:]) {
			return true
		}
	}
	return false
}

func spansNumber(cell, value string) bool {
	number, err := strconv.ParseFloat(value, 64)
	return err == nil && interval(cell, func(lo, hi string) bool {
		least, err1 := strconv.ParseFloat(lo, 64)
		most, err2 := strconv.ParseFloat(hi, 64)
		return err1 == nil && err2 == nil && least <= number && number <= most
	})
}

// spansDate: a date is released as its day, month or year, or as years.
func spansDate(cell, value string) bool {
	const year = len("2006")
	if len(cell) == len("2006-01-02") || len(cell) == len("2006-01") || len(cell) == year {
		return strings.HasPrefix(value, cell)
	}
	return len(value) >= year && interval(cell, func(lo, hi string) bool {
		return len(lo) == year && len(hi) == year && lo <= value[:year] && value[:year] <= hi
	})
}

func spansRank(cell string, rank int, ranks map[string]int) bool {
	return interval(cell, func(lo, hi string) bool {
		least, known1 := ranks[lo]
		most, known2 := ranks[hi]
		return known1 && known2 && least <= rank && rank <= most
	})
}
