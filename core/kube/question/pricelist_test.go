package question_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/kube/question"
)

// TestPriceLists: a list says the same price in whatever form people keep it.
func TestPriceLists(t *testing.T) {
	n := &kube.Node{Labels: kube.NewLabels(map[string]string{kube.InstanceTypeLabel: "m5.large", kube.ZoneLabel: "us-east-2a", kube.RegionLabel: "us-east-2"})}
	for text, currency := range map[string]string{
		"type,price\nm5.large,0.096\n": "credits",
		"\xff\xfet\x00y\x00p\x00e\x00\t\x00p\x00r\x00i\x00c\x00e\x00\n\x00m\x005\x00.\x00l\x00a\x00r\x00g\x00e\x00\t\x000\x00,\x000\x009\x006\x00": "credits",
		"m5.large,0.096\n": "credits",
		"\ufefftype,price\r\n# on demand\r\nm5.large,0.096\r\n":                            "credits",
		"instance_type,price_per_hour\nM5.Large,0.096\n":                                   "credits",
		"type;price\nm5.large;0,096\n":                                                     "credits",
		"Machine type\tEUR/h\nm5.large\t0,096\n":                                           "credits",
		"type,price,currency\nm5.large,0.096,EUR\n":                                        "EUR",
		"type,price\nm5.large,$0.096\n":                                                    "USD",
		"type,price\nm5.large,0.096 USD\n":                                                 "USD",
		"type,price\nm5.large,€0.096\n":                                                    "EUR",
		"type,vcpu,memory,monthly\nm5.large,2,8 GiB,70.08\n":                               "credits",
		"type,price\nm5.large,70.08/month\n":                                               "credits",
		"type,price\nm5.large,N/A\nm5.large,0.096\n":                                       "credits",
		"type,os,price\nm5.large,Windows,0.188\nm5.large,Linux,0.096\n":                    "credits",
		"type,region,price\nm5.large,us-east-1,0.5\nm5.large,us-east-2,0.096\n":            "credits",
		"type,region,price\nm5.large,,0.5\nm5.large,us-east-2,0.096\n":                     "credits",
		"Instance Type;Lifecycle;USD/h\nm5.large;On Demand;0,096\nm5.large;Spot;0,03\n":    "credits",
		"Name,API Name,Linux On Demand cost\nM5 General Large,m5.large,$0.096000 hourly\n": "USD",
		`{"m5.large":0.096}`:                                                               "credits",
		`[{"type":"m5.large","price":0.096}]`:                                              "credits",
		`{"prices":[{"instanceType":"c5.large","price":"0.085"},{"instanceType":"m5.large","price":"$0.096","zone":"us-east-2a"}]}`: "USD",
		// https://www.opencost.io/docs/configuration/on-prem
		"EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n2028-01-06 23:34:45 UTC,,us-east-2,node,x,m5.large,0.096,\n,,us-east-2,pv,x,,0.4,\n": "credits",
	} {
		table, err := question.ReadPrices("p.csv", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if hour, known := table.Of(n); !known || math.Abs(hour-0.096) > 1e-12 || table.Currency != currency {
			t.Errorf("%q: %v %s, %v; want 0.096 %s", text, hour, table.Currency, known, currency)
		}
	}
	spot := "InstanceType,SpotPrice,AvailabilityZone\nm5.large,0.03,us-east-2a\n"
	table, err := question.ReadPrices("p.csv", []byte(spot))
	if err != nil {
		t.Fatal(err)
	}
	if _, known := table.Of(n); known {
		t.Error("a node on demand has a spot price")
	}
}

// TestPrices: each trouble with a list of prices is one sentence with its line, and what to do.
func TestPrices(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "is empty",
		"price\n1\n":              "no column names the machine type",
		"type,color\nm,red\n":     "no column of \"type\", \"color\" is known for a price",
		"type,price\n":            "has no prices",
		"type,price\nm,x\n":       `line 2, column price: "x"`,
		"type,price\nm,-1\n":      `line 2, column price: "-1"`,
		"type,price\nm,NaN\n":     `line 2, column price: "NaN"`,
		"type,price\nm,\n":        `line 2, column price: ""`,
		"type,price\nm,1e400\n":   `line 2, column price: "1e400"`,
		"type,price\nm,1 a day\n": `line 2, column price: "1 a day"`,
		"type,price\n,1\n":        "line 2, column type",
		"type,price\nm\n":         "line 2: it has 1 of 2 columns",
		"type,price,currency\nm,1,EUR\nn,1,USD\n": "line 3: the currency is USD",
		"type,price\nm,1\n\nM,2\n":                "line 4: M has two prices, 2 here and 1 in line 2",
		"<html>":                                  "is a web page",
		`{"CPU":"0.03","RAM":"0.004"}`:            "has other fields than a list",
		`{"m":`:                                   "is no sound JSON",
		`[1,2]`:                                   "has other fields than a list",
		`[]`:                                      "has other fields than a list",
		strings.Repeat("[", 100):                  "is no sound JSON",
	} {
		if _, err := question.ReadPrices("p.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzPrices: a list is read, or refused in one sentence that names it.
func FuzzPrices(f *testing.F) {
	for _, text := range []string{"type,price\nm,1\n", "type;price\nm;0,5\n", `{"m":1}`, `[{"type":"m","price":"$1"}]`, "m,1 USD/month\n", "- type: m\n  price: 1\n- {type: n, cpu: 2, memory: 4Gi, taints: [{key: a, value: true, effect: NoSchedule}]}\n", "m: 0.5\n", "types:\n- type: m\n  price: $2\n", "\"type\",\"price\"\n\"m\",\"1,234.5\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := question.ReadTypes("p.csv", text, dump.ToJSON)
		if err != nil && (!strings.HasPrefix(err.Error(), "p.csv") || strings.ContainsAny(err.Error(), "\n\r")) {
			t.Errorf("%q: %v is no sentence", text, err)
		}
		if err == nil {
			for _, p := range table.Prices {
				if p.Type == "" || !(p.Hour >= 0) || math.IsInf(p.Hour, 0) {
					t.Errorf("%q: %+v", text, p)
				}
			}
		}
	})
}

// TestTypesInYAML: a catalogue in YAML is the one in CSV, and an error in it names its line.
func TestTypesInYAML(t *testing.T) {
	want, err := question.ReadPrices("t.csv", []byte("type,cpu,memory,price,gpus,labels,taints\nm7i.large,2,8Gi,0.1,,,\ng6.4xlarge,16,64 GiB,1.32,1,team=ml,nvidia.com/gpu=true:NoSchedule\n"))
	if err != nil {
		t.Fatal(err)
	}
	list := `
  - type: m7i.large # small
    cpu: 2
    memory: 8Gi
    price: 0.1

  - type: g6.4xlarge
    cpu: "16"
    memory: 64 GiB
    price: 1.32
    gpus: 1
    labels: {team: ml}
    taints:
    - key: nvidia.com/gpu
      value: true
      effect: NoSchedule
`
	for _, text := range []string{list, "---" + list, "# ours\ntypes:" + list} {
		got, err := question.ReadTypes("t.txt", []byte(text), dump.ToJSON)
		if err != nil || fmt.Sprintf("%+v", *got) != fmt.Sprintf("%+v", *want) {
			t.Errorf("%s\n%v, %+v, want %+v", text, err, got, want)
		}
	}
	if got, err := question.ReadTypes("t.yml", []byte("m: 0.5\nn: 1 EUR/h\n"), dump.ToJSON); err != nil || len(got.Prices) != 2 || got.Currency != "EUR" {
		t.Errorf("%v %+v", err, got)
	}
	for text, want := range map[string]string{
		"types:\n- type: m\n  price: 1\n\n- type: n\n  price: dear\n": `t.txt, line 5, column price: "dear" is not a price`,
		"- {type: m, price: 1}\n- {type: m, price: 2}\n":              "t.txt, line 2: m has two prices, 2 here and 1 in line 1",
		"- price: 1\n":            "t.txt",
		"m: 1\nn: dear\n":         "t.txt has other fields than a list",
		"- type: m\n  price: [\n": "t.txt is no YAML",
		"- type: m\n price: 1\n":  "t.txt is no YAML",
		"---\n":                   "t.txt is empty",
		"- 1\n":                   "t.txt has other fields than a list",
	} {
		if _, err := question.ReadTypes("t.txt", []byte(text), dump.ToJSON); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
