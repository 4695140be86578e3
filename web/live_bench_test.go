// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/project"
)

// BenchmarkOpenPages tells 2,000 open pages of 250 people about a change. It shows the
// memory of an open page that is told nothing, with its client in the same process.
func BenchmarkOpenPages(b *testing.B) {
	const pages = maxSockets
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	f := newTestFeature()
	s, err := New(Config{Accounts: crowd{}, Projects: f.projects, Features: []Feature{f}, PublicOrigin: "http://" + l.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	s.pace.settle, s.pace.send = 0, 0
	ctx, stop := context.WithCancel(b.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, l) }()
	defer func() { stop(); <-stopped }()
	before := memory()
	conns := make([]*websocket.Conn, pages)
	for i := range conns {
		conns[i] = dialCrowd(b, s, l.Addr().String(), i/maxOfPerson)
		defer conns[i].Close()
		for range 2 {
			if _, _, err := conns[i].ReadMessage(); err != nil {
				b.Fatal(err)
			}
		}
	}
	page := float64(memory()-before) / pages
	var told sync.WaitGroup
	for _, conn := range conns {
		go func() {
			for {
				_, r, err := conn.NextReader()
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					return
				}
				told.Done()
			}
		}()
	}
	for i := 0; b.Loop(); i++ {
		told.Add(pages)
		f.tally.Store(int64(i + 1))
		f.projects.events <- project.Event{Topic: project.TopicQueue}
		told.Wait()
	}
	b.ReportMetric(page, "B/page")
}

// memory is what the heap and the stacks hold now.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// crowd is many brokers: the token is the number of one.
type crowd struct{ testAccounts }

func (crowd) Peek(token string) (account.User, account.Session, error) {
	return account.User{ID: token, Name: token, Role: account.Broker}, account.Session{}, nil
}

func (c crowd) Session(token string) (account.User, account.Session, error) { return c.Peek(token) }

func dialCrowd(b *testing.B, s *Server, address string, person int) *websocket.Conn {
	b.Helper()
	header := http.Header{"Cookie": {fmt.Sprintf("%s=p%d", s.cookie, person)}, "Origin": {"http://" + address}}
	d := websocket.Dialer{ReadBufferSize: 512, WriteBufferSize: 512, EnableCompression: true}
	conn, _, err := d.Dial("ws://"+address+"/p/p1/live?topics=tally,note&doc="+fmt.Sprint(person%50), header)
	if err != nil {
		b.Fatal(err)
	}
	return conn
}
