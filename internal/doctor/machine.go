// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/disk"
)

// disks judges the free space of every place that hide writes to.
func disks(f *Facts) (all []Check) {
	for _, d := range f.Disks {
		name := "disk of " + d.What
		switch {
		case d.Problem != "":
			all = append(all, Check{name, Warn, fmt.Sprintf("the free space of %s is unknown: %s", d.Path, d.Problem), "make the folder, or name the right one"})
		case d.What == "backups":
			all = append(all, backupDisk(f, d, name))
		default:
			all = append(all, forCopy(f, d, room(d, name)))
		}
	}
	return all
}

func room(d Disk, name string) Check {
	space := disk.Space{Free: d.Free, Total: d.Total}
	c := Check{name, OK, fmt.Sprintf("%s of %s are free in %s", inBytes(d.Free), inBytes(d.Total), d.Path), ""}
	switch {
	case space.Full():
		c.Status, c.Next = Fail, "make space, or use a larger disk"
		if d.What == "data" || d.What == "releases" {
			c.Found += ": imports, runs and releases are refused, and edits are still saved"
		} else {
			c.Found += ": uploads will fail"
		}
	case space.Low():
		c.Status, c.Next = Warn, "make space, or use a larger disk"
		c.Found += ": below 5 % imports, runs and releases are refused"
	}
	return c
}

// forCopy wants room for the copy of the data that a backup makes beside them.
func forCopy(f *Facts, d Disk, c Check) Check {
	if bytes := uint64(max(0, f.Data.Bytes)); d.What == "data" && f.Backups != nil && d.Free < bytes {
		c.Status, c.Next = Fail, "make space, or use a larger disk"
		c.Found += fmt.Sprintf(": a backup needs %s there for a copy while it is made, and will be refused", inBytes(bytes))
	}
	return c
}

// backupDisk wants room for one more backup, which is about as large as the newest, or as the
// data.
func backupDisk(f *Facts, d Disk, name string) Check {
	next := uint64(max(0, f.Data.Bytes))
	if f.Backups != nil {
		next = max(next, uint64(max(0, f.Backups.Bytes)))
	}
	c := Check{name, OK, fmt.Sprintf("%s of %s are free in %s", inBytes(d.Free), inBytes(d.Total), d.Path), ""}
	switch {
	case d.Free < next:
		c.Status, c.Next = Fail, "make space there, keep fewer backups (--backup-keep), or use a larger disk. Older backups are untouched"
		c.Found += fmt.Sprintf(": the next backup of about %s does not fit", inBytes(next))
	case d.Free < 3*next:
		c.Status, c.Next = Warn, "make space there, keep fewer backups (--backup-keep), or use a larger disk"
		c.Found += fmt.Sprintf(": room for fewer than three more backups of about %s", inBytes(next))
	}
	return c
}

// backups judges the schedule.
func backups(f *Facts) []Check {
	const name = "backups"
	b := f.Backups
	if b == nil {
		switch s := f.Server; {
		case !f.Data.Exists:
			return nil
		case s != nil && s.Backups != nil:
			return one(name, Warn, "give the options of the server, above all --config FILE; if they were changed, restart it",
				"the running server makes backups in %s, and these options name no folder", s.Backups.Folder)
		}
		return one(name, Warn, "let the server make them with --backup-to FOLDER, or run hide backup every day", "the server makes no backups on a schedule")
	}
	if b.Problem != nil {
		return one(name, Fail, b.Problem.Next, "%s", b.Problem.What)
	}
	all := append(folderOfBackups(b), newestBackup(f, b)...)
	return append(all, scheduleOfServer(f, b)...)
}

