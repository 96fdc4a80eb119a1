package cards

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

// many is the size, in nodes, above which playing a card takes seconds.
const many = 300

// TestCards plays the questions of the gallery: what its cards say and show is what
// comes out, to the digit, the digest and the pixel.
func TestCards(t *testing.T) {
	questions, err := Questions(root)
	if err != nil {
		t.Fatal(err)
	}
	index, err := Read(root, questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		t.Run(q.ID, func(t *testing.T) {
			if testing.Short() && index[i].Nodes > many {
				t.Skip("-short: cells that take seconds are left out")
			}
			card, pictures, err := Answer(root, q, sizeOf(i))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(index[i], card); diff != "" {
				t.Errorf("the card (-there +played):\n%s\nmake gallery writes it anew", diff)
			}
			for _, name := range card.Pictures() {
				there, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Folder), name))
				if err != nil {
					t.Fatal(err)
				}
				theme := strings.TrimSuffix(strings.TrimPrefix(name, q.ID+"-"), ".png")
				if !bytes.Equal(pixels(t, there), pixels(t, pictures[theme])) {
					t.Errorf("%s is another picture; make gallery draws it anew", name)
				}
			}
		})
	}
}

// TestClusters asks the questions about the example cluster: what their cards say is the answer.
func TestClusters(t *testing.T) {
	cards, err := AnswerClusters(root)
	if err != nil {
		t.Fatal(err)
	}
	want, err := indexOf(cards)
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Folder), Clusters))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(there, want) {
		t.Errorf("%s says something else than\n%s\nmake gallery writes it anew", Clusters, want)
	}
}

// pixels returns a picture's size and colours: another Go may pack them otherwise.
func pixels(t *testing.T, file []byte) []byte {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Rect, decoded, image.Point{}, draw.Src)
	return append([]byte(picture.Rect.String()), picture.Pix...)
}

func TestFill(t *testing.T) {
	told := map[string]any{
		"metrics":   map[string]any{"share": 0.018412, "many": 1234567.4, "less": -1234.5, "most": 10.44, "half": 1.46, "no": 0.0},
		"incidents": []any{map[string]any{"last": 30_040_000.0}},
		"name":      "x",
	}
	for _, c := range []struct{ sentence, want string }{
		{"none", "none"},
		{"{metrics.share:3} % of {metrics.many}", "0.018 % of 1,234,567"},
		{"after {incidents.0.last:s} s", "after 30.0 s"},
		{"{metrics.less:1}", "-1,234.5"},
		{"{metrics.share:%}, {metrics.half:%}, {metrics.most:%}, {metrics.no:%}", "0.018 %, 1.5 %, 10 %, none"},
		{"{metrics.many:n} buy and {metrics.no:n} fail", "1,234,567 buy and none fail"},
		{"{metrics.gone}", "the finding's {metrics.gone}: the report has no such number"},
		{"{name}", "the finding's {name}: the report has no such number"},
		{"{incidents.1.last}", "the finding's {incidents.1.last}: there are 1 elements, not one of number 1"},
		{"{metrics.share:x}", `the finding's {metrics.share:x}: it is written with 0 to 6 digits or as s, n or %, not as "x"`},
	} {
		got, err := fill(c.sentence, told)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q becomes %q, want %q", c.sentence, got, c.want)
		}
	}
}
