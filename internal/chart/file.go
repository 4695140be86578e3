// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/a-h/templ"
)

// writeChartFile writes a drawing, whose outermost element is svg, as a file that
// needs no style sheet: dark on white.
func writeChartFile(w io.Writer, drawing templ.Component) error {
	var b bytes.Buffer
	if err := drawing.Render(context.Background(), &b); err != nil {
		return err
	}
	svg := bytes.Replace(b.Bytes(), []byte("<svg "), []byte(`<svg xmlns="http://www.w3.org/2000/svg" `), 1)
	end := bytes.IndexByte(svg, '>') + 1
	_, err := fmt.Fprintf(w, "%s<style>%s</style>%s\n", svg[:end], chartFileStyle, svg[end:])
	return err
}

// chartFileStyle is the part of chart.css that a file of its own needs, in colours
// that every viewer knows.
const chartFileStyle = `
svg{background:#fff}text{font:12px sans-serif;fill:#54626a}.chart-title,.dot-label{fill:#1b2327}.dot-label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}.chart-y{text-anchor:end}.chart-x{text-anchor:middle}
.chart-grid{stroke:#d5dadd;fill:none}.chart-line0,.chart-tick,.chart-break{stroke:#85919a;fill:none}
.chart-path{stroke-width:1.75;fill:none}.whisker{opacity:.6;fill:none}.marker{stroke-width:1.5}.ring{fill:none}
.m-active .chart-path,.m-active .whisker,.m-active .marker{stroke:#1f5f78}.m-active .marker{fill:#1f5f78}
.m-chance .chart-path,.m-chance .whisker,.m-chance .marker{stroke:#6a767d}.m-chance .marker{fill:none;stroke-width:2}
.m-chance .chart-path{stroke-dasharray:4 4}.m-goal .chart-path{stroke:#22633f;stroke-dasharray:1 3}
.m-trade0 path{stroke:#0a5fa3}.m-trade0 .marker{fill:#0a5fa3}.m-trade1 path{stroke:#b23c07}.m-trade1 .marker{fill:#b23c07}
.m-trade2 path{stroke:#006b55}.m-trade2 .marker{fill:#006b55}.m-trade3 path{stroke:#77399c}.m-trade3 .marker{fill:#77399c}
.m-trade4 path{stroke:#8a5d00}.m-trade4 .marker{fill:none;stroke-width:2}.m-trade5 path{stroke:#53616a}.m-trade5 .marker{fill:none;stroke-width:2}`
