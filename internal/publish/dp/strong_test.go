// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/publish/ledger"
	"hide/internal/publish/verify"
)

const cubeConfig = `{"lineage":"ward-7","source":"code book, 2019","key":"id","dimensions":[
	{"name":"sex","values":["F","M"]},{"name":"age","min":0,"max":99,"width":10,"other":true},{"name":"ward","values":["a","b"]}]}`

func people(n int) CSV {
	var b strings.Builder
	b.WriteString("id,sex,age,ward,name\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,%d,%s,Weiss\n", i, []string{"F", "M"}[i%2], i%97, []string{"a", "b"}[i/3%2])
	}
	return CSV(b.String())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newLedger(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := ledger.OpenFile(filepath.Join(t.TempDir(), "l"), ledger.Options{Create: true})
	must(t, err)
	must(t, l.Open(ledger.Opening{Lineage: "ward-7", Unit: "patient", Limit: 3 * ledger.One}))
	t.Cleanup(func() {
		_, err := l.Verify()
		must(t, errors.Join(err, l.Close()))
	})
	return l
}

var meta = Meta{Tool: "test", Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC) }}

func cubeOf(t *testing.T, config string) CubeConfig {
	t.Helper()
	c, err := ParseCube([]byte(config))
	must(t, err)
	return c
}

// with puts more fields into a configuration.
func with(config, fields string) string { return "{" + fields + "," + config[1:] }

func TestReleasesVerifyAndAreTheSameBytesWhenAskedForAgain(t *testing.T) {
	for _, fields := range []string{`"method":"dpcube","synthetic":true`, `"method":"identity"`, `"method":"uniform"`, `"method":"marginals","marginals":[["sex","ward"],["age"]]`, `"method":"dpcube","gain":"sse","fuse":true`} {
		l := newLedger(t)
		c := cubeOf(t, with(cubeConfig, fields))
		first, err := PublishCube(t.Context(), l, c, people(200), ledger.One/2, meta)
		must(t, err)
		again, err := PublishCube(t.Context(), l, c, people(200), ledger.One/2, meta)
		must(t, err)
		if first.Replayed || !again.Replayed {
			t.Errorf("%s: replayed %v, %v", fields, first.Replayed, again.Replayed)
		}
		a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
		sum, err := first.Write(t.Context(), a)
		must(t, err)
		if other, err := again.Write(t.Context(), b); err != nil || other != sum {
			t.Errorf("%s: %v, %s and %s", fields, err, sum, other)
		}
		r, err := checked(os.DirFS(a))
		if err != nil || !r.OK || r.SHA256 != sum {
			t.Errorf("%s: %v, %+v", fields, err, r)
		}
		if acc, err := l.Account("ward-7"); err != nil || acc.Spent != ledger.One/2 {
			t.Errorf("%s: %v spent, %v", fields, acc.Spent, err)
		}
		if _, err := l.Find(first.Manifest.Receipt); err != nil {
			t.Error(err)
		}
	}
}

// TestReleasedCountsRunNoFormula: values of the domain can begin like a formula. They have a
// prefix in the files, and the counts are read back as they were.
func TestReleasedCountsRunNoFormula(t *testing.T) {
	table := CSV(strings.ReplaceAll(strings.ReplaceAll(string(people(200)), ",a,", ",=a,"), ",F,", ",+F,"))
	config := strings.NewReplacer(`"a"`, `"=a"`, `"F"`, `"+F"`).Replace(cubeConfig)
	for _, fields := range []string{`"method":"dpcube","synthetic":true`, `"method":"identity"`, `"method":"marginals","marginals":[["sex","ward"],["age"]]`} {
		r, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, with(config, fields)), table, ledger.One, meta)
		must(t, err)
		dir := filepath.Join(t.TempDir(), "r")
		sum, err := r.Write(t.Context(), dir)
		must(t, err)
		if found, err := checked(os.DirFS(dir)); err != nil || !found.OK {
			t.Errorf("%s: %v, %+v", fields, err, found)
		}
		cells := 0
		for _, f := range r.files {
			text, err := os.ReadFile(filepath.Join(dir, f.Name))
			must(t, err)
			for _, mark := range []string{"=a", "+F"} {
				cells += strings.Count(string(text), mark)
				if strings.Count(string(text), mark) != strings.Count(string(text), `"'`+mark+`"`) {
					t.Errorf("%s: %s has %s without a prefix", fields, f.Name, mark)
				}
			}
		}
		if cells == 0 {
			t.Errorf("%s: nothing was there to be made safe", fields)
		}
		read, err := ReadCube(os.DirFS(dir), sum)
		must(t, err)
		if _, err := read.Slice([]int{0}); err != nil {
			t.Error(err)
		}
	}
}

