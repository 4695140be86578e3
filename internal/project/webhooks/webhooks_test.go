// SPDX-License-Identifier: Apache-2.0

package webhooks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/webhooks"
	"hide/internal/publish/table"
	"hide/internal/store"
	"hide/internal/testclock"
	"hide/internal/webhook"
)

// bench is a project, with a receiver whose answer the test sets and a clock.
type bench struct {
	*projecttest.Bench
	id    project.ID
	host  string
	clock *testclock.Clock

	mu       sync.Mutex // guards what follows
	answer   int
	messages []received
}

type received struct {
	ID, Path string
	Body     string
	payload
}

type payload struct {
	Type      webhooks.Event
	Timestamp time.Time
	Data      map[string]any
}

func (b *bench) answers(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = status
}

// got is what the receiver got since the last call.
func (b *bench) got() []received {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.messages
	b.messages = nil
	return all
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{clock: testclock.New(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)), answer: http.StatusNoContent}
	b.Bench = projecttest.NewAt(t, b.clock.Now)
	b.id = b.NewProject(nil, false)
	s := httptest.NewServer(b)
	t.Cleanup(s.Close)
	b.host = s.Listener.Addr().String()
	b.start(b.host)
	return b
}

func (b *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := received{ID: r.Header.Get("webhook-id"), Path: r.URL.Path, Body: string(body)}
	err := json.Unmarshal(body, &m.payload)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.T.Errorf("body %s: %v", body, err)
	}
	b.messages = append(b.messages, m)
	w.WriteHeader(b.answer)
}

// start lists hosts, as the operator does.
func (b *bench) start(hosts string) {
	b.T.Helper()
	list, err := webhook.ParseHosts(hosts)
	b.must(err)
	b.must(b.StartWebhooks(webhook.NewSender(list, webhook.Options{Now: b.clock.Now})))
}

func (b *bench) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

func (b *bench) add(events ...webhooks.Event) int {
	b.T.Helper()
	w, secret, err := b.AddWebhook(b.T.Context(), projecttest.Broker, b.id, "http://"+b.host+"/hook", events)
	b.must(err)
	if !strings.HasPrefix(secret, "whsec_") {
		b.T.Fatalf("secret %q", secret)
	}
	return w.Number
}

// send sends until nothing is due.
func (b *bench) send() {
	b.T.Helper()
	for {
		next, err := b.SendDue(b.T.Context())
		b.must(err)
		if next.IsZero() || next.After(b.clock.Now()) {
			return
		}
	}
}

func (b *bench) webhook(number int) webhooks.Webhook {
	b.T.Helper()
	all, err := b.Webhooks(b.T.Context(), projecttest.Broker, b.id)
	b.must(err)
	i := slices.IndexFunc(all.All, func(w webhooks.Webhook) bool { return w.Number == number })
	if i < 0 {
		b.T.Fatalf("there is no webhook %d", number)
	}
	return all.All[i]
}

// happens puts an import on record, as its end does.
func (b *bench) happens(number int) {
	b.T.Helper()
	b.must(b.Record(b.id, project.EventBy(projecttest.Broker, "finish import", b.id.Object("imports", number), "3 documents")))
}

// numbers are those of the objects of messages.
func numbers(all []received) (out []int) {
	for _, m := range all {
		n, _ := m.Data["number"].(float64)
		out = append(out, int(n))
	}
	return out
}

// TestRealWorkIsTold imports, trains, sanitizes, publishes and withdraws in a project.
func TestRealWorkIsTold(t *testing.T) {
	b := newBench(t)
	b.add(webhooks.Events()...)
	b.MustImport(b.id, projecttest.Cohort(24), true)
	b.Trained(b.id)
	b.Ran(b.id, sanitize.Params{LC: []float64{10}, Folds: 2})
	table := func(ending release.Ending) error {
		return b.StartPublishTable(t.Context(), projecttest.Broker, b.id, ending, release.TableSettings{K: 3, Diversity: table.Diversity{L: 2}}, 24)
	}
	b.Froze(b.id, func() error { return table(release.Freeze) })
	b.must(table(release.Publish))
	b.Published(b.id)
	b.must(b.WithdrawRelease(t.Context(), projecttest.Broker, b.id, 2, "the table names Mrs. Weber"))
	b.send()
	all := b.got()
	counts := map[webhooks.Event]int{}
	for _, m := range all {
		counts[m.Type]++
		if m.Data["project"] != string(b.id) || len(m.Data) != 2 || m.Data["number"] == nil || m.Path != "/hook" {
			t.Errorf("body %s to %s", m.Body, m.Path)
		}
		for _, word := range []string{"Weber", "Ward", "Bea", "notes", "jsonl"} {
			if strings.Contains(m.Body, word) {
				t.Errorf("%s has %q", m.Body, word)
			}
		}
	}
	for _, e := range []webhooks.Event{webhooks.ImportFinished, webhooks.TrainingFinished, webhooks.RunFinished, webhooks.CandidateReady, webhooks.ReleasePublished, webhooks.ReleaseWithdrawn} {
		if counts[e] == 0 || counts[e] > 1 && e != webhooks.TrainingFinished {
			t.Errorf("%s was sent %d times", e, counts[e])
		}
	}
}

