// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"hide/internal/backup"
	"hide/internal/control"
	"hide/internal/disk"
	"hide/internal/doctor"
	"hide/internal/listen"
	"hide/internal/store"
)

// mostFiles bounds how many files of a folder are looked at.
const mostFiles = 10_000

func socket(dir string) doctor.Socket {
	path, fits := control.Socket(dir)
	_, err := os.Lstat(path)
	return doctor.Socket{Path: path, There: err == nil, TooLong: !fits}
}

// key says on which disk the root key is, or the file with the passphrase.
func key(s Setup, p store.Places) doctor.Key {
	k := doctor.Key{Path: p.Key, PassFile: s.PassKey}
	path := p.Key
	if _, err := os.Stat(path); err != nil && s.PassKey != "" {
		path = s.PassKey
	}
	k.SameDisk = sameDisk(path, p.Data)
	k.Encrypted = k.SameDisk && diskIsEncrypted(p.Data)
	return k
}

// files lists what only its owner may read: the data folder and its files, the audit head,
// the key and the secrets of projects.
func files(dir string, p store.Places) (all []doctor.File) {
	if runtime.GOOS == "windows" {
		return nil // it has no permission bits
	}
	add := func(what, path string) {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || len(all) >= mostFiles {
			return // what is missing is for other checks
		}
		all = append(all, doctor.File{Path: path, What: what, Mode: uint32(info.Mode().Perm()), Owner: owner(info), Dir: info.IsDir()})
	}
	below := func(what, dir string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return
		}
		for _, e := range entries {
			add(what, filepath.Join(dir, e.Name()))
		}
	}
	add("data folder", dir)
	below("file", dir)
	add("audit head", p.Head)
	add("key file", p.Key)
	add("folder of secrets", p.Secrets)
	below("project secret", p.Secrets)
	return all
}

// disks measures the disks of all that hide writes.
func disks(s Setup, server *doctor.Server, b *doctor.Backups) []doctor.Disk {
	all := []doctor.Disk{measured("data", s.Store.Dir)}
	if releases := filepath.Join(s.Store.Dir, store.FilesFolder); !sameDisk(releases, s.Store.Dir) {
		all = append(all, measured("releases", releases))
	}
	if b != nil && b.Problem == nil {
		all = append(all, measured("backups", b.Folder))
	}
	temp := measured("temporary files", os.TempDir())
	if running(server) && server.Temp.Total > 0 {
		temp.Room = server.Temp
	}
	return append(all, temp)
}

// measured measures the disk of a folder, or of the folder that it would be made in.
func measured(what, path string) doctor.Disk {
	d := doctor.Disk{What: what, Path: path}
	full, err := filepath.Abs(path)
	for at := full; err == nil; at = filepath.Dir(at) {
		if _, missing := os.Stat(at); errors.Is(missing, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		var space disk.Space
		space, err = disk.Measure(at)
		d.Room = doctor.Room{Free: space.Free, Total: space.Total}
		break
	}
	if err != nil {
		d.Problem = oneLine(err)
	}
	return d
}

// backups looks at the folder of the schedule and its newest file.
func backups(s Setup, p store.Places) *doctor.Backups {
	if s.BackupTo == "" {
		return nil
	}
	b := &doctor.Backups{Folder: s.BackupTo, Every: s.BackupEvery}
	folder, err := backup.CheckFolder(s.BackupTo, s.Store.Dir)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && !store.Exists(s.Store.Dir) && isFolder(s.BackupTo)) {
		if b.Problem = problem(err, "make the folder, or mount its disk"); errors.Is(err, fs.ErrPermission) {
			b.Problem.Next = "run this as the user of the server, or as root"
		}
		return b
	}
	if folder != "" {
		b.Folder = folder
	}
	b.Writable = writable(b.Folder, p.Data)
	b.SameDisk = sameDisk(b.Folder, p.Data)
	for _, path := range newestFirst(b.Folder) {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		b.Newest, b.At, b.Bytes = filepath.Base(path), info.ModTime(), info.Size()
		if err := readable(path); err != nil {
			b.Unreadable = oneLine(err)
		}
		break
	}
	return b
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// newestFirst lists the backups of a schedule. Their names are their times.
func newestFirst(folder string) []string {
	found, _ := filepath.Glob(filepath.Join(folder, "hide-*.backup"))
	slices.Reverse(found)
	return found
}

// readable reads the beginning and the end of a backup. Only a drill reads all of it.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	start := make([]byte, 32)
	if n, err := io.ReadFull(f, start); err != nil && n == 0 {
		return errors.New("it is empty")
	}
	if !store.LooksLikeBackup(start) {
		return errors.New("it does not begin as a backup does")
	}
	end := make([]byte, 1)
	if _, err := f.Seek(-1, io.SeekEnd); err != nil {
		return err
	}
	_, err = io.ReadFull(f, end)
	return err
}

// certificateFile reads the certificate that the server itself has, nil for none.
func certificateFile(o listen.Options) *doctor.Certificate {
	if o.Cert == "" {
		return nil
	}
	c := &doctor.Certificate{Where: o.Cert}
	pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
	if err != nil {
		c.Problem = problem(err, "name a certificate and its private key with --tls-cert and --tls-key, both in PEM")
		return c
	}
	c.Ends = pair.Leaf.NotAfter
	return c
}
