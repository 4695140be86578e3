// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"hide/internal/strictjson"
)

// maxFiles is how many files travel with one message.
const maxFiles = 3

// wire reads and writes messages and the files beside them. One goroutine reads and one
// writes at a time.
type wire struct {
	conn  *net.UnixConn
	in    []byte     // read and not yet used
	files []*os.File // received and not yet used, in the order of their messages
}

// close closes the connection and the files that nobody took.
func (w *wire) close() error {
	for _, f := range w.files {
		f.Close()
	}
	w.files = nil
	return w.conn.Close()
}

// read returns the next message, of at most limit bytes, and its files.
func (w *wire) read(limit int) (message, []*os.File, error) {
	var m message
	searched := 0
	for {
		end := bytes.IndexByte(w.in[searched:], '\n')
		if searched+max(end, 0) >= limit {
			return m, nil, errors.New("the message is too long")
		}
		if end < 0 {
			searched = len(w.in)
			if err := w.receive(); err != nil {
				return m, nil, err
			}
			continue
		}
		line := w.in[:searched+end]
		if err := strictjson.Decode(line, &m); err != nil {
			return m, nil, err
		}
		w.in = w.in[len(line)+1:]
		return w.take(m)
	}
}

// take returns a message with its files.
func (w *wire) take(m message) (message, []*os.File, error) {
	if m.Files < 0 || m.Files > len(w.files) {
		return m, nil, errors.New("files of a message are missing")
	}
	files := w.files[:m.Files:m.Files]
	w.files = w.files[m.Files:]
	return m, files, nil
}

// receive reads what has arrived.
func (w *wire) receive() error {
	part, rights := make([]byte, 32<<10), make([]byte, syscall.CmsgSpace(4*maxFiles))
	n, beside, flags, _, err := w.conn.ReadMsgUnix(part, rights)
	if err != nil {
		return err
	}
	w.in = append(w.in, part[:n]...)
	if err := w.unpack(rights[:beside]); err != nil {
		return err
	}
	switch {
	case flags&syscall.MSG_CTRUNC != 0 || len(w.files) > maxFiles:
		return errors.New("too many files arrived")
	case n == 0 && beside == 0:
		return net.ErrClosed
	}
	return nil
}

func (w *wire) unpack(rights []byte) error {
	if len(rights) == 0 {
		return nil
	}
	all, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return fmt.Errorf("receive files: %w", err)
	}
	for _, c := range all {
		numbers, err := syscall.ParseUnixRights(&c)
		if err != nil {
			return fmt.Errorf("receive files: %w", err)
		}
		for _, n := range numbers {
			w.files = append(w.files, os.NewFile(uintptr(n), "the file of the command"))
		}
	}
	return nil
}

// write sends a message with files, which stay open here.
func (w *wire) write(m message, files ...*os.File) error {
	m.Files = len(files)
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if len(line) > maxMessage {
		return errors.New("the message is too long")
	}
	var rights []byte
	if len(files) > 0 {
		numbers := make([]int, len(files))
		for i, f := range files {
			numbers[i] = int(f.Fd())
		}
		rights = syscall.UnixRights(numbers...)
	}
	n, _, err := w.conn.WriteMsgUnix(line, rights, nil)
	if err != nil || n == len(line) {
		return err
	}
	_, err = w.conn.Write(line[n:])
	return err
}
