// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// newToken makes an access token of the administrator beside the running server.
func (s *stage) newToken(ctx context.Context, scope string) (id, secret string, err error) {
	out, err := s.hide.Command(ctx, "token", "create", "--user", "Root", "--name", "attack", "--scope", scope, "--json")
	if err != nil {
		return "", "", err
	}
	var made struct{ ID, Secret string }
	if err := json.Unmarshal(out, &made); err != nil {
		return "", "", fmt.Errorf("the answer of hide token create: %w", err)
	}
	return made.ID, made.Secret, nil
}

// api sends a request with a token to the HTTP API.
func (s *stage) api(ctx context.Context, method, path, secret string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.server.Base+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return (&http.Client{Timeout: time.Minute}).Do(r)
}

// status is the status of the answer to a request with a token.
func (s *stage) status(ctx context.Context, method, path, secret, body string) (int, error) {
	a, err := s.api(ctx, method, path, secret, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	return a.StatusCode, a.Body.Close()
}

// beyond asks for more than the scope of a stolen token allows.
func beyond(ctx context.Context, s *stage) (outcome, error) {
	_, secret, err := s.newToken(ctx, "notes:read")
	if err != nil {
		return outcome{}, err
	}
	in := "/projects/" + projectID
	got, err := s.status(ctx, http.MethodGet, in+"/notes", secret, "")
	if err != nil {
		return outcome{}, err
	}
	if got != http.StatusOK {
		return outcome{}, fmt.Errorf("the token does not read notes: status %d", got)
	}
	tried := []struct{ method, path, body string }{
		{http.MethodGet, in + "/export", ""},
		{http.MethodPost, in + "/notes", `{"id":"x","text":"x"}`},
		{http.MethodPost, in + "/notes/1/edits", `{"action":"finish","revision":0}`},
		{http.MethodPost, in + "/models/1/redact", `{"id":"x","text":"x"}`},
		{http.MethodPost, in + "/runs", `{}`},
		{http.MethodPost, in + "/releases", `{}`},
		{http.MethodGet, "/audit", ""},
	}
	refused := 0
	for _, t := range tried {
		got, err := s.status(ctx, t.method, t.path, secret, t.body)
		if err != nil {
			return outcome{}, err
		}
		if got == http.StatusForbidden {
			refused++
		}
	}
	return outcomeOf(refused == len(tried), "%d of %d requests beyond the scope refused", refused, len(tried))
}

// revoked revokes a token in the middle of its import, and uses it again.
func revoked(ctx context.Context, s *stage) (outcome, error) {
	id, secret, err := s.newToken(ctx, "notes:write")
	if err != nil {
		return outcome{}, err
	}
	body, open := io.Pipe()
	defer open.Close()
	ended := make(chan time.Time, 1)
	go func() {
		if a, err := s.api(ctx, http.MethodPost, "/projects/"+projectID+"/notes?format=jsonl", secret, body); err == nil {
			_, _ = io.Copy(io.Discard, a.Body)
			a.Body.Close()
		}
		ended <- time.Now()
		body.Close() // so that the write below ends, too
	}()
	if _, err := io.WriteString(open, `{"id":"late","text":"half of`); err != nil {
		return outcome{}, err
	}
	began := time.Now()
	if _, err := s.hide.Command(ctx, "token", "revoke", id); err != nil {
		return outcome{}, err
	}
	select {
	case at := <-ended:
		again, err := s.status(ctx, http.MethodGet, "/me", secret, "")
		if err != nil {
			return outcome{}, err
		}
		return outcomeOf(again == http.StatusUnauthorized, "its import ended %.1f s later; used again: %d", at.Sub(began).Seconds(), again)
	case <-time.After(s.wait(10*time.Second, 60*time.Second)):
		return outcomeOf(false, "its import goes on after it was revoked")
	}
}

// borrowed asks the API with the cookie of somebody who is signed in, as a page of another
// site would, and with the token in the address.
func borrowed(ctx context.Context, s *stage) (outcome, error) {
	root, err := s.server.SignIn("Root")
	if err != nil {
		return outcome{}, err
	}
	a, err := root.Get("/api/v1/projects")
	if err != nil {
		return outcome{}, err
	}
	_, secret, err := s.newToken(ctx, "notes:read")
	if err != nil {
		return outcome{}, err
	}
	inAddress, err := s.status(ctx, http.MethodGet, "/projects?access_token="+secret, "", "")
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status == http.StatusUnauthorized && inAddress != http.StatusOK,
		"with the cookie %d, with the token in the address %d", a.Status, inAddress)
}
