// SPDX-License-Identifier: Apache-2.0

package listen

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestARenewedCertificateIsUsed without a restart, and a half-written one is not.
func TestARenewedCertificateIsUsed(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	written := time.Now()
	put := func(path string, text []byte) {
		t.Helper()
		written = written.Add(time.Second) // file systems may count coarsely
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	first, firstKey := issue(t, 1)
	second, secondKey := issue(t, 2)
	put(cert, first)
	put(key, firstKey)
	c, err := newCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c.every = 0
	serves := func(want int64, when string) {
		t.Helper()
		got, err := c.get(nil)
		if err != nil || got.Leaf.SerialNumber.Int64() != want {
			t.Errorf("%s: certificate %v, %v, want %d", when, got.Leaf.SerialNumber, err, want)
		}
	}
	serves(1, "at first")
	put(cert, second)
	serves(1, "with the old key")
	put(key, []byte("nothing"))
	serves(1, "with a damaged key")
	put(key, secondKey)
	serves(2, "after the renewal")
	c.every = time.Hour
	put(cert, first)
	put(key, firstKey)
	serves(2, "before the next look")
	if _, err := newCertificate(cert, cert); err == nil {
		t.Error("a certificate without its key was accepted")
	}
}

// TestAServerAsksForItsCertificate at each connection.
func TestAServerAsksForItsCertificate(t *testing.T) {
	text, keyText := issue(t, 7)
	dir := t.TempDir()
	o := Options{Addr: "127.0.0.1:0", Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for path, content := range map[string][]byte{o.Cert: text, o.Key: keyText} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, origin, err := o.Open()
	if err != nil || origin != "https://"+l.Addr().String() {
		t.Fatalf("%s, %v", origin, err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = c.(*tls.Conn).HandshakeContext(t.Context()) // the client says how it went
			c.Close()
		}
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n := c.ConnectionState().PeerCertificates[0].SerialNumber.Int64(); n != 7 {
		t.Errorf("certificate %d", n)
	}
}

// issue makes a certificate that signs itself.
func issue(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"hide.example.org"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &own.PublicKey, own)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}
