// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"
	"fmt"

	"hide/internal/annotate"
)

// labelStudioKind is the tasks of Label Studio.
func labelStudioKind() kind {
	return kind{
		Format: Format{
			Name: "labelstudio", Title: "Label Studio JSON", Files: "a list of tasks with data.text and annotations", Endings: []string{".json"}, Ending: ".json",
			Holds:  everything,
			Remark: "Of several annotations the first that was not cancelled is taken. Predictions are left out. Both are counted.",
		},
		claims: func(p *probe) bool {
			return p.record.has("data") && p.record.hasAny("annotations", "completions", "predictions")
		},
		read: jsonReader("labelstudio", parseTask),
		write: oneFile("[", func(out *bufio.Writer, n int, d annotate.Annotated) error {
			out.WriteString(comma(n))
			return encode(out, taskOf(d))
		}, "]\n"),
	}
}

func parseTask(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem) {
	var rec record
	var task string
	var spans []given
	p = walkObject(raw, func(key string, value json.RawMessage) (p *Problem) {
		switch key {
		case "id":
			task, p = scalar(key, value)
		case "data":
			if value[0] != '{' {
				return notA("data", "object")
			}
			p = walkObject(value, func(key string, value json.RawMessage) *Problem {
				if key == "text" {
					return r.field(&rec, key, value)
				}
				return r.aside(&rec, key, value)
			})
		case "annotations", "completions":
			spans, p = r.taskSpans(value)
		case "predictions":
			p = r.leftOut(value, "prediction")
		}
		return p // the other fields are numbers and settings of the program
	})
	if p != nil {
		return d, false, p
	}
	if rec.id == "" {
		rec.id = task
	}
	return rec.with(r, spans, codePoints, utf16Units)
}

// taskSpans takes the first annotation that was not cancelled, and counts the others.
func (r *reader) taskSpans(raw json.RawMessage) (spans []given, p *Problem) {
	if raw[0] == 'n' {
		return nil, nil
	}
	taken := false
	p = walkArray(raw, func(value json.RawMessage) *Problem {
		var result json.RawMessage
		cancelled := false
		p := walkObject(value, func(key string, value json.RawMessage) *Problem {
			switch key {
			case "result":
				result = value
			case "was_cancelled":
				cancelled = value[0] == 't'
			}
			return nil
		})
		switch {
		case p != nil:
			p.located = false
			return p
		case cancelled:
			r.remarks.add(1, "annotation", "cancelled, left out")
			return nil
		case taken:
			r.remarks.add(1, "annotation", "of a task that has another, left out")
			return nil
		}
		taken = true
		spans, p = r.results(result)
		return p
	})
	return spans, p
}

func (r *reader) results(raw json.RawMessage) ([]given, *Problem) {
	var spans jsonSpans
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	p := walkArray(raw, func(value json.RawMessage) *Problem {
		var w wireSpan
		labels := false
		p := walkObject(value, func(key string, value json.RawMessage) *Problem {
			switch {
			case key == "type":
				labels = stringIs(value, "labels")
			case key == "value" && value[0] == '{':
				return walkObject(value, func(key string, value json.RawMessage) *Problem { return r.resultValue(&w, key, value) })
			}
			return nil
		})
		if p != nil {
			p.located = false
			return p.inSpan(len(spans.all) + 1)
		}
		if !labels {
			r.remarks.add(1, "result", "not of type labels, ignored")
			return nil
		}
		return spans.put(w)
	})
	return spans.all, p
}

func stringIs(raw json.RawMessage, s string) bool { return raw[0] == '"' && stringOf(raw) == s }

// resultValue reads start, end, text and the first of the labels.
func (r *reader) resultValue(w *wireSpan, key string, value json.RawMessage) *Problem {
	if key != "labels" {
		return w.field(key, value)
	}
	if value[0] != '[' {
		return notA("labels", "list")
	}
	n := 0
	return walkArray(value, func(value json.RawMessage) *Problem {
		if n++; n == 1 {
			w.label = value
		} else {
			r.remarks.add(1, "label", "of a span that has another, left out")
		}
		return nil
	})
}

// task is a note as Label Studio imports it.
type task struct {
	Data struct {
		ID   string `json:"id"`
		Text string `json:"text"`
		beside
	} `json:"data"`
	Annotations [1]struct {
		Result []result `json:"result"`
	} `json:"annotations"`
}

type result struct {
	ID    string `json:"id"`
	From  string `json:"from_name"`
	To    string `json:"to_name"`
	Type  string `json:"type"`
	Value struct {
		Start  annotate.RuneOff  `json:"start"`
		End    annotate.RuneOff  `json:"end"`
		Text   string            `json:"text"`
		Labels [1]annotate.Label `json:"labels"`
	} `json:"value"`
}

func taskOf(d annotate.Annotated) task {
	var t task
	t.Data.ID, t.Data.Text, t.Data.beside = d.Name, d.Text, besideOf(d)
	all := []result{}
	offsets := annotate.NewOffsets(d.Text)
	for i, s := range d.Spans {
		one := result{ID: fmt.Sprintf("s%d", i+1), From: "label", To: "text", Type: "labels"}
		one.Value.Start, one.Value.End = offsets.Range(s)
		one.Value.Text, one.Value.Labels[0] = s.Surface(d.Text), s.Label
		all = append(all, one)
	}
	t.Annotations[0].Result = all
	return t
}
