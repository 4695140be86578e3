// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/greedy/audit"
	"hide/internal/words"
)

// pageStyle needs no other file. On paper, tables and sections are not divided where that can
// be avoided.
const pageStyle = `:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0 auto;max-width:58rem;padding:1.5rem 1.25rem 3rem;font:16px/1.5 system-ui,sans-serif;color:#1b2327;background:#fff;overflow-wrap:break-word}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.25rem;margin:2rem 0 .5rem;padding-top:.75rem;border-top:2px solid #1f5f78}h3{font-size:1.05rem;margin:1.25rem 0 .25rem}
p,ul,dl{margin:.5rem 0}ul{padding-left:1.25rem}.question{font-size:1.15rem;margin:.25rem 0 1rem}
.outcome{border:2px solid #1f5f78;border-radius:.4rem;padding:.75rem 1rem;margin:1rem 0}.outcome p:first-child{font-size:1.2rem;font-weight:650;margin-top:0}.bad{border-color:#9b1c1c}
.note{border-left:.3rem solid #8a5d00;background:#fbf6ea;padding:.5rem .9rem}
dl{display:grid;grid-template-columns:minmax(9rem,15rem) 1fr;gap:.15rem 1rem}dt{color:#54626a}dd{margin:0}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem;font-size:.93rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #d5dadd}thead th{border-bottom:2px solid #85919a}.n{text-align:right;font-variant-numeric:tabular-nums}
code{font:.86em/1.4 ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap;background:#f1f4f5;padding:.6rem .8rem;border-radius:.3rem}
figure{margin:1rem 0}figure svg{max-width:100%;height:auto}figcaption{color:#54626a;font-size:.93rem}
@media(max-width:32rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}
@page{size:A4;margin:18mm 16mm}
@media print{body{max-width:none;padding:0;font-size:10.5pt}h2,h3{break-after:avoid}tr,figure,.outcome,.note,li{break-inside:avoid}thead{display:table-header-group}.scroll{overflow:visible}pre,.note{background:none}pre{border:1px solid #85919a}}`

// dataID is the id of the element of a page that holds the file of [Sign].
const dataID = "evidence"

// Page writes a pack as one HTML file, with the file of [Sign] in it. It needs nothing else
// and runs no script. The last line is a comment with the signature of everything before it.
func Page(ctx context.Context, p Pack, file []byte, key ed25519.PrivateKey) ([]byte, error) {
	sum := sha256.Sum256(file)
	v := view{Pack: p, Fingerprint: hex.EncodeToString(sum[:]), Key: PublicKey(key), Bytes: len(file)}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>%s</title><style>%s</style></head><body>\n", html.EscapeString(v.title()), pageStyle)
	if err := pageBody(v).Render(ctx, &b); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n<script type=\"application/json\" id=%q>", dataID)
	b.Write(bytes.TrimSuffix(file, []byte("\n")))
	b.WriteString("</script>\n</body></html>\n")
	return signPage(b.Bytes(), key), nil
}

// view is a page.
type view struct {
	Pack
	Fingerprint string // SHA-256 of the JSON file
	Key         string
	Bytes       int
}

func (v view) title() string {
	return fmt.Sprintf("Evidence pack: review %d of project %s", v.Review.Number, v.Project)
}

// headline is the decision in one sentence.
func (v view) headline() string {
	d := v.Decision
	switch {
	case v.Review.State == "expired":
		return "No decision: the deadline passed."
	case d == nil:
		return "No decision: the broker ended the review."
	case d.Outcome == "approved" && len(d.Words) > 0:
		return fmt.Sprintf("Approved under %s.", words.Count(len(d.Words), "condition", "conditions"))
	case d.Outcome == "approved":
		return "Approved."
	case d.Outcome == "refused":
		return "Refused."
	}
	return "Not approved: too few members voted or approved."
}

// votesWords counts the votes.
func (d *Decision) votesWords() string {
	return fmt.Sprintf("%d approved, %d refused, %d abstained, of %s.", d.Approved, d.Refused, d.Abstained, words.Count(d.Members, "member who could vote", "members who could vote"))
}

// statusWords say whether the release may be used.
func (r *Release) statusWords() string {
	switch r.Status {
	case Withdrawn:
		return fmt.Sprintf("%s is WITHDRAWN since %s: %s", r.Name, moment(r.Since), r.Reason)
	case Superseded:
		return fmt.Sprintf("%s is superseded by %s since %s: %s", r.Name, r.Newer, moment(r.Since), r.Reason)
	}
	return r.Name + " is published and valid."
}

