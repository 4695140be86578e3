// SPDX-License-Identifier: Apache-2.0

package site

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/webtest"
)

// noteBytes is the length of a generated note. An import of 2 GiB has 200,000 of them.
const noteBytes = 10_700

// generated is a file of JSON lines that is made while it is read. It measures the heap
// along the way.
type generated struct {
	notes, made int
	line        []byte
	text        string
	heap        []uint64 // bytes in use, at equal distances
}

func newGenerated(notes int) *generated {
	return &generated{notes: notes, text: strings.Repeat("Seen today with a cough and a fever. ", noteBytes/37)}
}

func (g *generated) Read(p []byte) (int, error) {
	if len(g.line) == 0 {
		if g.made == g.notes {
			return 0, io.EOF
		}
		if g.made%max(1, g.notes/20) == 0 {
			g.heap = append(g.heap, heapInUse())
		}
		g.made++
		g.line = fmt.Appendf(nil, `{"id":"large-%07d","text":"%s Note %d.","patient":"p%d"}`+"\n", g.made, g.text, g.made, g.made%50_000)
	}
	n := copy(p, g.line)
	g.line = g.line[n:]
	return n, nil
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// alone reports whether the test has a process of its own. If not, it runs the test in one:
// what other tests leave running counts as memory otherwise.
func alone(t *testing.T) bool {
	const mark = "HIDE_TEST_ALONE"
	if os.Getenv(mark) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=1h", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), mark+"=1")
	said, err := cmd.CombinedOutput()
	if t.Logf("%s", said); err != nil {
		t.Error(err)
	}
	return false
}

// TestLargeImportsTakeBoundedMemory imports a file whose notes would fill the memory, by the
// use case and as an upload. The memory in use must not grow with the bytes of the file:
// only the index of notes, which a project keeps, may grow. The long run imports 2 GiB.
func TestLargeImportsTakeBoundedMemory(t *testing.T) {
	if !alone(t) {
		return
	}
	const indexed = 1 << 10 // bytes for each note: its entry in the index, and the name that must not come twice
	size := 40              // MiB: eight portions, so that quarters compare
	if long, err := strconv.Atoi(os.Getenv("HIDE_TEST_IMPORT_MIB")); err == nil {
		size = long
	}
	notes := size << 20 / noteBytes
	projects, _ := webtest.RealProject(t, 1)
	s := newServer(t, projects)
	for name, take := range map[string]func(t *testing.T, g *generated, id project.ID){
		"use case": func(t *testing.T, g *generated, id project.ID) {
			file := format.File{Name: "large.jsonl", Size: -1, Open: func() (io.ReadCloser, error) {
				g.made, g.line = 0, nil // readers look at the beginning first
				return io.NopCloser(g), nil
			}}
			if _, err := projects.Import(t.Context(), webtest.As(account.Broker), id, []format.File{file}, project.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
		},
		"upload": func(t *testing.T, g *generated, id project.ID) {
			body := io.MultiReader(strings.NewReader("--cut\r\nContent-Disposition: form-data; name=\"files\"; filename=\"large.jsonl\"\r\n\r\n"), g, strings.NewReader("\r\n--cut--\r\n"))
			r := httptest.NewRequest(http.MethodPost, webtest.Origin+"/p/"+string(id)+"/import", body)
			r.Header.Set("Content-Type", "multipart/form-data; boundary=cut")
			r.Header.Set("Origin", webtest.Origin)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			g.heap = append(g.heap, heapInUse())
			during := make(chan uint64)
			go func() { during <- peak(ctx) }() // ends with ctx
			sent := s.Ask(account.Broker, r)
			if answer := s.Confirm(account.Broker, sent.Header().Get("Location"), nil); answer.Code != http.StatusOK {
				t.Errorf("status %d", answer.Code)
			}
			cancel()
			g.heap = append(g.heap, <-during)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := projects.Create(t.Context(), webtest.As(account.Broker), name, nil)
			if err != nil {
				t.Fatal(err)
			}
			before := heapInUse()
			g, began := newGenerated(notes), time.Now()
			take(t, g, p.ID)
			took, after := time.Since(began), heapInUse()
			if overview, err := projects.Project(t.Context(), webtest.As(account.Broker), p.ID); err != nil || overview.Documents != notes {
				t.Errorf("%d of %d notes, %v", overview.Documents, notes, err)
			}
			grown := int64(slices.Max(g.heap)) - int64(before)
			t.Logf("%d notes, %d MiB in %.0f s: %.1f MiB/s, the heap grew by %.1f MiB at most, by %.1f MiB in the end, resident at most %s",
				notes, size, took.Seconds(), float64(size)/took.Seconds(), float64(grown)/(1<<20), float64(int64(after)-int64(before))/(1<<20), resident())
			if most := int64(96<<20 + notes*indexed); grown > most {
				t.Errorf("the heap grew by %d MiB for %d notes", grown>>20, notes)
			}
			// What is in use varies with the portion that is being written: only the floor rises
			// if notes are kept.
			quarter := len(g.heap) / 4
			more := int64(slices.Min(g.heap[3*quarter:])) - int64(slices.Min(g.heap[quarter:2*quarter]))
			if name == "use case" && more > int64(size)<<20/4 {
				t.Errorf("the last quarter of the file takes %d MiB more than the second", more>>20)
			}
		})
	}
}

// peak is the most heap in use until ctx ends: an upload is stored first and imported when
// nothing is read from the form any more.
func peak(ctx context.Context) uint64 {
	most := uint64(0)
	for ctx.Err() == nil {
		most = max(most, heapInUse())
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	return most
}

// resident is the largest resident set of the process so far, as Linux counts it.
func resident() string {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}
