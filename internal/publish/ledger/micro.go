// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Micro is an amount of epsilon in millionths. Sums of it are exact.
type Micro int64

const (
	// One is an epsilon of 1.
	One Micro = 1_000_000
	// Most is the largest epsilon of one request or account. At 20 an answer may be
	// e^20, half a billion, times more likely with a patient than without.
	Most = 20 * One
)

// ParseEpsilon reads a decimal number with at most six places, above 0 and at
// most [Most]. What cannot be kept exactly is refused, not rounded.
func ParseEpsilon(s string) (Micro, error) {
	whole, part, _ := strings.Cut(s, ".")
	if len(part) > 6 || !digits(whole) || !digits(part) || whole+part == "" || len(whole) > 9 {
		return 0, fmt.Errorf("epsilon must be a plain number above 0, at most %v, with at most six decimal places", Most)
	}
	var m Micro
	for _, c := range whole + part + strings.Repeat("0", 6-len(part)) {
		m = 10*m + Micro(c-'0')
	}
	return m, m.check()
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

func (m Micro) check() error {
	switch {
	case m <= 0:
		return fmt.Errorf("epsilon must be above 0")
	case m > Most:
		return fmt.Errorf("epsilon must be at most %v: a larger one promises nothing", Most)
	}
	return nil
}

// Float is the amount as a number.
func (m Micro) Float() float64 { return float64(m) / float64(One) }

// String is the shortest decimal number.
func (m Micro) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	s := fmt.Sprintf("%s%d.%06d", sign, m/One, m%One)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// UnmarshalJSON refuses anything but an integer.
func (m *Micro) UnmarshalJSON(raw []byte) error {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil {
		return fmt.Errorf("an amount must be an integer: millionths of epsilon")
	}
	*m = Micro(n)
	return nil
}
