// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/incognito"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/table"
	"hide/internal/publish/verify"
)

// everyWay are the methods that a table can be published by.
var everyWay = []string{"{}", "{cut: nearest}", "{cut: lefevre}", "{cut: rxanon}", "{relaxed: true}", "{name: incognito}", "{name: incognito, suppression: 50}"}

// checked is what the verifier finds.
func checked(fsys fs.FS) (*verify.Table, error) {
	r, err := verify.Release(fsys)
	table, _ := r.(*verify.Table)
	return table, err
}

// outcome publishes a file and gives the rows of its release, or why there is none.
func outcome(t *testing.T, file, config string) (string, error) {
	t.Helper()
	c, err := table.ReadConfig(strings.NewReader(config))
	if err != nil {
		return "", err
	}
	c.Hierarchies = map[string]*hierarchy.Hierarchy{}
	for _, name := range c.HierarchyFiles() { // its text is its name
		if c.Hierarchies[name], err = hierarchy.Read(strings.NewReader(strings.ReplaceAll(name, " ", "\n"))); err != nil {
			return "", err
		}
	}
	all, err := table.ReadCSV(strings.NewReader(file), c)
	if err != nil {
		return "", err
	}
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(t.TempDir(), "release")
	if _, err := r.Write(context.Background(), dir, Origin{}, reportOf(t, r)); err != nil {
		return "", err
	}
	if got, err := checked(os.DirFS(dir)); err != nil || !got.OK {
		t.Errorf("what was released does not verify: %+v, %v", got, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
	return string(text), err
}

const few = "age,sex,disease\n30,F,a\n31,F,b\n52,M,a\n53,M,b\n"

const fewConfig = `attributes:
- {name: age, role: quasi, kind: number}
- {name: sex, role: quasi}
- {name: disease, role: sensitive}
`

func TestWhatCannotBePublishedIsRefusedByEveryMethod(t *testing.T) {
	for _, test := range []struct{ name, file, config, want string }{
		{"k above n", few, fewConfig + "privacy: {k: 5}", "k is 5 and there are 4 rows"},
		{"a huge k", few, fewConfig + "privacy: {k: 9000000000000000000}", "there are 4 rows"},
		{"k of 1", few, fewConfig + "privacy: {k: 1}", "k must be at least 2"},
		{"k of 0", few, fewConfig, "k must be at least 2"},
		{"a negative k", few, fewConfig + "privacy: {k: -3}", "k must be at least 2"},
		{"k of something else", few, fewConfig + "privacy: {k: 2, counts: dogs}", "k counts rows or people"},
		{"nothing generalized", few, strings.ReplaceAll(fewConfig, "quasi", "insensitive") + "privacy: {k: 2}", "no attribute is a quasi-identifier"},
		{"more diversity than values", few, strings.Replace(fewConfig, "sensitive}", "sensitive, l: 3}", 1) + "privacy: {k: 2}", "distinct 3-diversity"},
		{"a hierarchy that misses a value", few, strings.Replace(fewConfig, "name: sex, role: quasi", `name: sex, role: quasi, hierarchy: "F;*"`, 1) + "privacy: {k: 2}", "a value is missing from the hierarchy"},
		{"a hierarchy that loops", few, strings.Replace(fewConfig, "name: sex, role: quasi", `name: sex, role: quasi, hierarchy: "F;M;* M;F;*"`, 1) + "privacy: {k: 2}", "row 2 makes a loop"},
		{"mixed types", few + "old,F,a\n", fewConfig + "privacy: {k: 2}", "a value is not a number"},
		{"no file", "", fewConfig + "privacy: {k: 2}", "the file is empty"},
		{"no rows", "age,sex,disease\n", fewConfig + "privacy: {k: 2}", "the file has no rows"},
		{"one row", "age,sex,disease\n30,F,a\n", fewConfig + "privacy: {k: 2}", "k is 2 and there are 1 rows"},
		{"no such method", few, fewConfig + "privacy: {k: 2}\nmethod: {name: magic}", "unknown method; it is mondrian or incognito"},
		{"no such cut", few, fewConfig + "privacy: {k: 2}\nmethod: {cut: sideways}", "unknown cut"},
	} {
		methods := everyWay
		if strings.Contains(test.config, "method:") {
			methods = []string{""}
		}
		for _, method := range methods {
			config := test.config
			if method != "" {
				config += "\nmethod: " + method
			}
			got, err := outcome(t, test.file, config)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %s: %v %q, want %s", test.name, method, err, got, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "old") || strings.Contains(err.Error(), "31")) {
				t.Errorf("%s: the refusal quotes a value: %v", test.name, err)
			}
		}
	}
}

// TestOddTablesHaveADefinedRelease: each is published by every method, and verified.
func TestOddTablesHaveADefinedRelease(t *testing.T) {
	const config = fewConfig + "privacy: {k: 2}\nmethod: "
	for _, test := range []struct {
		name, file string
		has        []string // in the release
	}{
		{"a quasi-identifier with one value", "age,sex,disease\n30,F,a\n30,F,b\n30,F,a\n", []string{"30,F,"}},
		{"all values of one missing", "age,sex,disease\n,F,a\n,F,b\n,M,a\n,M,b\n", []string{"na,F,", "na,M,"}},
		{"all values missing", "age,sex,disease\n,,\n,,\n,,\n", []string{"na,na,na"}},
		{"rows that are all alike", "age,sex,disease\n" + strings.Repeat("30,F,a\n", 5), []string{"30,F,a"}},
		{"as many rows as k", "age,sex,disease\n30,F,a\n30,F,b\n", []string{"30,F,a", "30,F,b"}},
	} {
		for _, method := range everyWay {
			got, err := outcome(t, test.file, config+method)
			if err != nil {
				t.Errorf("%s, %s: %v", test.name, method, err)
				continue
			}
			if rows := strings.Count(got, "\n"); rows != strings.Count(test.file, "\n") {
				t.Errorf("%s, %s: %d lines", test.name, method, rows)
			}
			for _, want := range test.has {
				if !strings.Contains(got, "\n"+want) {
					t.Errorf("%s, %s: no row %q in %q", test.name, method, want, got)
				}
			}
		}
	}
}

// TestTenThousandColumnsAreTooManyForALatticeOnly publishes 10,000 quasi-identifiers;
// the time of the cut that loses least goes with their square, so that it gets 1,000.
func TestTenThousandColumnsAreTooManyForALatticeOnly(t *testing.T) {
	const rows = 8
	for columns, method := range map[int]string{10000: "{cut: nearest}", 1000: "{cut: ncp}"} {
		file, config := wide(columns, rows)
		got, err := outcome(t, file, config+"method: "+method+"\n")
		if err != nil || strings.Count(got, "\n") != rows+1 {
			t.Errorf("%d columns: %d lines, %v", columns, strings.Count(got, "\n"), err)
		}
		_, err = outcome(t, file, config+"method: {name: incognito}\n")
		if err == nil || errors.Is(err, incognito.ErrImpossible) || errors.Is(err, mondrian.ErrImpossible) {
			t.Errorf("a lattice of 2^%d nodes: %v", columns, err)
		}
	}
}

// wide is a table of many quasi-identifiers, and its configuration.
func wide(columns, rows int) (text, settings string) {
	var file, config strings.Builder
	config.WriteString("privacy: {k: 2}\nattributes:\n")
	for i := range columns {
		if i > 0 {
			file.WriteByte(',')
		}
		file.WriteString("c" + strconv.Itoa(i))
		fmt.Fprintf(&config, "- {name: c%d, role: quasi}\n", i)
	}
	for row := range rows {
		file.WriteByte('\n')
		for i := range columns {
			if i > 0 {
				file.WriteByte(',')
			}
			file.WriteString(strconv.Itoa((row + i) % 3))
		}
	}
	file.WriteByte('\n')
	return file.String(), config.String()
}
