// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"hide/internal/auditsink"
	"hide/internal/backup"
	"hide/internal/control"
	"hide/internal/doctor"
	"hide/internal/hint"
	"hide/internal/store"
)

// Command is what is asked of a running server. One argument says what: its facts, or that
// it is to answer probes until the asking command ends.
const (
	Command  = "doctor"
	askFacts = "facts"
	askProbe = "probe"
)

const (
	answersWithin = 10 * time.Second
	mostFacts     = 1 << 20 // bytes
)

// Door is the port of a running server.
type Door interface {
	// Ready is nil, or the reason why the server cannot do its work.
	Ready(ctx context.Context) error
	// Expect answers probes that have the token in their path, with the proof, until end is
	// called.
	Expect(token, proof string) (end func())
}

// Schedule makes the backups of a running server.
type Schedule interface{ Status() backup.Status }

// Copies are the copies of the audit trail of a running server.
type Copies interface {
	Status() []auditsink.Status
	// Check is an error while exports and releases are refused because of a copy.
	Check() error
}

// Inside answers for a running server.
type Inside struct {
	Version, Origin string
	Store           *store.Store
	Door            Door
	Backups         Schedule // nil for none
	Copies          Copies   // nil for none
}

// token is what a server says when it expects probes.
type token struct {
	Token string `json:"token"`
	Proof string `json:"proof"`
}

// Answer answers a question of [Facts] on w. args are those of the command.
func (i Inside) Answer(ctx context.Context, args []string, w io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == askFacts:
		return json.NewEncoder(w).Encode(i.facts(ctx))
	case len(args) == 1 && args[0] == askProbe && i.Door != nil:
		t := token{rand.Text(), rand.Text()}
		end := i.Door.Expect(t.Token, t.Proof)
		defer end()
		if err := json.NewEncoder(w).Encode(t); err != nil {
			return err
		}
		<-ctx.Done() // the asking command ends it
		return nil
	}
	return errors.New("doctor: unknown question: server and command are of different versions")
}

func (i Inside) facts(ctx context.Context) doctor.Server {
	in, err := i.Store.Inspect()
	s := doctor.Server{
		Version: i.Version, Process: os.Getpid(), Origin: i.Origin,
		Data: opened(in, err), Memory: Memory(), Temp: measured("", os.TempDir()).Room,
	}
	if i.Door != nil {
		if err := i.Door.Ready(ctx); err != nil {
			s.NotReady = oneLine(err)
		}
	}
	if i.Backups != nil {
		st := i.Backups.Status()
		s.Backups = &doctor.ServerBackups{Folder: st.Folder, Every: st.Every, Writable: canWrite(st.Folder)}
		if st.Failure != nil {
			s.Backups.Problem, s.Backups.Next = st.Failure.Why, st.Failure.Next
		}
	}
	if i.Copies != nil {
		s.Copies = copiesOf(i.Copies, time.Now())
	}
	return s
}

func copiesOf(c Copies, now time.Time) (all []doctor.Copy) {
	stops := ""
	if err := c.Check(); err != nil {
		stops = oneLine(err)
	}
	for _, st := range c.Status() {
		state := st.Words(now)
		one := doctor.Copy{Name: st.Name, State: state, Behind: state != auditsink.UpToDate}
		if one.Behind {
			one.Stops = stops
		}
		all = append(all, one)
	}
	return all
}

// askServer asks the server that has the data folder open for its facts. It is nil if there
// is none, or none that this user may ask.
func askServer(ctx context.Context, dir string) (*doctor.Server, error) {
	conn, err := control.Dial(dir)
	if errors.Is(err, control.ErrNoServer) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	var out, complaint bytes.Buffer
	exit, err := conn.Run(ctx, control.Request{Args: []string{Command, askFacts}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaint}, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the running server: %w", err)
	}
	var s doctor.Server
	if exit != 0 || out.Len() > mostFacts || json.Unmarshal(out.Bytes(), &s) != nil {
		if strings.Contains(complaint.String(), "unknown") { // command
			return &doctor.Server{Old: true}, nil
		}
		return nil, hint.Add(errors.New("the running server did not answer"), "restart the server, so that it is the program that is installed")
	}
	return &s, nil
}

// expectProbes makes the server answer probes until end is called.
func expectProbes(ctx context.Context, dir string) (t token, end func(), err error) {
	conn, err := control.Dial(dir)
	if err != nil {
		return t, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := conn.Run(ctx, control.Request{Args: []string{Command, askProbe}, Stdin: strings.NewReader(""), Stdout: w, Stderr: io.Discard}, nil)
		w.CloseWithError(cmpErr(err))
	}()
	end = func() {
		cancel()
		r.Close()
		<-done
	}
	line, err := bufio.NewReader(r).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &t)
	}
	if err != nil || t.Token == "" {
		end()
		return t, nil, errors.New("the running server expects no probes: restart it, so that it is the program that is installed")
	}
	return t, end, nil
}

// cmpErr is an error for the reader of a pipe whose writer ended.
func cmpErr(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}
