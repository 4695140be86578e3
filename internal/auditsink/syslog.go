// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"hide/internal/hint"
	"hide/internal/store"
)

// Syslog is a syslog server that is reached over TLS.
type Syslog struct {
	Addr      string // HOST:PORT; the certificate of the server must have this name
	CA        string // PEM file with the authorities to trust; "" means those of the system
	Cert, Key string // PEM files of a certificate for this client; "" for none
}

const (
	writeTimeout = 30 * time.Second // for each part of chunk bytes
	chunk        = 64 << 10
	silence      = 20 * time.Second // after which a connection without acknowledgements ends, where the system can do it

	mostOpen = 40 * batchRows // after which a connection ends, and so its rows are confirmed
)

// syslog is a copy on a syslog server.
type syslog struct {
	Syslog
	host string // this machine, in messages

	pace pace

	conn  *tls.Conn  // nil when there is none
	ended chan error // receives the end of conn
}

func newSyslog(o Syslog, p pace) (*syslog, error) {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil || host == "" || port == "" {
		return nil, hint.Add(errors.New("address of the syslog server: it is not like HOST:PORT"), "syslog over TLS mostly has port 6514")
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("syslog: a client certificate and its private key go together")
	}
	s := &syslog{Syslog: o, host: hostname(), pace: p}
	_, err = s.config()
	return s, err
}

// config reads the certificates, each time, because they are renewed while the server runs.
func (s *syslog) config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		text, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, fmt.Errorf("authority of the syslog server: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("authority of the syslog server: %s holds no certificate in PEM", s.CA)
		}
	}
	if s.Cert != "" {
		own, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate for the syslog server: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

func (s *syslog) name() string { return "syslog" }
func (s *syslog) key() string  { return "syslog:" + s.Addr }

func (s *syslog) patience() (uint64, time.Duration) { return mostOpen, s.pace.openFor }
func (s *syslog) overlap() time.Duration            { return s.pace.overlap }

// dial begins the connection for rows.
func (s *syslog) dial(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	s.conn, s.ended = conn, make(chan error, 1)
	go watch(s.conn, s.ended)
	return nil
}

func (s *syslog) connect(ctx context.Context) (*tls.Conn, error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	d := tls.Dialer{Config: config, NetDialer: &net.Dialer{
		Control:         limitSilence,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 2},
	}}
	ctx, cancel := context.WithTimeout(ctx, s.pace.dialWithin)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, err
	}
	return conn.(*tls.Conn), nil
}

// lives reports whether the server still works: its system accepts connections also for a
// server that stands still, but does not greet.
func (s *syslog) lives(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err == nil {
		_ = conn.Close() // it was only a question
	}
	return err
}

// watch reads until the connection ends: a syslog server sends nothing.
func watch(conn *tls.Conn, ended chan<- error) {
	_, err := io.Copy(io.Discard, conn)
	if err == nil {
		err = io.EOF
	}
	ended <- err
}

// write sends rows as RFC 5425 frames them: the length in bytes, a space, the message.
func (s *syslog) write(ctx context.Context, lines []store.AuditLine) error {
	if s.conn == nil {
		if err := s.dial(ctx); err != nil {
			return err
		}
	}
	if err := s.lastWord(); err != nil {
		return err
	}
	conn := s.conn
	defer context.AfterFunc(ctx, func() { conn.NetConn().Close() })()
	var out []byte
	for i, l := range lines {
		m := s.message(l)
		out = append(fmt.Appendf(out, "%d ", len(m)), m...)
		if len(out) < chunk && i < len(lines)-1 {
			continue
		}
		if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return err
		}
		if _, err := conn.Write(out); err != nil {
			return cmp.Or(s.lastWordSoon(), err)
		}
		out = out[:0]
	}
	return nil
}

// lastWordSoon is lastWord after a failure to write, which often comes before it is known why.
func (s *syslog) lastWordSoon() error {
	select {
	case err := <-s.ended:
		return err
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// lastWord is what the server said at the end of the connection, nil if it said nothing yet.
func (s *syslog) lastWord() error {
	select {
	case err := <-s.ended:
		return err
	default:
		return nil
	}
}

// confirm ends the connection from this side and waits until the server ends it, too. A
// server does so when it has read everything. If it had ended the connection before the last
// rows arrived, its system refuses them: a moment later no byte can be sent any more.
func (s *syslog) confirm(ctx context.Context) error {
	if err := s.lastWord(); err != nil {
		return err
	}
	if err := s.conn.CloseWrite(); err != nil {
		return cmp.Or(s.lastWordSoon(), err)
	}
	silent := time.NewTimer(s.pace.endWithin)
	defer silent.Stop()
	select {
	case err := <-s.ended:
		if err != io.EOF {
			return err
		}
		if err := s.notRefused(ctx); err != nil {
			return err
		}
	case <-silent.C:
		if err := s.lives(ctx); err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	_ = s.close() // everything has arrived
	return nil
}

func (s *syslog) notRefused(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.pace.settle):
	}
	raw := s.conn.NetConn()
	if err := raw.SetWriteDeadline(time.Now().Add(s.pace.settle)); err != nil {
		return err
	}
	_, err := raw.Write([]byte{0}) // nobody reads it: the server has ended the connection
	return err
}

func (s *syslog) close() error {
	if s.conn == nil {
		return nil
	}
	_ = s.conn.NetConn().Close() // without a further message: the connection is over
	s.conn = nil
	return nil
}
