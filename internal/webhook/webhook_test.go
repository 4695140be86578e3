// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/dns/dnsmessage"

	"hide/internal/webhook"
)

const body = `{"type":"webhook.test","data":{"project":"p1"}}`

// senderTo lists hosts and sends to them.
func senderTo(t *testing.T, hosts string, o webhook.Options) *webhook.Sender {
	t.Helper()
	list, err := webhook.ParseHosts(hosts)
	if err != nil {
		t.Fatal(err)
	}
	return webhook.NewSender(list, o)
}

// receiver is a server of this machine, and its host with the port.
func receiver(t *testing.T, handle http.HandlerFunc) (server *httptest.Server, host string) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s, s.Listener.Addr().String()
}

func message(url string) webhook.Message {
	return webhook.Message{URL: url, Secret: webhook.NewSecret(), ID: "msg_1", Body: []byte(body)}
}

// TestAnotherImplementationVerifiesTheSignature uses the library of Standard Webhooks.
func TestAnotherImplementationVerifiesTheSignature(t *testing.T) {
	var got http.Header
	var sent []byte
	s, host := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		sent, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
	})
	m := message(s.URL + "/hook?x=1")
	if r := senderTo(t, host, webhook.Options{}).Send(t.Context(), m); r != (webhook.Result{Status: http.StatusAccepted}) {
		t.Fatalf("the attempt: %+v", r)
	}
	verifier, err := standardwebhooks.NewWebhook(m.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(sent, got); err != nil || string(sent) != body {
		t.Errorf("body %s: %v", sent, err)
	}
	if err := verifier.Verify(append(sent, ' '), got); err == nil {
		t.Error("a changed body is verified")
	}
	for _, name := range []string{standardwebhooks.HeaderWebhookID, standardwebhooks.HeaderWebhookTimestamp} {
		changed := got.Clone()
		changed.Set(name, "1")
		if err := verifier.VerifyIgnoringTimestamp(sent, changed); err == nil {
			t.Errorf("a changed %s is verified", name)
		}
	}
	if got.Get("Content-Type") != "application/json" || got.Get("webhook-id") != m.ID {
		t.Errorf("headers %v", got)
	}
}

// TestSignatureOfTheSpecification is the example in the specification of Standard Webhooks.
func TestSignatureOfTheSpecification(t *testing.T) {
	got, err := webhook.Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, secret := range []string{"", "whsec_", "whsec_%%%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		if _, err := webhook.Sign(secret, "1", time.Now(), nil); err == nil {
			t.Errorf("secret %q signs", secret)
		}
	}
	secret := webhook.NewSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 || secret == webhook.NewSecret() {
		t.Errorf("secret of %d bytes: %v", len(key), err)
	}
}

func TestOnlyListedHostsMayBeCalled(t *testing.T) {
	hosts, err := webhook.ParseHosts("CI.hospital.example, 10.1.2.3:8443,localhost:9000,[::1]:9000,127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for address, allowed := range map[string]bool{
		"https://ci.hospital.example":                              true,
		"https://CI.hospital.example:443/a/b?c=d":                  true,
		"https://10.1.2.3:8443/":                                   true,
		"http://localhost:9000/":                                   true,
		"http://[::1]:9000/":                                       true,
		"http://127.0.0.1/":                                        true,
		"https://127.0.0.1/":                                       true,
		"https://ci.hospital.example:8443/":                        false,
		"http://ci.hospital.example/":                              false,
		"http://ci.hospital.example:443/":                          false,
		"http://10.1.2.3:8443/":                                    false,
		"https://10.1.2.3/":                                        false,
		"https://hospital.example/":                                false,
		"https://ci.hospital.example.evil.test/":                   false,
		"https://evil.test/ci.hospital.example":                    false,
		"https://ci.hospital.example@evil.test/":                   false,
		"https://a:b@ci.hospital.example/":                         false,
		"https://ci.hospital.example/#part":                        false,
		"ftp://ci.hospital.example/":                               false,
		"//ci.hospital.example/":                                   false,
		"https:ci.hospital.example":                                false,
		"https://":                                                 false,
		"":                                                         false,
		"https://ci.hospital.example/" + strings.Repeat("a", 1000): false,
		"https://ci.hospital.example\\@evil.test/":                 false,
		"http://127.0.0.2/":                                        false,
		"http://[::ffff:127.0.0.1]/":                               false,
	} {
		if err := hosts.Check(address); (err == nil) != allowed {
			t.Errorf("%s: %v", address, err)
		} else if _, ok := errors.AsType[*webhook.RefusedError](err); err != nil && !ok {
			t.Errorf("%s: %v is not a refusal", address, err)
		}
	}
	if err := (webhook.Hosts{}).Check("https://ci.hospital.example"); err == nil || !strings.Contains(err.Error(), "off on this server") {
		t.Errorf("without a list: %v", err)
	}
	for _, text := range []string{"https://a.example", "a.example/path", "a.example:0", "a.example:x", "*.example", "a b", "-a", "ü.example"} {
		if _, err := webhook.ParseHosts(text); err == nil {
			t.Errorf("the list %q is taken", text)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var called atomic.Int32
	target, _ := receiver(t, func(http.ResponseWriter, *http.Request) { called.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		s, host := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target.URL, status) })
		both := host + "," + target.Listener.Addr().String() // it would be allowed
		if r := senderTo(t, both, webhook.Options{}).Send(t.Context(), message(s.URL)); r.Status != status || !strings.Contains(r.Problem, "redirect") {
			t.Errorf("status %d: %+v", status, r)
		}
	}
	if called.Load() > 0 {
		t.Errorf("%d redirects were followed", called.Load())
	}
}

