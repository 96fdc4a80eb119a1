package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley/core/scenario"
)

// Entry is what the gallery shows of a scenario before it is loaded.
type Entry struct {
	ID     string `json:"id"` // the file's name without its ending
	Name   string `json:"name"`
	System string `json:"system"`
	Nodes  int    `json:"nodes,omitempty"` // none where the workload brings the machines
	About  string `json:"about"`
}

// scenarios copies assets/scenarios, each of which is read as a run would read it,
// and writes their index.
func scenarios(root string) (Files, error) {
	sources, err := folder(root, "scenarios", ".json")
	if err != nil {
		return nil, err
	}
	files := Files{}
	index := []Entry{}
	for _, source := range sources {
		content, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		s, err := scenario.Parse(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		id := strings.TrimSuffix(filepath.Base(source), ".json")
		if id == "index" || s.Name == "" || s.About == "" {
			return nil, fmt.Errorf("%s: a scenario of the gallery needs a name and a line about it, and a file name other than index.json", source)
		}
		files["scenarios/"+id+".json"] = content
		nodes := s.Cluster.Nodes
		if len(s.Workload.Raw) > 0 || len(s.Workload.Trace) > 0 {
			nodes = 0
		}
		index = append(index, Entry{id, s.Name, s.System, nodes, s.About})
	}
	files["scenarios/index.json"], err = json.Marshal(index)
	return files, err
}

// palettes copies assets/palettes.
func palettes(root string) (Files, error) {
	sources, err := folder(root, "palettes", "")
	if err != nil {
		return nil, err
	}
	files := Files{}
	for _, source := range sources {
		if files[path.Join("palettes", filepath.Base(source))], err = os.ReadFile(source); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// folder lists the files of assets/name with an ending, in the order of their
// names; a folder that is not there is empty.
func folder(root, name, ending string) ([]string, error) {
	dir := filepath.Join(root, "assets", name)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ending) && !strings.HasPrefix(e.Name(), ".") {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found, nil
}
