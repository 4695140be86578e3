// SPDX-License-Identifier: Apache-2.0

package site

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web"
	"hide/web/webtest"
)

// behindProxy serves a project behind a proxy, and returns its address there and what the
// server has logged. change alters what the proxy passes on.
func behindProxy(t *testing.T, change func(*http.Request)) (page string, log *webtest.Log) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse("http://" + inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		change(r.Out)
	}})
	t.Cleanup(proxy.Close)
	log = &webtest.Log{}
	p, id := realNote(t, "Seen by Rose today.")
	s := webtest.NewWith(t, p, func(c *web.Config) {
		c.PublicOrigin, c.Log = proxy.URL, slog.New(slog.NewTextHandler(log, nil))
	}, every(p, noLogin{})...)
	webtest.Run(t, s.Server, inner)
	return proxy.URL + "/p/" + string(id), log
}

func signInThrough(b *browsertest.Browser, page string) {
	base, _, _ := strings.Cut(page, "/p/")
	b.SetCookie(base, web.CookieName(base, false), string(account.Broker))
}

// TestAPageSaysThatAProxyPassesNoWebsocketsOn, and works otherwise.
func TestAPageSaysThatAProxyPassesNoWebsocketsOn(t *testing.T) {
	page, log := behindProxy(t, func(r *http.Request) {
		r.Header.Del("Upgrade")
		r.Header.Del("Connection")
	})
	b := browsertest.Start(t)
	b.Expect("426")
	b.Expect("WebSocket")
	b.Expect("htmx:ws:error")
	signInThrough(b, page)
	b.Open(page)
	b.WaitText("#live-state", "a proxy in front of hide does not pass websockets on")
	b.Axe()
	b.Shots("proxy-without-websockets")
	if said := log.String(); strings.Count(said, "does not pass websockets on") != 1 {
		t.Errorf("the log does not say it once: %s", said)
	}
}

// TestAProxyThatPassesWebsocketsOnIsNotBlamed.
func TestAProxyThatPassesWebsocketsOnIsNotBlamed(t *testing.T) {
	page, log := behindProxy(t, func(*http.Request) {})
	b := browsertest.Start(t)
	signInThrough(b, page)
	b.Open(page)
	b.Wait("a live page", `document.querySelector("#live-state")?.dataset.connected === "true"`)
	if strings.Contains(log.String(), "proxy") {
		t.Errorf("the log blames the proxy: %s", log)
	}
}

// TestAWrongHostNamesTheProxy: a person who opened the right address learns who can mend it.
func TestAWrongHostNamesTheProxy(t *testing.T) {
	p := newFake()
	s := webtest.NewWith(t, p, func(c *web.Config) { c.PublicOrigin = "https://hide.example.org" }, every(p, noLogin{})...)
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080/", nil)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusMisdirectedRequest || !bytes.Contains(w.Body.Bytes(), []byte("Open https://hide.example.org instead.")) || !bytes.Contains(w.Body.Bytes(), []byte("does not pass the Host header on")) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
