package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/assets"
	"parley/core/scenario"
	"parley/core/system"
)

// how is the document core/system/ID/how.json: how a system works, as the page draws it too.
type how struct {
	Parties []string `json:"parties"`
	Steps   []step   `json:"steps"`
	After   string   `json:"after"`
}

type step struct {
	From, To       int
	Message, Means string
}

// systemPages returns a page in plain words for each system, with its drawing.
func systemPages(root string, systems []system.Description) (map[string]string, error) {
	pages := map[string]string{}
	for _, d := range systems {
		text, err := os.ReadFile(filepath.Join(root, "core", "system", d.ID, "how.json"))
		if err != nil {
			return nil, err
		}
		var h how
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, fmt.Errorf("how.json of %s: %w", d.ID, err)
		}
		pages["systems/"+d.ID+".svg"] = drawing(h)
		if pages["systems/"+d.ID+".md"], err = systemPage(d, h); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

func systemPage(d system.Description, h how) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s It schedules %s.\n\n## How it works\n\n![%s: %d steps between %s](%s.svg)\n\n",
		d.Name, sentence(d.About), shapes(d), d.Name, len(h.Steps), strings.ToLower(strings.Join(h.Parties, ", ")),
		d.ID)
	for i, s := range h.Steps {
		party := h.Parties[s.From]
		if s.From != s.To {
			party += " → " + h.Parties[s.To]
		}
		fmt.Fprintf(&b, "%d. **%s: %s.** %s\n", i+1, party, s.Message, s.Means)
	}
	fmt.Fprintf(&b, "\n%s\n", h.After)
	if len(d.Terms) > 0 {
		b.WriteString("\n## Its words\n\n")
		for _, t := range d.Terms {
			fmt.Fprintf(&b, "- *%s*: %s\n", t.Words[0], t.Means)
		}
	}
	ids, err := played(d.ID)
	if err != nil {
		return "", err
	}
	b.WriteString("\n## Try it\n\n")
	if len(ids) > 0 {
		fmt.Fprintf(&b, "Scenarios of the gallery: `%s`. ", strings.Join(ids, "`, `"))
	}
	fmt.Fprintf(&b, "The command prints settings, agents, faults and figures:\n\n```sh\nparley systems %s\n```\n\n",
		d.ID)
	fmt.Fprintf(&b,
		"[Settings](../reference/settings.md#%s) · [Metrics](../reference/metrics.md#of-%[1]s) · [Model, source and what the paper leaves open](../../core/system/%s/README.md)\n", anchor(d.Name), d.ID)
	if d.Paper != "" {
		fmt.Fprintf(&b, "\nAfter %s\n", sentence(d.Paper))
	}
	return b.String(), nil
}

// anchor returns the name under which a heading of words is linked.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

func shapes(d system.Description) string {
	words := make([]string, len(d.Supports))
	for i, shape := range d.Supports {
		words[i] = string(shape)
	}
	return strings.Join(words, " and ")
}

// played lists the scenarios of the gallery that a system plays.
func played(system string) (ids []string, err error) {
	for _, id := range assets.Scenarios() {
		text, _ := assets.Scenario(id)
		s, err := scenario.Parse(text)
		if err != nil {
			return nil, err
		}
		if s.System == system {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Sizes of a drawing, in CSS pixels: it fits a phone.
const (
	lane   = 116 // between two parties
	top    = 54  // of the first arrow
	row1   = 34  // between two arrows
	margin = 62
)

// drawing returns the steps as an SVG: a line for each party, a numbered arrow for each
// step. Colours follow the theme of the system.
func drawing(h how) string {
	width, height := 2*margin+lane*(len(h.Parties)-1), top+row1*len(h.Steps)
	if slices.ContainsFunc(h.Steps, func(s step) bool { return s.From == s.To && s.From == len(h.Parties)-1 }) {
		width += 8
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" font-family="system-ui, sans-serif" font-size="12">
<style>text{fill:#14181f}.n{fill:#fff;font-weight:600;font-size:11px}.party{fill:#eef0f3;stroke:#c3c9d2}.life{stroke:#c3c9d2;stroke-dasharray:3 3}.way{stroke:#1f5fd0;stroke-width:1.6;fill:none}.dot,.head{fill:#1f5fd0}
@media (prefers-color-scheme:dark){text{fill:#e8ecf2}.n{fill:#0b1526}.party{fill:#1a2029;stroke:#333c4a}.life{stroke:#4a5567}.way{stroke:#7fb0ff}.dot,.head{fill:#7fb0ff}}</style>
`, width, height)
	for i, name := range h.Parties {
		x := margin + lane*i
		fmt.Fprintf(&b,
			`<line class="life" x1="%[1]d" y1="30" x2="%[1]d" y2="%[2]d"/><rect class="party" x="%[3]d" y="4" width="%[4]d" height="26" rx="5"/><text x="%[1]d" y="21" text-anchor="middle">%[5]s</text>`+"\n",
			x, height-4, x-54, 108, html.EscapeString(name))
	}
	for i, s := range h.Steps {
		y, from, to := top+row1*i, margin+lane*s.From, margin+lane*s.To
		middle := (from + to) / 2
		switch {
		case s.From == s.To:
			middle = from + 30
			fmt.Fprintf(&b, `<path class="way" d="M%d %d h30 v14 h-26"/><path class="head" d="M%d %d l8 -4 v8 z"/>`,
				from, y-7, from, y+7)
		case from < to:
			fmt.Fprintf(&b, `<path class="way" d="M%d %d H%d"/><path class="head" d="M%d %d l-8 -4 v8 z"/>`,
				from, y, to-6, to, y)
		default:
			fmt.Fprintf(&b, `<path class="way" d="M%d %d H%d"/><path class="head" d="M%d %d l8 -4 v8 z"/>`, from,
				y, to+6, to, y)
		}
		fmt.Fprintf(&b,
			`<circle class="dot" cx="%d" cy="%d" r="9"/><text class="n" x="%d" y="%d" text-anchor="middle">%d</text>`+
				"\n", middle, y, middle, y+4, i+1)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
