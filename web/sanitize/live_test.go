// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/project/sanitize"
	"hide/web"
	"hide/web/webtest"
)

// looker is somebody who looks at a run: the newest content by part.
type looker struct {
	t    *testing.T
	conn *websocket.Conn
	now  map[string]string
}

// until reads frames until what is seen is as wanted.
func (l *looker) until(what string, wanted func(map[string]string) bool) {
	l.t.Helper()
	for !wanted(l.now) {
		_ = l.conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
		_, data, err := l.conn.ReadMessage()
		if err != nil {
			l.t.Fatalf("waiting for %s: %v", what, err)
		}
		var f struct{ Content, Target string }
		if err := json.Unmarshal(data, &f); err != nil {
			l.t.Fatal(err)
		}
		l.now[f.Target] = f.Content
	}
}

// Two people look at a run from its start; a third names it, and comes in when all
// is over.
func TestAllWhoLookAtARunSeeTheSame(t *testing.T) {
	projects, id := webtest.RealProject(t, 16)
	base := webtest.Serve(t, projects, New(projects))
	look := func() *looker {
		q := url.Values{"topics": {"sanitize-title,sanitize-runs,sanitize-progress,sanitize-lead"}, "run": {"1"}}
		header := http.Header{"Cookie": {web.CookieName(base, false) + "=" + string(account.Broker)}, "Origin": {base}}
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(base, "http")+"/p/"+string(id)+"/live?"+q.Encode(), header)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return &looker{t, conn, map[string]string{}}
	}
	by, _, _ := webtest.Accounts{}.Session(string(account.Broker))
	params := sanitize.Params{LC: []float64{2, 10}, First: "none", Learners: []string{"crf", "bayes"}, Folds: 2}
	if _, err := projects.StartSanitize(t.Context(), by, id, params); err != nil {
		t.Fatal(err)
	}
	first, second := look(), look()
	first.until("the run", func(now map[string]string) bool { return len(now) == 4 })
	if err := projects.NameRun(t.Context(), by, id, 1, "two attackers"); err != nil {
		t.Fatal(err)
	}
	over := func(now map[string]string) bool {
		return strings.Contains(now["#sanitize-progress"], "finished") && strings.Contains(now["#sanitize-lead"], "Choose L/C 10") &&
			strings.Contains(now["#sanitize-title"], "two attackers") && strings.Contains(now["#sanitize-runs"], "finished") && strings.Contains(now["#sanitize-runs"], "two attackers")
	}
	first.until("its end", over)
	second.until("its end", over)
	late := look()
	late.until("its end", over)
	for name, other := range map[string]*looker{"the second": second, "who came late": late} {
		if !maps.Equal(first.now, other.now) {
			t.Errorf("%s sees another state than the first", name)
		}
	}
}
