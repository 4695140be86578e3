// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
)

func testMeta() Meta {
	return Meta{Tool: "test", Created: time.Date(2026, 11, 20, 10, 0, 0, 5, time.FixedZone("", 3600)), Name: "release-1", Project: "p1"}
}

// inputs gives the corpus with its spans as spans of people, so that everything
// sensitive is certain to go.
func inputs(docs []annotate.Annotated) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		for i, d := range docs {
			if !yield(Input{Document: annotate.DocumentID(i + 1), Name: d.Name, Text: d.Text, Spans: d.Spans}, nil) {
				return
			}
		}
	}
}

func write(t *testing.T, docs []annotate.Annotated) (dir string, w *Written) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "release-1")
	w, err := WriteRelease(t.Context(), dir, inputs(docs), testBundle(t), testMeta(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w
}

func originals(t *testing.T, docs []annotate.Annotated) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, d := range docs {
		if err := json.NewEncoder(&b).Encode(map[string]string{"id": d.Name, "text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

// odd are documents that a release must get right.
func odd(t *testing.T) []annotate.Annotated {
	docs := corpus(t, 30)
	for i, in := range []string{
		"", " ", "\r\n", "[NAME] and [[NAME:Rose]] [NAME]\r\n", "ü🙂 [[NAME:Müller]] <b>&amp;</b> \u2028 \x00 \u0085 end",
		strings.Repeat("word ", 5000) + "[[DATE:3/4]]", "[[NAME:Anna]]\n\n[[NAME:Weiss]]", "\ufffd [[NAME:x]]\ufeff",
	} {
		text, spans := marked(t, in)
		docs = append(docs, annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("odd %d", i), Text: text}, Spans: spans})
	}
	return docs
}

func TestReleaseVerifies(t *testing.T) {
	docs := odd(t)
	dir, w := write(t, docs)
	fsys, closer, err := verify.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	result, err := verify.Against(t.Context(), fsys, bytes.NewReader(w.Mapping), originals(t, docs))
	if err != nil {
		t.Fatal(err)
	}
	r := result.(*verify.Text)
	if !r.OK || r.Compared != len(docs) || r.SHA256 != w.SHA256 || r.Tokens != w.Claims.Counts.Tokens {
		t.Errorf("report %+v", r)
	}
	if r.Redactions["NAME"] != w.Claims.Counts.Redactions["NAME"] || r.Redactions["NAME"] < 30 {
		t.Errorf("redactions %v", r.Redactions)
	}
}

func TestReleaseNamesNobody(t *testing.T) {
	docs := corpus(t, 30)
	dir, w := write(t, docs)
	secrets := []string{"Weiss", "Khan", "Anna", "mrn-", "9000"}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		for _, s := range secrets {
			if bytes.Contains(content, []byte(s)) || strings.Contains(name, s) {
				t.Errorf("%s shows %q", name, s)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(w.Mapping, []byte("mrn-90000")) {
		t.Error("the mapping does not lead back")
	}
}

// TestReleasedOrderTellsNothing checks that two releases of the same documents
// number them differently. By chance they agree once in 30! tries.
func TestReleasedOrderTellsNothing(t *testing.T) {
	docs := corpus(t, 30)
	_, first := write(t, docs)
	_, second := write(t, docs)
	if bytes.Equal(rowsOf(first.Mapping), rowsOf(second.Mapping)) {
		t.Error("the order is the same twice")
	}
	if first.Claims.Counts.Tokens != second.Claims.Counts.Tokens {
		t.Error("the counts differ")
	}
}

func rowsOf(mapping []byte) []byte {
	_, rows, _ := bytes.Cut(mapping, []byte("\n"))
	return rows
}

func TestEmptyReleaseVerifies(t *testing.T) {
	dir, w := write(t, nil)
	r, err := verify.Release(os.DirFS(dir))
	if err != nil || !r.Common().OK || w.Claims.Counts.Documents != 0 {
		t.Errorf("%v %+v", err, r)
	}
}

func TestZippedReleaseVerifies(t *testing.T) {
	dir, _ := write(t, odd(t))
	var first, second bytes.Buffer
	if err := errors.Join(release.Zip(&first, dir), release.Zip(&second, dir)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two zips of one release differ")
	}
	name := filepath.Join(t.TempDir(), "r.zip")
	if err := os.WriteFile(name, first.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	fsys, closer, err := verify.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if r, err := verify.Release(fsys); err != nil || !r.Common().OK {
		t.Errorf("%v %v", err, r.Common().Problems)
	}
}

func TestFailedReleaseLeavesNothing(t *testing.T) {
	failed := errors.New("failed")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	good := corpus(t, 3)
	for name, c := range map[string]struct {
		ctx  context.Context
		docs iter.Seq2[Input, error]
		want string
	}{
		"documents fail": {t.Context(), func(yield func(Input, error) bool) {
			for in := range inputs(good) {
				if !yield(in, nil) {
					return
				}
			}
			yield(Input{}, failed)
		}, "failed"},
		"cancelled": {cancelled, inputs(good), "canceled"},
		"not UTF-8": {t.Context(), func(yield func(Input, error) bool) {
			yield(Input{Document: 7, Name: "mrn-1", Text: "Weiss \xff"}, nil)
		}, "note 7: its text is not UTF-8"},
		"a span outside": {t.Context(), func(yield func(Input, error) bool) {
			yield(Input{Document: 7, Text: "Weiss", Spans: []annotate.Span{{Start: 3, End: 9, Label: "NAME"}}}, nil)
		}, "note 7: span out of range"},
		"an unknown label": {t.Context(), func(yield func(Input, error) bool) {
			yield(Input{Document: 7, Text: "Weiss", Spans: []annotate.Span{{Start: 0, End: 5, Label: "CITY"}}}, nil)
		}, "note 7: label CITY is not in the policy"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := WriteRelease(c.ctx, filepath.Join(dir, "r"), c.docs, testBundle(t), testMeta(), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Weiss") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestProvenanceSaysWhatItIs: the corpus is told by a fingerprint with a key,
// which nobody can recompute, and so is not called a hash.
func TestProvenanceSaysWhatItIs(t *testing.T) {
	w, err := WriteRelease(t.Context(), filepath.Join(t.TempDir(), "r"), inputs(corpus(t, 2)), testBundle(t), testMeta(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	for name, v := range map[string]any{"manifest": w.Claims.Provenance, "bundle": testBundle(t).Provenance} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		clear(fields)
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		if _, hash := fields["corpus_sha256"]; hash || fields["corpus"] != strings.Repeat("c", 64) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestReleaseDoesNotReplace(t *testing.T) {
	dir := t.TempDir()
	if _, err := WriteRelease(t.Context(), dir, inputs(nil), testBundle(t), testMeta(), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if _, err := WriteRelease(t.Context(), filepath.Join(dir, "no", "where"), inputs(nil), testBundle(t), testMeta(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestProgressCountsDocuments(t *testing.T) {
	var seen []int
	dir := filepath.Join(t.TempDir(), "r")
	if _, err := WriteRelease(t.Context(), dir, inputs(corpus(t, 4)), testBundle(t), testMeta(), func(n int) { seen = append(seen, n) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []int{1, 2, 3, 4}) {
		t.Errorf("got %v", seen)
	}
}

func TestReleasedIDsSortAsTheyCount(t *testing.T) {
	for _, c := range []struct {
		n, last int
		want    string
	}{{1, 5, "000001"}, {999999, 999999, "999999"}, {1, 1000000, "0000001"}} {
		if got := releasedID(c.n, c.last); got != c.want {
			t.Errorf("%d of %d: got %q, want %q", c.n, c.last, got, c.want)
		}
	}
}