// TestEachActionIsOneEvent puts on record what is hard to bring about.
func TestEachActionIsOneEvent(t *testing.T) {
	b := newBench(t)
	b.add(webhooks.Events()...)
	for action, want := range map[string]webhooks.Event{
		"fail training": webhooks.TrainingFailed, "end run failed": webhooks.RunFailed, "end run finished": webhooks.RunFinished,
		"review decided": webhooks.ReviewDecided, "supersede release": webhooks.ReleaseWithdrawn,
		"end run cancelled": "", "end run interrupted": "", "review voting": "", "begin import": "", "read": "", "begin release": "",
	} {
		action, detail, _ := strings.Cut(strings.Replace(action, "end run ", "end run|", 1), "|")
		b.must(b.Record(b.id, project.SystemEvent(action, b.id.Object("things", 7), detail)))
		b.send()
		got := b.got()
		if want == "" && len(got) == 0 || len(got) == 1 && got[0].Type == want && numbers(got)[0] == 7 {
			continue
		}
		t.Errorf("%s %s: got %v, want %q", action, detail, got, want)
	}
}

// TestOnlyChosenEventsOfTheProjectAreSent from the moment that the webhook is added.
func TestOnlyChosenEventsOfTheProjectAreSent(t *testing.T) {
	b := newBench(t)
	b.happens(1)
	b.add(webhooks.ImportFinished)
	b.add(webhooks.RunFinished)
	other, err := b.Create(t.Context(), projecttest.Broker, "Ward 8", nil)
	b.must(err)
	b.must(b.Record(other.ID, project.EventBy(projecttest.Broker, "finish import", other.ID.Object("imports", 9))))
	b.happens(2)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
	b.add(webhooks.ImportFinished)
	b.happens(3)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{3, 3}) {
		t.Errorf("a later webhook: got %v", got)
	}
}

// TestRetriesEndAfterADay and have the id of the first attempt.
func TestRetriesEndAfterADay(t *testing.T) {
	b := newBench(t)
	number, began := b.add(webhooks.ImportFinished), b.clock.Now()
	b.answers(http.StatusServiceUnavailable)
	b.happens(1)
	var all []received
	for range 5000 {
		b.send()
		all = append(all, b.got()...)
		if b.webhook(number).Waiting == 0 {
			break
		}
		b.clock.Advance(time.Minute)
	}
	took := b.clock.Now().Sub(began)
	if len(all) != 9 || took < 20*time.Hour || took > 25*time.Hour {
		t.Errorf("%d attempts in %v", len(all), took)
	}
	for _, m := range all {
		if m.ID != all[0].ID || !strings.HasPrefix(m.ID, "msg_") {
			t.Errorf("id %s, want %s", m.ID, all[0].ID)
		}
	}
	if got, want := b.WebhookFigures(), (webhooks.Figures{GivenUp: 1}); got != want {
		t.Errorf("figures %+v, want %+v", got, want)
	}
	w := b.webhook(number)
	if len(w.Log) != 9 || !w.Log[0].Last || w.Log[1].Last || w.Log[0].Status != 503 || w.Failing.IsZero() || w.Off != nil {
		t.Errorf("the log is %+v", w)
	}
	b.answers(http.StatusOK)
	b.happens(2)
	b.send()
	if w := b.webhook(number); !w.Failing.IsZero() || len(b.got()) != 1 {
		t.Errorf("after a success: %+v", w)
	}
}

