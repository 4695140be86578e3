// SPDX-License-Identifier: Apache-2.0

// Package issuertest is an OpenID Connect issuer for tests: small, strict about what clients
// send, and wrong in every way that a test asks for.
package issuertest

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The client that the issuer knows.
const (
	Client = "hide"
	Secret = "a secret of this client"
)

// Behaviour is who signs in at the issuer, and what is wrong with it.
type Behaviour struct {
	Subject, Name string
	Groups        []string // nil sends no claim
	InUserInfo    bool     // the groups are told by the userinfo address only
	InfoDown      bool     // the userinfo address answers 503
	InfoSubject   string   // whom the userinfo address tells of; "" means Subject
	Claim         string   // of the groups; "" means "groups"

	Down       bool                        // every answer is 503
	Skew       time.Duration               // of its clock
	Lifetime   time.Duration               // of tokens; 0 means five minutes
	OtherKey   bool                        // signs with a key that it does not publish
	NoSignOut  bool                        // it has no address for signing out
	Deny       string                      // the error that it sends back instead of a code
	Change     func(claims map[string]any) // of the ID token, before it is signed
	Discovered func(doc map[string]any)    // changes the discovery document
}

// Issuer is a running issuer on a loopback address.
type Issuer struct {
	URL string

	t          testing.TB
	key, other *ecdsa.PrivateKey

	mu        sync.Mutex // guards the fields below
	is        Behaviour
	codes     map[string]grant
	asked     map[string]int // requests by path
	signedOut int
}

type grant struct {
	nonce, challenge, redirect string
	is                         Behaviour
}

// Start starts one that ends with the test.
func Start(t testing.TB, is Behaviour) *Issuer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{URL: "http://" + l.Addr().String(), t: t, is: is, codes: map[string]grant{}, asked: map[string]int{}}
	for _, k := range []**ecdsa.PrivateKey{&i.key, &i.other} {
		if *k, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /jwks", i.keys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", i.userInfo)
	mux.HandleFunc("GET /end", i.end)
	server := &http.Server{Handler: i.behave(mux), ReadHeaderTimeout: time.Second}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-done })
	return i
}

// Set changes the behaviour.
func (i *Issuer) Set(change func(*Behaviour)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(&i.is)
}

// Asked is how often a path was asked for.
func (i *Issuer) Asked(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// SignedOut is how many people signed out at the issuer.
func (i *Issuer) SignedOut() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.signedOut
}

func (i *Issuer) now(is Behaviour) time.Time { return time.Now().Add(is.Skew) }

func (i *Issuer) behave(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		i.asked[r.URL.Path]++
		is := i.is
		i.mu.Unlock()
		w.Header().Set("Date", i.now(is).UTC().Format(http.TimeFormat))
		if is.Down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (i *Issuer) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Error(err)
	}
}

func (i *Issuer) behaviour() Behaviour {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.is
}

func (i *Issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	doc := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/jwks",
		"userinfo_endpoint": i.URL + "/userinfo", "end_session_endpoint": i.URL + "/end",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"}, "id_token_signing_alg_values_supported": []string{"ES256"},
	}
	is := i.behaviour()
	if is.NoSignOut {
		delete(doc, "end_session_endpoint")
	}
	if is.Discovered != nil {
		is.Discovered(doc)
	}
	i.answer(w, doc)
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &i.key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
}

// authorize signs the person in at once, and sends the browser back.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q, is := r.URL.Query(), i.behaviour()
	if q.Get("client_id") != Client || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "a bad request of the client", http.StatusBadRequest)
		i.t.Errorf("the client sent %v", q)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	if is.Deny != "" {
		back.Set("error", is.Deny)
	} else {
		code := rand.Text()
		i.mu.Lock()
		i.codes[code] = grant{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri"), is}
		i.mu.Unlock()
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	i.mu.Lock()
	g, ok := i.codes[r.FormValue("code")]
	delete(i.codes, r.FormValue("code"))
	i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != Client || secret != Secret || base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge || r.FormValue("redirect_uri") != g.redirect {
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	signed, err := i.idToken(g)
	if err != nil {
		i.t.Error(err)
		return
	}
	i.answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": signed})
}

func (i *Issuer) idToken(g grant) (string, error) {
	now, lifetime := i.now(g.is), g.is.Lifetime
	if lifetime == 0 {
		lifetime = 5 * time.Minute
	}
	claims := map[string]any{"iss": i.URL, "sub": g.is.Subject, "aud": Client, "nonce": g.nonce, "iat": now.Unix(), "exp": now.Add(lifetime).Unix(), "name": g.is.Name}
	if g.is.Groups != nil && !g.is.InUserInfo {
		claims[claimOf(g.is)] = g.is.Groups
	}
	if g.is.Change != nil {
		g.is.Change(claims)
	}
	key := i.key
	if g.is.OtherKey {
		key = i.other
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

func claimOf(is Behaviour) string {
	if is.Claim == "" {
		return "groups"
	}
	return is.Claim
}

func (i *Issuer) userInfo(w http.ResponseWriter, _ *http.Request) {
	is := i.behaviour()
	if is.InfoDown {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	info := map[string]any{"sub": cmp.Or(is.InfoSubject, is.Subject)}
	if is.InUserInfo {
		info[claimOf(is)] = is.Groups
	}
	i.answer(w, info)
}

// end is the page where people sign out at the issuer. It leads back, as real ones do.
func (i *Issuer) end(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("id_token_hint") == "" || q.Get("post_logout_redirect_uri") == "" {
		http.Error(w, "a bad request of the client", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	i.signedOut++
	i.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>Out</title><link rel="icon" href="data:,"><h1>Signed out of the hospital</h1><p><a id="back" href="%s">Back</a></p>`, q.Get("post_logout_redirect_uri"))
}