func TestUnlistedHostsAreNotCalled(t *testing.T) {
	var called atomic.Int32
	s, _ := receiver(t, func(http.ResponseWriter, *http.Request) { called.Add(1) })
	for _, hosts := range []string{"", "localhost:1", "ci.hospital.example"} {
		if r := senderTo(t, hosts, webhook.Options{}).Send(t.Context(), message(s.URL)); r.Status != 0 || r.Problem == "" {
			t.Errorf("with the list %q: %+v", hosts, r)
		}
	}
	if called.Load() > 0 {
		t.Error("an unlisted host was called")
	}
}

// TestAListedNameMustNotLeadToThisMachine has a name server that answers with addresses which
// only the machine itself, or its link, knows.
func TestAListedNameMustNotLeadToThisMachine(t *testing.T) {
	var called atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			called.Add(1)
			c.Close()
		}
	}()
	old := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = old })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, address := range [][4]byte{{127, 0, 0, 1}, {169, 254, 169, 254}, {0, 0, 0, 0}, {224, 0, 0, 1}} {
		net.DefaultResolver = nameServer(t, address)
		host := "ci.hospital.example:" + port
		if r := senderTo(t, host, webhook.Options{Timeout: 5 * time.Second}).Send(t.Context(), message("https://"+host)); !strings.Contains(r.Problem, "leads to an address") {
			t.Errorf("%v: %+v", address, r)
		}
	}
	if called.Load() > 0 {
		t.Error("this machine was called")
	}
}

// nameServer answers each question about addresses of IPv4 with one.
func nameServer(t *testing.T, address [4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
					Body:   &dnsmessage.AResource{A: address},
				}}
			}
			if answer, err := m.Pack(); err == nil {
				conn.WriteTo(answer, from) //nolint:errcheck // the test fails without it
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestResultsSayNothingOfTheOtherSide: what it writes, and the path of the URL, which may be a
// secret, are in no result.
func TestResultsSayNothingOfTheOtherSide(t *testing.T) {
	const secret = "Rosenbaum"
	handlers := map[string]http.HandlerFunc{
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-"+secret, secret)
			http.Error(w, secret, http.StatusTeapot)
		},
		"gone": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusGone) },
		"raw": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprintf(c, "HTTP/1.1 %s\r\n\r\n", secret)
			c.Close()
		},
		"long header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat(secret, 10_000))
		},
		"cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, handle := range handlers {
		s, host := receiver(t, handle)
		r := senderTo(t, host, webhook.Options{}).Send(t.Context(), message(s.URL+"/"+secret))
		if r.Problem == "" || strings.Contains(r.Problem, secret) || r.Gone() != (name == "gone") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	s, host := receiver(t, handlers["gone"])
	s.Close()
	if r := senderTo(t, host, webhook.Options{}).Send(t.Context(), message(s.URL+"/"+secret)); r.Problem != "no connection, or it was closed before the answer" {
		t.Errorf("closed port: %+v", r)
	}
}

func TestASilentReceiverIsNotWaitedFor(t *testing.T) {
	silent := make(chan struct{})
	s, host := receiver(t, func(http.ResponseWriter, *http.Request) { <-silent })
	defer close(silent)
	r := senderTo(t, host, webhook.Options{Timeout: 50 * time.Millisecond}).Send(t.Context(), message(s.URL))
	if r.Problem != "no answer within 50ms" {
		t.Errorf("got %+v", r)
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	host := s.Listener.Addr().String()
	if r := senderTo(t, host, webhook.Options{}).Send(t.Context(), message(s.URL)); r.Problem != "its certificate is not trusted" {
		t.Errorf("unknown certificate: %+v", r)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	if r := senderTo(t, host, webhook.Options{Roots: roots}).Send(t.Context(), message(s.URL)); r != (webhook.Result{Status: http.StatusOK}) {
		t.Errorf("known certificate: %+v", r)
	}
}