func TestReleaseHoldsNothingThatIsNotAskedFor(t *testing.T) {
	r, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, cubeConfig), people(50), ledger.One, meta)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "r")
	_, err = r.Write(t.Context(), dir)
	must(t, err)
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if bytes.Contains(raw, []byte("Weiss")) {
			t.Errorf("%s has a name in it", name)
		}
		return err
	}))
}

func TestRefusedConfigurationsDebitNothing(t *testing.T) {
	l := newLedger(t)
	before := l.Head()
	big := `{"lineage":"ward-7","source":"s","one_row_each":true,"dimensions":[` + strings.Repeat(`{"name":"sex%d","min":0,"max":999,"width":1},`, 3)
	for name, c := range map[string]struct{ config, data, want string }{
		"no source":            {strings.Replace(cubeConfig, "code book, 2019", "", 1), string(people(3)), "source"},
		"no lineage":           {strings.Replace(cubeConfig, "ward-7", "", 1), string(people(3)), "lineage"},
		"no account":           {strings.Replace(cubeConfig, "ward-7", "ward-8", 1), string(people(3)), "no account"},
		"no domain":            {strings.Replace(cubeConfig, `"values":["F","M"]`, `"other":true`, 1), string(people(3)), "public source"},
		"values from the data": {strings.Replace(cubeConfig, `["F","M"]`, `"auto"`, 1), string(people(3)), "expected a list"},
		"neither key nor rows": {strings.Replace(cubeConfig, `"key":"id",`, "", 1), string(people(3)), "one_row_each"},
		"a key as dimension":   {strings.Replace(cubeConfig, `"key":"id"`, `"key":"sex"`, 1), string(people(3)), "key cannot be"},
		"unknown field":        {with(cubeConfig, `"infogain":5`), string(people(3)), "infogain"},
		"outside":              {strings.Replace(cubeConfig, `["F","M"]`, `["F","X"]`, 1), string(people(3)), "row 2, byte 35"},
		"no column":            {strings.Replace(cubeConfig, `"ward","values"`, `"floor","values"`, 1), string(people(3)), `no column "floor"`},
		"empty table":          {cubeConfig, "", "empty"},
		"a header alone":       {cubeConfig, strings.SplitAfter(string(people(1)), "\n")[0], "no rows"},
		"ragged":               {cubeConfig, string(people(1)) + "1,2\n", "row 2, byte 35"},
		"columns twice":        {cubeConfig, strings.Replace(string(people(3)), "name", "sex", 1), "columns 2 and 5 have the same name"},
		"other bytes":          {cubeConfig, string(people(1)) + "\xff,F,3,a,Weiss\n", "byte 35: this is not UTF-8"},
		"zero bytes":           {cubeConfig, string(people(1)) + "1,F,3,a,Weiss\x00\n", "byte 48: a zero byte"},
		"UTF-16":               {cubeConfig, "\xfe\xff\x00i", "byte 0: the file is UTF-16"},
		"blanks in the domain": {strings.Replace(cubeConfig, `"M"`, `" M"`, 1), string(people(3)), "value 2 has blanks"},
		"a quote between":      {with(cubeConfig, `"separator":"\""`), string(people(3)), "separator"},
		"bad quotes":           {cubeConfig, string(people(1)) + "1,\"x\"y,2,a,b\n", "row 2, byte 35: a quote is in the wrong place"},
		"1e9 cells":            {fmt.Sprintf(big, 1, 2, 3)[:len(fmt.Sprintf(big, 1, 2, 3))-1] + "]}", string(people(3)), "1e+09 cells"},
		"nobody's bound":       {strings.Replace(cubeConfig, `"key":"id"`, `"one_row_each":true,"bound":3`, 1), string(people(3)), "bound"},
		"negative bound":       {with(cubeConfig, `"bound":-1`), string(people(3)), "bound"},
		"synthetic marginals":  {with(cubeConfig, `"synthetic":true,"method":"marginals","marginals":[["sex"]]`), string(people(3)), "synthetic"},
		"no such part":         {with(cubeConfig, `"part":{"partition":"ward","part":"z"}`), string(people(3)), "no part"},
	} {
		cfg, err := ParseCube([]byte(c.config))
		if err == nil {
			_, err = PublishCube(t.Context(), l, cfg, CSV(c.data), ledger.One, meta)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Weiss") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	for _, e := range []ledger.Micro{0, -1, ledger.Most + 1, 4 * ledger.One} {
		if _, err := PublishCube(t.Context(), l, cubeOf(t, cubeConfig), people(3), e, meta); err == nil {
			t.Errorf("epsilon %v: not refused", e)
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Errorf("the ledger went from entry %d to %d", before.Seq, after.Seq)
	}
}

func TestPartsHoldTheirOwnPeopleOnly(t *testing.T) {
	data := "id,sex,age,ward\n2,M,5,b\n3,F,3,a\n3,F,3,a\n"
	c := cubeOf(t, with(cubeConfig, `"bound":9,"part":{"partition":"ward","part":"b"}`))
	for part, want := range map[string]int{"a": 2, "b": 1} {
		c.Part.Part = part
		if counts, err := c.Count(CSV(data)); err != nil || counts.Rows() != want {
			t.Errorf("part %s: %d rows, %v", part, counts.Rows(), err)
		}
	}
}

// TestPartsShareNobody is about a person who would be counted in part a of one
// table and, sorted the other way round, in part b of the next, and pay for one.
func TestPartsShareNobody(t *testing.T) {
	l := newLedger(t)
	must(t, l.Declare("ward-7", "ward", []string{"a", "b"}))
	before := l.Head()
	for _, data := range []string{"1,F,3,a\n1,F,3,b\n", "1,F,3,b\n1,F,3,a\n", "1,F,3,a\n1,F,3,\n"} {
		for _, part := range []string{"a", "b"} {
			c := cubeOf(t, with(cubeConfig, `"part":{"partition":"ward","part":"`+part+`"}`))
			_, err := PublishCube(t.Context(), l, c, CSV("id,sex,age,ward\n"+data), ledger.One, meta)
			if !errors.Is(err, errTwoParts) || !strings.Contains(err.Error(), "row 2") {
				t.Errorf("part %s of %q: %v", part, data, err)
			}
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Error("a refused request was debited")
	}
}

func TestWeakReleasesAreWarnedAbout(t *testing.T) {
	l := newLedger(t)
	must(t, l.Weak("ward-7", "k-anonymous table of 2024"))
	r, err := PublishCube(t.Context(), l, cubeOf(t, cubeConfig), people(9), ledger.One, meta)
	must(t, err)
	if len(r.Manifest.Warnings) != 1 || !strings.Contains(r.Manifest.Warnings[0], "k-anonymous table of 2024") {
		t.Errorf("%q", r.Manifest.Warnings)
	}
}

// checked is what the verifier finds, of any kind.
func checked(fsys fs.FS) (*verify.Report, error) {
	r, err := verify.Release(fsys)
	return r.Common(), err
}

// TestForgeriesAreFound changes a release in one place at a time.
func TestForgeriesAreFound(t *testing.T) {
	r, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, cubeConfig), people(90), ledger.One, meta)
	must(t, err)
	forge := func(name, want string, change func(*Release)) {
		other, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, cubeConfig), people(90), ledger.One, meta)
		must(t, err)
		change(&other)
		dir := filepath.Join(t.TempDir(), "r")
		_, err = other.Write(t.Context(), dir)
		must(t, err)
		rep, err := checked(os.DirFS(dir))
		if err != nil || rep.OK || !strings.Contains(fmt.Sprint(rep.Problems), want) {
			t.Errorf("%s: %q, %v", name, rep.Problems, err)
		}
	}
	forge("epsilon", "are claimed", func(r *Release) { r.Manifest.Epsilon /= 2 })
	forge("scale", "noise of scale", func(r *Release) { r.Manifest.Phases[0].Scale /= 2 })
	forge("a phase less", "the phases spend", func(r *Release) { r.Manifest.Phases = r.Manifest.Phases[:1] })
	forge("sensitivity", "a sensitivity of 0", func(r *Release) { r.Manifest.Phases[1].Sensitivity = 0 })
	forge("a bound above the sensitivity", "2 rows of each unit may count", func(r *Release) {
		r.Manifest.Config = bytes.Replace(r.Manifest.Config, []byte(`"bound":1`), []byte(`"bound":2`), 1)
	})
	forge("receipt", "add up", func(r *Release) { r.Manifest.Receipt.After-- })
	forge("a part that earns", "add up", func(r *Release) {
		r.Manifest.Receipt.Part, r.Manifest.Receipt.Before = ledger.Part{Partition: "wards", Part: "A"}, r.Manifest.Receipt.After+1
	})
	forge("a part that costs more than its epsilon", "add up", func(r *Release) {
		r.Manifest.Receipt.Part, r.Manifest.Receipt.Before = ledger.Part{Partition: "wards", Part: "A"}, -1
	})
	forge("limit", "spends", func(r *Release) { r.Manifest.Receipt.Limit = r.Manifest.Receipt.After - 1 })
	forge("a block more", "counts that noise was drawn for", func(r *Release) {
		f := &r.files[0]
		f.Content = append(f.Content, f.Content[bytes.LastIndexByte(f.Content[:len(f.Content)-1], '\n')+1:]...)
	})
	forge("a block of a cell more", "do not cover the", func(r *Release) {
		rows, err := csv.NewReader(bytes.NewReader(r.files[0].Content)).ReadAll()
		must(t, err)
		cells := &rows[1][slices.Index(rows[0], "cells")]
		n, err := strconv.Atoi(*cells)
		must(t, err)
		*cells = strconv.Itoa(n + 1)
		r.files[0].Content = writeCSV(rows[0], func(add func(...string)) {
			for _, row := range rows[1:] {
				add(row...)
			}
		})
	})
	dir := filepath.Join(t.TempDir(), "r")
	_, err = r.Write(t.Context(), dir)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "more"), nil, 0o600))
	if rep, err := checked(os.DirFS(dir)); err != nil || rep.OK {
		t.Errorf("a file more: %v, %+v", err, rep)
	}
	if _, err := checked(os.DirFS(t.TempDir())); !errors.Is(err, verify.ErrNotRelease) {
		t.Errorf("nothing: %v", err)
	}
}

