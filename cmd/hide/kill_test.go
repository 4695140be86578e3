// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
)

// The crash test: how often the server is killed unless HIDE_TEST_KILLS says, how
// many people edit, each a note of their own, and how long a server lives: for some
// edits, one life in ten for many, so that slow machines test as much, and then a
// little.
const (
	killsMade = 10
	editors   = 3
	editsMost = 10
	editsLong = 60
	lifeMost  = 30 * time.Millisecond
	killSeed  = 20141117
	noteWords = 4000
)

// editor tags the words of one note, one after the other, and remembers which
// edits the server has acknowledged.
type editor struct {
	*visitor
	doc   int
	acked []int // numbers of words
	next  int
}

// wordStart is where word n of a note of the crash test begins: all words are
// nine letters long.
func wordStart(n int) int { return 10 * n }

func killNote() string {
	var b strings.Builder
	for n := range noteWords {
		fmt.Fprintf(&b, "w%08d ", n)
	}
	return b.String()
}

// fill opens a data folder, made if there is none. done closes it.
func fill(t *testing.T, dir string) (f *folder, done func()) {
	t.Helper()
	f, err := (&dataFlags{dir: dir}).open(true)
	if err != nil {
		t.Fatal(err)
	}
	return f, func() {
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// prepareKill makes a data folder with a project of one note per editor and
// returns tokens that sign them in.
func prepareKill(t *testing.T, dir string) []string {
	t.Helper()
	f, done := fill(t, dir)
	defer done()
	p, err := f.projects.Create(t.Context(), account.Operator(), "Crash", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.projects.SetRule(t.Context(), account.Operator(), p.ID, project.Rule{}); err != nil {
		t.Fatal(err)
	}
	var files []format.File
	var tokens []string
	for i := range editors {
		files = append(files, format.File{Name: fmt.Sprintf("n%d.txt", i), Size: -1, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(killNote())), nil
		}})
		u, _, err := f.accounts.Create(account.Operator(), fmt.Sprintf("Editor %d", i), account.Annotator)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.projects.SetMember(t.Context(), account.Operator(), "p1", u.ID, account.Annotator); err != nil {
			t.Fatal(err)
		}
		token, err := f.accounts.SignInLink(u.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if _, err := f.projects.Import(t.Context(), account.Operator(), p.ID, files, project.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return tokens
}

// TestNoAcknowledgedEditIsLostWhenTheServerIsKilled kills a real server process
// with SIGKILL while people edit, again and again, and then looks for every edit
// that was acknowledged. (The operating system stays up: this is no test of a
// power failure.) HIDE_TEST_KILLS=100 does it that often.
func TestNoAcknowledgedEditIsLostWhenTheServerIsKilled(t *testing.T) {
	kills := killsOf(killsMade)
	dir := filepath.Join(t.TempDir(), "data")
	tokens := prepareKill(t, dir)
	addr := freeAddress(t)
	random := rand.New(rand.NewPCG(killSeed, 0))
	team := make([]*editor, editors)
	for i := range team {
		team[i] = &editor{visitor: newVisitor("http://" + addr), doc: i + 1}
	}
	copied := filepath.Join(filepath.Dir(dir), "audit.jsonl")
	for k := range kills {
		kill := startServer(t, dir, addr, "--audit-file", copied)
		for i, e := range team {
			if k == 0 {
				e.arrive(t, tokens[i])
			}
			e.resume(t, k)
		}
		most := editsMost
		if k%10 == 9 {
			most = editsLong
		}
		editUntilKilled(team, kill, random.IntN(most+1), time.Duration(random.Int64N(int64(lifeMost))))
	}
	total := 0
	for _, e := range team {
		total += len(e.acked)
	}
	t.Logf("%d kills, %d acknowledged edits, seed %d", kills, total, uint64(killSeed))
	if total < kills {
		t.Errorf("only %d edits were acknowledged over %d kills: the test shows too little", total, kills)
	}
	checkAfterKills(t, dir, team, total)
	checkCopyAfterKills(t, dir, copied)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startServer runs the program itself and returns what kills it.
func startServer(t *testing.T, dir, addr string, options ...string) (kill func()) {
	t.Helper()
	cmd := exec.Command("hide", append([]string{"serve", "--data", dir, "--addr", addr}, options...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, addr) {
		cmd.Process.Kill() //nolint:errcheck // it may have ended by itself
		cmd.Wait()         //nolint:errcheck // what it said matters, not how it ended
		t.Fatalf("the server did not come up: %v\n%s", err, complaints.String())
	}
	return func() {
		cmd.Process.Kill() //nolint:errcheck // it is there: we have not waited for it
		cmd.Wait()         //nolint:errcheck // "signal: killed"
	}
}

func (e *editor) path() string { return fmt.Sprintf("/p/p1/notes/%d", e.doc) }

func (e *editor) arrive(t *testing.T, token string) {
	t.Helper()
	if _, err := e.get("/welcome"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.post("/welcome", url.Values{"code": {token}}); err != nil {
		t.Fatal(err)
	}
}

var revisionOnPage = regexp.MustCompile(`data-revision="(\d+)"`)

// resume reads the note's revision after a restart: all acknowledged edits must
// be in it, and at most the one that was under way beside them.
func (e *editor) resume(t *testing.T, k int) {
	t.Helper()
	page, err := e.get(e.path())
	if err != nil {
		t.Fatalf("kill %d: %v", k, err)
	}
	m := revisionOnPage.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("kill %d: the page of note %d shows no revision", k, e.doc)
	}
	revision, _ := strconv.Atoi(m[1])
	if revision != e.next && revision != e.next+1 {
		t.Fatalf("kill %d: note %d is at revision %d after %d edits", k, e.doc, revision, e.next)
	}
	e.next = revision
}

// editUntilKilled lets everybody edit until this number of edits is acknowledged, and a
// while longer, kills the server, and waits until everybody has noticed.
func editUntilKilled(team []*editor, kill func(), edits int, after time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	acked := make(chan struct{}, len(team)*noteWords) // nobody waits for who counts
	for _, e := range team {
		wg.Go(func() { e.edit(ctx, acked) })
	}
	go func() {
		wg.Wait()
		close(acked) // ends the count, too, should the server have ended by itself
	}()
	for range edits {
		<-acked
	}
	time.Sleep(after)
	kill()
	cancel()
	wg.Wait()
}

func (e *editor) edit(ctx context.Context, acked chan<- struct{}) {
	for ctx.Err() == nil && e.next < noteWords {
		start := wordStart(e.next)
		_, err := e.post(e.path()+"/edit", url.Values{
			"do": {"tag"}, "revision": {strconv.Itoa(e.next)}, "label": {"OTHER"}, "surface": {fmt.Sprintf("w%08d", e.next)},
			"start": {strconv.Itoa(start)}, "end": {strconv.Itoa(start + 9)},
		})
		if err != nil {
			return // killed; whether this edit is in is for resume to see
		}
		e.acked = append(e.acked, e.next)
		e.next++
		acked <- struct{}{}
	}
}

// checkAfterKills opens the data folder and compares it with what was
// acknowledged.
func checkAfterKills(t *testing.T, dir string, team []*editor, total int) {
	t.Helper()
	f, err := (&dataFlags{dir: dir}).open(false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close() //nolint:errcheck // nothing was written
	if err := f.store.Check(t.Context(), nil); err != nil {
		t.Error(err)
	}
	summary, err := f.store.VerifyAudit()
	if err != nil {
		t.Error(err)
	}
	if summary.Rows < uint64(total) {
		t.Errorf("the audit trail has %d rows for %d acknowledged edits", summary.Rows, total)
	}
	for _, e := range team {
		e.check(t, f)
	}
}

func (e *editor) check(t *testing.T, f *folder) {
	t.Helper()
	note, err := f.projects.Note(t.Context(), account.Operator(), "p1", annotate.DocumentID(e.doc))
	if err != nil {
		t.Fatal(err)
	}
	tagged := map[int]bool{}
	for _, s := range note.Layer.Spans() {
		tagged[int(s.Start)] = true
	}
	for _, n := range e.acked {
		if !tagged[wordStart(n)] {
			t.Errorf("note %d: the acknowledged tag of word %d is lost", e.doc, n)
		}
	}
	if len(note.Layer.Annotations) != note.Layer.Revision {
		t.Errorf("note %d: %d spans at revision %d: an edit was half applied", e.doc, len(note.Layer.Annotations), note.Layer.Revision)
	}
}
