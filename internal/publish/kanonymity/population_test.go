// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/table"
)

// register is people, and every nth of them as patients of a table.
func register(rng *rand.Rand, people, oneIn int) (patients, all string) {
	var rows, everybody strings.Builder
	rows.WriteString("age,sex,zip,born,disease\n")
	everybody.WriteString("zip,name,sex,age,born\n")
	for i := range people {
		age, sex, zip := fmt.Sprint(20+rng.IntN(12)), []string{"F", "M", ""}[rng.IntN(3)], fmt.Sprint(5370+rng.IntN(3), rng.IntN(2))
		zip, born := strings.ReplaceAll(zip, " ", ""), fmt.Sprintf("19%d-0%d-1%d", 80+rng.IntN(3), 1+rng.IntN(2), rng.IntN(2))
		fmt.Fprintf(&everybody, "%s,n%d,%s,%s,%s\n", zip, i, sex, age, born)
		if rng.IntN(oneIn) == 0 {
			fmt.Fprintf(&rows, "%s,%s,%s,%s,d%d\n", age, sex, zip, born, rng.IntN(3))
		}
	}
	return rows.String(), everybody.String()
}

const registerConfig = `
attributes:
- {name: age, role: quasi, kind: number}
- {name: sex, role: quasi}
- {name: zip, role: quasi, kind: code}
- {name: born, role: quasi, kind: date}
- {name: disease, role: sensitive}
`

func readRegister(t *testing.T, patients, all, config string) (*table.Table, table.Config) {
	t.Helper()
	c, err := table.ReadConfig(strings.NewReader(config))
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.ReadSample(strings.NewReader(patients), strings.NewReader(all), c)
	if err != nil {
		t.Fatal(err)
	}
	return got, c
}

// can says whether a released value can mean a person's, by its words alone.
func can(released, value string) bool {
	from, to, years := strings.Cut(strings.Trim(released, "[]"), "-")
	switch {
	case released == "*" || released == value || released == "na" && value == "":
		return true
	case strings.HasPrefix(released, "[") && years && len(from) == 4: // years
		return from <= value[:4] && value[:4] <= to
	case strings.HasPrefix(released, "["):
		return covers(released, value)
	case strings.HasPrefix(released, "{"):
		return slices.Contains(strings.Split(strings.Trim(released, "{}"), ", "), map[bool]string{true: "na", false: value}[value == ""])
	case strings.HasSuffix(released, "*") || len(released) == 4 || len(released) == 7: // a code's start, a year, a month
		return strings.HasPrefix(value, strings.TrimSuffix(released, "*"))
	}
	return false
}

// TestAJournalistCountsWhoCanBeMeant counts, for every released row, everybody whom
// its words can mean, out of the two files alone.
func TestAJournalistCountsWhoCanBeMeant(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 4))
		patients, all := register(rng, 200, 4)
		config, local := registerConfig+"privacy: {k: 3}\n", true
		if seed%3 == 2 {
			config += "method: {name: incognito, suppression: 10}\n"
			local = false
		}
		got, c := readRegister(t, patients, all, config)
		if got.Beyond != 0 || got.Rows != 200 || got.Sample != strings.Count(patients, "\n")-1 {
			t.Fatalf("%d rows, %d of them released, %d beyond", got.Rows, got.Sample, got.Beyond)
		}
		r, err := Anonymize(context.Background(), got, c)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeTable(r, &b); err != nil {
			t.Fatal(err)
		}
		highest, marketer, alone, rows := 0.0, 0.0, 0, parse(t, b.String())[1:]
		for _, row := range rows {
			n := 0
			for _, p := range parse(t, all)[1:] {
				if can(row[0], p[3]) && can(row[1], p[2]) && can(row[2], p[0]) && can(row[3], p[4]) {
					n++
				}
			}
			highest, marketer = max(highest, 1/float64(n)), marketer+1/float64(n)
			if n == 1 {
				alone++
			}
		}
		rep := reportOf(t, r)
		if f := rep.After; math.Abs(f.Journalist.Highest-highest) > 1e-12 || math.Abs(*f.Marketer-marketer/float64(len(rows))) > 1e-9 || *f.Alone != float64(alone) {
			t.Errorf("seed %d: journalist %v, marketer %v, alone %v; want %v, %v, %d", seed, f.Journalist.Highest, *f.Marketer, *f.Alone, highest, marketer/float64(len(rows)), alone)
		}
		if rep.After.Prosecutor.Highest > 1./3 || *rep.Before.Marketer < *rep.After.Marketer || local && len(rep.Utility.Precision) == 0 {
			t.Errorf("seed %d: %+v", seed, rep)
		}
	}
}