func TestManifestSaysWhatOtherWaysWouldHaveCost(t *testing.T) {
	r, err := PublishCube(t.Context(), newLedger(t), cubeOf(t, cubeConfig), people(90), ledger.One, meta)
	must(t, err)
	raw, err := json.Marshal(r.Manifest)
	must(t, err)
	for _, want := range []string{`"identity"`, `"one marginal each"`, `"identity, cut off at 0"`, `at most 2.72 times more or less likely`, `"scale"`} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("the manifest lacks %s", want)
		}
	}
	if len(r.Manifest.Errors) != 3 {
		t.Errorf("%+v", r.Manifest.Errors)
	}
}

// FuzzParseCube: whatever is read, no configuration that is accepted makes
// counting panic.
func FuzzParseCube(f *testing.F) {
	f.Add([]byte(cubeConfig), []byte("id,sex,age,ward\n1,F,3,a\n"))
	f.Add([]byte(rolesConfig), []byte("id,sex,age,ward,note\n1,F,3,a,x\n"))
	f.Add([]byte(with(cubeConfig, `"separator":";","columns":["id","sex","age","ward"]`)), []byte("1;F;3;a\n"))
	f.Fuzz(func(t *testing.T, config, data []byte) {
		c, err := ParseCube(config)
		if err != nil || c.Dimensions.Cells() > 1e6 {
			return
		}
		if counts, err := c.Count(CSV(data)); err == nil && counts.Rows() < 0 {
			t.Error("fewer than no rows")
		}
	})
}
