// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

const (
	parts     = "id,last_name,first_name,dob\n1,Okafor,Ann,1971-03-04\n2,Lindqvist,Bo,1980-02-11\n3,Salcedo,Miguel,1974-11-02\n4,Raman,Priya,1988-01-30\n"
	fullNames = "Patient name,Born,Ward\n\"RAMAN, PRIYA\",1988-01-30,7\n\"Okafor, Ann\",1971-03-04,8\n\"Quist, Zoe\",1960-07-09,9\n\"Salcedo, Miguel\",1974-11-02,7\n"
)

// TestFullNamesOfOneFileArePartsInTheOther compares two columns of names with one, and takes the
// configuration of that as it is written.
func TestFullNamesOfOneFileArePartsInTheOther(t *testing.T) {
	files := []File{file("parts.csv", parts), file("whole.csv", fullNames)}
	recognised, err := Recognise(t.Context(), files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := recognised.Write(&written); err != nil {
		t.Fatal(err)
	}
	config, err := ReadConfig(&written)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Config: &config}} {
		l := mustLink(t, files, o)
		if l.Pairs != 3 || l.Clusters != 3 {
			t.Errorf("%d pairs in %d clusters, want 3 in 3", l.Pairs, l.Clusters)
		}
		if with := []string{l.Columns[1].With, l.Columns[2].With}; !slices.Equal(with, []string{"Patient name", "Patient name"}) {
			t.Errorf("the parts of a name are compared with %q", with)
		}
		for _, f := range l.Model.Fields[:2] {
			if f.Filled != 1 {
				t.Errorf("%s is known of %v of the records", f.Field, f.Filled)
			}
		}
		out := rows(t, l)
		if got := strings.Join(out[0], "|"); got != "cluster|file|id|last_name|first_name|dob|Patient name|Ward" {
			t.Errorf("columns %s", got)
		}
	}
}

// TestPartsInTheSecondFileAreAskedForInTheOtherOrder wants a reason that says what to do.
func TestPartsInTheSecondFileAreAskedForInTheOtherOrder(t *testing.T) {
	l := mustLink(t, []File{file("whole.csv", fullNames), file("parts.csv", parts)}, Options{})
	if c := l.Columns[0]; c.Kind != NotCompared || !strings.Contains(c.Reason, "in the other order") {
		t.Errorf("full names are %s: %s", c.Kind, c.Reason)
	}
}
