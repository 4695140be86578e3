// SPDX-License-Identifier: Apache-2.0

//go:build onnx && cgo

package onnx

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"hide/internal/hint"
)

// Present reports whether the program can run models.
const Present = true

// opened loads the library once: it cannot be loaded twice.
var opened struct {
	sync.Mutex
	path string
}

func openLibrary(path string) error {
	opened.Lock()
	defer opened.Unlock()
	switch {
	case path == "":
		return hint.Add(errors.New("the library of ONNX Runtime is not named"), "set "+LibraryVariable+" to the path of libonnxruntime.so.1, which npm pack onnxruntime-node has in bin/napi-v6")
	case path == opened.path:
		return nil
	case opened.path != "":
		return errors.New("another library of ONNX Runtime is open")
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(); err != nil {
		return fmt.Errorf("open ONNX Runtime %s: %w", path, err)
	}
	opened.path = path
	return nil
}

// session is a model in ONNX Runtime.
type session struct {
	inputs []string
	model  *ort.DynamicAdvancedSession
}

// known are the inputs that a token classifier may have, with their value at every piece; a
// negative value stands for the numbers of the pieces.
var known = map[string]int64{"input_ids": -1, "attention_mask": 1, "token_type_ids": 0}

func newRuntime(model, library string) (runtime, error) {
	if err := openLibrary(library); err != nil {
		return nil, err
	}
	in, out, err := ort.GetInputOutputInfo(model)
	if err != nil {
		return nil, fmt.Errorf("open the model %s: %w", model, err)
	}
	s := &session{}
	for _, i := range in {
		if _, is := known[i.Name]; !is {
			return nil, fmt.Errorf("%s: a model with the input %q is not supported", model, i.Name)
		}
		s.inputs = append(s.inputs, i.Name)
	}
	if len(out) == 0 || !slices.Contains(s.inputs, "input_ids") {
		return nil, fmt.Errorf("%s: not a token classifier: it lacks input_ids or an output", model)
	}
	if s.model, err = ort.NewDynamicAdvancedSession(model, s.inputs, []string{out[0].Name}, nil); err != nil {
		return nil, fmt.Errorf("open the model %s: %w", model, err)
	}
	return s, nil
}

func (s *session) close() error { return s.model.Destroy() }

func (s *session) run(ids []int64) ([][]float32, error) {
	var inputs []ort.Value
	defer func() {
		for _, v := range inputs {
			_ = v.Destroy()
		}
	}()
	for _, name := range s.inputs {
		values := ids
		if v := known[name]; v >= 0 {
			values = slices.Repeat([]int64{v}, len(ids))
		}
		tensor, err := ort.NewTensor(ort.NewShape(1, int64(len(ids))), values)
		if err != nil {
			return nil, fmt.Errorf("run the model: %w", err)
		}
		inputs = append(inputs, tensor)
	}
	outputs := []ort.Value{nil}
	if err := s.model.Run(inputs, outputs); err != nil {
		return nil, fmt.Errorf("run the model: %w", err)
	}
	defer outputs[0].Destroy()
	return rowsOf(outputs[0], len(ids))
}

// rowsOf copies a tensor of 1 x pieces x labels.
func rowsOf(v ort.Value, pieces int) ([][]float32, error) {
	tensor, is := v.(*ort.Tensor[float32])
	shape := v.GetShape()
	if !is || len(shape) != 3 || shape[0] != 1 || shape[1] != int64(pieces) || shape[2] < 1 {
		return nil, errors.New("the model does not answer with numbers by piece and label")
	}
	labels, data := int(shape[2]), tensor.GetData()
	rows := make([][]float32, pieces)
	for i := range rows {
		rows[i] = slices.Clone(data[i*labels : (i+1)*labels])
	}
	return rows, nil
}
