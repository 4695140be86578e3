// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"hide/internal/account"
	"hide/internal/project/review"
)

// Defaults of a sample: an hour of reading.
const (
	usualRandom   = 300
	usualDoubtful = 30
)

func runCertifyPlan(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	doubtful := f.Int("doubtful", usualDoubtful, "`passages` of greatest doubt that are read besides")
	plants := f.Int("plants", 0, "planted `identifiers` that measure what readers miss")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		o, err := c.projects.PlanReading(ctx, operator(ctx), c.id, c.review.Number, *doubtful, *plants)
		if err != nil {
			return err
		}
		return e.result(o, func(w io.Writer) {
			fmt.Fprintf(w, "%d passages to draw from. Bounds at %.0f %% if nothing is found, and if three are found:\n", o.Passages, 100*(1-o.Alpha))
			t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(t, "READ\tMINUTES\tNONE\tTHREE\tANY TIME, NONE\tTHREE\t")
			for _, s := range o.Steps {
				fmt.Fprintf(t, "%d\t%.0f\t%d\t%d\t%d\t%d\t\n", s.Read, s.Minutes, s.None, s.Three, s.AnytimeNone, s.AnytimeThree)
			}
			_ = t.Flush() // a table that cannot be written shows in the next write
			fmt.Fprintf(w, "plants: at least %d, all caught; %d to accept readers of recall .9 in nine of ten cases (any time: %d, %d)\n", o.Need.Least, o.Need.Likely, o.Anytime.Least, o.Anytime.Likely)
		})
	})
}

// runCertifyDraw commits to a draw, or gives the number that decides it.
func runCertifyDraw(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	var how review.Sampling
	f.IntVar(&how.Random, "random", usualRandom, "random `passages` to read")
	f.IntVar(&how.Doubtful, "doubtful", usualDoubtful, "`passages` of greatest doubt to read besides")
	f.IntVar(&how.Plants, "plants", 0, "planted `identifiers`")
	f.BoolVar(&how.Anytime, "any-time", false, "the bound may be looked at while people read, and reading may stop at any time")
	f.IntVar(&how.Readers, "readers", 1, "`people` who read each passage: 1 or 2")
	number := f.String("number", "", "the `number` of a member who is not the broker: it draws the passages of the commitment that is there")
	abandon := f.String("abandon", "", "abandon the present draw, for this `reason`; it stays on record")
	as := asPerson(f)
	return e.withReview(ctx, f, args, func(c *reviewCommand) (err error) {
		var d review.Draw
		switch {
		case *abandon != "":
			if err := c.projects.AbandonDraw(ctx, operator(ctx), c.id, c.review.Number, *abandon); err != nil {
				return err
			}
			return e.result(map[string]any{"abandoned": true}, func(w io.Writer) { fmt.Fprintln(w, "the draw is abandoned, and stays on record") })
		case *number != "":
			who, err := c.person(ctx, *as)
			if err != nil {
				return err
			}
			d, err = c.projects.GiveNumber(ctx, who, c.id, c.review.Number, *number)
			if err != nil {
				return err
			}
		default:
			if d, err = c.projects.CommitDraw(ctx, operator(ctx), c.id, c.review.Number, how); err != nil {
				return err
			}
			d.Secret = "" // until the number is given
		}
		return e.result(d, func(w io.Writer) {
			fmt.Fprintf(w, "draw %d: %s\ncommitment %s\n", d.Number, d.Parameters, d.Commitment)
			if !d.Begun() {
				fmt.Fprintln(w, "now another member gives a number: hide certify draw --as NAME --number NUMBER")
			}
		})
	})
}

// readPassage is a line that hide certify read writes: a passage to read.
type readPassage struct {
	Position int    `json:"position"`
	Of       int    `json:"of"`
	Before   string `json:"before"`
	Text     string `json:"text"`
	After    string `json:"after"`
}

// readAnswer is a line that it reads: the answer about the passage written last. Places are
// code points of its text.
type readAnswer struct {
	Position int                `json:"position"`
	Found    []review.Selection `json:"found"`
	Seconds  float64            `json:"seconds"`
}

// runCertifyRead writes a passage as a line of JSON, reads the answer to it as another, and
// so on until no passage or no answer is left.
func runCertifyRead(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	as := asPerson(f)
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		who, err := c.person(ctx, *as)
		if err != nil {
			return err
		}
		answers := json.NewDecoder(bufio.NewReader(e.stdin))
		answers.DisallowUnknownFields()
		out := json.NewEncoder(e.stdout)
		out.SetEscapeHTML(false)
		for n := 1; ; n++ {
			done, err := c.readOne(ctx, who, answers, out)
			if err != nil {
				return fmt.Errorf("answer %d: %w", n, err)
			}
			if done {
				return nil
			}
		}
	})
}

func (c *reviewCommand) readOne(ctx context.Context, who account.User, answers *json.Decoder, out *json.Encoder) (done bool, err error) {
	p, err := c.projects.NextPassage(ctx, who, c.id, c.review.Number)
	if err != nil || p == nil {
		return true, err
	}
	if err := out.Encode(readPassage{p.Position, p.Of, p.Before, p.Text, p.After}); err != nil {
		return true, err
	}
	var a readAnswer
	if err := answers.Decode(&a); errors.Is(err, io.EOF) {
		return true, nil
	} else if err != nil {
		return true, fmt.Errorf("it is not a line like {\"position\":0,\"found\":[],\"seconds\":12}, near byte %d", answers.InputOffset())
	}
	if a.Position != p.Position {
		return true, fmt.Errorf("it is about position %d, and position %d was asked", a.Position, p.Position)
	}
	return false, c.projects.AnswerPassage(ctx, who, c.id, c.review.Number, p.Draw, p.Position, a.Found, a.Seconds)
}

// runCertifyMore adds random passages to a draw whose bound may be looked at while people read.
func runCertifyMore(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	more := f.Int("passages", 0, "random `passages` that are read after those of the draw")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		if err := c.projects.ReadMore(ctx, operator(ctx), c.id, c.review.Number, *more); err != nil {
			return err
		}
		p, err := c.projects.ReadingProgress(ctx, operator(ctx), c.id, c.review.Number)
		if err != nil {
			return err
		}
		return e.result(p.Draw, func(w io.Writer) {
			fmt.Fprintf(w, "draw %d: %d passages to read, %d left to draw\n", p.Draw.Number, p.Draw.Asked(), p.Draw.Left())
		})
	})
}

func runCertifyBound(ctx context.Context, e *env, args []string) error {
	return e.withReview(ctx, e.flags(), args, func(c *reviewCommand) error {
		p, err := c.projects.ReadingProgress(ctx, operator(ctx), c.id, c.review.Number)
		if err != nil {
			return err
		}
		if p == nil {
			return withHint(errors.New("no passages have been drawn"), "hide certify draw commits to a draw")
		}
		forecast, err := c.projects.ReviewForecast(ctx, operator(ctx), c.id, c.review.Number)
		if err != nil {
			return err
		}
		return e.result(map[string]any{"forecast": forecast, "certificate": p.Certificate, "left": p.Left, "complete": p.Complete}, func(w io.Writer) {
			fmt.Fprintln(w, forecast.Words())
			fmt.Fprintln(w, review.Words(p.Certificate, p.Left))
		})
	})
}
