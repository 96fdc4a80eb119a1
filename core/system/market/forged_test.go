package market_test

import (
	"testing"

	"parley/core/system/market"
	"parley/core/system/market/bank"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// TestForgedContracts: a resource confirms what it holds under the user's signature,
// and nothing that differs from it in anything it was promised.
func TestForgedContracts(t *testing.T) {
	for subject, forge := range map[string]func(*bank.Contract, *seal.Signature){
		"":                      func(*bank.Contract, *seal.Signature) {},
		"no true signature":     func(_ *bank.Contract, s *seal.Signature) { s[3]++ },
		"another auction":       func(c *bank.Contract, _ *seal.Signature) { c.Auction++ },
		"another buyer":         func(c *bank.Contract, _ *seal.Signature) { c.User++ },
		"a lower price":         func(c *bank.Contract, _ *seal.Signature) { c.Lots[len(c.Lots)-1].Price-- },
		"a later end":           func(c *bank.Contract, _ *seal.Signature) { c.Lots[len(c.Lots)-1].End += unit.Second },
		"more cores":            func(c *bank.Contract, _ *seal.Signature) { c.Lots[len(c.Lots)-1].Unit.TotalCores++ },
		"another's reservation": func(c *bank.Contract, _ *seal.Signature) { c.Lots[len(c.Lots)-1].Reservation++ },
		"no such unit":          func(c *bank.Contract, _ *seal.Signature) { c.Lots = c.Lots[:len(c.Lots)-1] },
	} {
		for _, first := range []bool{false, true} { // forged by somebody else, or by the user
			w := open(t, `{"cells":4,"sites":[{"name":"s","cores":100,"start_price":50,"min_price":20}],"demand":{"requests":1,"every":"1s","cores":[20],"price":[60,60],"lead":["10m","10m"],"wall":["5m","5m"],"units":[1,1]}}`,
				`{"users":2,"signatures":"modelled","rounds":1,"interval_us":5000000}`, 7)
			held := false
			for at := unit.Second; at < 2*unit.Minute && !held; at += 10 * unit.Millisecond {
				if err := w.pass(at); err != nil {
					t.Fatal(err)
				}
				var took bool
				took, held = market.BooksOf(w.system).Forge(first, forge)
				if want := subject == "" || first && subject == "no true signature"; held && took != want {
					t.Errorf("a contract with %q, forged before it was signed %v: the resource took it %v, want %v", subject, first, took, want)
				}
			}
			if !held {
				t.Fatal("nothing was ever held")
			}
		}
	}
}
