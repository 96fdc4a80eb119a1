package question

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
	"parley/core/words"
)

// Columns that a list of prices may have.
const (
	ofType = iota
	ofHour
	ofMonth
	ofZone
	ofRegion
	ofCapacity
	ofSystem
	ofCurrency
	ofAsset
	ofCPU
	ofMemory
	ofStorage
	ofPods
	ofGPUs
	ofVolumes
	ofArch
	ofLabels
	ofTaints
	priceColumns
)

// columnNames are the names of columns, as people, OpenCost and the clouds write them, without case, blanks and
// signs. Of two columns for one thing the name that stands first here counts.
var columnNames = [priceColumns][]string{
	ofType: {"type", "instancetype", "machinetype", "nodetype", "vmsize", "flavor", "shape", "sku", "apiname", "size", "instance", "name"},
	ofHour: {
		"price", "priceperhour", "priceh", "pricehour", "hourly", "hourlyprice", "hourlycost", "hourlyrate", "costperhour", "marketpricehourly", "usdh", "usdhr", "usdhour", "usdperhour",
		"eurh", "eurhour", "eurperhour", "ondemandhourly", "ondemandprice", "ondemand", "linuxondemandcost", "spotprice", "cost", "rate",
	},
	ofMonth:    {"monthly", "permonth", "pricepermonth", "pricemonth", "monthlyprice", "monthlycost", "costpermonth", "usdmonth", "eurmonth", "month"},
	ofZone:     {"zone", "availabilityzone", "az"},
	ofRegion:   {"region", "location"},
	ofCapacity: {"capacity", "capacitytype", "lifecycle", "purchaseoption", "purchaseoptions", "purchasing", "purchasetype", "priority"},
	ofSystem:   {"os", "operatingsystem", "platform", "productdescription"},
	ofCurrency: {"currency"},
	ofAsset:    {"assetclass"},
	ofCPU:      {"cpu", "vcpu", "vcpus", "cpus", "cores"},
	ofMemory:   {"memory", "memorygib", "memorygb", "memorymib", "memorymb", "ram", "ramgib", "ramgb", "mem"},
	ofStorage:  {"ephemeralstorage", "ephemeralstoragegib"},
	ofPods:     {"pods", "maxpods"},
	ofGPUs:     {"gpus", "gpu", "gpucount"},
	ofVolumes:  {"volumes", "maxvolumes", "attachablevolumes"},
	ofArch:     {"arch", "architecture"},
	ofLabels:   {"labels"},
	ofTaints:   {"taints"},
}

// bare returns a name without case, blanks and signs.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

const hintPrices = "give CSV with the columns type and price (an hour), perhaps zone, region, capacity, os and currency: type,price"

// priceList reads a list of prices.
type priceList struct {
	name   string
	t      *Table
	at     [priceColumns]int // places of columns, -1 of those that are missing
	seen   map[Price]priceLine
	heads  []string
	spot   bool // a column of spot prices
	symbol string
	// extended are the places of columns of extended resources.
	extended []int
	// unit is what rows are numbered by, line or entry; lines are those of the entries of YAML, by place or by name.
	unit  string
	lines []int
	named map[string]int
}

type priceLine struct {
	line int
	hour float64
}

// ReadPrices reads prices of machine types: CSV whose columns are told by their names, with commas, semicolons or
// tabs between them, or JSON of the same fields. It needs a type and a price, an hour or a month. name is the
// file's, for errors.
func ReadPrices(name string, text []byte) (*Table, error) { return ReadTypes(name, text, nil) }