// TestMessagesOutliveARestart, and what happened while nothing was sent is sent later.
func TestMessagesOutliveARestart(t *testing.T) {
	b := newBench(t)
	number := b.add(webhooks.ImportFinished)
	b.answers(http.StatusBadGateway)
	b.happens(1)
	b.send()
	failed := b.got()
	b.happens(2) // nobody looks
	b.Reopen()
	b.happens(3) // as a command does
	b.answers(http.StatusOK)
	b.start(b.host)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("after the restart: %v", got)
	}
	b.clock.Advance(5 * time.Second)
	b.send()
	if got := b.got(); len(got) != 1 || got[0].ID != failed[0].ID || got[0].Body != failed[0].Body {
		t.Errorf("the second attempt %v, the first %v", got, failed)
	}
	b.Reopen()
	b.start(b.host)
	b.send()
	if got := b.got(); len(got) > 0 || b.webhook(number).Waiting > 0 {
		t.Errorf("sent again: %v", got)
	}
}

// TestOldEventsAreNotSent after webhooks were off for long.
func TestOldEventsAreNotSent(t *testing.T) {
	b := newBench(t)
	b.add(webhooks.ImportFinished)
	b.happens(1)
	b.clock.Advance(25 * time.Hour)
	b.happens(2)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{2}) {
		t.Errorf("got %v", got)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	b := newBench(t)
	number := b.add(webhooks.ImportFinished)
	for i := range 130 {
		b.happens(i)
	}
	b.answers(http.StatusInternalServerError)
	_, err := b.SendDue(t.Context())
	b.must(err)
	if w := b.webhook(number); w.Waiting != 100 || w.Dropped != 30 {
		t.Errorf("%d wait, %d were dropped", w.Waiting, w.Dropped)
	}
	if got, want := b.WebhookFigures(), (webhooks.Figures{Waiting: 100, Dropped: 30}); got != want {
		t.Errorf("figures %+v, want %+v", got, want)
	}
	b.answers(http.StatusOK)
	b.clock.Advance(time.Minute)
	b.got()
	b.send()
	got := numbers(b.got())
	slices.Sort(got)
	if len(got) != 100 || got[0] != 30 || len(b.webhook(number).Log) != 20 {
		t.Errorf("%d were sent: %v", len(got), got)
	}
	if got, want := b.WebhookFigures(), (webhooks.Figures{Delivered: 100, Dropped: 30}); got != want {
		t.Errorf("figures %+v, want %+v", got, want)
	}
}

// TestFailuresTurnAWebhookOff after days, and a broker turns it on again.
func TestFailuresTurnAWebhookOff(t *testing.T) {
	b := newBench(t)
	number, began := b.add(webhooks.ImportFinished), b.clock.Now()
	b.answers(http.StatusNotFound)
	for i := 0; b.webhook(number).Off == nil && i < 24*10; i++ {
		if i%24 == 0 {
			b.happens(i)
		}
		b.send()
		b.clock.Advance(time.Hour)
	}
	w := b.webhook(number)
	if days := b.clock.Now().Sub(began).Hours() / 24; w.Off == nil || w.Waiting > 0 || days < 5 || days > 7 {
		t.Fatalf("after %.1f days: %+v", days, w)
	}
	if rows := b.rows(t, "disable webhook"); len(rows) != 1 || !strings.Contains(rows[0].Detail, "5 days") {
		t.Errorf("on record: %v", rows)
	}
	b.got()
	b.happens(500)
	b.send()
	b.answers(http.StatusOK)
	if got := b.got(); len(got) > 0 {
		t.Errorf("sent while it was off: %v", got)
	}
	a, err := b.TestWebhook(t.Context(), projecttest.Broker, b.id, number)
	if err != nil || a.Status != http.StatusOK || len(b.got()) != 1 {
		t.Errorf("a test while it is off: %+v, %v", a, err)
	}
	b.must(b.EnableWebhook(t.Context(), projecttest.Broker, b.id, number))
	b.happens(501)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{501}) {
		t.Errorf("after it was turned on: %v", got)
	}
	projecttest.WantKind(t, b.EnableWebhook(t.Context(), projecttest.Broker, b.id, number), project.Invalid)
}

func TestAReceiverThatIsGoneIsNotAskedAgain(t *testing.T) {
	b := newBench(t)
	number := b.add(webhooks.ImportFinished)
	b.answers(http.StatusGone)
	b.happens(1)
	b.happens(2)
	b.send()
	if w := b.webhook(number); w.Off == nil || len(b.got()) != 1 {
		t.Errorf("it is on: %+v", w)
	}
	if got, want := b.WebhookFigures(), (webhooks.Figures{GivenUp: 2}); got != want {
		t.Errorf("figures %+v, want %+v", got, want)
	}
}

