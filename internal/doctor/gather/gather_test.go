// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/doctor"
	"hide/internal/issuer"
	"hide/internal/issuer/issuertest"
	"hide/internal/listen"
	"hide/internal/store"
)

// installation is a closed data folder and the setup of its server.
func installation(t *testing.T) Setup {
	t.Helper()
	s := Setup{Version: "1", Store: store.Options{Dir: filepath.Join(t.TempDir(), "data")}, Listen: listen.Options{Addr: "127.0.0.1:0"}}
	made := s.Store
	made.Create = true
	st, err := store.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func look(t *testing.T, s Setup) (doctor.Facts, map[string]doctor.Check) {
	t.Helper()
	f, err := Facts(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]doctor.Check{}
	for _, c := range doctor.Examine(f).Checks {
		checks[c.Name] = c
	}
	return f, checks
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAClosedFolderIsLookedAt with one fault after the other.
func TestAClosedFolderIsLookedAt(t *testing.T) {
	s := installation(t)
	f, checks := look(t, s)
	if !f.Data.Exists || f.Data.Rows == 0 || f.Data.Held || f.Data.Problem != nil || len(f.Files) < 4 || f.Proxy != nil {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"server", "data folder", "data version", "audit trail", "key", "permissions", "project secrets", "clock and audit trail"} {
		if c := checks[name]; c.Status != doctor.OK {
			t.Errorf("%s: %+v", name, c)
		}
	}
	dir := s.Store.Dir
	for _, c := range []struct {
		name, check, says string
		spoil, mend       func() error
	}{
		{"open folder", "permissions", "chmod 700 " + dir, func() error { return os.Chmod(dir, 0o755) }, func() error { return os.Chmod(dir, 0o700) }},
		{"open key", "key", "can be read by others", func() error { return os.Chmod(dir+".key", 0o644) }, func() error { return os.Chmod(dir+".key", 0o600) }},
		{"no key", "key", "put the key back", func() error { return os.Rename(dir+".key", dir+".away") }, func() error { return os.Rename(dir+".away", dir+".key") }},
		{"no head", "audit trail", "head that is kept beside", func() error { return os.Rename(dir+".head", dir+".away") }, func() error { return os.Rename(dir+".away", dir+".head") }},
		{"left socket", "control socket", "harmless", func() error { return leaveSocket(filepath.Join(dir, "control.sock")) }, func() error { return os.Remove(filepath.Join(dir, "control.sock")) }},
	} {
		must(t, c.spoil())
		if _, checks := look(t, s); !strings.Contains(checks[c.check].Found+checks[c.check].Next, c.says) {
			t.Errorf("%s: %+v", c.name, checks[c.check])
		}
		must(t, c.mend())
	}
	if _, again := look(t, s); again["permissions"].Status != doctor.OK || again["key"].Status != doctor.OK {
		t.Errorf("mended: %+v", again)
	}
}

// leaveSocket leaves the socket of a server that is gone.
func leaveSocket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

func TestAFolderInUseIsNotLookedInto(t *testing.T) {
	s := installation(t)
	st, err := store.Open(s.Store)
	must(t, err)
	defer st.Close()
	f, checks := look(t, s)
	if !f.Data.Held || f.Data.Holder != os.Getpid() || checks["server"].Status != doctor.Fail || checks["data"].Status != doctor.Skipped {
		t.Errorf("%+v\n%+v", f.Data, checks)
	}
}

func TestAPassphraseIsNotAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	o := store.Options{Dir: dir, Create: true, Passphrase: func() ([]byte, error) { return []byte("correct horse"), nil }}
	st, err := store.Open(o)
	must(t, err)
	must(t, st.Close())
	if _, checks := look(t, Setup{Store: store.Options{Dir: dir}, Listen: listen.Options{Addr: "127.0.0.1:0"}}); checks["key"].Status != doctor.Warn || !strings.Contains(checks["key"].Next, "--passphrase-file") {
		t.Errorf("%+v", checks["key"])
	}
	o.Create = false
	if f, checks := look(t, Setup{Store: o, PassKey: dir, Listen: listen.Options{Addr: "127.0.0.1:0"}}); checks["key"].Status != doctor.OK || f.Data.Rows == 0 {
		t.Errorf("%+v", checks["key"])
	}
}

// TestLeftoversOfARestoreAreFound: it was killed.
func TestLeftoversOfARestoreAreFound(t *testing.T) {
	s := installation(t)
	if f, _ := look(t, s); len(f.Left) > 0 {
		t.Errorf("left %q", f.Left)
	}
	must(t, os.Mkdir(s.Store.Dir+".restore-17", 0o700))
	must(t, os.Mkdir(filepath.Join(filepath.Dir(s.Store.Dir), "hide-drill-8"), 0o700))
	if f, checks := look(t, s); len(f.Left) != 2 || checks["left by a restore"].Status != doctor.Warn {
		t.Errorf("left %q", f.Left)
	}
}

// TestBackupsOfAScheduleAreFound: the newest by its name, and whether it can be read.
func TestBackupsOfAScheduleAreFound(t *testing.T) {
	s := installation(t)
	s.BackupTo, s.BackupEvery = filepath.Join(t.TempDir(), "absent"), 24*time.Hour
	if _, checks := look(t, s); checks["backups"].Status != doctor.Fail || !strings.Contains(checks["backups"].Next, "make the folder") {
		t.Errorf("no folder: %+v", checks["backups"])
	}
	s.BackupTo = t.TempDir()
	if _, checks := look(t, s); checks["newest backup"].Status != doctor.Warn || checks["folder of backups"].Status != doctor.Warn { // on the same disk
		t.Errorf("an empty folder: %+v", checks)
	}
	st, err := store.Open(s.Store)
	must(t, err)
	for _, name := range []string{"hide-20260301-120000.backup", "hide-20260302-120000.backup"} {
		out, err := os.Create(filepath.Join(s.BackupTo, name))
		must(t, err)
		must(t, st.Backup(t.Context(), out))
		must(t, out.Close())
	}
	must(t, st.Close())
	f, checks := look(t, s)
	if f.Backups.Newest != "hide-20260302-120000.backup" || checks["newest backup"].Status != doctor.OK || f.Backups.Bytes == 0 {
		t.Errorf("%+v", f.Backups)
	}
	must(t, os.WriteFile(filepath.Join(s.BackupTo, "hide-20260303-120000.backup"), []byte("<html>"), 0o600))
	if _, checks := look(t, s); checks["newest backup"].Status != doctor.Fail {
		t.Errorf("not a backup: %+v", checks["newest backup"])
	}
}

// TestConfiguredClocksAreAsked: an hour off is said in minutes.
func TestConfiguredClocksAreAsked(t *testing.T) {
	s := installation(t)
	hour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	}))
	defer hour.Close()
	s.ClockFrom = hour.URL
	hospital := issuertest.Start(t, issuertest.Behaviour{Skew: -time.Hour})
	s.IssuerURL = hospital.URL
	var err error
	s.Issuer, err = issuer.New(issuer.Config{URL: hospital.URL, Client: "hide", Origin: "http://127.0.0.1:8080", Roles: map[string][]string{"broker": {"b"}}})
	must(t, err)
	f, checks := look(t, s)
	for name, way := range map[string]string{hostOf(hour.URL): "behind", hostOf(hospital.URL): "ahead of"} {
		if c := checks["clock of "+name]; c.Status != doctor.Fail || !strings.Contains(c.Found, "60 minutes "+way+" "+name) {
			t.Errorf("%+v", c)
		}
	}
	if checks["single sign-on"].Status != doctor.OK {
		t.Errorf("%+v", f.Issuer)
	}
	hour.Close()
	s.Issuer, err = issuer.New(issuer.Config{URL: hour.URL, Client: "hide", Origin: "http://127.0.0.1:8080", Roles: map[string][]string{"broker": {"b"}}})
	must(t, err)
	s.IssuerURL = hour.URL
	if _, checks := look(t, s); checks["single sign-on"].Status != doctor.Fail || !strings.Contains(checks["single sign-on"].Found, "refused") || checks["clock of "+hostOf(hour.URL)].Status != doctor.Warn {
		t.Errorf("down: %+v", checks)
	}
}
