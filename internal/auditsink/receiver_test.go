// SPDX-License-Identifier: Apache-2.0

package auditsink_test

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leodido/go-syslog/v4/rfc5424"

	"hide/internal/auditsink"
	"hide/internal/store"
)

// memoryTrail is a trail that a test makes rows for.
type memoryTrail struct {
	mu      sync.Mutex // guards what follows
	lines   []store.AuditLine
	hash    [32]byte
	cursors map[string][]byte
	killed  bool // like a process after kill -9: nothing is read or stored any more
}

func newTrail() *memoryTrail { return &memoryTrail{cursors: map[string][]byte{}} }

func (m *memoryTrail) add(n int, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for range n {
		row := store.AuditRow{Seq: uint64(len(m.lines) + 1), Time: at.UTC().Round(0), Space: "p1", Actor: "u1", Action: "test", Detail: "“ä” " + strings.Repeat("x", len(m.lines)%70), Prev: bytes.Clone(m.hash[:])}
		text, err := json.Marshal(row)
		if err != nil {
			panic(err)
		}
		m.lines = append(m.lines, store.AuditLine{Seq: row.Seq, Time: row.Time, JSON: text})
		m.hash = sha256.Sum256(text)
	}
}

var errKilled = fmt.Errorf("the process was killed")

func (m *memoryTrail) kill(killed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.killed = killed
}

func (m *memoryTrail) Audited() (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(len(m.lines)), nil
}

func (m *memoryTrail) AuditAfter(seq uint64, limit, maxBytes int) (out []store.AuditLine, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.killed {
		return nil, errKilled
	}
	for size := 0; int(seq) < len(m.lines) && len(out) < limit && size < maxBytes; seq++ {
		out = append(out, m.lines[seq])
		size += len(m.lines[seq].JSON)
	}
	return out, nil
}

func (m *memoryTrail) AuditCursor(name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.cursors[name]; ok {
		return v, nil
	}
	return nil, store.ErrNotFound
}

func (m *memoryTrail) PutAuditCursor(name string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.killed {
		return errKilled
	}
	m.cursors[name] = value
	return nil
}

// authority issues certificates for a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "ca.pem")}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert = a.sign(template, template, &a.key.PublicKey)
	writeFile(t, a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
	return a
}

func (a *authority) sign(template, parent *x509.Certificate, key any) *x509.Certificate {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

// issue makes a certificate for 127.0.0.1, or for another name.
func (a *authority) issue(name string) (certFile, keyFile string, cert tls.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	made := a.sign(template, a.cert, &key.PublicKey)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	dir := a.t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeFile(a.t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Raw}))
	writeFile(a.t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return certFile, keyFile, tls.Certificate{Certificate: [][]byte{made.Raw}, PrivateKey: key}
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// receiver is a syslog server over TLS.
type receiver struct {
	t      *testing.T
	addr   string
	config *tls.Config
	// read decides after each message what becomes of the connection: "" goes on, "cut" breaks
	// it, "keep" leaves it open when the client ends it,
	// "abrupt" then ends it without a word; the number is 0 then.
	read func(n int) string

	mu       sync.Mutex // guards what follows
	listener net.Listener
	got      [][]byte // the rows as they came
	conns    map[net.Conn]bool
	handling sync.WaitGroup
}

func newReceiver(t *testing.T, a *authority, name string) *receiver {
	_, _, cert := a.issue(name)
	r := &receiver{t: t, config: &tls.Config{Certificates: []tls.Certificate{cert}}, conns: map[net.Conn]bool{}, read: func(int) string { return "" }}
	r.start()
	r.addr = r.listener.Addr().String()
	t.Cleanup(func() { r.stop(); r.handling.Wait() })
	return r
}

func (r *receiver) start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	addr := r.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		r.t.Error(err)
		return
	}
	r.listener = l
	r.handling.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.conns[c] = true
			r.mu.Unlock()
			r.handling.Go(func() { r.handle(c) })
		}
	})
}

// stop is the death of the server: its system resets connections with unread bytes.
func (r *receiver) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener.Close()
	for c := range r.conns {
		c.Close()
	}
}

func (r *receiver) handle(raw net.Conn) {
	defer raw.Close()
	c := tls.Server(raw, r.config)
	in := bufio.NewReader(c)
	for {
		row, err := r.message(in)
		if err == io.EOF {
			break // the client has ended the connection
		}
		if err != nil {
			return
		}
		r.mu.Lock()
		r.got = append(r.got, row)
		n := len(r.got)
		r.mu.Unlock()
		if r.read(n) == "cut" {
			raw.(*net.TCPConn).SetLinger(0) // bytes that it has not read are refused
			return
		}
	}
	switch r.read(0) {
	case "keep":
		io.Copy(io.Discard, raw) //nolint:errcheck // until the client has had enough
	case "abrupt":
	default:
		c.Close()
	}
}

// message reads a frame of RFC 5425 and the row in its message of RFC 5424.
func (r *receiver) message(in *bufio.Reader) ([]byte, error) {
	digits, err := in.ReadString(' ')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(digits, " "))
	if err != nil || digits[0] == '0' {
		r.t.Errorf("a frame begins with %q", digits)
		return nil, io.ErrUnexpectedEOF
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(in, frame); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	parsed, err := rfc5424.NewParser().Parse(frame)
	if err != nil {
		r.t.Errorf("not RFC 5424: %v: %q", err, frame)
		return nil, err
	}
	m := parsed.(*rfc5424.SyslogMessage)
	text, marked := strings.CutPrefix(*m.Message, "\ufeff")
	if !marked || *m.Facility != 13 || *m.Severity != 5 || *m.Appname != "hide" || *m.MsgID != "audit" || m.StructuredData != nil {
		r.t.Errorf("the message is %q", frame)
	}
	return []byte(text), nil
}

func (r *receiver) rows() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([][]byte{}, r.got...)
}

// missing says what a copy lacks: after duplicates are removed, the rows must be the trail.
func missing(trail *memoryTrail, copied [][]byte) error {
	next := 0
	for i, text := range copied {
		var row store.AuditRow
		if err := json.Unmarshal(text, &row); err != nil {
			return fmt.Errorf("row %d of the copy is %q: %w", i, text, err)
		}
		switch {
		case int(row.Seq) > next+1:
			return fmt.Errorf("row %d comes after row %d", row.Seq, next)
		case !bytes.Equal(text, trail.lines[row.Seq-1].JSON):
			return fmt.Errorf("row %d has other bytes", row.Seq)
		}
		next = max(next, int(row.Seq))
	}
	if next != len(trail.lines) {
		return fmt.Errorf("%d rows of %d have arrived", next, len(trail.lines))
	}
	return nil
}

// started are copies that run until the test ends.
func started(t *testing.T, o auditsink.Options, trail *memoryTrail) (*auditsink.Copies, func()) {
	t.Helper()
	c, err := auditsink.New(o)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := c.Start(t.Context(), trail)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(stop)
	t.Cleanup(stop)
	return c, stop
}

// wait waits until a condition is true; a test that waits a minute fails.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

func behind(c *auditsink.Copies) (n uint64) {
	for _, s := range c.Status() {
		n += s.Behind
	}
	return n
}
