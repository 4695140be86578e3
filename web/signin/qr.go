// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quietZone is the free space around a QR code, in modules.
const quietZone = 4

// qrCode is a QR code as an SVG path, with the side of its view box. It stands in the page
// itself: an image of its own would need an address, and the address would have the secret.
func qrCode(text string) (path string, side int, err error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", 0, fmt.Errorf("draw a QR code: %w", err)
	}
	var b strings.Builder
	n := code.Bounds().Dx()
	for y := range n {
		for x := 0; x < n; x++ {
			from := x
			for x < n && code.At(x, y) == color.Black {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return b.String(), n + 2*quietZone, nil
}

// grouped writes a key in groups of four, for typing.
func grouped(key string) string {
	var b strings.Builder
	for i, r := range key {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