// TestAHostThatIsNotListedAnyMoreIsNotCalled, and the page says why.
func TestAHostThatIsNotListedAnyMoreIsNotCalled(t *testing.T) {
	b := newBench(t)
	number := b.add(webhooks.ImportFinished)
	b.happens(1)
	b.Reopen()
	b.start("ci.hospital.example")
	b.send()
	if w := b.webhook(number); len(b.got()) > 0 || len(w.Log) != 1 || !strings.Contains(w.Log[0].Problem, "not listed") {
		t.Errorf("the log: %+v", w.Log)
	}
	_, err := b.TestWebhook(t.Context(), projecttest.Broker, b.id, number)
	if err != nil || len(b.got()) > 0 {
		t.Errorf("a test: %v", err)
	}
	b.Reopen() // webhooks are off
	_, _, err = b.AddWebhook(t.Context(), projecttest.Broker, b.id, "http://"+b.host, webhooks.Events())
	projecttest.WantKind(t, err, project.Invalid)
	_, err = b.TestWebhook(t.Context(), projecttest.Broker, b.id, number)
	projecttest.WantKind(t, err, project.Invalid)
}

func TestBadWebhooksAreRefused(t *testing.T) {
	b := newBench(t)
	good := "http://" + b.host
	for _, c := range []struct {
		address string
		events  []webhooks.Event
	}{
		{"https://ci.hospital.example", webhooks.Events()},
		{"http://user:pass@" + b.host, webhooks.Events()},
		{good, nil},
		{good, []webhooks.Event{"note.read"}},
		{good, []webhooks.Event{webhooks.Test}},
		{good, []webhooks.Event{webhooks.RunFailed, webhooks.RunFailed}},
	} {
		_, _, err := b.AddWebhook(t.Context(), projecttest.Broker, b.id, c.address, c.events)
		projecttest.WantKind(t, err, project.Invalid)
	}
	for range webhooks.MostWebhooks {
		b.add(webhooks.RunFailed)
	}
	_, _, err := b.AddWebhook(t.Context(), projecttest.Broker, b.id, good, webhooks.Events())
	projecttest.WantKind(t, err, project.Invalid)
	ctx := t.Context()
	for _, u := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		_, _, err := b.AddWebhook(ctx, u, b.id, good, webhooks.Events())
		projecttest.WantKind(t, err, project.Forbidden)
		projecttest.WantKind(t, b.RemoveWebhook(ctx, u, b.id, 1), project.Forbidden)
		projecttest.WantKind(t, b.EnableWebhook(ctx, u, b.id, 1), project.Forbidden)
		_, err = b.TestWebhook(ctx, u, b.id, 1)
		projecttest.WantKind(t, err, project.Forbidden)
		_, err = b.Webhooks(ctx, u, b.id)
		projecttest.WantKind(t, err, project.Forbidden)
	}
	projecttest.WantKind(t, b.RemoveWebhook(ctx, projecttest.Broker, b.id, 99), project.NotFound)
}

// TestTheTrailNamesTheHostAndNothingSecret: the path and the query of the URL are secrets of
// some receivers.
func TestTheTrailNamesTheHostAndNothingSecret(t *testing.T) {
	b := newBench(t)
	w, secret, err := b.AddWebhook(t.Context(), projecttest.Broker, b.id, "http://"+b.host+"/services/T0KEN?key=T0KEN", webhooks.Events())
	b.must(err)
	b.happens(1)
	b.send()
	b.must(b.RemoveWebhook(t.Context(), projecttest.Broker, b.id, w.Number))
	b.send()
	rows := b.rows(t, "")
	said := fmt.Sprint(rows)
	for _, action := range []string{"add webhook", "queue webhook", "send webhook", "remove webhook"} {
		if len(b.rows(t, action)) != 1 {
			t.Errorf("%d rows about %s", len(b.rows(t, action)), action)
		}
	}
	if strings.Contains(said, "T0KEN") || strings.Contains(said, secret) || !strings.Contains(said, b.host) {
		t.Errorf("the trail says %s", said)
	}
	all, err := b.Webhooks(t.Context(), projecttest.Broker, b.id)
	if err != nil || len(all.All) > 0 {
		t.Errorf("after the removal: %v, %v", all, err)
	}
}

