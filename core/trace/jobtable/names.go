package jobtable

import "strings"

// known are the names of columns by field, the best first, as folded spells them: those of
// Slurm, PBS, SGE, HTCondor, OAR, Batsim and public data sets, then German and French ones.
var known = [fields]string{
	id:         "jobid jobidraw cobaltjobid globaljobid idjob clusterid jobnumber jobno jobnr job id taskid auftragsid auftragsnummer jobnummer jobkennung auftrag nummer nr numero tache idtache",
	submit:     "submit submitraw submittime submitted timesubmit tsubmit submissiontime submitdate submissiondate qsubtime qdate qtime creationtime created createdat queuedat queueddttm submittedat enqueuedat queuedtimestamp timesubmission taskcreatetime arrival arrivaltime arrivedat arrive submittimestamp submissiontimestamp submitts jobsubmittime submittedtime eingereicht eingereichtam einreichung einreichzeit einreichungszeit abgabe abgabezeit eingang eingangszeit abgeschickt ankunft soumission soumis soumisle datesoumission datedesoumission heuresoumission depot timestamp timesubmitted submitat createtime",
	start:      "start startraw starttime started timestart trun starttimestamp begintime begin startingtime startdate startedat scheduledtime jobcurrentstartdate jobstartdate beginn anfang startzeit startzeitpunkt beginnzeit gestartet debut datedebut datededebut demarrage heuredebut startts startat timestarted",
	end:        "end endraw endtime ended complete timeend tcleanup tinactive endtimestamp finishtime finished finish enddate endedat finishedat completedat stoppedat completiontime completiondate stoptime stop deletiontime taskendtime ende endzeit endzeitpunkt fertig beendet fin datefin datedefin heurefin endts endat finishts timeended timefinished",
	runtime:    "elapsedraw elapsed elapsedtime realtime runtime run executiontime servicetime processingtime jobruntime jobduration runningtime resourcesusedwalltime ruwallclock remotewallclocktime wallclockruntime runtimeseconds wallclock duration laufzeit dauer rechenzeit duree dureeexecution tempsexecution tempsdexecution",
	processors: "alloccpus ncpus reqcpus alloctres reqtres processors processorsreq numprocessors requestednumberofresources cpusreq cpusalloc cpus procs cores ncores coresused numcpus nproc nprocs numcores numcoresalloc numcoresreq slots requestcpus usedprocessors prozessoren anzahlprozessoren prozessorkerne kerne anzahlkerne rechenkerne processeurs nbprocesseurs nombredeprocesseurs coeurs nbcoeurs nombredecoeurs numberofprocessors requestedprocessors allocatedprocessors numberofcpus numberofcores ncpu proccnt totalcpus totalcores cpucount corecount proc reqprocs requestedprocs allocatedprocs usedprocs requestedcpus requestedcores cpusrequested coresrequested allocatedcpus allocatedcores cpusallocated coresallocated vcpus vcpu numvcpus containervcpus poolslots " + gpuNames,
	requested:  "timelimitraw timelimit requestedtime reqtime resourcelistwalltime requestedwalltime walltimerequested reqwalltime walltimereq walltime wallclocklimit wallclockreq walltimelimit limit estimate zeitlimit laufzeitlimit angefordertezeit beantragtezeit maximallaufzeit limite limitetemps limitedetemps dureedemandee tempsdemande",
	user:       "user username usernamegenid uid userid iduser owner benutzer benutzername nutzer anwender kennung utilisateur usager owner submitter submittedby",
	group:      "account group groupname gid groupid idgroup project gruppe projekt konto groupe projet compte",
	queue:      "partition vc virtualcluster queue queuename jobqueue warteschlange schlange file filedattente",
	state:      "state status stat jobstate jobstatus finalstate zustand etat statut",
	qos:        "qos qosname qualityofservice idqos",
	dependency: "dependency dependencies depend dependson",
	throttle:   "arraytaskthrottle arraymaxtasks maxrunsubjobs throttle",
	exclusive:  "exclusive oversubscribe",
	switches:   "switches reqswitch requiredswitches",
	command:    "submitline",
	name:       "jobname name",
	preceding:  "precjob precedingjob precedingjobnumber",
	think:      "thinktime thinktimefromprecedingjob",
	memory:     "reqmem memory memreq totalmbreq memorymib speicher arbeitsspeicher memoire",
}

// gpuNames are the names of columns that count the GPUs of a job, in logs of clusters of GPUs.
const gpuNames = "numgpu numgpus gpunum gpus ngpus gpu gpucount requestedgpus gpurequest gpusreq gpusrequested gpurequested gpusallocated allocatedgpus gpusalloc gpusused usedgpus reqgpus numberofgpus totalgpus gpustotal nbgpus accelerators numaccelerators worldsize"

// folds are letters as names are compared.
var folds = strings.NewReplacer(
	"ä", "a", "ö", "o", "ü", "u", "ß", "ss", "é", "e", "è", "e", "ê", "e", "à", "a", "â", "a", "ç", "c", "î",
	"i", "ô", "o", "œ", "oe", "û", "u", "ù", "u",
	"ae", "a", "ue", "u", "'", "", "’", "",
)

// folded returns a name as names are compared: lower case, without accents and signs. A unit
// at its end, such as "(s)", "[min]" or "_seconds", is returned apart.
func folded(name string) (word, unitOf string) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, brackets := range []string{"()", "[]"} {
		if i := strings.IndexByte(name, brackets[0]); i > 0 && strings.HasSuffix(name, brackets[1:]) {
			unitOf = unitWords[strings.TrimSpace(name[i+1:len(name)-1])]
			name = name[:i]
		}
	}
	if i := strings.LastIndexAny(name, "_ ."); unitOf == "" && i > 0 {
		if u, is := unitWords[name[i+1:]]; is {
			name, unitOf = strings.TrimSuffix(strings.TrimSuffix(name[:i], " in"), "_in"), u
		}
	}
	word = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, folds.Replace(name))
	if word == folds.Replace("requested") && unitOf != "" { // requested_minutes; without a unit it may count anything
		word += "time"
	}
	return word, unitOf
}

// unitWords are the units that names of columns end in.
var unitWords = map[string]string{
	"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "sek": "s", "sekunden": "s", "secondes": "s",
	"ms": "ms", "millis": "ms", "milliseconds": "ms", "us": "us", "ns": "ns",
	"m": "min", "min": "min", "mins": "min", "minute": "min", "minutes": "min", "minuten": "min",
	"h": "h", "hour": "h", "hours": "h", "stunden": "h", "heures": "h", "d": "d", "day": "d", "days": "d", "tage": "d",
	"jours": "d",
}

// byName returns the column that a field is most likely in; -1 if none has a known name.
// words are the folded names of the columns.
func byName(f field, words []string, taken []bool) int {
	for k := range strings.FieldsSeq(known[f]) {
		name, _ := folded(k)
		for i, word := range words {
			if !taken[i] && word == name {
				return i
			}
		}
	}
	return -1
}

// byLeaf is byName for members of objects within objects, such as resources.cpus, by the last part of their
// names.
func byLeaf(f field, names []string, taken []bool) int {
	words := make([]string, len(names))
	for i, name := range names {
		if k := strings.LastIndexByte(name, '.'); k > 0 {
			words[i], _ = folded(name[k+1:])
		}
	}
	return byName(f, words, taken)
}
