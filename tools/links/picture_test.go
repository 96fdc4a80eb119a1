package links_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"html"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/tools/links"
)

// drawn is a picture as the page draws one, by another program's encoder.
func drawn(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	for y := range height {
		m.SetRGBA(0, y, color.RGBA{A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// chunk is a part of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// made is a PNG of its header's last five bytes and its pixels.
func made(form string, pixels []byte) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, links.PictureWidth), links.PictureHeight)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(pixels)
	z.Close()
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, form...)), chunk("IDAT", packed.Bytes()), chunk("IEND", nil))
}

func sendPicture(h http.Handler, body []byte, kind string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/api/pictures", bytes.NewReader(body))
	r.Header.Set("Content-Type", kind)
	return ask(h, r)
}

// idOf is the id of an entry that was kept.
func idOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var told struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return told.ID
}

// TestPictures: a picture comes back with the pixels that it was sent with, and nothing else that was in it.
func TestPictures(t *testing.T) {
	h := links.New(links.Options{Store: &memory{}, Address: many()})
	plain := drawn(t, links.PictureWidth, links.PictureHeight)
	const before = 8 + 25 // the signature and the header
	secret := slices.Concat(plain[:before], chunk("tEXt", []byte("Comment\x00<script>")), plain[before:])
	id := idOf(t, sendPicture(h, secret, "image/png"))
	if again := idOf(t, sendPicture(h, plain, "image/png")); again != id {
		t.Errorf("the same pixels have the names %s and %s", id, again)
	}
	w := ask(h, httptest.NewRequest("GET", "/api/pictures/"+id, nil))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	got, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
	want, _ := png.Decode(bytes.NewReader(plain))
	if err != nil || got.Bounds() != want.Bounds() || got.At(17, 5) != want.At(17, 5) || bytes.Contains(w.Body.Bytes(), []byte("script")) {
		t.Errorf("it came back as another: %v", err)
	}
	for _, path := range []string{"/s/" + id, "/api/links/" + id} {
		if w := ask(h, httptest.NewRequest("GET", path, nil)); w.Code < 400 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestBadPictures: what is no picture of the right size is refused with a sentence.
func TestBadPictures(t *testing.T) {
	h := links.New(links.Options{Store: &memory{}, Address: many()})
	plain := drawn(t, links.PictureWidth, links.PictureHeight)
	whole := make([]byte, links.PictureHeight*(1+3*links.PictureWidth))
	if w := sendPicture(h, made("\x08\x02\x00\x00\x00", whole), "image/png"); w.Code != http.StatusCreated {
		t.Fatalf("the good one: %d %s", w.Code, w.Body)
	}
	damaged := bytes.Clone(plain)
	damaged[len(damaged)/2] ^= 1
	behind := made("\x08\x02\x00\x00\x00", whole)
	two := slices.Concat(behind[:33], chunk("IDAT", nil), behind[33:len(behind)-12], chunk("IDAT", []byte("hidden")), behind[len(behind)-12:])
	for name, x := range map[string]struct {
		body   []byte
		kind   string
		status int
		says   string
	}{
		"nothing":           {nil, "image/png", 422, "is no PNG"},
		"a page":            {[]byte("<!doctype html><script>alert(1)</script>"), "image/png", 422, "is no PNG"},
		"another type":      {plain, "text/html", 415, "A picture is sent with Content-Type: image/png."},
		"another size":      {drawn(t, 1201, 630), "image/png", 422, "1201 × 630 pixels"},
		"cut off":           {plain[:len(plain)-5], "image/png", 422, "cut off"},
		"damaged":           {damaged, "image/png", 422, "damaged"},
		"more behind":       {append(bytes.Clone(plain), "more"...), "image/png", 422, "behind its end"},
		"hidden in pixels":  {two, "image/png", 422, "pixels cannot be unpacked"},
		"a bomb":            {made("\x08\x02\x00\x00\x00", make([]byte, 64<<20)), "image/png", 422, "pixels cannot be unpacked"},
		"too few":           {made("\x08\x02\x00\x00\x00", whole[:100]), "image/png", 422, "pixels cannot be unpacked"},
		"interlaced":        {made("\x08\x02\x00\x00\x01", whole), "image/png", 422, "without interlacing"},
		"16 bits":           {made("\x10\x02\x00\x00\x00", whole), "image/png", 422, "eight bits"},
		"an unknown part":   {slices.Concat(plain[:33], chunk("ABCD", nil), plain[33:]), "image/png", 422, `a part "ABCD"`},
		"two headers":       {slices.Concat(plain[:33], plain[8:]), "image/png", 422, "begin with its header"},
		"no header":         {slices.Concat(plain[:8], plain[33:]), "image/png", 422, "begin with its header"},
		"a long part":       {append(bytes.Clone(plain[:8]), "\xff\xff\xff\xffIHDR\x00\x00\x00\x00"...), "image/png", 422, "cut off"},
		"too long":          {append(bytes.Clone(plain[:33]), make([]byte, links.MaxPicture)...), "image/png", 413, "more than 262144 bytes"},
		"empty after start": {plain[:8], "image/png", 422, "cut off"},
	} {
		w := sendPicture(h, x.body, x.kind)
		if s := said(t, w); w.Code != x.status || !strings.Contains(s, x.says) || !isSentence.MatchString(s) {
			t.Errorf("%s: %d %q, want %q", name, w.Code, s, x.says)
		}
	}
}

var og = regexp.MustCompile(`<meta property="og:([a-z:_]+)" content="([^"]*)">`)

// TestPreview: a short link's head says what programs that show links read, escaped, with an address of the host that
// was asked, and the page goes on without a script.
func TestPreview(t *testing.T) {
	store := &memory{}
	h := links.New(links.Options{Store: store, Address: many()})
	picture := idOf(t, sendPicture(h, drawn(t, links.PictureWidth, links.PictureHeight), "image/png"))
	const doc = `{"v":1,"system":"central","name":"A rack <b>\"fails\"","about":"%s"}`
	plain := idOf(t, ask(h, body{Query: "at=5m", Body: strings.Replace(doc, "%s", "", 1)}.request(t)))
	long := idOf(t, ask(h, body{Query: "at=5m&picture=" + picture, Body: strings.Replace(doc, "%s", strings.Repeat("é", 400), 1)}.request(t)))
	seen := func(id, host, proto, uri string) map[string]string {
		r := httptest.NewRequest("GET", "/s/"+id, nil)
		r.Host, r.RequestURI = host, uri+"s/"+id
		r.Header.Set("X-Forwarded-Proto", proto)
		w := ask(h, r)
		page := w.Body.String()
		if w.Code != http.StatusOK || strings.Contains(page, "<b>") || strings.Contains(page, "<script") || !refresh.MatchString(page) {
			t.Fatalf("%d %s", w.Code, page)
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("the policy is %q", w.Header().Get("Content-Security-Policy"))
		}
		all := map[string]string{}
		for _, found := range og.FindAllStringSubmatch(page, -1) {
			all[found[1]] = html.UnescapeString(found[2])
		}
		return all
	}
	for _, x := range []struct{ id, host, proto, uri, key, want string }{
		{plain, "example.org", "", "/", "title", `A rack <b>"fails"`},
		{plain, "example.org", "", "/", "description", "At 5m of simulated time. It opens in a browser tab and repeats exactly: watch it, break it, compare it."},
		{plain, "example.org", "", "/", "image", "http://example.org/gallery/google-cell-dark.png"},
		{plain, "example.org:8080", "https", "/lab/0.1.0/", "image", "https://example.org:8080/lab/0.1.0/gallery/google-cell-dark.png"},
		{plain, "[2001:db8::1]:80", "https", "/lab/", "url", "https://[2001:db8::1]:80/lab/s/" + plain},
		{plain, `example.org"><script>`, "", "/", "image", ""},
		{plain, "user@example.org", "", "/", "image", ""},
		{plain, "example.org/evil", "", "/", "image", ""},
		{plain, "example.org", "javascript", `/"><script>/`, "image", "http://example.org/gallery/google-cell-dark.png"},
		{long, "example.org", "", "/", "description", strings.Repeat("é", 239) + "…"},
		{long, "example.org", "", "/", "image", "http://example.org/api/pictures/" + picture},
		{long, "example.org", "", "/", "image:width", "1200"},
	} {
		if got := seen(x.id, x.host, x.proto, x.uri)[x.key]; got != x.want {
			t.Errorf("%s of %+v is %q, want %q", x.key, x, got, x.want)
		}
	}
	for _, query := range []string{"picture=AAAAAAAAAAA", "picture=" + plain, "picture=../../etc", "picture=%22"} {
		w := ask(h, body{Query: query, Body: `{"v":1,"system":"central"}`}.request(t))
		if w.Code != http.StatusBadRequest || !strings.Contains(said(t, w), "picture") {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}
