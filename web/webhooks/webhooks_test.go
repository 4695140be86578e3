// SPDX-License-Identifier: Apache-2.0

package webhooks_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/webhook"
	"hide/web/home"
	"hide/web/webhooks"
	"hide/web/webtest"
)

// house is a project whose server may call one host.
type house struct {
	*services.All
	id   project.ID
	host string
	path string

	answer atomic.Int64 // of the receiver
	called atomic.Int64
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{}
	h.answer.Store(http.StatusNoContent)
	h.All, h.id = webtest.RealProject(t, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h.called.Add(1)
		w.WriteHeader(int(h.answer.Load()))
	}))
	t.Cleanup(receiver.Close)
	h.host, h.path = receiver.Listener.Addr().String(), "/p/"+string(h.id)+"/webhooks"
	return h
}

func (h *house) listen(t *testing.T) {
	t.Helper()
	hosts, err := webhook.ParseHosts(h.host)
	if err == nil {
		err = h.StartWebhooks(webhook.NewSender(hosts, webhook.Options{}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestASecretIsShownOnce(t *testing.T) {
	h := newHouse(t)
	h.listen(t)
	s := webtest.New(t, h.All, webhooks.New(h.All))
	w := s.Post(account.Broker, h.path, url.Values{"url": {"http://" + h.host + "/a?b=<i>"}, "event": {"release.published", "run.failed"}})
	secret := regexp.MustCompile(`whsec_[A-Za-z0-9+/]{43}=`).FindString(w.Body.String())
	if w.Code != http.StatusOK || secret == "" {
		t.Fatalf("status %d, secret %q", w.Code, secret)
	}
	body := s.Get(account.Broker, h.path).Body.String()
	if strings.Contains(body, "whsec_") || strings.Contains(body, "<i>") || !strings.Contains(body, h.host+"/a?b=&lt;i&gt;") || !strings.Contains(body, "release.published, run.failed") {
		t.Errorf("the page is\n%s", body)
	}
	if w := s.Get(account.Annotator, h.path); w.Code != http.StatusForbidden {
		t.Errorf("an annotator gets status %d", w.Code)
	}
}

func TestRefusedWebhooksSayWhy(t *testing.T) {
	h := newHouse(t)
	s := webtest.New(t, h.All, webhooks.New(h.All))
	if body := s.Get(account.Broker, h.path).Body.String(); !strings.Contains(body, "--webhook-host") || strings.Contains(body, "<input") {
		t.Errorf("while webhooks are off, the page is\n%s", body)
	}
	h.listen(t)
	for _, c := range []struct {
		form  url.Values
		words string
	}{
		{url.Values{"url": {"https://evil.example"}, "event": {"run.failed"}}, `id="url-error"[^>]*>The operator has not listed the host of this URL. Enter`},
		{url.Values{"url": {"http://" + h.host}}, `id="events-error"[^>]*>No event is chosen`},
		{url.Values{"url": {"http://" + h.host}, "event": {"x"}}, `An event is not one of the list`},
		{nil, `id="url-error"`},
	} {
		w := s.Post(account.Broker, h.path, c.form)
		if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !regexp.MustCompile(c.words).MatchString(body) {
			t.Errorf("%v: status %d, and\n%s", c.form, w.Code, body)
		}
	}
	if h.called.Load() > 0 {
		t.Error("something was sent")
	}
}

func TestATestIsSentAndARemovalAsksFirst(t *testing.T) {
	h := newHouse(t)
	h.listen(t)
	s := webtest.New(t, h.All, webhooks.New(h.All), home.New(h.All, nil))
	s.Post(account.Broker, h.path, url.Values{"url": {"http://" + h.host}, "event": {"run.failed"}})
	one := url.Values{"webhook": {"1"}}
	if body := s.Post(account.Broker, h.path+"/test", one).Body.String(); !strings.Contains(body, "has accepted the test, with status 204") {
		t.Errorf("after a test\n%s", body)
	}
	h.answer.Store(http.StatusFound)
	if body := s.Post(account.Broker, h.path+"/test", one).Body.String(); !strings.Contains(body, "follows no redirect") || !strings.Contains(body, "Last attempts (2)") {
		t.Errorf("after a test that fails\n%s", body)
	}
	h.answer.Store(http.StatusGone)
	if body := s.Post(account.Broker, h.path+"/test", one).Body.String(); !strings.Contains(body, "Turn on again") {
		t.Errorf("after status 410\n%s", body)
	}
	overview := strings.TrimSuffix(h.path, "/webhooks")
	if body := s.Get(account.Broker, overview).Body.String(); !strings.Contains(body, "1 webhook is turned off") {
		t.Errorf("the overview does not warn:\n%s", body)
	}
	if body := s.Get(account.Annotator, overview).Body.String(); strings.Contains(body, "ebhook") {
		t.Errorf("an annotator is told of webhooks:\n%s", body)
	}
	if w := s.Post(account.Broker, h.path+"/enable", one); w.Code != http.StatusSeeOther {
		t.Errorf("turned on: status %d", w.Code)
	}
	if body := s.Post(account.Broker, h.path+"/remove", one).Body.String(); !strings.Contains(body, "Remove webhook 1?") {
		t.Errorf("before a removal\n%s", body)
	}
	one.Set("sure", "yes")
	if w := s.Post(account.Broker, h.path+"/remove", one); w.Code != http.StatusSeeOther || strings.Contains(s.Get(account.Broker, h.path).Body.String(), "Webhook 1") {
		t.Errorf("after the removal: status %d", w.Code)
	}
	if w := s.Post(account.Broker, h.path+"/remove", one); w.Code != http.StatusNotFound {
		t.Errorf("a second removal: status %d", w.Code)
	}
	if h.called.Load() != 3 {
		t.Errorf("%d messages were sent", h.called.Load())
	}
}

// TestABrokerAddsAWebhook in a browser.
func TestABrokerAddsAWebhook(t *testing.T) {
	h := newHouse(t)
	h.listen(t)
	b := webtest.Open(t, account.Broker, h.All, webhooks.New(h.All))
	b.Expect("422") // a refused URL comes back as such
	b.Open(b.Base + h.path)
	b.Type("#url", "https://ci.hospital.example/hide")
	b.Click(`form[action$="/webhooks"] button`)
	b.WaitText("#url-error", "has not listed the host")
	b.Shots("webhooks-refused")
	b.Axe()
	b.Open(b.Base + h.path)
	b.Type("#url", "http://"+h.host+"/hooks/hide/"+strings.Repeat("0123456789abcdef", 8))
	b.Click(`form[action$="/webhooks"] button`)
	b.WaitText(".secret", "whsec_")
	b.Shots("webhooks-added")
	b.Axe()
	b.Click(`[aria-label="Send a test: webhook 1"]`)
	b.WaitText(".notice.good", "has accepted the test")
	h.answer.Store(http.StatusInternalServerError)
	b.Click(`[aria-label="Send a test: webhook 1"]`)
	b.WaitText(".notice.error", "did not accept")
	h.answer.Store(http.StatusGone)
	b.Click(`[aria-label="Send a test: webhook 1"]`)
	b.WaitText(".badge.bad", "off")
	b.Type("#url", "http://"+h.host+"/other")
	b.Click(`form[action$="/webhooks"] button`)
	b.WaitText("#webhook-2", "Webhook 2")
	b.Click(`[aria-label="Remove: webhook 1"]`)
	b.WaitText(".notice.warn", "Remove webhook 1?")
	b.Shots("webhooks-remove")
	b.Axe()
}