// TestKOfThePopulationIsThatOfOneFile publishes the same people from two files and
// from one that says who is in the sample.
func TestKOfThePopulationIsThatOfOneFile(t *testing.T) {
	patients, all := register(rand.New(rand.NewPCG(8, 4)), 200, 5)
	got, c := readRegister(t, patients, all, registerConfig+"privacy: {k: 6, counts: people}\n")
	two, err := Anonymize(context.Background(), got, c)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]int{}
	for _, p := range parse(t, patients)[1:] {
		left[strings.Join(p[:4], ",")]++
	}
	one := "age,sex,zip,born,disease,in\n" + strings.ReplaceAll(strings.SplitN(patients, "\n", 2)[1], "\n", ",yes\n")
	for _, p := range parse(t, all)[1:] {
		if key := strings.Join([]string{p[3], p[2], p[0], p[4]}, ","); left[key] > 0 {
			left[key]--
		} else {
			one += key + ",d0,no\n"
		}
	}
	c.Sample = table.Sample{Column: "in", Value: "yes"}
	marked, err := table.ReadCSV(strings.NewReader(one), c)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Anonymize(context.Background(), marked, c)
	if err != nil {
		t.Fatal(err)
	}
	a, b := reportOf(t, two), reportOf(t, same)
	if a.Utility.NCP != b.Utility.NCP || *a.After.Journalist != *b.After.Journalist || a.After.Prosecutor != b.After.Prosecutor || a.After.Journalist.Highest > 1./6 {
		t.Errorf("two files %+v, one %+v", a, b)
	}
	if a.After.Prosecutor.Highest <= 1./6 {
		t.Error("no class is smaller than k: nothing came of the population")
	}
}

func TestPatientsMissingFromThePopulationAreCountedIn(t *testing.T) {
	patients := "age,sex,zip,born,disease\n30,F,53710,1980-01-10,d0\n31,F,53710,1980-01-10,d1\n31,F,53710,1980-01-10,d1\n"
	all := "age,sex,zip,born\n31,F,53710,1980-01-10\n44,M,53711,1981-01-10\n"
	got, c := readRegister(t, patients, all, registerConfig+"privacy: {k: 3}\n")
	if got.Rows != 4 || got.Sample != 3 || got.Beyond != 2 {
		t.Errorf("%d rows, %d released, %d beyond", got.Rows, got.Sample, got.Beyond)
	}
	r, err := Anonymize(context.Background(), got, c)
	if err != nil {
		t.Fatal(err)
	}
	if rep := reportOf(t, r); *rep.Population != (Population{2, 2}) || rep.After.Journalist.Highest != 1./3 || *rep.Before.Alone != 1./3 {
		t.Errorf("%+v, before %+v, after %+v", rep.Population, rep.Before, rep.After)
	}
}

func TestPopulationsThatAreNoneAreRefused(t *testing.T) {
	patients, all := register(rand.New(rand.NewPCG(8, 4)), 40, 2)
	config := registerConfig + "privacy: {k: 2}\n"
	for _, test := range []struct{ name, all, config, want string }{
		{"empty", "", config, "the population: the file is empty"},
		{"a column less", strings.Replace(all, "born", "date", 1), config, `the population: record 1, byte 0: the file has no column for quasi-identifier "born"`},
		{"no number", all + "53700,x,F,old,1980-01-01\n", config, `the population: record 42`},
		{"told twice", all, config + "sample: {column: x, value: y}\n", "cannot have a separate population"},
	} {
		c, err := table.ReadConfig(strings.NewReader(test.config))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = table.ReadSample(strings.NewReader(patients), strings.NewReader(test.all), c); err == nil || !strings.HasPrefix(err.Error(), test.want) && !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	for _, more := range []string{"people: 3\n", "method: {name: incognito}\n"} {
		got, c := readRegister(t, patients, all, registerConfig+"privacy: {k: 2, counts: people}\n"+more)
		if _, err := Anonymize(context.Background(), got, c); err == nil {
			t.Errorf("%s is taken", more)
		}
	}
	alone, c := read(t, patients, config)
	c.Privacy.Counts = table.CountPeople
	if _, err := Anonymize(context.Background(), alone, c); err == nil || !strings.Contains(err.Error(), "give the population") {
		t.Errorf("k counts people of nothing: %v", err)
	}
}

func TestEstimatesAreInTheReport(t *testing.T) {
	patients, _ := register(rand.New(rand.NewPCG(9, 4)), 400, 2)
	all, c := read(t, patients, registerConfig+"privacy: {k: 3}\npeople: 4000\n")
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	rep := reportOf(t, r)
	if e := rep.Estimated; e == nil || e.Before.People != 4000 || e.Before.Unique <= 0 || e.Before.Unique >= rep.Before.Unique || e.After.Unique != 0 {
		t.Errorf("%+v", e)
	}
	var b bytes.Buffer
	if err := r.writeText(&b, rep, nil); err != nil || !strings.Contains(b.String(), "Unique records among 4000 people, estimated") {
		t.Errorf("%v: %s", err, b.String())
	}
}
