// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish/verify"
)

// killsOf is how often a test kills: a few times, or as HIDE_TEST_KILLS says.
func killsOf(few int) int {
	if more, err := strconv.Atoi(os.Getenv("HIDE_TEST_KILLS")); err == nil {
		return more
	}
	return few
}

// Notes of the tests that kill long work. They kill within the time that the same work
// takes when nobody kills it, so that slow machines test as much.
const (
	workPatients = 3
	importNotes  = 300
	killLate     = 2 * time.Second // one first start in twenty
)

// whole runs a command to its end and returns the time it takes.
func whole(t *testing.T, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	if !runKilled(t, time.Hour, args...) {
		t.Fatalf("hide %s was killed", args[0])
	}
	return time.Since(began)
}

// runKilled starts hide and kills it after the time, unless it has ended before. It
// reports whether hide ended by itself and without an error: then it has acknowledged
// what it did.
func runKilled(t *testing.T, after time.Duration, args ...string) (acknowledged bool) {
	t.Helper()
	cmd := exec.Command("hide", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(after, func() { cmd.Process.Kill() }) //nolint:errcheck // Wait says how it ended
	defer killer.Stop()
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		t.Fatalf("hide %s: %v\n%s", args[0], err, said.String())
	}
	return err == nil
}

// reopen opens a data folder after a kill, checks every value and the audit trail, and
// looks at the rest with look.
func reopen(t *testing.T, dir string, look func(f *folder)) {
	t.Helper()
	f, err := (&dataFlags{dir: dir}).open(false)
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	if err := f.store.Check(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := f.store.VerifyAudit(); err != nil {
		t.Error(err)
	}
	look(f)
	if err := f.close(); err != nil {
		t.Error(err)
	}
}

// workFolder makes a data folder with a project of finished notes.
func workFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	f, err := (&dataFlags{dir: dir}).open(true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.projects.Create(t.Context(), account.Operator(), "Killed", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.projects.SetRule(t.Context(), account.Operator(), p.ID, project.Rule{}); err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	docs := func(yield func(annotate.Annotated, error) bool) {
		for d := range hospital.Generate(hospital.Options{Patients: workPatients, Seed: 1}) {
			if !yield(d, nil) {
				return
			}
		}
	}
	if err := format.WriteJSONL(&notes, docs); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "notes.jsonl")
	if err := os.WriteFile(file, notes.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	files, closeFiles, err := format.FromPaths([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.projects.Import(t.Context(), account.Operator(), p.ID, files, project.ImportOptions{Finished: true})
	if err := errors.Join(err, closeFiles(), f.close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func chance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(killSeed, seed)) }

func within(random *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(most)))
}

// hideRun runs a command inside of the test, which is faster than a process.
func hideRun(t *testing.T, args ...string) {
	t.Helper()
	var said strings.Builder
	if code := run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: &said, stderr: &said}); code != exitDone {
		t.Fatalf("hide %s: exit code %d\n%s", args[0], code, said.String())
	}
}

func TestAKilledImportIsThereWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(1)
	most := whole(t, "import", "--project", "p1", "--data", dir, moreNotes(t, "first"))
	documents, imported := 0, 0
	reopen(t, dir, func(f *folder) { documents = documentsOf(t, f) })
	for k := range killsOf(2) {
		acknowledged := runKilled(t, within(random, most), "import", "--project", "p1", "--data", dir, moreNotes(t, strconv.Itoa(k)))
		reopen(t, dir, func(f *folder) {
			switch now := documentsOf(t, f); {
			case now == documents+importNotes:
				documents, imported = now, imported+1
			case now != documents:
				t.Fatalf("kill %d: %d notes were there, now %d: an import of %d is half there", k, documents, now, importNotes)
			case acknowledged:
				t.Fatalf("kill %d: an acknowledged import is lost", k)
			}
		})
	}
	t.Logf("%d kills, %d imports were complete", killsOf(2), imported)
}