// ReadTypes is ReadPrices that also reads YAML. toJSON turns YAML into JSON, or returns why it cannot, as dump.ToJSON
// does.
func ReadTypes(name string, text []byte, toJSON func(text []byte) (document []byte, reason string)) (*Table, error) {
	r := &priceList{name: name, t: &Table{}, seen: map[Price]priceLine{}, unit: "line"}
	text, err := io.ReadAll(trace.AsUTF8(bufio.NewReader(bytes.NewReader(text)))) // as a spreadsheet saves it
	if err != nil {
		return nil, fmt.Errorf("%s is no text: %s", name, hintPrices)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if toJSON != nil && isYAML(name, text) {
		document, reason := toJSON(text)
		if reason != "" {
			return nil, fmt.Errorf("%s %s: %s", name, reason, hintTypes)
		}
		r.findEntries(text)
		text = document
	}
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0 || string(text) == "null":
		return nil, fmt.Errorf("%s is empty: %s", name, hintPrices)
	case text[0] == '{' || text[0] == '[':
		err = r.json(text)
	case text[0] == '<':
		return nil, fmt.Errorf("%s is a web page, no list of prices: %s", name, hintPrices)
	default:
		err = r.csv(text)
	}
	if err != nil {
		return nil, err
	}
	if len(r.t.Prices)+len(r.t.machines) == 0 {
		return nil, fmt.Errorf("%s has no prices: write a line such as m6i.xlarge,0.192 below the column names", name)
	}
	if r.t.Currency == "" {
		r.t.Currency = cmp.Or(r.symbol, "credits")
	}
	return r.t, nil
}

// columns finds the places of columns by their names and lists those that it does not use in the table. It
// fails without a column of the type, and without a price or a size.
func (r *priceList) columns(head []string) error {
	r.heads = head
	used := make([]bool, len(head))
	for c, names := range columnNames {
		r.at[c] = -1
		for _, want := range names {
			if i := slices.IndexFunc(head, func(h string) bool { return bare(h) == want }); i >= 0 && !used[i] {
				r.at[c], used[i] = i, true
				r.spot = r.spot || want == "spotprice"
				break
			}
		}
	}
	switch {
	case r.at[ofType] < 0:
		return fmt.Errorf("%s, line 1: no column names the machine type; %s", r.name, hintPrices)
	case r.at[ofHour] < 0 && r.at[ofMonth] < 0 && (r.at[ofCPU] < 0 || r.at[ofMemory] < 0):
		return fmt.Errorf("%s, line 1: no column of %s is known for a price an hour or a month; %s", r.name, quoted(head), hintPrices)
	}
	for i, h := range head {
		if r.sizes() && strings.Contains(h, "/") && !used[i] { // a resource such as amd.com/gpu
			r.extended, used[i] = append(r.extended, i), true
		}
		if !used[i] && strings.TrimSpace(h) != "" {
			r.t.ignored = append(r.t.ignored, strings.TrimSpace(h))
		}
	}
	return nil
}

// quoted lists at most eight names.
func quoted(names []string) string {
	var all []string
	for i, n := range names {
		if i == 8 {
			all = append(all, "…")
			break
		}
		all = append(all, strconv.Quote(shorten(strings.TrimSpace(n))))
	}
	return strings.Join(all, ", ")
}

func shorten(name string) string { return words.Cut(name, 40) }

// csv reads the rows of CSV into the table, with any separator and with comments after #. Without a header,
// rows of two cells are a type and a price.
func (r *priceList) csv(text []byte) error {
	c := csv.NewReader(bytes.NewReader(text))
	c.TrimLeadingSpace, c.Comment, c.FieldsPerRecord, c.LazyQuotes = true, '#', -1, true
	c.Comma = separator(text)
	for first := true; ; first = false {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return fmt.Errorf("%s, line %d: %w", r.name, bad.Line, bad.Err)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", r.name, err)
		}
		line, _ := c.FieldPos(0)
		if first {
			if len(row) != 2 || !isAmount(row[1]) { // two columns without names are a type and a price
				if err := r.columns(row); err != nil {
					return err
				}
				continue
			}
			if err := r.columns([]string{"type", "price"}); err != nil {
				return err
			}
		}
		if len(row) < len(r.heads) && len(row) <= max(r.at[ofType], r.at[ofHour]) {
			return fmt.Errorf("%s, line %d: it has %d of %d columns; write all of them", r.name, line, len(row), len(r.heads))
		}
		if err := r.row(line, func(i int) string {
			if i >= 0 && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}); err != nil {
			return err
		}
	}
}

