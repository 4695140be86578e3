// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Password is the one of every account that a rig makes.
const Password = "quarry-lantern-9-mussel-tide"

// Person is somebody with a browser of their own.
type Person struct {
	Name string
	HTTP *http.Client
	base string

	mu    sync.Mutex
	token [2]string // name and value of the hidden field of forms, if hide has one
}

// answerWithin is how long scripts of hide wait for an answer.
const answerWithin = 30 * time.Second

// Visit is a person who has not signed in.
func (s *Server) Visit(name string) (*Person, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}
	return &Person{Name: name, HTTP: &http.Client{Jar: jar, Transport: transport, Timeout: answerWithin}, base: s.Base}, nil
}

// Accept opens an invitation, chooses the password and is signed in afterwards.
func (s *Server) Accept(name, code string) (*Person, error) {
	p, err := s.Visit(name)
	if err != nil {
		return nil, err
	}
	if _, err := p.Page("/welcome"); err != nil {
		return nil, err
	}
	if _, err := p.page(p.Post("/welcome", url.Values{"code": {code}})); err != nil {
		return nil, err
	}
	form := url.Values{"code": {code}, "name": {name}, "password": {Password}, "again": {Password}}
	_, err = p.page(p.Post("/welcome/enter", form))
	return p, err
}

// SignIn signs in with the password.
func (s *Server) SignIn(name string) (*Person, error) {
	p, err := s.Visit(name)
	if err != nil {
		return nil, err
	}
	if _, err := p.Page("/sign-in"); err != nil {
		return nil, err
	}
	_, err = p.page(p.Post("/sign-in", url.Values{"name": {name}, "password": {Password}}))
	return p, err
}

// Answer is an answer, read to its end.
type Answer struct {
	Status int
	Body   string
	Header http.Header
	Path   string // of the page, after redirects
}

// Get opens a page.
func (p *Person) Get(path string) (Answer, error) {
	r, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if err != nil {
		return Answer{}, err
	}
	return p.Do(r)
}

// Post sends a form, as a page of hide does.
func (p *Person) Post(path string, form url.Values) (Answer, error) {
	r, err := p.form(path, form)
	if err != nil {
		return Answer{}, err
	}
	return p.Do(r)
}

// Script sends a form, or asks for a fragment if it has none, as a script of hide does.
func (p *Person) Script(path string, form url.Values) (Answer, error) {
	r, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if form != nil {
		r, err = p.form(path, form)
	}
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("HX-Request", "true")
	return p.Do(r)
}

// Glance asks for a fragment and keeps only its beginning: pages of long notes are large,
// and what changes is at their top.
func (p *Person) Glance(path string) (a Answer, size int64, err error) {
	r, err := http.NewRequest(http.MethodGet, p.base+path, nil)
	if err != nil {
		return a, 0, err
	}
	r.Header.Set("HX-Request", "true")
	response, err := p.HTTP.Do(r)
	if err != nil {
		return a, 0, err
	}
	defer response.Body.Close()
	top := make([]byte, glance)
	n, err := io.ReadFull(response.Body, top)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return a, 0, err
	}
	rest, err := io.Copy(io.Discard, response.Body)
	return Answer{response.StatusCode, string(top[:n]), response.Header, response.Request.URL.Path}, int64(n) + rest, err
}

const glance = 16 << 10

func (p *Person) form(path string, form url.Values) (*http.Request, error) {
	name, value := p.Token()
	if name != "" {
		form = maps.Clone(form)
		form.Set(name, value)
	}
	r, err := http.NewRequest(http.MethodPost, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r, nil
}

var hiddenToken = regexp.MustCompile(`<input type="hidden" name="(csrf|form-token|token)" value="([^"]+)"`)

// Token is the hidden field against forged forms on the newest page, if there is one.
func (p *Person) Token() (name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token[0], p.token[1]
}

func (p *Person) learnToken(page string) {
	if m := hiddenToken.FindStringSubmatch(page); m != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.token = [2]string{m[1], html.UnescapeString(m[2])}
	}
}

// Do sends a request with the origin of hide's own pages.
func (p *Person) Do(r *http.Request) (Answer, error) {
	r.Header.Set("Origin", p.base)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := p.HTTP.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	p.learnToken(string(body))
	return Answer{response.StatusCode, string(body), response.Header, response.Request.URL.Path}, err
}

// Page opens a page and refuses any answer but a good one.
func (p *Person) Page(path string) (string, error) { return p.page(p.Get(path)) }

func (p *Person) page(a Answer, err error) (string, error) {
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("status %d", a.Status)
	}
	return a.Body, err
}

var liveAddress = regexp.MustCompile(`hx-ws:connect="([^"]+)"`)

// LiveAddress is the address of the live connection that a page opens, "" if it has none.
func LiveAddress(page string) string {
	m := liveAddress.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// Dial opens a live connection with the compression that browsers offer.
func (p *Person) Dial(d *websocket.Dialer, path string) (*websocket.Conn, *http.Response, error) {
	at, err := url.Parse(p.base)
	if err != nil {
		return nil, nil, err
	}
	h := http.Header{"Origin": {p.base}}
	for _, c := range p.HTTP.Jar.Cookies(at) {
		h.Add("Cookie", c.Name+"="+c.Value)
	}
	d.EnableCompression = true
	return d.Dial("ws"+strings.TrimPrefix(p.base, "http")+path, h)
}
