// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// message builds a protobuf message.
type message []byte

func (m message) number(field int, v uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), v)
}

func (m message) bytes(field int, b []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(b))), b...)
}

func (m message) text(field int, s string) message { return m.bytes(field, []byte(s)) }

// tensor is a TensorProto of float32.
func tensor(name string, rows, columns int, values []float32) message {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return message{}.number(1, uint64(rows)).number(1, uint64(columns)).number(2, 1).text(8, name).bytes(9, raw)
}

// port is a ValueInfoProto of a tensor with two or three dimensions of any size.
func port(name string, kind uint64, dimensions ...string) message {
	shape := message{}
	for _, d := range dimensions {
		shape = shape.bytes(1, message{}.text(2, d))
	}
	return message{}.text(1, name).bytes(2, message{}.bytes(1, message{}.number(1, kind).bytes(2, shape)))
}

// tinyModel has log-odds by piece: an embedding of two numbers (Gather) times a matrix
// (MatMul). Input names beside input_ids are there and unused.
func tinyModel(pieces int, odds func(id int) float32, inputs ...string) []byte {
	embedding := make([]float32, 0, 2*pieces)
	for id := range pieces {
		embedding = append(embedding, 1, odds(id))
	}
	const float, int64s = 1, 7
	graph := message{}.
		bytes(1, message{}.text(1, "table").text(1, "input_ids").text(2, "embedded").text(4, "Gather")).
		bytes(1, message{}.text(1, "embedded").text(1, "matrix").text(2, "logits").text(4, "MatMul")).
		text(2, "tiny").
		bytes(5, tensor("table", pieces, 2, embedding)).
		bytes(5, tensor("matrix", 2, 3, []float32{0, 0, -50, 0, 1, 0})).
		bytes(12, port("logits", float, "batch", "pieces", "labels"))
	for _, name := range append([]string{"input_ids"}, inputs...) {
		graph = graph.bytes(11, port(name, int64s, "batch", "pieces"))
	}
	return message{}.number(1, 8).bytes(7, graph).bytes(8, message{}.number(2, 13))
}

// folder has a model for which pieces from "b" on are identifiers.
func folder(t *testing.T, inputs ...string) string {
	t.Helper()
	dir := t.TempDir()
	vocabulary := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##b", "##c"}
	for name, content := range map[string]string{
		"vocab.txt":   strings.Join(vocabulary, "\n") + "\n",
		"config.json": `{"id2label":{"0":"O","1":"B-NAME","2":"I-NAME"},"max_position_embeddings":16}`,
		"model.onnx": string(tinyModel(len(vocabulary), func(id int) float32 {
			if id < 5 {
				return -3
			}
			return float32(id) - 4
		}, inputs...)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestATinyModelScoresTokens(t *testing.T) {
	if !Present {
		if _, err := Open(folder(t)); err == nil || !strings.Contains(err.Error(), "without ONNX Runtime") {
			t.Errorf("error %v", err)
		}
		t.Skip("no model was run: the test was built without -tags onnx")
	}
	if os.Getenv(LibraryVariable) == "" {
		t.Skip("no model was run: " + LibraryVariable + " does not name the library of ONNX Runtime")
	}
	for _, inputs := range [][]string{nil, {"attention_mask", "token_type_ids"}} {
		m, err := Open(folder(t, inputs...))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Scores(strings.Repeat("A b abc, ", 20))
		if err != nil || len(got) != 80 {
			t.Fatalf("%d scores, %v", len(got), err)
		}
		p := func(f float64) float64 { return 1 / (1 + math.Exp(-f)) }
		for x, s := range got { // in abc the highest piece is ##c, number 7
			if want := []float64{p(-3), p(1), p(3), p(-3)}[x%4]; math.Abs(s-want) > 1e-5 {
				t.Fatalf("token %d has %g, want %g", x, s, want)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(folder(t, "pixel_values")); err == nil || !strings.Contains(err.Error(), `the input "pixel_values" is not supported`) {
		t.Errorf("error %v", err)
	}
}

func TestFoldersThatAreNoTokenClassifierAreRefused(t *testing.T) {
	for content, want := range map[string]string{
		`{"id2label":{"0":"NEGATIVE","1":"POSITIVE"}}`: "no label of id2label is O",
		`{"id2label":{"x":"O"}}`:                       "a label without a number",
		`Gwendolyn`:                                    "not the JSON that is expected",
	} {
		dir := folder(t)
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("an empty folder was opened")
	}
}

func TestRoomIsWhatTheModelReads(t *testing.T) {
	for room, c := range map[int]config{
		510:       {Room: 512, Kind: "roberta", Offset: 1},
		384:       {Room: 384, Kind: "bert"},
		usualRoom: {Room: 1 << 30},
	} {
		if got := c.room(); got != room {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