// separator returns the separator of columns in the first line that is not a comment.
func separator(text []byte) rune {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, sign := range ";\t|" {
			if bytes.ContainsRune(line, sign) {
				return sign
			}
		}
		break
	}
	return ','
}

// json reads {"m5.large": 0.096}, or a list of objects whose fields are named as columns, perhaps within
// one field of an object. Errors count lines if the text was YAML and its lines are known, otherwise
// entries.
func (r *priceList) json(text []byte) error {
	var doc any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if _, at := strict.Nesting(text, strict.Depth); at >= 0 || in.Decode(&doc) != nil {
		return fmt.Errorf("%s is no sound JSON: %s", r.name, hintPrices)
	}
	list, _ := doc.([]any)
	fields, _ := doc.(map[string]any)
	names := slices.Sorted(maps.Keys(fields))
	plain := fields["CPU"] == nil // OpenCost's prices of a core and of memory are none of machines
	for _, name := range names {
		if all, is := fields[name].([]any); is {
			list = all
		}
		plain = plain && isAmount(cell(fields[name]))
	}
	if len(names) > 0 && plain {
		if err := r.columns([]string{"type", "price"}); err != nil {
			return err
		}
		for i, name := range names {
			line, known := r.named[name]
			if r.unit = "line"; !known {
				r.unit, line = "entry", i+1
			}
			if err := r.row(line, func(place int) string {
				switch place {
				case r.at[ofType]:
					return name
				case r.at[ofHour]:
					return cell(fields[name])
				}
				return ""
			}); err != nil {
				return err
			}
		}
		return nil
	}
	head := map[string]bool{}
	for _, v := range list {
		object, is := v.(map[string]any)
		if !is {
			list = nil
			break
		}
		for name := range object {
			head[name] = true
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has other fields than a list of machine types with their prices: %s", r.name, hintPrices)
	}
	if err := r.columns(slices.Sorted(maps.Keys(head))); err != nil {
		return err
	}
	if r.unit = "line"; len(r.lines) != len(list) {
		r.unit, r.lines = "entry", make([]int, len(list))
		for i := range list {
			r.lines[i] = i + 1
		}
	}
	for i, v := range list {
		if err := r.row(r.lines[i], func(at int) string {
			if at >= 0 {
				return cell(v.(map[string]any)[r.heads[at]])
			}
			return ""
		}); err != nil {
			return err
		}
	}
	return nil
}

// cell returns a text or a number of JSON as a cell, lists and objects as key=value;key=value, "" of all else.
func cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		all := make([]string, len(v))
		for i := range v {
			all[i] = cell(v[i])
		}
		return strings.Join(all, ";")
	case map[string]any:
		if key, is := v["key"].(string); is && v["effect"] != nil { // a taint, as nodes have it
			return key + "=" + cell(v["value"]) + ":" + cell(v["effect"])
		}
		var all []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, key+"="+cell(v[key]))
		}
		return strings.Join(all, ";")
	}
	return ""
}

