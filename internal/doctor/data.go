// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/words"
)

// server judges whether a server runs, and which.
func server(f *Facts) []Check {
	s := f.Server
	switch {
	case s == nil && f.Data.Refused == NoPermission:
		return one("server", Skipped, "", "this user may not look into %s: whether a server runs on it is unknown", f.Data.Dir)
	case s == nil && f.Data.Held:
		return append(one("server", Fail, "stop that process and start hide serve, or run this as its user or as root; the log of the server says why it runs no commands",
			"%s has the data folder open, and answers no commands", process(f.Data.Holder)), socket(f)...)
	case s == nil && f.Address.Problem != nil:
		return append(one("server", Fail, f.Address.Problem.Next, "no server has the data folder open, and none could start: %s", f.Address.Problem.What), socket(f)...)
	case s == nil:
		return append(one("server", OK, "", "no server has the data folder open; %s is free", f.Address.Addr), socket(f)...)
	case s.Old:
		return one("server", Warn, "restart the server, so that it is the program that is installed",
			"a server runs that does not know this check: it is older than this program (%s)", f.Program)
	case s.NotReady != "":
		return append(one("server", Fail, "the log of the server says more", "process %d is not ready: %s", s.Process, s.NotReady), version(f)...)
	}
	return append(one("server", OK, "", "process %d answers and is ready", s.Process), version(f)...)
}

func process(number int) string {
	if number == 0 {
		return "a process"
	}
	return fmt.Sprintf("process %d", number)
}

// version compares the running server with this program and its options.
func version(f *Facts) []Check {
	if s := f.Server; f.Origin != "" && s.Origin != f.Origin {
		return append(one("options", Warn, "give the options of the server, above all --config FILE; if they were changed, restart it",
			"the running server is at %s, and these options say %s", s.Origin, f.Origin), sameVersion(f)...)
	}
	return sameVersion(f)
}

func sameVersion(f *Facts) []Check {
	if f.Server.Version != f.Program {
		return one("version", Warn, "restart the server, so that it is the program that is installed",
			"the server is version %s, this program is %s", f.Server.Version, f.Program)
	}
	return one("version", OK, "", "server and program are %s", f.Program)
}

// socket judges the socket for commands where no server answers.
func socket(f *Facts) []Check {
	const name = "control socket"
	switch {
	case f.Socket.TooLong:
		return one(name, Warn, "use a data folder with a shorter path", "the path %s is too long for a socket: no command will work beside a running server", f.Socket.Path)
	case f.Socket.There && f.Data.Held:
		return one(name, Warn, "run this as the user of the server, or as root", "%s is there, and nothing that this user can reach answers on it", f.Socket.Path)
	case f.Socket.There:
		return one(name, OK, "", "%s was left by a server that was killed. It is harmless: hide serve replaces it", f.Socket.Path)
	}
	return nil
}

// data judges what is in the data folder.
func data(f *Facts) []Check {
	d := &f.Data
	switch {
	case d.Refused == NoPermission:
		return one("data folder", Fail, "run this as the user of the server, or as root", "%s: %s", d.Dir, what(d.Problem))
	case !d.Exists:
		return one("data folder", OK, "", "there is no data in %s yet: hide serve makes it", d.Dir)
	}
	checks := one("data folder", OK, "", "%s, %s, belongs to %s", d.Dir, inBytes(uint64(max(0, d.Bytes))), d.Owner)
	if f.Server == nil && d.Held || f.Server != nil && f.Server.Old {
		return append(checks, one("data", Skipped, "", "a process has the folder open, and cannot be asked what is in it")...)
	}
	return append(append(checks, schema(d)...), trail(d)...)
}

func what(p *Problem) string {
	if p == nil {
		return "unknown problem"
	}
	return p.What
}

func schema(d *Data) []Check {
	const name = "data version"
	switch {
	case d.Refused == NewerSchema:
		return one(name, Fail, "install the version of hide that wrote it, or restore a backup that this version can read",
			"the data have version %d, and this program knows up to %d: hide serve will refuse them and change nothing", d.Schema, d.Known)
	case d.Schema == 0:
		return one(name, Skipped, "", "the data file could not be read")
	case d.Schema < d.Known:
		return one(name, Warn, "make a backup with the program that you used until now; then start hide serve. Earlier programs cannot open the data afterwards",
			"the data have version %d: hide serve will bring them to %d when it starts", d.Schema, d.Known)
	}
	return one(name, OK, "", "%d, the newest", d.Schema)
}

// trail judges the end of the audit trail, and what kept the file from being read.
func trail(d *Data) []Check {
	const name = "audit trail"
	switch {
	case d.Refused == Damaged:
		return one(name, Fail, next(d.Problem, "keep a copy of the folder, and bring back a backup with hide restore"), "%s", what(d.Problem))
	case d.Refused != NotRefused && d.Refused != OtherProblem:
		return one(name, Skipped, "", "the data could not be opened: see the key and the version")
	case d.Problem != nil:
		return one(name, Fail, d.Problem.Next, "%s", d.Problem.What)
	case d.HeadGone:
		return one(name, Warn, "if you copied or renamed the folder, copy the file with the ending .head, too; otherwise run hide audit verify and compare the hash with your last copy of it",
			"%s, and the head that is kept beside the data folder is missing: rows at the end could have been cut off unnoticed", rows(d.Rows))
	}
	return one(name, OK, "", "%s; the head beside the data folder agrees; the newest row is of %s", rows(d.Rows), d.Newest.UTC().Format(dayAndTime))
}

