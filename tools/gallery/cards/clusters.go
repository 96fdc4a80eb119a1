package cards

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"parley/core/kube/question"
	"parley/core/kube/remote"
	"parley/core/message"
	"parley/core/strict"
)

// Clusters is the name of the file that holds the cards about the example cluster.
const Clusters = "clusters.json"

// ClusterQuestion is one entry of assets/clusters.json: a question about the example cluster.
type ClusterQuestion struct {
	ID   string             `json:"id"`
	Asks string             `json:"question"` // in one line
	Ask  message.AskCluster `json:"ask"`
}

// ClusterCard is the gallery's card of a ClusterQuestion.
type ClusterCard struct {
	ClusterQuestion
	Finding string             `json:"finding"` // the answer's sentence
	About   string             `json:"about"`   // the cluster's sentence
	Nodes   []message.DumpNode `json:"nodes"`
	Taken   []int              `json:"taken"` // nodes that the answer takes away
}

// AnswerClusters answers the questions of assets/clusters.json and returns the cards.
func AnswerClusters(root string) ([]ClusterCard, error) {
	path := filepath.Join(root, "assets", Clusters)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var questions []ClusterQuestion
	if err := strict.Decode(text, &questions); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	desk := remote.New(func() time.Duration { return 0 })
	h := remote.Host{Send: func(message.Message) {}}
	dump, is := desk.Answer(message.ReadDump{}, h).(message.DumpRead[question.Summary])
	if !is {
		return nil, errors.New("the example cluster cannot be read")
	}
	cards := []ClusterCard{}
	for _, q := range questions {
		switch answer := desk.Answer(q.Ask, h).(type) {
		case message.ClusterAnswer:
			cards = append(cards, ClusterCard{q, answer.Documents[0].Sentence, dump.Sentence, dump.Nodes, answer.Nodes})
		case message.NewTrouble:
			return nil, fmt.Errorf("%s, %s: %s", path, q.ID, answer.Trouble.Sentence)
		}
	}
	return cards, nil
}

// indexOf returns cards as their file holds them.
func indexOf(cards []ClusterCard) ([]byte, error) {
	text, err := json.Marshal(cards)
	return append(text, '\n'), err
}
