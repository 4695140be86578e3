// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"
)

// PutJSON stores v as JSON.
func PutJSON(tx *Tx, bucket string, key []byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", bucket, err)
	}
	return tx.Put(bucket, key, raw)
}

// GetJSON reads what [PutJSON] stored. It is [ErrNotFound] when there is nothing.
func GetJSON[T any](tx *Tx, bucket string, key []byte) (T, error) {
	var v T
	raw, err := tx.Get(bucket, key)
	if err != nil {
		return v, err
	}
	return DecodeJSON[T](bucket, raw)
}

// ListJSON reads every value of a bucket in the order of the keys.
func ListJSON[T any](tx *Tx, bucket string) ([]T, error) {
	var all []T
	err := tx.Scan(bucket, nil, func(_, raw []byte) error {
		v, err := DecodeJSON[T](bucket, raw)
		all = append(all, v)
		return err
	})
	return all, err
}

// DecodeJSON reads a value of a bucket.
func DecodeJSON[T any](bucket string, raw []byte) (T, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("decode %s: %w", bucket, err)
	}
	return v, nil
}