const dayAndTime = "2 January 2006, 15:04 UTC"

func rows(n uint64) string { return words.Count(int(n), "row", "rows") }

func next(p *Problem, otherwise string) string {
	if p != nil && p.Next != "" {
		return p.Next
	}
	return otherwise
}

// key judges the root key.
func key(f *Facts) []Check {
	if !f.Data.Exists {
		return nil
	}
	return append(keyOpens(f), keyDisk(f)...)
}

func keyOpens(f *Facts) []Check {
	const name = "key"
	d, k := &f.Data, &f.Key
	what := "the key file " + k.Path
	if d.Passphrase {
		what = "the passphrase"
	}
	switch {
	case d.Refused == NoPassphrase:
		return one(name, Warn, "name a file with --passphrase-file, so that a server can start without a terminal", "the data are encrypted with a passphrase, and none was given: they were not opened")
	case d.Refused == WrongKey && d.Passphrase:
		return one(name, Fail, next(d.Problem, "check the first line of the file of --passphrase-file"), "%s", d.Problem.What)
	case d.Refused == NoKey, d.Refused == WrongKey:
		return one(name, Fail, next(d.Problem, "name the right key with --key FILE"), "%s", d.Problem.What)
	case f.Server != nil && !f.Server.Old:
		return one(name, OK, "", "%s opens the data: the server has them open", what)
	case d.Schema == 0 || d.Refused != NotRefused:
		return one(name, Skipped, "", "the data were not opened")
	}
	return one(name, OK, "", "%s opens the data", what)
}

// keyDisk warns if one disk holds the key and what it opens.
func keyDisk(f *Facts) []Check {
	const name = "place of the key"
	path := f.Key.Path
	if f.Data.Passphrase {
		if path = f.Key.PassFile; path == "" {
			return nil
		}
	}
	switch {
	case !f.Key.SameDisk:
		return one(name, OK, "", "%s is on another disk than the data", path)
	case f.Key.Encrypted:
		return one(name, OK, "", "%s is on the disk of the data, which the system encrypts", path)
	}
	return one(name, Warn, "encrypt the disk (LUKS), or keep the key on another disk or the passphrase in your head; keep copies of the key away from backups",
		"%s is on the disk of the data, and no encryption of that disk was found: a person who takes the disk can read the data", path)
}

// permissions lists files that others can read, or that belong to somebody else.
func permissions(f *Facts) []Check {
	const name = "permissions"
	var open, foreign []string
	fix := ""
	for _, one := range f.Files {
		if one.Mode&0o077 != 0 {
			mode := "600"
			if one.Dir {
				mode = "700"
			}
			open = append(open, fmt.Sprintf("%s %s has mode %04o", one.What, one.Path, one.Mode))
			fix += "; chmod " + mode + " " + one.Path
		}
		if f.Data.Owner != "" && one.Owner != f.Data.Owner {
			foreign = append(foreign, fmt.Sprintf("%s %s belongs to %s", one.What, one.Path, one.Owner))
			fix += "; chown " + f.Data.Owner + " " + one.Path
		}
	}
	faults := slices.Concat(open, foreign)
	if len(f.Files) == 0 {
		return nil
	}
	if len(faults) == 0 {
		return one(name, OK, "", "%s: only %s can read them", words.Count(len(f.Files), "file and folder", "files and folders"), f.Data.Owner)
	}
	return one(name, Fail, "run: "+strings.TrimPrefix(fix, "; "), "others can read, or own, what only %s should: %s", f.Data.Owner, strings.Join(faults, "; "))
}

// left lists what a killed restore has not removed.
func left(f *Facts) []Check {
	if len(f.Left) == 0 {
		return nil
	}
	return one("left by a restore", Warn, "unless hide restore runs at this moment, remove them: files of releases in them are not encrypted",
		"a restore or its check was killed, and left %s", strings.Join(f.Left, ", "))
}

// secrets looks for projects that cannot be opened.
func secrets(f *Facts) []Check {
	const name = "project secrets"
	d := &f.Data
	switch {
	case !d.Exists || d.Rows == 0:
		return nil
	case len(d.Sealed) > 0:
		return one(name, Fail, "bring them back with hide project-secret import --in FILE; if they were destroyed on purpose, the projects stay closed for ever",
			"the secrets of %s are missing: %s cannot be opened", words.Count(len(d.Sealed), "project", "projects"), strings.Join(d.Sealed, ", "))
	case d.Rotating:
		return one(name, Warn, "let a server run until it has finished, or run hide key rotate --resume", "every project has its secret; a replacement of keys has not ended")
	}
	return one(name, OK, "", "every project has its secret")
}

// ago is a duration in minutes, hours or days.
func ago(d time.Duration) string {
	d = d.Abs()
	switch {
	case d < 2*time.Minute:
		return words.Count(int(d.Round(time.Second).Seconds()), "second", "seconds")
	case d < 3*time.Hour:
		return words.Count(int(d.Round(time.Minute).Minutes()), "minute", "minutes")
	case d < 72*time.Hour:
		return words.Count(int(d.Round(time.Hour).Hours()), "hour", "hours")
	}
	return words.Count(int(d.Hours()/24), "day", "days")
}

// inBytes is a size in decimal units.
func inBytes(n uint64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	}
	return fmt.Sprintf("%d kB", n/1e3)
}
