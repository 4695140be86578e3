// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/joint"
)

// jointFlags are the flags of hide publish joint as they were typed.
type jointFlags struct {
	in, config, out    string
	spans, model       string
	mapping, originals string
	k                  int
	lambda             float64
	gdf, known, own    bool
	cut                string
	sweep              bool
	ks, lambdas        string
	exposure           joint.Exposure
	given              map[string]bool // flags that were typed
	weak               *weakFlags
}

func (v *jointFlags) declare(f *flag.FlagSet) {
	f.StringVar(&v.in, "in", "", "`FILE` with one note a row: CSV, or JSONL with patient, attributes and spans")
	f.StringVar(&v.config, "config", "", "`FILE` that describes the columns: YAML with roles as for publish table, or rx-anon's own form. See docs/joint.md")
	f.StringVar(&v.out, "out", "", "new `FOLDER` to write")
	f.StringVar(&v.spans, "spans", "", "annotated `FILE`, JSONL, with the sensitive terms of each row of a CSV file: id is the row, from 1, or row/text where there are several texts")
	f.StringVar(&v.model, "model", "", "`FILE` of a model, as hide train writes it, that finds the sensitive terms")
	f.StringVar(&v.mapping, "mapping", "", "also write who is who to this `FILE`; it leads back to the patients")
	f.StringVar(&v.originals, "originals", "", "also write the texts as they came, with the sensitive terms that were found, to this `FILE`: to verify against")
	f.IntVar(&v.k, "k", 0, "`N` persons of a class at least; 0 means what the configuration says, with --project 5")
	f.Float64Var(&v.lambda, "lambda", 0.5, "`SHARE` of the attributes in choosing where to cut: 1 cuts at attributes alone, 0 at terms alone (default: what the configuration says)")
	f.BoolVar(&v.known, "known", true, "also take for sensitive what a note says of the patient's own attributes that have entities; --known=false for what --spans or a tagger says alone")
	f.BoolVar(&v.own, "own-values", false, "also take out of a note what it says of the patient's own quasi-identifiers without entities: words of three letters, numbers of four digits, dates (default: what the configuration says)")
	f.BoolVar(&v.gdf, "gdf", false, "cut at the terms that most persons share, whatever lambda is")
	f.StringVar(&v.cut, "cut", string(joint.Median), "`WAY` to cut: median and presence cut terms so, ncp cuts where least is lost, by trying; with --project ncp unless told")
	f.BoolVar(&v.sweep, "sweep", false, "publish nothing: measure what every k with every lambda loses, and draw it")
	f.StringVar(&v.ks, "ks", "2,3,4,5,10,20,50", "with --sweep, `NUMBERS` of persons")
	f.StringVar(&v.lambdas, "lambdas", "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", "with --sweep, `SHARES`")
	f.Float64Var(&v.exposure.Leak, "leak", 0, "`P` that a published note still holds a sensitive term, as GreedySanitize estimates it: for the joint risk")
	f.Float64Var(&v.exposure.Found, "found", 1, "`P` that who looks for such a term finds it")
	f.Float64Var(&v.exposure.Threshold, "threshold", 0.33, "`RISK` of a person that is too much")
}

func runPublishJoint(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := jointFlags{weak: e.weakFlags(f)}
	v.declare(f)
	name := f.String("project", "", "`PROJECT`, by id or name, whose finished notes are published with their fields; --out is then a zip file beside the release on record")
	bundle := f.Int("bundle", 0, "with --project, `N` of the bundle whose expected leaks count in the risk (default the newest)")
	open := f.Int("open", 0, "with --project, `N` identifiers that people found in audits and that are not wholly redacted are published, and you know it")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	v.given = given(f)
	for _, needs := range []string{"bundle", "open"} {
		if *name == "" && v.given[needs] {
			return e.usage("--%s needs --project", needs)
		}
	}
	if err := e.numbered(f, "bundle", "for the newest"); err != nil {
		return err
	}
	if *name != "" {
		p := jointProject{*name, *bundle, *open, v}
		if err := e.checkJointProject(p); err != nil {
			return err
		}
		return e.publishJointProject(ctx, p)
	}
	return e.publishJointFile(ctx, f, v)
}