// moreNotes writes a file to import, with names that begin with a word.
func moreNotes(t *testing.T, word string) (file string) {
	t.Helper()
	var lines strings.Builder
	for n := range importNotes {
		fmt.Fprintf(&lines, "{\"id\":\"%s-%d\",\"text\":\"%s\"}\n", word, n, strings.Repeat("Seen on Monday. ", 40))
	}
	file = filepath.Join(t.TempDir(), "more.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func documentsOf(t *testing.T, f *folder) int {
	t.Helper()
	p, err := f.projects.Find(t.Context(), account.Operator(), "p1")
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if err := f.projects.Export(t.Context(), account.Operator(), "p1", project.ExportOptions{Format: "jsonl"}, &all); err != nil {
		t.Fatal(err)
	}
	if seen := bytes.Count(all.Bytes(), []byte("\n")); seen != p.Documents {
		t.Fatalf("%d notes are counted, %d can be read", p.Documents, seen)
	}
	return p.Documents
}

// A first training gives a model; trainings that are killed afterwards must leave a whole
// model, the first or a newer one.
func TestAKilledTrainingLeavesTheModelThatWasThere(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(2)
	token, most := "", time.Duration(0)
	reopen(t, dir, func(f *folder) {
		u, _, err := f.accounts.Create(account.Operator(), "Broker", account.Broker)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.projects.SetMember(t.Context(), account.Operator(), "p1", u.ID, account.Broker); err != nil {
			t.Fatal(err)
		}
		if token, err = f.accounts.SignInLink(u.ID, time.Hour); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		trainOnce(t, f)
		most = time.Since(began)
	})
	addr := freeAddress(t)
	broker := &editor{visitor: newVisitor("http://" + addr)}
	newest := 0
	for k := range killsOf(1) {
		kill := startServer(t, dir, addr)
		if k == 0 {
			broker.arrive(t, token)
		}
		if _, err := broker.post("/p/p1/training", url.Values{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(within(random, most))
		kill()
		reopen(t, dir, func(f *folder) {
			card, err := f.projects.ModelCard(t.Context(), account.Operator(), "p1")
			if err != nil {
				t.Fatalf("kill %d: %v", k, err)
			}
			if card.Model < max(1, newest) || card.Identity == "" {
				t.Fatalf("kill %d: the newest model is %d, %q; model %d was there", k, card.Model, card.Identity, newest)
			}
			newest = card.Model
			var model bytes.Buffer
			if err := f.projects.WriteModel(t.Context(), account.Operator(), "p1", &model); err != nil {
				t.Fatalf("kill %d: %v", k, err)
			}
		})
	}
	t.Logf("%d kills, the newest model is %d", killsOf(1), newest)
}

func trainOnce(t *testing.T, f *folder) {
	t.Helper()
	if err := f.projects.Train(t.Context(), account.Operator(), "p1"); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		card, err := f.projects.ModelCard(t.Context(), account.Operator(), "p1")
		if err != nil {
			t.Fatal(err)
		}
		if card.Identity != "" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the training gives no model")
}

// fastRun are the flags of a run that takes little time.
var fastRun = []string{"sanitize", "--project", "p1", "--mode", "cost", "--lc", "1", "--learners", "bayes", "--attackers", "repeat", "--folds", "2"}

// A killed run says that it was interrupted, and a resumed one ends with the figures of one
// that nobody killed.
func TestAKilledRunResumes(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(3)
	most := whole(t, append(fastRun, "--data", dir)...)
	cut, ended := 0, 1
	for k := range killsOf(1) {
		acknowledged := runKilled(t, within(random, most), append(fastRun, "--data", dir)...)
		reopen(t, dir, func(f *folder) {
			runs, err := f.projects.Runs(t.Context(), account.Operator(), "p1")
			if err != nil {
				t.Fatal(err)
			}
			whole := 0
			for _, r := range runs {
				switch r.State {
				case sanitize.Finished:
					whole++
				case sanitize.Interrupted:
					cut = r.Number
				default:
					t.Errorf("kill %d: run %d is %q", k, r.Number, r.State)
				}
			}
			if acknowledged && whole == ended {
				t.Errorf("kill %d: an acknowledged run is lost", k)
			}
			ended = whole
		})
	}
	if cut > 0 {
		hideRun(t, "sanitize", "--project", "p1", "--resume", strconv.Itoa(cut), "--data", dir)
		reopen(t, dir, func(f *folder) { sameFigures(t, f, 1, cut) })
	}
	t.Logf("%d kills, the last interrupted run is %d", killsOf(1), cut)
}

func sameFigures(t *testing.T, f *folder, a, b int) {
	t.Helper()
	whole, resumed := choicesOf(t, f, a), choicesOf(t, f, b)
	if len(whole) != len(resumed) {
		t.Fatalf("run %d has %d choices, the resumed run %d has %d", a, len(whole), b, len(resumed))
	}
	for i := range whole {
		if !reflect.DeepEqual(whole[i], resumed[i]) {
			t.Errorf("choice %d of run %d and of the resumed run %d differ:\n%+v\n%+v", i, a, b, whole[i], resumed[i])
		}
	}
}

func choicesOf(t *testing.T, f *folder, run int) []sanitize.Result {
	t.Helper()
	r, err := f.projects.Run(t.Context(), account.Operator(), "p1", run)
	if err != nil {
		t.Fatal(err)
	}
	return r.Choices
}

// After a kill, every folder of a release is whole, every release on record has its
// folder, and nothing else is left beside them.
func TestAKilledPublicationIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(4)
	hideRun(t, append(fastRun, "--choose", "1", "--data", dir)...)
	most, recorded := whole(t, "publish", "text", "--project", "p1", "--data", dir), 1
	for k := range killsOf(1) {
		acknowledged := runKilled(t, within(random, most), "publish", "text", "--project", "p1", "--data", dir)
		reopen(t, dir, func(f *folder) {
			releases, err := f.projects.Releases(t.Context(), account.Operator(), "p1")
			if err != nil {
				t.Fatal(err)
			}
			if acknowledged && len(releases) == recorded {
				t.Errorf("kill %d: an acknowledged release is lost", k)
			}
			recorded = len(releases)
			for _, r := range releases {
				if r.Gone {
					t.Errorf("kill %d: %s is on record without its files", k, r.Name)
				}
			}
			checkReleaseFolders(t, filepath.Join(dir, "releases", "p1"))
		})
	}
	t.Logf("%d kills, %d releases", killsOf(1), recorded)
}

func checkReleaseFolders(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		found, err := verify.Release(os.DirFS(filepath.Join(dir, e.Name())))
		if err != nil {
			t.Errorf("%s: %v", e.Name(), err)
			continue
		}
		if r := found.Common(); !r.OK {
			t.Errorf("%s is not whole: %v", e.Name(), r.Problems)
		}
	}
}

// A server that is killed while it makes its data folder starts at the next try, with the
// link for the first account.
func TestAKilledFirstStartStartsAnew(t *testing.T) {
	t.Parallel()
	random, complete := chance(5), 0
	began := time.Now()
	startServer(t, filepath.Join(t.TempDir(), "data"), freeAddress(t))()
	usual := time.Since(began)
	for k := range killsOf(3) {
		dir := filepath.Join(t.TempDir(), "data")
		most := usual
		if k%20 == 19 {
			most = killLate
		}
		if runKilled(t, within(random, most), "serve", "--data", dir, "--addr", "127.0.0.1:0") {
			t.Fatal("the server ended by itself")
		}
		if _, err := os.Stat(filepath.Join(dir, "hide.db")); err == nil {
			complete++
		}
		f, err := (&dataFlags{dir: dir}).open(true)
		if err != nil {
			t.Fatalf("kill %d: the next start fails: %v", k, err)
		}
		if _, err := f.accounts.FirstRun(); err != nil {
			t.Errorf("kill %d: no link for the first account: %v", k, err)
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
		reopen(t, dir, func(*folder) {})
		for _, pattern := range []string{dir + "*.new-*", filepath.Join(dir, "*.new-*")} {
			left, err := filepath.Glob(pattern)
			if err != nil || len(left) > 0 {
				t.Errorf("kill %d: unfinished files are left: %q, %v", k, left, err)
			}
		}
	}
	t.Logf("%d kills, %d after the data file was there", killsOf(3), complete)
}
