// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// server is a server with chat completions.
type server struct {
	address string
	model   string
	key     string
	remote  bool
	wait    time.Duration

	client *http.Client
}

// check refuses an address of another computer without --remote, and prepares the client.
// It follows no redirect and uses no proxy: both would send notes elsewhere.
func (s *server) check(log io.Writer) error {
	u, err := url.Parse(s.address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("--address is not a URL such as http://127.0.0.1:11434/v1")
	case s.model == "":
		return errors.New("--model is missing: the name of a model that the server has")
	case !loopback(u.Hostname()) && !s.remote:
		return fmt.Errorf("%s is another computer: with --remote the text of the notes is sent to it", u.Hostname())
	case !loopback(u.Hostname()) && u.Scheme != "https":
		return fmt.Errorf("%s is another computer: its address must begin with https", u.Hostname())
	case !loopback(u.Hostname()):
		fmt.Fprintf(log, "llmtagger: the text of the notes leaves this computer, to %s\n", u.Hostname())
	}
	s.client = &http.Client{
		Timeout:       s.wait,
		Transport:     &http.Transport{Proxy: nil, MaxIdleConns: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("the server redirects") },
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type completionRequest struct {
	Model       string    `json:"model"`
	Messages    []message `json:"messages"`
	Temperature float64   `json:"temperature"`
	Stream      bool      `json:"stream"`
}

type completion struct {
	Choices []struct {
		Message message `json:"message"`
	} `json:"choices"`
}

const (
	longestReply = 8 << 20
	attempts     = 4
)

// ask returns what the model says. It waits and asks again while the server is busy.
func (s *server) ask(ctx context.Context, system, text string, temperature float64) (string, error) {
	body, err := json.Marshal(completionRequest{s.model, []message{{"system", system}, {"user", text}}, temperature, false})
	if err != nil {
		return "", err
	}
	for attempt := 1; ; attempt++ {
		reply, busy, err := s.once(ctx, body)
		if !busy || attempt == attempts {
			return reply, err
		}
		select {
		case <-time.After(time.Duration(attempt) * time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// once sends one request. Errors repeat nothing of what is sent or received.
func (s *server) once(ctx context.Context, body []byte) (reply string, busy bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(s.address, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", false, errors.New("--address cannot be asked")
	}
	r.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return "", false, fmt.Errorf("ask the server: %w", errors.Unwrap(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		busy = answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= 500
		return "", busy, fmt.Errorf("the server answers %s", http.StatusText(answer.StatusCode))
	}
	var c completion
	if err := json.NewDecoder(io.LimitReader(answer.Body, longestReply)).Decode(&c); err != nil || len(c.Choices) == 0 {
		return "", false, errors.New("the server's answer is not a chat completion")
	}
	return c.Choices[0].Message.Content, false, nil
}