// certificateWords state the bound.
func (r *Reading) certificateWords() string {
	c := r.Certificate
	switch {
	case c.Refusal != "":
		return "There is no certificate. " + c.Reason
	case c.Exact:
		return fmt.Sprintf("All %s were read. %s.", words.Count(c.Passages, "passage", "passages"), words.Count(r.Left, "passage holds an identifier that somebody found and nobody redacted", "passages hold identifiers that somebody found and nobody redacted"))
	}
	return fmt.Sprintf("Readers read %s of %s. With %.0f %% confidence, at most %s of the candidate may still hold an identifier (%s of all).",
		words.Number(c.Read), words.Count(c.Passages, "passage", "passages"), 100*c.Confidence, words.Count(r.Left, "passage", "passages"), words.Percent(share(r.Left, c.Passages)))
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// curvePoints is how many bounds the curve has.
const curvePoints = 24

// curve is the bound after so many passages of the random sample, for the recall that readers
// showed in the end.
func (r *Reading) curve() (out []chart.Point) {
	all := r.Reading
	steps := min(curvePoints, all.Random.Read)
	for i := 1; i <= steps; i++ {
		one := all
		one.Labels, one.Unlabeled, one.Documents, one.Patients, one.Double = nil, audit.StrataCount{}, audit.Units{}, audit.Units{}, nil
		one.Random.Read = i * all.Random.Read / steps
		one.Random.Found = upTo(all.Random.Found, one.Random.Read)
		one.Documents = audit.Units{Total: one.Passages(), Found: one.Found()}
		c := audit.Certify(one)
		out = append(out, chart.Point{X: float64(c.Read), Y: float64(c.Bound)})
	}
	return out
}

func upTo(positions []int, last int) []int {
	n := 0
	for n < len(positions) && positions[n] <= last {
		n++
	}
	return positions[:n:n]
}

// curveDrawing draws the curve.
func (r *Reading) curveDrawing() templ.Component {
	panel := chart.Panel{
		Title: "Upper bound while people read", XLabel: "passages read", YLabel: "passages that may hold an identifier", X: chart.AxisLinear, Y: chart.AxisCounts,
		Lines: []chart.Line{{Name: "at most", Points: r.curve()}},
	}
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return chart.WriteLines(w, "", []chart.Panel{panel})
	})
}

// Words of the page.

func moment(at *time.Time) string {
	if at == nil {
		return "not recorded"
	}
	return at.UTC().Format("2 January 2006, 15:04 UTC")
}

func day(at time.Time) string { return moment(&at) }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func list(all []string, none string) string {
	if len(all) == 0 {
		return none
	}
	return words.List(all)
}

func (e *Estimate) words() string {
	if e == nil {
		return "not known"
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s)", words.Amount(round(e.Value)), words.Amount(round(e.Low)), words.Amount(round(e.High)))
}

// short is the same for tables.
func (e *Estimate) short() string {
	if e == nil {
		return "not known"
	}
	return fmt.Sprintf("%s [%s–%s]", words.Amount(round(e.Value)), words.Amount(round(e.Low)), words.Amount(round(e.High)))
}

func round(v float64) float64 { return math.Round(10*v) / 10 }

// kindWords name the kind of release.
func (c Candidate) kindWords() string {
	switch c.Kind {
	case "text":
		return "redacted notes"
	case "joint":
		return "redacted notes with their fields"
	case "table":
		return "a k-anonymous table"
	}
	return "differentially private " + strings.ReplaceAll(c.Kind, "cube", "counts")
}

// replaced are the labels that placeholders have.
func (t Technique) replaced() []Label {
	return slices.DeleteFunc(slices.Clone(t.Labels), func(l Label) bool { return l.Redacted == 0 && l.Technique == "" })
}

// unused are the labels that no placeholder has.
func (t Technique) unused() (out []string) {
	for _, l := range t.Labels {
		if l.Redacted == 0 && l.Technique == "" {
			out = append(out, l.Label)
		}
	}
	return out
}

// labelRows are the labels with a finding, and one row for all others: their bounds are equal.
func (r *Reading) labelRows() []audit.LabelBound {
	others := 0
	var out []audit.LabelBound
	var other audit.LabelBound
	for _, l := range r.Certificate.Labels {
		if l.Found > 0 {
			out = append(out, l)
			continue
		}
		others, other = others+1, l
	}
	if others == 0 {
		return out
	}
	other.Label = "each of " + words.Count(others, "label without a finding", "labels without a finding")
	return append(out, other)
}

// stratumWords say what was read of a part of the passages.
func stratumWords(s audit.Stratum) string {
	return fmt.Sprintf("%s of %s read, %d with a finding", words.Number(s.Read), words.Count(s.Passages, "passage", "passages"), len(s.Found))
}

// state says what became of a draw.
func (d Draw) state(used int) string {
	switch {
	case d.Abandoned != nil:
		return "abandoned " + moment(d.Abandoned) + ": " + d.Why
	case d.Given == "":
		return "no number was given"
	case d.Number == used:
		return "read for this review"
	}
	return fmt.Sprintf("of review %d", d.Review)
}

func (v view) drawn() int {
	if v.Reading == nil {
		return 0
	}
	return v.Reading.Draw
}
