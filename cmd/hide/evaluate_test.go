// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// annotatedLines are short notes of as many patients, in hide's own format.
func annotatedLines(n int) string {
	var b strings.Builder
	names := []string{"Anna Weiss", "Karl Berg", "Lena Khan", "Ivo Novak", "Rose Silva"}
	for i := range n {
		name := names[i%len(names)]
		fmt.Fprintf(&b, `{"id":"%d","text":"Seen by Dr. %s on %d/%d for pain.","spans":[{"start":12,"end":%d,"label":"NAME"}]}`+"\n",
			i, name, i%12+1, i%27+1, 12+len(name))
	}
	return b.String()
}

// said runs hide and reads its JSON.
func said(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var out, trouble bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: &out, stderr: &trouble}
	if err := dispatch(t.Context(), e, "", commands(), append(args, "--json")); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	var v map[string]any
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEvaluateNamesTheModelByItsHash(t *testing.T) {
	dir := t.TempDir()
	notes, model := filepath.Join(dir, "notes.jsonl"), filepath.Join(dir, "model.crf")
	if err := os.WriteFile(notes, []byte(annotatedLines(12)), 0o600); err != nil {
		t.Fatal(err)
	}
	file := said(t, "train", "--in", notes, "--out", model, "--max-iterations", "5")["model_sha256"]
	trained := said(t, "evaluate", "--train", notes, "--test", notes, "--max-iterations", "5")["model_sha256"]
	read := said(t, "evaluate", "--model", model, "--test", notes)["model_sha256"]
	if file == nil || file != trained || file != read {
		t.Errorf("hashes: file %v, trained %v, read %v", file, trained, read)
	}
	folds := said(t, "evaluate", "--in", notes, "--folds", "3", "--max-iterations", "5")["model_sha256"]
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		if got := said(t, "evaluate", "--train", notes, "--test", notes, "--max-iterations", "5")["model_sha256"]; got != trained {
			t.Errorf("GOMAXPROCS %d: model %v, want %v", n, got, trained)
		}
		if got := said(t, "evaluate", "--in", notes, "--folds", "3", "--max-iterations", "5")["model_sha256"]; got != folds {
			t.Errorf("GOMAXPROCS %d: models %v, want %v", n, got, folds)
		}
	}
	if other := said(t, "evaluate", "--in", notes, "--folds", "4", "--max-iterations", "5")["model_sha256"]; other == folds {
		t.Error("other models have the same hash")
	}
}
