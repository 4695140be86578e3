// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// healthy is a server behind a proxy with nothing to complain about.
func healthy() Facts {
	seen := Seen{Proof: "p", Host: "hide.example", Peer: "10.0.0.5:4711", Client: "10.0.0.9", Forwarded: []string{ForgedClient + ", 10.0.0.9"}}
	opened := Opened{Schema: 4, Known: 4, Rows: 12, Newest: noon.Add(-time.Minute)}
	return Facts{
		Now: noon, Program: "1", Origin: "https://hide.example", Address: Address{Addr: "127.0.0.1:8080"},
		Server: &Server{Version: "1", Process: 7, Origin: "https://hide.example", Data: opened,
			Memory: Memory{Known: true, NoDump: true}, Backups: &ServerBackups{Folder: "/backup", Every: 24 * time.Hour, Writable: true}},
		Data:  Data{Dir: "/data", Exists: true, Owner: "hide", Bytes: 1e9, Opened: opened, Held: true, Holder: 7},
		Key:   Key{Path: "/key"},
		Files: []File{{Path: "/data", What: "data folder", Mode: 0o700, Owner: "hide", Dir: true}, {Path: "/key", What: "key file", Mode: 0o600, Owner: "hide"}},
		Disks: []Disk{{What: "data", Path: "/data", Room: Room{Free: 5e11, Total: 1e12}}, {What: "backups", Path: "/backup", Room: Room{Free: 5e11, Total: 1e12}}},
		Clock: Clock{Synced: Synced, Sources: []ClockSource{{Name: "login.example"}}},
		Backups: &Backups{Folder: "/backup", Every: 24 * time.Hour, Writable: true, Newest: "hide-1.backup",
			At: noon.Add(-time.Hour), Bytes: 1e9},
		Proxy: &Proxy{Origin: "https://hide.example", Trusted: true, Certificate: &Certificate{Where: "it", Ends: noon.Add(90 * 24 * time.Hour)},
			Plain: seen, Socket: seen, Upgrade: true, Upload: largestUpload},
		Issuer: &Issuer{URL: "https://login.example"},
	}
}

