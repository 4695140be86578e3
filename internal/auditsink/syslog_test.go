// SPDX-License-Identifier: Apache-2.0

package auditsink_test

import (
	"crypto/tls"
	"crypto/x509"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hide/internal/auditsink"
)

func syslogTo(r *receiver, a *authority) auditsink.Options {
	o := auditsink.Options{Syslog: auditsink.Syslog{Addr: r.addr, CA: a.file}}
	o.Hurry()
	return o
}

func TestRowsReachASyslogServerOverTLS(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	trail.add(1700, time.Now())
	c, _ := started(t, syslogTo(r, a), trail)
	wait(t, "the first rows", func() bool { return behind(c) == 0 })
	trail.add(3, time.Now())
	wait(t, "later rows", func() bool { return behind(c) == 0 })
	if err := missing(trail, r.rows()); err != nil {
		t.Error(err)
	}
	if n := len(r.rows()); n != 1703 {
		t.Errorf("%d messages of 1703 rows, without any failure", n)
	}
}

func TestASyslogServerMayBeDownAtTheStart(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	r.stop()
	trail.add(5, time.Now())
	c, _ := started(t, syslogTo(r, a), trail)
	wait(t, "the failure", func() bool { return c.Status()[0].Why == "connection refused" })
	if s := c.Status()[0]; s.Behind != 5 || s.Since.IsZero() || s.Failed.IsZero() {
		t.Errorf("status %+v", s)
	}
	r.start()
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	if err := missing(trail, r.rows()); err != nil {
		t.Error(err)
	}
	wait(t, "the end of the failure", func() bool { return c.Status()[0].Why == "" })
}

func TestOnlyTheRightServerGetsRows(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	old := newReceiver(t, a, "127.0.0.1")
	old.config.MaxVersion = tls.VersionTLS11
	old.config.MinVersion = tls.VersionTLS10
	strict := newReceiver(t, a, "127.0.0.1")
	strict.config.ClientAuth = tls.RequireAndVerifyClientCert
	strict.config.ClientCAs = x509.NewCertPool()
	strict.config.ClientCAs.AddCert(a.cert)
	for name, c := range map[string]struct {
		to  *receiver
		why string
	}{
		"of another authority":      {newReceiver(t, other, "127.0.0.1"), "unknown authority"},
		"with another name":         {newReceiver(t, a, "syslog.example"), "127.0.0.1"},
		"that speaks TLS 1.1":       {old, "protocol version"},
		"that wants to know who we": {strict, "certificate required"},
	} {
		trail := newTrail()
		trail.add(1, time.Now())
		copies, stop := started(t, syslogTo(c.to, a), trail)
		wait(t, c.why+", at a server "+name, func() bool { return strings.Contains(copies.Status()[0].Why, c.why) })
		stop()
		if len(c.to.rows()) > 0 || behind(copies) != 1 {
			t.Errorf("a server %s got rows", name)
		}
	}
	// The strict server takes rows from a client with a certificate.
	trail := newTrail()
	trail.add(2, time.Now())
	o := syslogTo(strict, a)
	o.Syslog.Cert, o.Syslog.Key, _ = a.issue("hide.example")
	copies, _ := started(t, o, trail)
	wait(t, "rows with a client certificate", func() bool { return behind(copies) == 0 })
	if err := missing(trail, strict.rows()); err != nil {
		t.Error(err)
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	a := newAuthority(t)
	cert, key, _ := a.issue("hide.example")
	for _, s := range []auditsink.Syslog{
		{Addr: "host"}, {Addr: ":6514"}, {Addr: "host:"},
		{Addr: "host:6514", CA: key}, {Addr: "host:6514", CA: "absent"},
		{Addr: "host:6514", Cert: cert}, {Addr: "host:6514", Key: key}, {Addr: "host:6514", Cert: key, Key: cert},
	} {
		if _, err := auditsink.New(auditsink.Options{Syslog: s}); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	if c, err := auditsink.New(auditsink.Options{}); c != nil || err != nil {
		t.Errorf("no copy: %v, %v", c, err)
	}
}

// TestAServerThatKeepsConnectionsOpenHasTheRows: it has read everything and does not end the
// connection.
func TestAServerThatKeepsConnectionsOpenHasTheRows(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	r.read = func(int) string { return "keep" }
	trail.add(10, time.Now())
	c, _ := started(t, syslogTo(r, a), trail)
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	if err := missing(trail, r.rows()); err != nil || len(r.rows()) != 10 {
		t.Errorf("%d messages, %v", len(r.rows()), err)
	}
}

// TestAServerThatStandsStillHasNoRows: its system accepts rows and connections, and it reads
// and greets no more.
func TestAServerThatStandsStillHasNoRows(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	_, _, cert := a.issue("127.0.0.1")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var standing sync.WaitGroup
	done := make(chan struct{})
	t.Cleanup(func() { close(done); l.Close(); standing.Wait() })
	standing.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n == 0 {
				if err := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}).HandshakeContext(t.Context()); err != nil {
					t.Error(err)
				}
			}
			standing.Go(func() { <-done; c.Close() })
		}
	})
	trail.add(3, time.Now())
	c, _ := started(t, syslogTo(&receiver{addr: l.Addr().String()}, a), trail)
	wait(t, "the failure", func() bool { return c.Status()[0].Why == "the server does not answer in time" })
	if n := behind(c); n != 3 {
		t.Errorf("%d rows behind, want 3", n)
	}
}

// TestAServerMayEndConnectionsWithoutAWord: it has read everything, and does not send the
// closing message of TLS.
func TestAServerMayEndConnectionsWithoutAWord(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	r.read = func(n int) string { return map[bool]string{true: "abrupt"}[n == 0] }
	trail.add(4, time.Now())
	c, _ := started(t, syslogTo(r, a), trail)
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	if err := missing(trail, r.rows()); err != nil || len(r.rows()) != 4 {
		t.Errorf("%d messages, %v", len(r.rows()), err)
	}
}

// TestNoRowIsLostByCutsAndKills lets a server cut connections and die, and kills the program,
// at random moments, while rows are written.
func TestNoRowIsLostByCutsAndKills(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	random := rand.New(rand.NewPCG(20261128, 0))
	var cut atomic.Int64
	cut.Store(7)
	r.read = func(n int) string {
		if n == 0 || int64(n) < cut.Load() {
			return ""
		}
		cut.Store(int64(n + 150 + n%90))
		return "cut"
	}
	for life := range 15 {
		trail.kill(false)
		c, stop := started(t, syslogTo(r, a), trail)
		for range 4 {
			trail.add(random.IntN(60), time.Now())
			time.Sleep(time.Duration(random.IntN(6)) * time.Millisecond)
			if random.IntN(5) == 0 {
				r.stop()
				time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
				r.start()
			}
		}
		if life%5 == 4 {
			wait(t, "a life without a kill", func() bool { return behind(c) == 0 })
			if err := missing(trail, r.rows()); err != nil {
				t.Fatalf("life %d: %v", life, err)
			}
		}
		trail.kill(true)
		stop()
	}
}