// publishJointFile publishes a file, or sweeps over what could be published of it.
func (e *env) publishJointFile(ctx context.Context, f *flag.FlagSet, v jointFlags) error {
	if err := e.required(f, "in", "config", "out"); err != nil {
		return err
	}
	if err := e.checkJoint(v); err != nil {
		return err
	}
	if err := e.apart(f); err != nil {
		return err
	}
	for _, name := range []string{v.out, v.mapping, v.originals} {
		if err := free(name); err != nil {
			return err
		}
	}
	view, err := e.readJoint(ctx, v)
	if err != nil {
		return err
	}
	if v.sweep {
		return e.sweepJoint(ctx, v, view)
	}
	return e.publishJoint(ctx, v, view)
}

func (e *env) checkJoint(v jointFlags) error {
	switch {
	case v.spans != "" && v.model != "":
		return e.usage("--spans and --model both say what is sensitive: give one")
	case v.k < 0 || v.k == 1:
		return e.usage("--k must be at least 2: a class of one person hides nobody")
	case !slices.Contains([]joint.Cut{joint.Median, joint.Presence, joint.Least}, joint.Cut(v.cut)):
		return e.usage("--cut is none of %s, %s and %s", joint.Median, joint.Presence, joint.Least)
	case v.exposure.Check() != nil:
		return e.usage("--leak, --found and --threshold are from 0 to 1")
	case !(v.lambda >= 0 && v.lambda <= 1):
		return e.usage("--lambda is not from 0 to 1")
	case v.own && !v.known:
		return e.usage("--own-values takes out more than --known, which is switched off: give one of the two")
	case v.gdf && v.given["lambda"]:
		return e.usage("--gdf knows no --lambda: give one of the two")
	}
	for _, name := range []string{"k", "lambda", "gdf", "cut", "mapping", "originals", "lineage", "open"} {
		if v.sweep && v.given[name] {
			return e.usage("--sweep tries every setting and publishes nothing: it takes no --%s", name)
		}
	}
	return v.weak.check(e)
}

// settings are those of the configuration with what was typed in their place.
func (v jointFlags) settings(c joint.Config) joint.Settings {
	s := joint.Settings{Strategy: c.Strategy, K: c.K, Lambda: c.Lambda, Cut: joint.Cut(v.cut)}
	if v.k > 0 {
		s.K = v.k
	}
	if v.given["lambda"] {
		s.Strategy, s.Lambda = joint.Mondrian, v.lambda
	}
	if v.gdf {
		s.Strategy = joint.GDF
	}
	return s
}

// sweepOptions checks what --sweep is to try.
func (e *env) sweepOptions(v jointFlags) (joint.SweepOptions, error) {
	o := joint.SweepOptions{Exposure: v.exposure, Workers: runtime.GOMAXPROCS(0)}
	for _, word := range strings.Split(v.ks, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || k < 2 {
			return o, e.usage("--ks is no list of numbers from 2 with commas between")
		}
		o.K = append(o.K, k)
	}
	for _, word := range strings.Split(v.lambdas, ",") {
		lambda, err := number(word)
		if err != nil || !(lambda >= 0 && lambda <= 1) {
			return o, e.usage("--lambdas is no list of numbers from 0 to 1 with commas between")
		}
		o.Lambda = append(o.Lambda, lambda)
	}
	return o, nil
}

// jointHint adds what to do to what no setting can satisfy.
func jointHint(err error) error {
	if errors.Is(err, joint.ErrTooFew) {
		return withHint(err, "lower --k, or publish more patients together")
	}
	return fmt.Errorf("publish joint: %w", err)
}
