package jobtable

import (
	"bytes"
	"strconv"
	"strings"

	"parley/core/unit"
)

// flags are the options of sbatch, salloc and srun that take no value of their own.
var flags = map[string]bool{
	"--exclusive": true, "--wait": true, "-W": true, "--requeue": true, "--no-requeue": true, "--hold": true,
	"-H": true, "--parsable": true, "--overcommit": true, "-O": true,
	"--oversubscribe": true, "-s": true, "--share": true, "--quiet": true, "-Q": true, "--verbose": true,
	"-v": true, "--contiguous": true, "--spread-job": true, "--test-only": true,
	"--ignore-pbs": true, "--use-min-nodes": true, "--reboot": true, "--no-kill": true, "-k": true,
	"--immediate": true, "-I": true, "--pty": true, "--no-shell": true,
}

// options reads the options of a line such as sbatch --dependency=afterok:12 --array=1-9%2 --exclusive job.sh.
// Options after the script belong to the script.
func (j *job) options(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return
	}
	switch words[0][strings.LastIndexByte(words[0], '/')+1:] {
	case "sbatch", "salloc", "srun":
	default:
		return
	}
	for i := 1; i < len(words) && words[i][0] == '-' && words[i] != "-"; i++ {
		option, value, has := strings.Cut(words[i], "=")
		switch {
		case !has && flags[option]:
		case !has && option[1] != '-' && len(option) > 2: // -dafterok:12
			option, value = option[:2], option[2:]
		case !has && i+1 < len(words):
			i++
			value = words[i]
		}
		switch value = strings.Trim(value, `"'`); option {
		case "--dependency", "-d":
			if j.depends == "" {
				j.depends = value
			}
		case "--array", "-a":
			if j.throttle == 0 {
				j.throttle = throttleIn(value)
			}
		case "--exclusive":
			j.alone = j.alone || value == ""
			j.partly = j.partly || value != ""
		case "--switches":
			if j.switches == 0 {
				j.few(value)
			}
		}
	}
}

// few reads the most leaf switches that a job may use, and how long it waits for so few: 1, 1@10 (minutes), 1@10:00 or
// 1@2-12 (days and hours). Without a time it waits as long as its site lets it.
func (j *job) few(text string) {
	number, wait, _ := strings.Cut(text, "@")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n <= 0 { // 0 and anything but a number request nothing
		return
	}
	j.switches, j.switchWait = int32(n), unit.Forever
	days, clock, has := strings.Cut(wait, "-")
	units := []unit.Time{unit.Hour, unit.Minute, unit.Second}
	if !has {
		days, clock = "0", wait
	}
	parts := strings.Split(clock, ":")
	if !has && len(parts) < 3 {
		units = units[1:]
	}
	sum := unit.Time(0)
	for i, part := range append([]string{days}, parts...) {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || i > len(units) {
			return
		}
		each := unit.Day
		if i > 0 {
			each = units[i-1]
		}
		sum += min(unit.Time(n), longest/each) * each
	}
	j.switchWait = min(sum, longest)
}

// throttleIn returns the 2 of 5-9%2 or [5-9%2]; 0 if there is none.
func throttleIn(elements string) int32 {
	_, limit, is := strings.Cut(elements, "%")
	n, err := strconv.ParseInt(strings.TrimSuffix(limit, "]"), 10, 32)
	if !is || err != nil || n < 0 {
		return 0
	}
	return int32(n)
}

// shared reads whether a job has its nodes alone: a column of Slurm's OverSubscribe says the opposite of the others,
// and PBS has a list such as scatter:excl.
func (j *job) shared(cell []byte, opposite bool) {
	text := strings.ToLower(string(bytes.TrimSpace(cell)))
	if text == "user" || text == "mcs" || text == "topo" {
		j.partly = true
		return
	}
	if opposite {
		j.alone = text == "no"
		return
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ':' || c == ',' }) {
		switch word {
		case "yes", "y", "true", "1", "node", "exclusive", "excl", "exclhost":
			j.alone = true
		}
	}
}
