package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/tools/build/manual"
)

// keptLater reports whether a file is kept for visits without a network only once it was
// used: the large programs and the manual, which a first visit seldom needs.
func keptLater(name string) bool {
	return name == "whole.wasm" || name == "program.wasm" || name == "questions.wasm" ||
		strings.HasPrefix(name, manual.Folder+"/")
}

// offline names the build in both documents, and writes the names of its files before offline.js,
// each with the first 64 bits of its SHA-256. These distinguish builds; whole hashes would be a
// tenth of the page's scripts. If two builds differ anywhere, their documents differ.
func (f Files) offline() error {
	if f["offline.js"] == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(f))
	all := sha256.New()
	for _, name := range names {
		fmt.Fprintf(all, "%s %x\n", name, sha256.Sum256(f[name]))
	}
	build := hex.EncodeToString(all.Sum(nil)[:8])
	for _, name := range []string{"index.html", "view.html"} {
		f[name] = bytes.Replace(f[name], []byte("</title>"),
			[]byte("</title>\n<meta name=\"build\" content=\""+build+"\">"), 1)
		if !bytes.Contains(f[name], []byte(build)) {
			return fmt.Errorf("%s has no title, behind which its build is named", name)
		}
	}
	kept, later := map[string]string{}, map[string]string{}
	for _, name := range names {
		if name == "offline.js" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, manual.Folder+"/") &&
			!manual.Kept(name) {
			continue
		}
		list := kept
		if keptLater(name) {
			list = later
		}
		sum := sha256.Sum256(f[name])
		list[name] = hex.EncodeToString(sum[:8])
	}
	lists, err := json.Marshal([]any{kept, later})
	if err != nil {
		return err
	}
	f["offline.js"] = fmt.Appendf(nil, "const BUILD=%q,[FILES,LATER]=%s;\n%s", build, lists, f["offline.js"])
	return nil
}

// installed makes the icons and the manifest without which a browser does not install the page as a program.
func installed(string) (Files, error) {
	files := Files{}
	type picture struct {
		Source string `json:"src"`
		Sizes  string `json:"sizes"`
		Type   string `json:"type"`
	}
	var icons []picture
	for _, size := range []int{192, 512} {
		name := fmt.Sprintf("icon-%d.png", size)
		content, err := icon(size)
		if err != nil {
			return nil, err
		}
		files[name] = content
		icons = append(icons, picture{
			name, fmt.Sprintf("%dx%d", size, size),
			"image/" + strings.TrimPrefix(path.Ext(name), "."),
		})
	}
	manifest, err := json.MarshalIndent(map[string]any{
		"name": "Parley: a laboratory for cluster scheduling", "short_name": "Parley", "start_url": ".", "scope": ".",
		"display":          "standalone",
		"background_color": "#0c0f14", "theme_color": "#12161d", "icons": icons,
	}, "", "  ")
	files["manifest.webmanifest"] = append(manifest, '\n')
	return files, err
}

// icon draws the nine cells of the page's mark: one of twenty parts a side and gaps
// between them.
func icon(size int) ([]byte, error) {
	picture := image.NewNRGBA(image.Rect(0, 0, size, size))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.NRGBA{0x0c, 0x0f, 0x14, 0xff}), image.Point{}, draw.Src)
	blue, yellow, grey := color.NRGBA{0x5b, 0x93, 0xf5, 0xff}, color.NRGBA{0xd3, 0xa8, 0x3c, 0xff},
		color.NRGBA{0x4a, 0x53, 0x61, 0xff}
	cells := [9]color.NRGBA{blue, yellow, grey, yellow, grey, blue, grey, blue, yellow}
	const parts, cell, step = 26, 5, 6.5 // a margin of three parts, as masks of launchers want
	at := func(i int) int { return int((4 + step*float64(i)) * float64(size) / parts) }
	side := size * cell / parts
	for i, colour := range cells {
		x, y := at(i%3), at(i/3)
		draw.Draw(picture, image.Rect(x, y, x+side, y+side), image.NewUniform(colour), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	err := png.Encode(&out, picture)
	return out.Bytes(), err
}
