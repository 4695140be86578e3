// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// sequences counts those that go as a trend says, by the ends of the tree's branches:
// prefixes that no row goes on from.
func (m manifest) sequences(fsys fs.FS, of string) (told, error) {
	sign := 2
	for name, s := range map[string]int{"sequences that fall": -1, "sequences that stay level": 0, "sequences that rise": 1} {
		if strings.HasPrefix(of, name) {
			sign = s
		}
	}
	if sign == 2 || !m.Config.Config.Ordered {
		return told{}, errors.New("it does not say what it is of, or the alphabet has no order")
	}
	rows, err := table(fsys, "tree.csv")
	if err != nil {
		return told{}, err
	}
	ranks := map[string]int{}
	for i, s := range m.Config.Config.Alphabet {
		ranks[s] = i
	}
	var out told
	for i, row := range rows[1:] {
		length, err := strconv.Atoi(row[0])
		if err != nil || length < 0 || length >= len(m.Phases) || len(row) < 3 {
			return told{}, fmt.Errorf("tree.csv: row %d is no prefix", i+1)
		}
		if next := i + 2; next < len(rows) && longer(rows[next][0], length) {
			continue
		}
		goes, ok := m.Config.Config.goes(row[1], length, ranks)
		count, err := strconv.ParseFloat(row[2], 64)
		if !ok || err != nil {
			return told{}, fmt.Errorf("tree.csv: row %d has symbols that there are not, or no count", i+1)
		}
		if goes == sign {
			out.value += count
			out.size += math.Abs(count)
			out.variance += m.Phases[length].variance()
		}
	}
	return out, nil
}

func longer(length string, than int) bool {
	n, err := strconv.Atoi(length)
	return err == nil && n > than
}

// goes is the sign of the slope of a prefix, 2 for one that is too short to have any.
// That of the least squares line through c_0 .. c_n-1 is the sign of the sum of
// (2i - (n-1)) c_i.
func (c config) goes(prefix string, length int, ranks map[string]int) (sign int, ok bool) {
	var names []string
	if length > 0 {
		names = strings.Split(prefix, cmp.Or(c.Separator, " "))
	}
	if len(names) != length {
		return 0, false
	}
	if n := length - 1; n >= 0 && !c.Fixed && names[n] == "(end)" {
		names = names[:n]
	}
	sum := 0
	for i, name := range names {
		at, known := ranks[name]
		if !known {
			return 0, false
		}
		sum += (2*i - (len(names) - 1)) * at
	}
	if len(names) < 2 {
		return 2, true
	}
	return cmp.Compare(sum, 0), true
}
