// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
)

// patientNotes writes notes of one patient to import.
func patientNotes(t *testing.T, patient string) (file string) {
	t.Helper()
	raw, err := os.ReadFile(moreNotes(t, patient))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.ReplaceAll(string(raw), `{"id"`, fmt.Sprintf(`{"patient":%q,"id"`, patient))
	file = filepath.Join(t.TempDir(), patient+".jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A removal that is killed is complete at the next start, or has not begun. An undone
// import is in the bin as a whole; of a removed patient nothing is left.
func TestAKilledRemovalIsCompleteOrHasNotBegun(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(6)
	token, base := "", 0
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
		base = documentsOf(t, f)
	})
	addr := freeAddress(t)
	broker := &editor{visitor: newVisitor("http://" + addr)}
	most, binned, removed := time.Duration(0), 0, 0
	for k := range killsOf(2) + 1 { // the first one is not killed, and says how long it takes
		patient := "k" + strconv.Itoa(k)
		hideRun(t, "import", "--project", "p1", "--data", dir, patientNotes(t, patient))
		path, form := "/p/p1/delete/import", url.Values{"import": {strconv.Itoa(k + 2)}, "confirm": {fmt.Sprintf("import %d", k+2)}}
		if k%2 == 1 {
			path, form = "/p/p1/delete/patient/confirm", url.Values{"key": {patient}, "confirm": {patient}}
		}
		kill := startServer(t, dir, addr)
		if k == 0 {
			broker.arrive(t, token)
		}
		began, answered := time.Now(), make(chan error, 1)
		go func() {
			_, err := broker.post(path, form)
			answered <- err
		}()
		if k == 0 {
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
			most = time.Since(began)
			answered <- nil
		} else {
			time.Sleep(within(random, most))
		}
		kill()
		acknowledged := <-answered == nil
		reopen(t, dir, func(f *folder) {
			bin, err := f.projects.Bin("p1")
			if err != nil {
				t.Fatal(err)
			}
			ws, err := f.projects.Workspace("p1")
			if err != nil {
				t.Fatal(err)
			}
			left, now := len(ws.OfPatient(patient)), documentsOf(t, f)
			switch {
			case left == 0 && k%2 == 0:
				removed, binned = removed+1, binned+importNotes
			case left == 0:
				removed++
			case acknowledged:
				t.Fatalf("kill %d: an acknowledged removal is lost", k)
			case left == importNotes:
				base += importNotes
			}
			if now != base || len(bin) != binned {
				t.Fatalf("kill %d: %d notes and %d in the bin, want %d and %d: a removal is half done", k, now, len(bin), base, binned)
			}
		})
	}
	t.Logf("%d kills, %d removals are complete", killsOf(2), removed)
}

// A project whose destruction is killed is whole at the next start, or it is gone with its
// secret.
func TestAKilledDestructionIsCompleteOrHasNotBegun(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(7)
	most, gone := time.Duration(0), 0
	for k := range killsOf(2) + 1 { // the first one is not killed, and says how long it takes
		name, id := "Gone "+strconv.Itoa(k), "p"+strconv.Itoa(k+2)
		hideRun(t, "project", "create", name, "--data", dir)
		hideRun(t, "import", "--project", id, "--data", dir, moreNotes(t, id))
		args := []string{"project", "destroy", name, "--confirm", name, "--data", dir}
		acknowledged := true
		if k == 0 {
			most = whole(t, args...)
		} else {
			acknowledged = runKilled(t, within(random, 2*most), args...) // the folder grows
		}
		reopen(t, dir, func(f *folder) {
			secrets, err := filepath.Glob(dir + ".secrets/" + id + "-*")
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.projects.Find(t.Context(), account.Operator(), name)
			switch {
			case project.KindOf(err) == project.NotFound:
				gone++
				if len(secrets) > 0 {
					t.Errorf("kill %d: the project is gone and its secret is not", k)
				}
			case err != nil:
				t.Fatal(err)
			case acknowledged || p.Documents != importNotes || len(secrets) != 1:
				t.Errorf("kill %d: the project has %d notes and %d secrets; acknowledged: %v", k, p.Documents, len(secrets), acknowledged)
			}
		})
	}
	t.Logf("%d kills, %d projects are destroyed", killsOf(2), gone)
}
