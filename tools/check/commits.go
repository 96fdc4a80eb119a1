package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"unicode/utf8"
)

const (
	recentCommits = 100
	longSubject   = 72 // characters
)

// commits counts the long subjects and the missing bodies of the latest commits, merges separately.
// It is empty outside a git checkout. It fails no check.
func commits(ctx context.Context, root string) string {
	log := exec.CommandContext(ctx, "git", "log", "--no-merges", fmt.Sprintf("-%d", recentCommits),
		"--format=%s%x1f%b%x1e")
	log.Dir = root
	text, err := log.Output()
	if err != nil {
		return ""
	}
	all, long, bare := countCommits(string(text))
	return fmt.Sprintf("commits: of the last %d, %d have a subject of more than %d characters and %d no body",
		all, long, longSubject, bare)
}

// countCommits counts messages that end with a record separator and have a unit separator
// between subject and body.
func countCommits(log string) (all, long, bare int) {
	for message := range strings.SplitSeq(strings.TrimSpace(log), "\x1e") {
		subject, body, found := strings.Cut(message, "\x1f")
		if !found {
			continue
		}
		all++
		if utf8.RuneCountInString(strings.TrimSpace(subject)) > longSubject {
			long++
		}
		if strings.TrimSpace(body) == "" {
			bare++
		}
	}
	return all, long, bare
}