func TestAHealthyInstallationHasNothingToDo(t *testing.T) {
	r := Examine(healthy())
	if !r.OK || r.Failed+r.Warned > 0 || len(r.Checks) < 20 {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checks {
		if c.Status != OK || c.Next != "" || c.Found == "" {
			t.Errorf("%+v", c)
		}
	}
}

// stopped is the same installation without a running server.
func stopped(f *Facts) {
	f.Server, f.Data.Held, f.Data.Holder = nil, false, 0
	f.Memory = Memory{Known: true, NoDump: true}
	f.Proxy.NotTried = "no server runs"
}

// TestEachFaultIsNamed spoils one thing at a time. The check has the status, says what was
// found, and what to do.
func TestEachFaultIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(f *Facts)
		check  string
		status Status
		says   string // in Found and Next
	}{
		{"stale socket", func(f *Facts) { stopped(f); f.Socket = Socket{Path: "/data/control.sock", There: true} }, "control socket", OK, "harmless: hide serve replaces it"},
		{"long path", func(f *Facts) { stopped(f); f.Socket.TooLong = true }, "control socket", Warn, "shorter path"},
		{"silent server", func(f *Facts) { stopped(f); f.Data.Held, f.Data.Holder = true, 9 }, "server", Fail, "process 9 has the data folder open"},
		{"taken port", func(f *Facts) {
			stopped(f)
			f.Address.Problem = &Problem{"listen on 127.0.0.1:8080: address already in use", "use another"}
		}, "server", Fail, "address already in use"},
		{"not ready", func(f *Facts) { f.Server.NotReady = "the disk is full" }, "server", Fail, "the disk is full"},
		{"old server", func(f *Facts) { f.Server = &Server{Old: true} }, "server", Warn, "restart the server"},
		{"other version", func(f *Facts) { f.Server.Version = "0.9" }, "version", Warn, "the server is version 0.9, this program is 1"},
		{"other address", func(f *Facts) { f.Origin = "http://127.0.0.1:8080" }, "options", Warn, "--config FILE"},
		{"forgotten options", func(f *Facts) { f.Backups = nil }, "backups", Warn, "the running server makes backups in /backup"},
		{"older data", func(f *Facts) { stopped(f); f.Data.Schema = 2 }, "data version", Warn, "will bring them to 4"},
		{"older data: backup first", func(f *Facts) { stopped(f); f.Data.Schema = 2 }, "data version", Warn, "make a backup"},
		{"newer data", func(f *Facts) { stopped(f); f.Data.Schema, f.Data.Refused = 9, NewerSchema }, "data version", Fail, "version 9, and this program knows up to 4"},
		{"damage", func(f *Facts) {
			stopped(f)
			f.Data.Refused, f.Data.Problem = Damaged, &Problem{What: "hide.db is damaged"}
		}, "audit trail", Fail, "hide restore"},
		{"no head", func(f *Facts) { f.Data.HeadGone = true }, "audit trail", Warn, ".head"},
		{"no key", func(f *Facts) {
			stopped(f)
			f.Data.Refused, f.Data.Problem = NoKey, &Problem{What: "key file /key is missing"}
		}, "key", Fail, "--key FILE"},
		{"no passphrase", func(f *Facts) { stopped(f); f.Data.Passphrase, f.Data.Refused = true, NoPassphrase }, "key", Warn, "--passphrase-file"},
		{"key beside data", func(f *Facts) { f.Key.SameDisk = true }, "place of the key", Warn, "a person who takes the disk can read the data"},
		{"encrypted disk", func(f *Facts) { f.Key.SameDisk, f.Key.Encrypted = true, true }, "place of the key", OK, "encrypts"},
		{"readable file", func(f *Facts) { f.Files[0].Mode = 0o755 }, "permissions", Fail, "run: chmod 700 /data"},
		{"readable key", func(f *Facts) { f.Files[1].Mode = 0o640 }, "permissions", Fail, "run: chmod 600 /key"},
		{"foreign file", func(f *Facts) { f.Files[1].Owner = "root" }, "permissions", Fail, "chown hide /key"},
		{"killed restore", func(f *Facts) { f.Left = []string{"/srv/hide-drill-1"} }, "left by a restore", Warn, "left /srv/hide-drill-1"},
		{"lost secret", func(f *Facts) { f.Data.Sealed = []string{"p3"} }, "project secrets", Fail, "hide project-secret import"},
		{"low disk", func(f *Facts) { f.Disks[0].Free = 30e9 }, "disk of data", Warn, "below 5 %"},
		{"full disk", func(f *Facts) { f.Disks[0].Free = 1e9 }, "disk of data", Fail, "edits are still saved"},
		{"no room for a copy", func(f *Facts) { f.Disks[0].Room = Room{Free: 5e8, Total: 6e8} }, "disk of data", Fail, "a backup needs 1.0 GB there"},
		{"full backup disk", func(f *Facts) { f.Disks[1].Free = 1e6 }, "disk of backups", Fail, "the next backup of about 1.0 GB does not fit"},
		{"filling backup disk", func(f *Facts) { f.Disks[1].Free = 2e9 }, "disk of backups", Warn, "--backup-keep"},
		{"no schedule", func(f *Facts) { f.Backups, f.Server.Backups = nil, nil }, "backups", Warn, "--backup-to"},
		{"no folder", func(f *Facts) { f.Backups.Problem = &Problem{"no such folder", "mount it"} }, "backups", Fail, "mount it"},
		{"locked folder", func(f *Facts) { f.Backups.Writable = false }, "folder of backups", Fail, "ReadWritePaths"},
		{"backup beside data", func(f *Facts) { f.Backups.SameDisk = true }, "folder of backups", Warn, "another disk"},
		{"late backup", func(f *Facts) { f.Backups.At = noon.Add(-30 * time.Hour) }, "newest backup", Warn, "30 hours old"},
		{"old backup", func(f *Facts) { f.Backups.At = noon.Add(-5 * 24 * time.Hour) }, "newest backup", Fail, "5 days old"},
		{"no backup", func(f *Facts) { f.Backups.Newest = "" }, "newest backup", Warn, "no backup"},
		{"broken backup", func(f *Facts) { f.Backups.Unreadable = "permission denied" }, "newest backup", Fail, "hide restore --check"},
		{"failed backup", func(f *Facts) { f.Server.Backups.Problem, f.Server.Backups.Next = "disk full", "make space" }, "schedule of backups", Fail, "make space"},
		{"other options", func(f *Facts) { f.Server.Backups = nil }, "schedule of backups", Warn, "restart"},
		{"copy behind", func(f *Facts) { f.Server.Copies = []Copy{{Name: "syslog", State: "3 rows behind", Behind: true}} }, "copy of the audit trail: syslog", Warn, "3 rows behind"},
		{"copy stops releases", func(f *Facts) {
			f.Server.Copies = []Copy{{Name: "file", State: "far behind", Behind: true, Stops: "nothing may leave hide now"}}
		}, "copy of the audit trail: file", Fail, "nothing may leave hide now"},
		{"copy not kept", func(f *Facts) { f.Copies = []string{"file"} }, "copy of the audit trail: file", Warn, "restart the server"},
		{"copy of a stopped server", func(f *Facts) { stopped(f); f.Copies = []string{"file"} }, "copy of the audit trail", Skipped, "only a running server"},
		{"core dumps", func(f *Facts) { f.Server.Memory.NoDump = false }, "core dumps", Fail, "LimitCORE=0"},
		{"swap", func(f *Facts) { f.Server.Memory.Swaps = []Swap{{Name: "/dev/sda2"}} }, "swap", Warn, "LimitMEMLOCK"},
		{"locked memory", func(f *Facts) { f.Server.Memory.Swaps, f.Server.Memory.Locked = []Swap{{Name: "/dev/sda2"}}, true }, "swap", OK, "locked"},
		{"encrypted swap", func(f *Facts) { f.Server.Memory.Swaps = []Swap{{Encrypted: true}, {InMemory: true}} }, "swap", OK, "encrypted"},
		{"clock behind the trail", func(f *Facts) { f.Data.Newest = noon.Add(time.Hour) }, "clock and audit trail", Fail, "60 minutes before the newest row"},
		{"clock a little behind", func(f *Facts) { f.Data.Newest = noon.Add(3 * time.Minute) }, "clock and audit trail", Warn, "3 minutes behind"},
		{"clock an hour slow", func(f *Facts) { f.Clock.Sources[0].Ahead = time.Hour }, "clock of login.example", Fail, "60 minutes behind login.example"},
		{"clock an hour fast", func(f *Facts) { f.Clock.Sources[0].Ahead = -time.Hour }, "clock of login.example", Fail, "60 minutes ahead of login.example"},
		{"clock two minutes off", func(f *Facts) { f.Clock.Sources[0].Ahead = 2 * time.Minute }, "clock of login.example", Warn, "2 minutes behind"},
		{"no synchronization", func(f *Facts) { f.Clock.Synced = Unsynced }, "synchronization of the clock", Warn, "timedatectl"},
		{"certificate ends", func(f *Facts) { f.Proxy.Certificate.Ends = noon.Add(29 * 24 * time.Hour) }, "certificate of hide.example", Warn, "ends in 29 days"},
		{"certificate ended", func(f *Facts) { f.Proxy.Certificate.Ends = noon.Add(-time.Hour) }, "certificate of hide.example", Fail, "ended 60 minutes ago"},
		{"strange certificate", func(f *Facts) { f.Proxy.Certificate.Problem = &Problem{"unknown authority", "trust it"} }, "certificate of hide.example", Fail, "trust it"},
		{"proxy down", func(f *Facts) { f.Proxy.Unreached = &Problem{"connection refused", "start it"} }, "public address", Fail, "connection refused"},
		{"other server", func(f *Facts) { f.Proxy.Lost = &Problem{"another program answers", "look"} }, "public address", Fail, "another program answers"},
		{"no Host", func(f *Facts) { f.Proxy.Plain.Host = "127.0.0.1:8080" }, "proxy: Host", Fail, "proxy_set_header Host"},
		{"no Upgrade", func(f *Facts) { f.Proxy.Upgrade = false }, "proxy: websockets", Fail, "takes the upgrade out"},
		{"no websockets", func(f *Facts) { f.Proxy.Upgrade, f.Proxy.Socket = false, Seen{} }, "proxy: websockets", Fail, "answers an upgrade itself"},
		{"no X-Forwarded-For", func(f *Facts) { f.Proxy.Plain.Forwarded = []string{ForgedClient} }, "proxy: address of browsers", Warn, "name it with --proxy 10.0.0.5"},
		{"proxy not named", func(f *Facts) { f.Proxy.Trusted = false }, "proxy: address of browsers", Warn, "add 10.0.0.5 to --proxy"},
		{"forged address", func(f *Facts) { f.Proxy.Plain.Client, f.Proxy.Plain.Forwarded = ForgedClient, []string{ForgedClient} }, "proxy: address of browsers", Fail, "a browser can choose"},
		{"browsers among the proxies", func(f *Facts) { f.Proxy.Plain.Client = ForgedClient }, "proxy: address of browsers", Fail, "--proxy names 10.0.0.9"},
		{"proxy on this machine", func(f *Facts) {
			f.Proxy.Plain.Client, f.Proxy.Plain.Forwarded = ForgedClient, []string{ForgedClient + ", 127.0.0.1"}
		}, "proxy: address of browsers", OK, "the proxy adds it"},
		{"wrong passphrase", func(f *Facts) {
			f.Server, f.Data.Held, f.Data.Passphrase = nil, false, true
			f.Data.Refused, f.Data.Problem = WrongKey, &Problem{What: "passphrase: the key does not fit this data"}
		}, "key", Fail, "--passphrase-file"},
		{"another user", func(f *Facts) {
			f.Server, f.Data.Held, f.Data.Refused = nil, false, NoPermission
			f.Address.Problem = &Problem{What: "address already in use"}
		}, "server", Skipped, "may not look"},
		{"small uploads", func(f *Facts) { f.Proxy.Upload, f.Proxy.Refused, f.Proxy.Status = 1<<20, 10<<20, 413 }, "proxy: uploads", Fail, "refuses uploads of 10 MB (status 413); 1 MB pass"},
		{"no uploads", func(f *Facts) { f.Proxy.Upload, f.Proxy.Refused, f.Proxy.Status = 0, 1<<20, 413 }, "proxy: uploads", Fail, "refuses uploads of 1 MB"},
		{"large uploads", func(f *Facts) { f.Proxy.Upload, f.Proxy.Refused, f.Proxy.Status = 1<<30, 4<<30, 413 }, "proxy: uploads", Warn, "1 GB pass"},
		{"held uploads", func(f *Facts) { f.Proxy.Held = true }, "proxy: uploads", Warn, "in the clear"},
		{"issuer down", func(f *Facts) { f.Issuer.Problem = "connection refused" }, "single sign-on", Fail, "break-glass"},
	} {
		f := healthy()
		c.spoil(&f)
		r := Examine(f)
		var found *Check
		for i := range r.Checks {
			if r.Checks[i].Name == c.check {
				found = &r.Checks[i]
			}
		}
		if found == nil || found.Status != c.status || !strings.Contains(found.Found+"; "+found.Next, c.says) {
			t.Errorf("%s: %+v", c.name, found)
			continue
		}
		if r.OK != (r.Failed == 0) || c.status == Fail && r.OK || c.status == Warn && (r.Warned == 0 || found.Next == "") || c.status == Fail && found.Next == "" {
			t.Errorf("%s: %+v of %+v", c.name, found, r)
		}
	}
}

// TestNoFactsAreNoPanic: an installation that does not exist yet can be looked at.
func TestNoFactsAreNoPanic(t *testing.T) {
	r := Examine(Facts{Data: Data{Dir: "./hide-data"}, Address: Address{Addr: "127.0.0.1:8080"}})
	if !r.OK {
		t.Errorf("%+v", r)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "ok       data folder") || !strings.Contains(text.String(), "0 failed") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if b, err := json.Marshal(r); err != nil || !strings.Contains(string(b), `"status":"ok"`) {
		t.Errorf("%s, %v", b, err)
	}
}
