package bundle

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley/core/run/full"
	"parley/core/study/challenge"
	"parley/core/system/program"
	"parley/tools/gallery/cards"
	"parley/tools/gallery/keyframes"
	"parley/tools/gallery/papers"
)

// scenarios returns the files of the gallery: its index of cards, the scenario and the pictures of each, and the
// clusters of the questions.
func scenarios(root string) (Files, error) {
	questions, err := cards.Questions(root)
	if err != nil {
		return nil, err
	}
	index, err := cards.Read(root, questions)
	if err != nil {
		return nil, err
	}
	files := Files{}
	for _, card := range index {
		if files["scenarios/"+card.ID+".json"],
			err = os.ReadFile(filepath.Join(root, "assets", "scenarios", card.ID+".json")); err != nil {
			return nil, err
		}
		for _, name := range card.Pictures() {
			if files["gallery/"+name],
				err = os.ReadFile(filepath.Join(root, filepath.FromSlash(cards.Folder), name)); err != nil {
				return nil, err
			}
		}
	}
	if files["gallery/"+cards.Clusters],
		err = os.ReadFile(filepath.Join(root, filepath.FromSlash(cards.Folder), cards.Clusters)); err != nil {
		return nil, err
	}
	files["gallery/"+cards.Index], err = json.Marshal(index)
	return files, err
}

// systems writes the descriptions of all systems, for a page whose first program
// has only some of them.
func systems(string) (Files, error) {
	list, err := json.Marshal(full.Systems().Descriptions())
	return Files{"systems.json": list}, err
}

// programs writes the data of the editor of programs: the examples, and the names that a
// program can use, for completion.
func programs(string) (Files, error) {
	text, err := json.Marshal(map[string]any{
		"examples": program.Examples(), "hooks": program.Hooks(), "functions": program.Functions(),
		"cluster": program.ClusterFields(), "node": program.NodeFields(), "task": program.TaskFields(),
		"job": program.JobFields(),
	})
	return Files{"programs.json": text}, err
}

// recordings copies the data that the page shows before the simulation is loaded, and before an
// experiment is run.
func recordings(root string) (Files, error) {
	files := Files{}
	for _, name := range []string{keyframes.File, papers.File, challenge.File} {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files[path.Base(name)] = content
	}
	return files, nil
}

// recordedChoices copies assets/choices: the recorded choices of the gallery's large cells.
func recordedChoices(root string) (Files, error) {
	sources, err := folder(root, "choices", ".bin")
	if err != nil {
		return nil, err
	}
	files := Files{}
	for _, source := range sources {
		if files[path.Join("choices", filepath.Base(source))], err = os.ReadFile(source); err != nil {
			return nil, err
		}
	}
	return files, nil
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