func (b *bench) rows(t *testing.T, action string) (found []project.AuditRow) {
	t.Helper()
	all, err := b.Audit(t.Context(), projecttest.Broker, b.id, 0, 1000)
	b.must(err)
	return slices.DeleteFunc(all, func(r project.AuditRow) bool { return action != "" && r.Action != action })
}

// TestSendingGoesOnByItself: without a call, while others add, test and remove webhooks and a
// project is destroyed.
func TestSendingGoesOnByItself(t *testing.T) {
	b := newBench(t)
	list, err := webhook.ParseHosts(b.host)
	b.must(err)
	stop, err := b.KeepSending(t.Context(), webhook.NewSender(list, webhook.Options{}), func(err error) { t.Errorf("the operator is told %v", err) })
	b.must(err)
	b.add(webhooks.ImportFinished)
	other, err := b.Create(t.Context(), projecttest.Broker, "Ward 8", nil)
	b.must(err)
	_, _, err = b.AddWebhook(t.Context(), projecttest.Broker, other.ID, "http://"+b.host, webhooks.Events())
	b.must(err)
	var work sync.WaitGroup
	work.Go(func() {
		for i := range 20 {
			b.happens(i)
		}
	})
	work.Go(func() {
		for range 5 {
			n := b.add(webhooks.RunFailed)
			if _, err := b.TestWebhook(t.Context(), projecttest.Broker, b.id, n); err != nil {
				t.Error(err)
			}
			if err := b.RemoveWebhook(t.Context(), projecttest.Broker, b.id, n); err != nil {
				t.Error(err)
			}
		}
	})
	work.Go(func() {
		if err := b.DestroyProject(t.Context(), projecttest.Broker, other.ID, "Ward 8"); err != nil {
			t.Error(err)
		}
	})
	work.Wait()
	found := map[int]bool{}
	b.Wait("messages", func() bool {
		for _, m := range b.got() {
			if m.Type == webhooks.ImportFinished {
				found[numbers([]received{m})[0]] = true
			}
		}
		return len(found) == 20
	})
	stop()
	b.happens(21)
	if got := b.got(); len(got) > 0 {
		t.Errorf("sent after the stop: %v", got)
	}
}

// TestAClockThatIsSetBackDelaysNoMessage for longer than the longest delay, with and without a
// restart.
func TestAClockThatIsSetBackDelaysNoMessage(t *testing.T) {
	for _, restart := range []bool{true, false} {
		b := newBench(t)
		b.add(webhooks.ImportFinished)
		b.answers(http.StatusBadGateway)
		b.happens(1)
		b.send()
		b.got()
		b.clock.Advance(-365 * 24 * time.Hour)
		b.answers(http.StatusOK)
		if restart {
			b.Reopen()
			b.start(b.host)
		}
		b.send()
		if got := numbers(b.got()); !slices.Equal(got, []int{1}) {
			t.Errorf("restart %v: got %v", restart, got)
		}
	}
}

// TestUnreadableWebhooksStopNoOthers: those of another project are damaged.
func TestUnreadableWebhooksStopNoOthers(t *testing.T) {
	b := newBench(t)
	b.add(webhooks.ImportFinished)
	other, err := b.Create(t.Context(), projecttest.Broker, "Ward 8", nil)
	b.must(err)
	_, _, err = b.AddWebhook(t.Context(), projecttest.Broker, other.ID, "http://"+b.host, webhooks.Events())
	b.must(err)
	b.must(b.Store().Update(string(other.ID), func(tx *store.Tx) error {
		return errors.Join(tx.Put("webhooks", store.Key(1), []byte("{")), tx.Audit(store.Event{Actor: store.System, Action: "test"}))
	}))
	b.must(b.Record(other.ID, project.SystemEvent("finish import", other.ID.Object("imports", 7), "")))
	for i := range 5 { // the order of projects is random
		b.happens(i)
		if _, err := b.SendDue(t.Context()); err == nil || !strings.Contains(err.Error(), string(other.ID)) {
			t.Errorf("got %v", err)
		}
	}
	for next := b.clock.Now(); !next.IsZero(); {
		next, _ = b.SendDue(t.Context())
	}
	if got := numbers(b.got()); len(got) != 5 {
		t.Errorf("got %v", got)
	}
	b.Reopen()
	b.start(b.host)
	b.happens(6)
	b.send()
	if got := numbers(b.got()); !slices.Equal(got, []int{6}) {
		t.Errorf("after a restart: got %v", got)
	}
}

var _ webhooks.Sender = (*webhook.Sender)(nil)
