// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/hospital"
	"hide/internal/outfile"
	"hide/internal/publish"
)

// TestMain lets the tests run jobs and workers as processes of their own.
func TestMain(m *testing.M) {
	filesystem.Register("trap", newTrap)
	switch os.Getenv("HIDE_BEAM") {
	case "job":
		main()
	case "pool":
		pool()
	default:
		os.Exit(m.Run())
	}
}

// pool starts workers in this process, as runners ask for them.
func pool() {
	workers, err := extworker.StartLoopback(context.Background(), 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(workers.EnvironmentConfig(context.Background()))
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
}

// trap is the local file system, with a file that kills the process that reads it.
type trap struct{ filesystem.Interface }

func newTrap(ctx context.Context) filesystem.Interface { return trap{local.New(ctx)} }

var _ = annotate.Views
var _ = crf.Train
var _ = greedy.Ensemble{}
var _ = outfile.Write

func TestX(t *testing.T) {
	dir := t.TempDir()
	b := smallBundle(t)
	if _, err := outfile.Write(filepath.Join(dir, "bundle"), b.Encode); err != nil {
		t.Fatal(err)
	}
	var f *os.File
	n := 0
	for d := range hospital.Generate(hospital.Options{Patients: 40, Seed: 5}) {
		if n%20 == 0 {
			f, _ = os.Create(filepath.Join(dir, fmt.Sprintf("in-%02d.jsonl", n/20)))
		}
		json.NewEncoder(f).Encode(map[string]string{"id": d.Name, "text": d.Text})
		n++
	}
	c := exec.Command(os.Args[0], "--in", dir+"/in-*.jsonl", "--bundle", dir+"/bundle", "--out", dir+"/out", "--shards", "5")
	c.Env = append(os.Environ(), "HIDE_BEAM=job", "TMPDIR="+dir)
	out, err := c.CombinedOutput()
	t.Logf("%s %v", out, err)
	ls, _ := exec.Command("ls", "-laR", dir).CombinedOutput()
	t.Logf("%s", ls)
	text, _ := os.ReadFile(dir + "/out/manifest.json")
	t.Logf("%s %s", text, strings.Repeat("-", 10))
}

func smallBundle(t *testing.T) *publish.Bundle {
	t.Helper()
	var docs []annotate.Note
	for n := range hospital.Generate(hospital.Options{Patients: 5, Seed: 1}) {
		docs = append(docs, annotate.NewNote(n))
	}
	views := annotate.Views(docs)
	o := crf.Options{MaxIterations: 10}
	namer, _, err := crf.Train(t.Context(), views, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Binary = true
	finder, _, err := crf.Train(t.Context(), views, o)
	if err != nil {
		t.Fatal(err)
	}
	return &publish.Bundle{
		Ensemble: greedy.Ensemble{{Learner: "crf", Classifier: &greedy.Model{CRF: finder}, Threshold: 0.5}},
		Namer:    namer,
		Policy:   publish.Policy{Placeholder: publish.DefaultPlaceholder, Labels: namer.Labels()},
	}
}