func folderOfBackups(b *Backups) []Check {
	const name = "folder of backups"
	switch {
	case !b.Writable:
		return one(name, Fail, "let the user that hide runs as write to the folder; under systemd add it to ReadWritePaths", "hide cannot write to %s", b.Folder)
	case b.SameDisk:
		return one(name, Warn, "use a folder on another disk or machine: what destroys the data must not destroy the backups", "%s is on the disk of the data", b.Folder)
	}
	return one(name, OK, "", "%s can be written, and is on another disk than the data", b.Folder)
}

func newestBackup(f *Facts, b *Backups) []Check {
	const name = "newest backup"
	age := f.Now.Sub(b.At)
	switch {
	case b.Newest == "":
		return one(name, Warn, "wait until the server has made one, or run hide backup", "there is no backup in %s yet", b.Folder)
	case b.Unreadable != "":
		return one(name, Fail, "try it with hide restore --check, and make another one", "%s cannot be read: %s", b.Newest, b.Unreadable)
	case age > 2*b.Every+time.Hour:
		return one(name, Fail, "read the log of the server, and see whether it runs", "%s is %s old, and one is due every %s", b.Newest, ago(age), ago(b.Every))
	case age > b.Every+time.Hour:
		return one(name, Warn, "read the log of the server, and see whether it runs", "%s is %s old, and one is due every %s", b.Newest, ago(age), ago(b.Every))
	}
	return one(name, OK, "", "%s is %s old; practise a restore with hide restore --check", b.Newest, ago(age))
}

func scheduleOfServer(f *Facts, b *Backups) []Check {
	const name = "schedule of backups"
	if f.Server == nil || f.Server.Old {
		return nil
	}
	s := f.Server.Backups
	switch {
	case s == nil:
		return one(name, Warn, "restart the server", "the options name %s, and the running server has no schedule: it was started with other options", b.Folder)
	case s.Problem != "":
		return one(name, Fail, s.Next, "the last backup failed: %s", s.Problem)
	case s.Folder != b.Folder || s.Every != b.Every:
		return one(name, Warn, "restart the server", "the running server writes to %s every %s, the options say %s every %s", s.Folder, ago(s.Every), b.Folder, ago(b.Every))
	}
	return nil
}

// copies judges the copies of the audit trail that the server keeps elsewhere.
func copies(f *Facts) (all []Check) {
	const name = "copy of the audit trail"
	if len(f.Copies) > 0 && (f.Server == nil || f.Server.Old) {
		return one(name, Skipped, "", "only a running server knows how its copies are doing")
	}
	var running []Copy
	if f.Server != nil {
		running = f.Server.Copies
	}
	for _, c := range running {
		check := Check{name + ": " + c.Name, OK, c.State, ""}
		switch {
		case c.Stops != "":
			check.Status, check.Next = Fail, "mend the copy: "+c.Stops
		case c.Behind:
			check.Status, check.Next = Warn, "mend the copy, before exports and releases are refused"
		}
		all = append(all, check)
	}
	for _, wanted := range f.Copies {
		if !slices.ContainsFunc(running, func(c Copy) bool { return c.Name == wanted }) {
			all = append(all, Check{name + ": " + wanted, Warn, "the options name it, and the running server keeps none", "restart the server"})
		}
	}
	return all
}

// memory judges what keeps memory off the disk.
func memory(f *Facts) []Check {
	m, whose := &f.Memory, "this process"
	if f.Server != nil && !f.Server.Old {
		m, whose = &f.Server.Memory, "the server"
	}
	if !m.Known {
		return one("memory", Skipped, "", "%s", m.Unknown)
	}
	dumps := one("core dumps", OK, "", "off")
	if !m.NoDump {
		dumps = one("core dumps", Fail, "set the limit of core files to 0 (LimitCORE=0 in the unit, ulimit -c 0 in a shell)", "they are on in %s: a crash may write keys and text of notes to the disk", whose)
	}
	return append(dumps, swap(m, whose)...)
}

