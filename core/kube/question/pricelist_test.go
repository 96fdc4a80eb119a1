package question_test

import (
	"math"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/question"
)

// TestPriceLists: a list says the same price in whatever form people keep it.
func TestPriceLists(t *testing.T) {
	n := &kube.Node{Labels: kube.NewLabels(map[string]string{kube.InstanceTypeLabel: "m5.large", kube.ZoneLabel: "us-east-2a", kube.RegionLabel: "us-east-2"})}
	for text, currency := range map[string]string{
		"type,price\nm5.large,0.096\n":                                                     "credits",
		"m5.large,0.096\n":                                                                 "credits",
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
		`{"CPU":"0.03","RAM":"0.004"}`:            "is JSON with other fields",
		`{"m":`:                                   "is no sound JSON",
		`[1,2]`:                                   "is JSON with other fields",
		`[]`:                                      "is JSON with other fields",
		strings.Repeat("[", 100):                  "is no sound JSON",
	} {
		if _, err := question.ReadPrices("p.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// FuzzPrices: a list is read, or refused in one sentence that names it.
func FuzzPrices(f *testing.F) {
	for _, text := range []string{"type,price\nm,1\n", "type;price\nm;0,5\n", `{"m":1}`, `[{"type":"m","price":"$1"}]`, "m,1 USD/month\n", "\"type\",\"price\"\n\"m\",\"1,234.5\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := question.ReadPrices("p.csv", text)
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
