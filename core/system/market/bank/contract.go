package bank

import (
	"encoding/binary"
	"math/bits"

	"parley/core/rfql"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Money is thousandths of a credit.
type Money int64

// Credits returns an amount in credits.
func (m Money) Credits() float64 { return float64(m) / 1000 }

// Contract lists a user's purchases in one auction: the canonical request with, for each unit, its
// seller and the reservation. User and resources sign it.
type Contract struct {
	Auction uint32
	User    int32
	Expires unit.Time // the bank settles nothing after it, nor after the first start; see Until
	Lots    []Lot     // one a unit, in their order
}

// Lot is one unit that is sold.
type Lot struct {
	Unit        rfql.Unit
	Resource    int32
	Reservation uint64
	Price       rfql.Price // agreed
	Start, End  unit.Time
}

// Until returns the last moment at which the contract can be settled: it expires at
// the first start of its units at the latest. Paid later, that unit could not be
// delivered while the others could.
func (c *Contract) Until() unit.Time {
	last := c.Expires
	for i := range c.Lots {
		last = min(last, c.Lots[i].Start)
	}
	return last
}

// Cost returns the price of a lot: price × cores × time, rounded up to a thousandth
// of a credit; false if that is more than can be counted.
func (l *Lot) Cost() (Money, bool) { return Cost(l.Price, l.Unit.Cores(), l.End-l.Start) }

// Cost returns the price of cores for a span of time.
func Cost(p rfql.Price, cores int, length unit.Time) (Money, bool) {
	hi, seconds := bits.Mul64(uint64(cores), uint64(max(0, length)))
	if hi > 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(p), seconds)
	if hi >= uint64(unit.Hour) {
		return 0, false
	}
	n, rest := bits.Div64(hi, lo, uint64(unit.Hour))
	if rest > 0 {
		n++
	}
	return Money(n), n < 1<<60
}

// Append writes the contract in its canonical form, which is signed: fixed fields in fixed order,
// texts after their lengths.
func (c *Contract) Append(to []byte) []byte {
	b := binary.LittleEndian
	to = b.AppendUint32(append(to, "parley contract 1\x00"...), c.Auction)
	to = b.AppendUint32(to, uint32(c.User))
	to = b.AppendUint64(to, uint64(c.Expires))
	to = b.AppendUint32(to, uint32(len(c.Lots)))
	for i := range c.Lots {
		l := &c.Lots[i]
		to = b.AppendUint32(to, uint32(l.Resource))
		for _, n := range [...]int64{int64(l.Reservation), int64(l.Price), int64(l.Start), int64(l.End)} {
			to = b.AppendUint64(to, uint64(n))
		}
		to = appendUnit(to, &l.Unit)
	}
	return to
}

// appendUnit appends a unit in its canonical form: all numbers in a fixed order, then the texts after
// their lengths. A change would change what is signed.
func appendUnit(to []byte, u *rfql.Unit) []byte {
	b := binary.LittleEndian
	for _, n := range [...]int64{
		int64(u.Price), int64(u.Start), int64(u.End), int64(u.Wall), u.CPUSpeed, u.RAMPerCore, u.TotalDisk, u.NodeDisk,
		u.InterNode,
		int64(u.TotalCores), int64(u.NodeCount), int64(u.CoresANode),
	} {
		to = b.AppendUint64(to, uint64(n))
	}
	for _, text := range [...]string{u.OperatingSystem, u.OSVersion, u.Architecture} {
		to = b.AppendUint32(to, uint32(len(text)))
		to = append(to, text...)
	}
	return to
}

// AppendStatement appends the text that a party signs to request its balance, with a number by
// which it distinguishes its requests.
func AppendStatement(to []byte, p seal.Party, about uint32) []byte {
	to = append(append(to, "parley statement 1\x00"...), byte(p.Role))
	to = binary.LittleEndian.AppendUint32(to, uint32(p.Number))
	return binary.LittleEndian.AppendUint32(to, about)
}

// refundText is the text that a resource signs to refund a unit's price.
func refundText(to []byte, auction uint32, unit int) []byte {
	to = append(to, "parley refund 1\x00"...)
	to = binary.LittleEndian.AppendUint32(to, auction)
	return binary.LittleEndian.AppendUint32(to, uint32(unit))
}

// AppendRefund appends the text that a resource signs to refund a unit's price.
func AppendRefund(to []byte, auction uint32, unit int) []byte { return refundText(to, auction, unit) }
