// SPDX-License-Identifier: Apache-2.0

package tabular

import "testing"

func TestDelimiterTakesWhatTheFirstLineHasMostOutsideQuotes(t *testing.T) {
	for head, want := range map[string]byte{
		"": ',', "a": ',', "a,b": ',', "a;b": ';', "a\tb\tc;d": '\t', "a;b\nc,d,e,f": ';',
		"\"x,y,z\";b": ';', "\"x\n;;;\",b": ',', "a,b;c": ',', "\"x\"\"y;\",b": ',',
	} {
		if got := Delimiter([]byte(head)); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