func swap(m *Memory, whose string) []Check {
	const name = "swap"
	var plain []string
	for _, s := range m.Swaps {
		if !s.Encrypted && !s.InMemory {
			plain = append(plain, s.Name)
		}
	}
	anyAmount := m.Limit == 1<<64-1
	switch {
	case len(m.Swaps) == 0:
		return one(name, OK, "", "the system has none")
	case len(plain) == 0:
		return one(name, OK, "", "the system's swap is encrypted or in memory")
	case m.Locked || whose == "this process" && anyAmount:
		return one(name, OK, "", "%s is not encrypted; the memory of a server is locked and never written there", strings.Join(plain, ", "))
	}
	return one(name, Warn, "use encrypted swap or none, or allow hide to lock its memory (LimitMEMLOCK=infinity in the unit, ulimit -l unlimited in a shell)",
		"%s is not encrypted, and %s may lock only %s of memory: keys and text of notes may be written there", strings.Join(plain, ", "), whose, inBytes(m.Limit))
}

// The limits of clocks.
const (
	clockWarn = time.Minute     // single sign-on and codes of apps begin to fail
	clockFail = 5 * time.Minute // times in the audit trail mislead
)

// clocks judges the clock of this machine by all that is known.
func clocks(f *Facts) []Check {
	all := append(trailClock(f), sourceClocks(f)...)
	switch f.Clock.Synced {
	case Unsynced:
		all = append(all, Check{"synchronization of the clock", Warn, "the system says that its clock is not synchronized", "start a time service (timedatectl set-ntp true, chrony or ntpd)"})
	case Synced:
		all = append(all, Check{"synchronization of the clock", OK, "the system keeps its clock synchronized", ""})
	default:
		all = append(all, Check{"synchronization of the clock", Skipped, "the system does not tell", ""})
	}
	return all
}

// EarlyClock says that a clock is behind the newest row of an audit trail; "" if it is not,
// or by no more than five minutes.
func EarlyClock(now, newest time.Time) (found, next string) {
	if newest.Sub(now) <= clockFail {
		return "", ""
	}
	return fmt.Sprintf("the clock of this machine says %s, which is %s before the newest row of the audit trail: new rows get misleading times, and sign-ins that ended may be counted wrongly",
			now.UTC().Format(dayAndTime), ago(newest.Sub(now))),
		"set the clock (timedatectl), then restart hide; if it is right now, it was wrong when that row was written: note this, and go on"
}

func trailClock(f *Facts) []Check {
	const name = "clock and audit trail"
	if f.Data.Newest.IsZero() {
		return nil
	}
	if found, next := EarlyClock(f.Now, f.Data.Newest); found != "" {
		return one(name, Fail, next, "%s", found)
	}
	if f.Now.Before(f.Data.Newest.Add(-time.Second)) {
		return one(name, Warn, "let the system synchronize its clock", "the clock is %s behind the newest row of the audit trail", ago(f.Data.Newest.Sub(f.Now)))
	}
	return one(name, OK, "", "the newest row is older than the clock")
}

func sourceClocks(f *Facts) (all []Check) {
	for _, s := range f.Clock.Sources {
		c := Check{"clock of " + s.Name, OK, "agrees with this machine", ""}
		way := "behind"
		if s.Ahead < 0 {
			way = "ahead of"
		}
		off := fmt.Sprintf("the clock of this machine is %s %s %s", ago(s.Ahead), way, s.Name)
		switch {
		case s.Problem != "":
			c.Status, c.Found, c.Next = Warn, "it was not asked: "+s.Problem, "see that this machine can reach it"
		case s.Ahead.Abs() >= clockFail:
			c.Status, c.Found, c.Next = Fail, off, "set the clock (timedatectl set-ntp true): times in the audit trail mislead, and single sign-on and codes of apps fail"
		case s.Ahead.Abs() >= clockWarn:
			c.Status, c.Found, c.Next = Warn, off, "let the system synchronize its clock (timedatectl set-ntp true): single sign-on and codes of apps may fail"
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
	return all
}
