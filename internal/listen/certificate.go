// SPDX-License-Identifier: Apache-2.0

package listen

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// lookEvery is how often the files of a certificate are looked at, at most.
const lookEvery = 10 * time.Second

// certificate is that of a server. It is read again when its files change: certificates are
// renewed every few weeks, and nobody should have to restart a server for it.
type certificate struct {
	cert, key string // files
	every     time.Duration

	mu     sync.Mutex // guards what follows
	pair   *tls.Certificate
	read   [2]version // of the files when pair was read
	looked time.Time
}

// version tells a file from what it was before.
type version struct {
	at   time.Time
	size int64
}

func newCertificate(cert, key string) (*certificate, error) {
	c := &certificate{cert: cert, key: key, every: lookEvery}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return c, nil
}

// load reads the files. The caller holds mu, or is alone.
func (c *certificate) load() error {
	read := c.versions()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err == nil {
		c.pair, c.read = &pair, read
	}
	return err
}

func (c *certificate) versions() (all [2]version) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			all[i] = version{info.ModTime(), info.Size()}
		}
	}
	return all
}

// get is for [tls.Config]. While the files do not fit each other, because only one of them was
// replaced yet, the certificate that was read before stays in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= c.every {
		c.looked = now
		if c.versions() != c.read {
			_ = c.load() // hide doctor says what is wrong with the files
		}
	}
	return c.pair, nil
}