// row reads a price and the size of a machine. at returns a cell by the place of its column.
func (r *priceList) row(line int, at func(place int) string) error {
	field := func(column int) string { return at(r.at[column]) }
	if asset := field(ofAsset); asset != "" && !strings.EqualFold(asset, "node") {
		return nil // OpenCost has volumes and GPUs in the same list
	}
	column, text := "price", field(ofHour)
	months := r.at[ofHour] < 0 || text == ""
	if months {
		column, text = r.heads[max(0, r.at[ofMonth])], field(ofMonth)
	}
	if of := strings.ToLower(text); r.at[ofMonth] < 0 && (of == "" || of == "-" || of == "n/a" || of == "na" || of == "unavailable") {
		if field(ofType) == "" {
			return nil
		}
		if text == "" && !r.sizes() {
			return fmt.Errorf("%s, %s %d, column price: %q is not a price an hour; write a number such as 0.384", r.name, r.unit, line, text)
		}
		if r.at[ofHour] >= 0 {
			r.t.unpriced++
		}
		r.machine(line, at)
		return nil
	}
	value, currency, monthly, ok := money(text)
	if !ok {
		return fmt.Errorf("%s, %s %d, column %s: %q is not a price an hour; write a number such as 0.384", r.name, r.unit, line, column, text)
	}
	if months || monthly {
		value /= HoursOfMonth
	}
	if r.symbol = cmp.Or(currency, r.symbol); field(ofType) == "" {
		return fmt.Errorf("%s, %s %d, column type: it is empty; name a machine type", r.name, r.unit, line)
	}
	if currency := field(ofCurrency); currency != "" {
		if r.t.Currency != "" && r.t.Currency != currency {
			return fmt.Errorf("%s, %s %d: the currency is %s, and before it was %s; use one", r.name, r.unit, line, currency, r.t.Currency)
		}
		r.t.Currency = currency
	}
	p := Price{
		Type: field(ofType), Zone: field(ofZone), Region: field(ofRegion), Capacity: field(ofCapacity),
		System: system(field(ofSystem)),
	}
	if r.spot && p.Capacity == "" {
		p.Capacity = "spot"
	}
	key := p
	key.Type, key.Zone, key.Region, key.Capacity = strings.ToLower(p.Type), strings.ToLower(p.Zone),
		strings.ToLower(p.Region), strings.ToLower(p.Capacity)
	if before, again := r.seen[key]; again && before.hour != value {
		return fmt.Errorf("%s, %s %d: %s has two prices, %s here and %s in %s %d; leave one, or tell them apart by zone, region, capacity or os", r.name, r.unit, line, p.Type, digits(value), digits(before.hour), r.unit, before.line)
	} else if again {
		return nil
	}
	r.seen[key] = priceLine{line, value}
	p.Hour = value
	r.t.Prices = append(r.t.Prices, p)
	r.machine(line, at)
	return nil
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// system returns the operating system of a price, "" of a word that is none.
func system(word string) string {
	word = strings.ToLower(word)
	switch {
	case strings.Contains(word, "windows"):
		return "windows"
	case strings.Contains(word, "linux"), strings.Contains(word, "rhel"), strings.Contains(word, "suse"), strings.Contains(word, "ubuntu"):
		return "linux"
	}
	return word
}

// symbols are signs and words of currencies in cells.
var symbols = []struct{ sign, currency string }{{"US$", "USD"}, {"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}, {"USD", "USD"}, {"EUR", "EUR"}, {"GBP", "GBP"}}

// isAmount reports whether a cell is a price.
func isAmount(text string) bool { _, _, _, ok := money(text); return ok }

// money reads a price as people write it: 0.096, 0,096, $0.096 hourly, 70.08 USD/month.
func money(text string) (value float64, currency string, monthly, ok bool) {
	text = strings.TrimSpace(text)
	for _, s := range symbols {
		if i := strings.Index(strings.ToUpper(text), s.sign); i >= 0 && i+len(s.sign) <= len(text) {
			text, currency = strings.TrimSpace(text[:i]+" "+text[i+len(s.sign):]), s.currency
			break
		}
	}
	number, unit := text, ""
	if i := strings.IndexFunc(text, func(r rune) bool { return r == ' ' || r == '/' }); i >= 0 {
		number, unit = text[:i], bare(text[i:])
	}
	switch unit {
	case "", "hourly", "h", "hr", "hour", "perhour", "hrs":
	case "monthly", "month", "mo", "permonth":
		monthly = true
	default:
		return 0, "", false, false
	}
	switch comma, dot := strings.LastIndexByte(number, ','), strings.LastIndexByte(number, '.'); {
	case comma >= 0 && dot > comma:
		number = strings.ReplaceAll(number, ",", "")
	case comma >= 0 && dot >= 0:
		number = strings.Replace(strings.ReplaceAll(number, ".", ""), ",", ".", 1)
	case comma >= 0:
		number = strings.Replace(number, ",", ".", 1)
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0 && value <= 1e9) { // NaN too
		return 0, "", false, false
	}
	return value, currency, monthly, true
}
