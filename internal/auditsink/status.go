// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"hide/internal/hint"
	"hide/internal/metrics"
	"hide/internal/words"
)

// Status is how one copy is doing.
type Status struct {
	Name   string    // "file" or "syslog"
	Behind uint64    // rows that have not arrived
	Since  time.Time // when the oldest row that has not arrived was written, or when the copy was first configured, if that is later; zero if none is missing
	Failed time.Time // since when the copy fails; zero while it works
	Why    string    // the last error in words, "" while it works
}

const (
	usual    = time.Minute      // rows on their way are no news for so long
	tellTime = 10 * time.Minute // after which administrators are warned
)

// Late is for how long the oldest missing row has been missing.
func (s Status) Late(now time.Time) time.Duration {
	if s.Since.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Since))
}

// UpToDate are the words for a copy that is not behind.
const UpToDate = "up to date"

// Words says it in a few words: [UpToDate], or by how much the copy is behind, since when,
// and why.
func (s Status) Words(now time.Time) string {
	if s.Behind == 0 || s.Why == "" && s.Late(now) < usual {
		return UpToDate
	}
	return s.behind()
}

func (s Status) behind() string {
	text := words.Count(int(s.Behind), "row", "rows") + " behind since " + s.Since.UTC().Format("2006-01-02 15:04 UTC")
	if s.Why != "" {
		text += ": " + s.Why
	}
	return text
}

func (c *copier) status() Status {
	c.mu.Lock()
	at, s := c.cursor, Status{Name: c.target.name(), Failed: c.failed, Why: c.why}
	c.mu.Unlock()
	rows, err := c.trail.Audited()
	if err != nil || rows <= at.Seq {
		return s // a store that cannot be read says so everywhere else
	}
	s.Behind = rows - at.Seq
	s.Since = at.Begun
	if first, err := c.trail.AuditAfter(at.Seq, 1, 1); err == nil && len(first) > 0 && first[0].Time.After(at.Begun) {
		s.Since = first[0].Time
	}
	return s
}

// Lag is how far each copy is behind, by name, for metrics. Without copies there is none.
func (c *Copies) Lag() map[string]metrics.Lag {
	if c == nil {
		return nil
	}
	all := map[string]metrics.Lag{}
	for _, s := range c.Status() {
		all[s.Name] = metrics.Lag{Rows: s.Behind, Seconds: s.Late(c.opts.Now()).Seconds()}
	}
	return all
}

// Check returns an error while a copy is too far behind for data to leave the program. The
// error has a hint.
func (c *Copies) Check() error {
	now := c.opts.Now()
	for _, s := range c.Status() {
		if s.Behind <= c.opts.Spool && s.Late(now) <= mostLate {
			continue
		}
		err := fmt.Errorf("nothing may leave hide now: the copy of the audit trail to %s is %s", s.Name, s.behind())
		return hint.Add(err, "ask the operator to mend the copy; edits, training and reading go on, and exports and releases work again once the copy has caught up")
	}
	return nil
}

// Warning tells administrators of copies that fail or are late; "" if none is.
func (c *Copies) Warning() string {
	now := c.opts.Now()
	var all []string
	for _, s := range c.Status() {
		if s.Behind > 0 && (s.Why != "" && now.Sub(s.Failed) >= usual || s.Late(now) >= tellTime) {
			all = append(all, fmt.Sprintf("The copy of the audit trail to %s is %s.", s.Name, s.behind()))
		}
	}
	if len(all) == 0 {
		return ""
	}
	if c.Check() != nil {
		return strings.Join(all, " ") + " Exports and releases are refused until it has caught up."
	}
	return strings.Join(all, " ") + fmt.Sprintf(" Above %d rows or 24 hours, exports and releases are refused.", c.opts.Spool)
}

// reason is an error in words without addresses and paths.
func reason(err error) string {
	var (
		errno   syscall.Errno
		name    *net.DNSError
		refused *tls.CertificateVerificationError
		timeout net.Error
	)
	switch {
	case errors.As(err, &refused):
		return "the certificate of the server is not accepted: " + refused.Err.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &name) && name.IsNotFound:
		return "the name of the server is unknown"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "the server does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server has ended the connection"
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
