package links

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
)

// Limits of a picture, which a link's preview shows.
const (
	MaxPicture    = 256 << 10 // bytes
	PictureWidth  = 1200      // pixels: the size that programs that show links expect
	PictureHeight = 630
)

// pictured is a stored picture, as text, which every store takes.
type pictured struct {
	PNG string `json:"png"` // base64
}

// pictures keeps the picture of the body.
func (h *handler) pictures(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		notAllowed(w, r, "POST")
		return
	}
	body := h.body(w, r, "image/png", MaxPicture, "picture")
	if body == nil {
		return
	}
	plain, err := plainPNG(body)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, sentence(err))
		return
	}
	kept, err := json.Marshal(pictured{base64.StdEncoding.EncodeToString(plain)})
	if err != nil {
		refuse(w, http.StatusInternalServerError, broken)
		return
	}
	h.keepEntry(w, r, kept, "api/pictures/")
}

// picture answers with the picture of a name.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	kept, status, reason := h.find(w, r)
	if kept == nil {
		if reason != "" {
			refuse(w, status, reason)
		}
		return
	}
	plain := pictureOf(kept)
	if plain == nil {
		refuse(w, http.StatusNotFound, "There is a scenario under this name here, and no picture.")
		return
	}
	header := w.Header()
	secure(header)
	header.Set("Cache-Control", "public, max-age=86400") // the content of a name never changes
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Content-Type", "image/png")
	_, _ = w.Write(plain)
}

// pictureOf returns the picture of an entry; nil if the entry is not a picture.
func pictureOf(kept []byte) []byte {
	var p pictured
	if json.Unmarshal(kept, &p) != nil || p.PNG == "" {
		return nil
	}
	plain, err := base64.StdEncoding.DecodeString(p.PNG)
	if err != nil {
		return nil
	}
	return plain
}

const signature = "\x89PNG\r\n\x1a\n"

// plainPNG checks a picture and returns only the parts that define its pixels: no text, no profile
// and nothing behind its end. The pixels are unpacked and counted, so that no other data can be
// stored in their place.
func plainPNG(b []byte) ([]byte, error) {
	rest, is := bytes.CutPrefix(b, []byte(signature))
	if !is {
		return nil, errors.New("the body is no PNG")
	}
	out, pixels, size := []byte(signature), []byte(nil), 0
	for n := 0; ; n++ {
		if len(rest) < 12 || uint64(binary.BigEndian.Uint32(rest)) > uint64(len(rest)-12) {
			return nil, errors.New("the PNG is cut off; send it again")
		}
		length := int(binary.BigEndian.Uint32(rest))
		chunk, data := rest[:length+12], rest[8:length+8]
		kind := string(chunk[4:8])
		if crc32.ChecksumIEEE(chunk[4:length+8]) != binary.BigEndian.Uint32(chunk[length+8:]) {
			return nil, errors.New("the PNG is damaged; send it again")
		}
		rest = rest[length+12:]
		switch {
		case (kind == "IHDR") != (n == 0):
			return nil, errors.New("the PNG does not begin with its header alone")
		case kind == "IHDR":
			var err error
			if size, err = sizeOf(data); err != nil {
				return nil, err
			}
		case kind == "IDAT":
			pixels = append(pixels, data...)
		case kind == "IEND":
			if length > 0 || len(rest) > 0 {
				return nil, errors.New("the PNG goes on behind its end")
			}
			return append(out, chunk...), unpacks(pixels, size)
		case kind == "PLTE" || kind == "tRNS":
		case kind[0]&0x20 != 0:
			continue // not needed for pixels
		default:
			return nil, fmt.Errorf("the PNG has a part %q, which pictures here do without", kind)
		}
		out = append(out, chunk...)
	}
}

// sizeOf returns the bytes of the pixels of a header, with a filter byte a line.
func sizeOf(header []byte) (int, error) {
	if len(header) != 13 {
		return 0, errors.New("the PNG has a header of another length")
	}
	width, height := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[4:])
	if width != PictureWidth || height != PictureHeight {
		return 0, fmt.Errorf("the picture has %d × %d pixels, and previews have %d × %d", width, height, PictureWidth, PictureHeight)
	}
	channels := map[byte]int{2: 3, 3: 1, 6: 4}[header[9]]
	if header[8] != 8 || channels == 0 || header[10]|header[11]|header[12] != 0 {
		return 0, errors.New("the PNG has another form than eight bits a colour, without interlacing")
	}
	return PictureHeight * (1 + PictureWidth*channels), nil
}

// unpacks returns an error unless packed pixels are exactly n bytes.
func unpacks(packed []byte, n int) error {
	from := bytes.NewReader(packed)
	r, err := zlib.NewReader(from)
	if err == nil {
		var read int64
		read, err = io.Copy(io.Discard, io.LimitReader(r, int64(n)+1))
		if err == nil && (read != int64(n) || from.Len() > 0) {
			err = errors.New("it has another number")
		}
	}
	if err != nil {
		return errors.New("the PNG's pixels cannot be unpacked")
	}
	return nil
}
