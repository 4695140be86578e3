// SPDX-License-Identifier: Apache-2.0

package auditsink_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/hint"
	"hide/internal/testclock"
)

// TestACopyThatIsFarBehindHoldsExportsBack: more rows than the spool, or a row that is a day
// old.
func TestACopyThatIsFarBehindHoldsExportsBack(t *testing.T) {
	a := newAuthority(t)
	r := newReceiver(t, a, "127.0.0.1")
	r.stop()
	time0 := testclock.New(time.Date(2026, 11, 28, 10, 12, 0, 0, time.UTC))
	trail := newTrail()
	trail.add(4, time0.Now().AddDate(-1, 0, 0)) // before the copy was configured
	o := syslogTo(r, a)
	o.Spool, o.Now = 10, time0.Now
	c, _ := started(t, o, trail)
	if err := c.Check(); err != nil {
		t.Errorf("rows from before the copy: %v", err)
	}
	wait(t, "the failure", func() bool { return c.Status()[0].Why != "" })
	if c.Warning() != "" {
		t.Error("a warning at once")
	}
	time0.Advance(2 * time.Minute)
	if w := c.Warning(); !strings.Contains(w, "syslog is 4 rows behind since 2026-11-28 10:12 UTC: connection refused") || !strings.Contains(w, "Above 10 rows") {
		t.Errorf("warning %q", w)
	}
	time0.Advance(25 * time.Hour)
	err := c.Check()
	if err == nil || !strings.Contains(err.Error(), "4 rows behind since 2026-11-28 10:12 UTC") || !strings.Contains(hint.Of(err), "operator") || strings.Contains(err.Error(), r.addr) {
		t.Errorf("after a day: %v", err)
	}
	if w := c.Warning(); !strings.Contains(w, "are refused until") {
		t.Errorf("warning %q", w)
	}
	r.start()
	wait(t, "the rows", func() bool { return behind(c) == 0 })
	wait(t, "exports work again", func() bool {
		return c.Check() == nil && c.Warning() == "" && c.Status()[0].Words(time0.Now()) == "up to date"
	})
	r.stop()
	trail.add(11, time0.Now())
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "11 rows behind") {
		t.Errorf("with more rows than the spool: %v", err)
	}
}

// TestTheTimeBehindSurvivesARestart: a server that is started again does not begin to count
// anew.
func TestTheTimeBehindSurvivesARestart(t *testing.T) {
	a, trail := newAuthority(t), newTrail()
	r := newReceiver(t, a, "127.0.0.1")
	r.stop()
	time0 := testclock.New(time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC))
	o := syslogTo(r, a)
	o.Now = time0.Now
	o.File = filepath.Join(t.TempDir(), "audit.jsonl")
	_, stop := started(t, o, trail)
	trail.add(1, time0.Now())
	stop()
	time0.Advance(23 * time.Hour)
	c, _ := started(t, o, trail)
	if c.Check() != nil {
		t.Error("refused after 23 hours")
	}
	time0.Advance(2 * time.Hour)
	if c.Check() == nil {
		t.Error("not refused after 25 hours")
	}
	var names []string
	for _, s := range c.Status() {
		names = append(names, s.Name)
	}
	if strings.Join(names, " ") != "file syslog" || c.Status()[0].Behind != 0 {
		t.Errorf("%v, %+v", names, c.Status())
	}
}
