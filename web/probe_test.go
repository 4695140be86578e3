// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hide/internal/doctor"
)

// askProbe asks as a proxy that passes the host name of this machine on.
func askProbe(d *Door, token string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "http://10.1.2.3:9999"+doctor.ProbePath+token, strings.NewReader("the body"))
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	r.RemoteAddr = "10.0.0.5:4711"
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

// TestProbesAreAnsweredOnlyWhileTheyAreExpected: without an announcement there is no such
// address, neither afterwards, nor with another token, nor for longer than a minute, nor for
// ever.
func TestProbesAreAnsweredOnlyWhileTheyAreExpected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, newTestFeature(), Config{})
		d := &Door{begun: make(chan struct{})}
		d.give(s)
		expect := func(when, token string, answered bool) {
			t.Helper()
			w := askProbe(d, token)
			if proved := strings.Contains(w.Body.String(), "proof-1"); proved != answered || !answered && w.Code != http.StatusMisdirectedRequest || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("%s: status %d, %s", when, w.Code, w.Body)
			}
		}
		expect("before", "token-1", false)
		expect("no token", "", false)
		end := d.Expect("token-1", "proof-1")
		expect("expected", "token-1", true)
		expect("expected, no token", "", false)
		expect("another", "token-2", false)
		expect("longer", "token-1/x", false)
		end()
		expect("ended", "token-1", false)
		d.Expect("token-1", "proof-1")
		time.Sleep(probesFor)
		expect("a minute later", "token-1", false)
		defer d.Expect("token-1", "proof-1")()
		end() // of the earlier one with the same token: no harm in ending early
		expect("ended twice", "token-1", false)
		defer d.Expect("token-1", "proof-1")()
		for range mostProbes {
			expect("many", "token-1", true)
		}
		expect("too many", "token-1", false)
		s.stopLive()
		synctest.Wait()
	})
}

// TestAProbeSeesWhatItsRequestSaysOfItself, and nothing else.
func TestAProbeSeesWhatItsRequestSaysOfItself(t *testing.T) {
	s := serverOf(t, newTestFeature(), Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32")}})
	d := &Door{begun: make(chan struct{})}
	d.give(s)
	defer d.Expect("token", "proof")()
	w := askProbe(d, "token", "X-Forwarded-For", doctor.ForgedClient, "X-Forwarded-For", "10.0.0.9", "X-Forwarded-Proto", "https")
	var seen doctor.Seen
	if err := json.Unmarshal(w.Body.Bytes(), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Proof != "proof" || seen.Host != "10.1.2.3:9999" || seen.Peer != "10.0.0.5:4711" || seen.Client != "10.0.0.9" || len(seen.Forwarded) != 2 || seen.Proto != "https" || seen.Upgrade || seen.Length != 8 {
		t.Errorf("%+v", seen)
	}
}
