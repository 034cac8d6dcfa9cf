package schema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcpassay/mcpassay/internal/source"
)

// decimal is a number exactly as it is written: ±0.digits × 10^exp, the digits without zeros at either end. Zero has
// no digits. Nothing is expanded: 1e10000000 takes one digit.
type decimal struct {
	minus  bool
	digits string
	exp    int64
	// far says that the exponent does not fit, so that the number can only be told from those that are not far.
	far bool
}

// farAway is where exponents end: sums of two of them still fit, and no document is long enough to write one out.
const farAway = math.MaxInt64 / 4

// decimalOf reads a JSON number.
func decimalOf(n source.Node) (d decimal, ok bool) {
	s, ok := n.Number()
	if !ok {
		return d, false
	}
	return parseDecimal(s), true
}

// small reads a number that is written as an integer of few digits, without a copy.
func small(n source.Node) (v int64, ok bool) {
	raw := n.Raw()
	if n.Kind() != source.Number || len(raw) == 0 || len(raw) > 18 {
		return 0, false
	}
	minus := raw[0] == '-'
	if minus {
		raw = raw[1:]
	}
	for _, c := range raw {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if minus {
		v = -v
	}
	return v, len(raw) > 0
}

// compareNumbers is decimal.compare of two numbers.
func compareNumbers(a, b source.Node) (c int, known bool) {
	if x, ok := small(a); ok {
		if y, ok := small(b); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, _ := decimalOf(a)
	y, _ := decimalOf(b)
	return x.compare(y)
}

func parseDecimal(s string) (d decimal) {
	s, d.minus = strings.CutPrefix(s, "-")
	s = strings.TrimPrefix(s, "+") // YAML and TOML
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err != nil || exp > farAway || exp < -farAway {
			d.far = true
			exp = farAway
			if i+1 < len(s) && s[i+1] == '-' {
				exp = -farAway
			}
		}
		s, d.exp = s[:i], exp
	}
	whole, part, point := strings.Cut(s, ".")
	d.exp += int64(len(whole))
	d.digits = whole
	if point {
		if strings.Trim(whole, "0") == "" { // 0.05: no copy
			d.digits, d.exp = part, d.exp-int64(len(whole))
		} else {
			d.digits = whole + part
		}
	}
	trimmed := strings.TrimLeft(d.digits, "0")
	d.exp -= int64(len(d.digits) - len(trimmed))
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}
	}
	for _, c := range []byte(d.digits) {
		if c-'0' > 9 { // YAML and TOML have other numbers: they are told from none
			return decimal{minus: d.minus, digits: "1", exp: farAway, far: true}
		}
	}
	return d
}

// integer says whether the number has no fraction: 5.0 and 1e3 have none.
func (d decimal) integer() bool { return d.exp >= int64(len(d.digits)) }

// sign is -1, 0 or 1.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.minus:
		return -1
	}
	return 1
}

// compare is -1, 0 or 1. known is false for two numbers that are both too far away to be told apart.
func (d decimal) compare(e decimal) (c int, known bool) {
	if s, t := d.sign(), e.sign(); s != t || s == 0 {
		return cmp.Compare(s, t), true
	}
	c = cmp.Compare(d.exp, e.exp)
	if c == 0 {
		c = strings.Compare(d.digits, e.digits)
	}
	if d.minus {
		c = -c
	}
	return c, !(d.far && e.far)
}

// count is the number as a count, for what no document can reach math.MaxInt64.
func (d decimal) count() int64 {
	switch {
	case d.minus || d.digits == "":
		return 0
	case d.exp > 18:
		return math.MaxInt64
	}
	n := int64(0)
	for i := range d.exp {
		n *= 10
		if i < int64(len(d.digits)) {
			n += int64(d.digits[i] - '0')
		}
	}
	return n
}

// multipleOf says whether the number is a multiple of e, which is above 0. known is false when one of them has more
// digits than the limit. The exponents cost nothing: 10^n is only ever taken modulo e.
func (d decimal) multipleOf(e decimal, maxDigits int) (yes, known bool) {
	if d.sign() == 0 {
		return true, true
	}
	if e.sign() <= 0 || d.far || e.far || len(d.digits) > maxDigits || len(e.digits) > maxDigits {
		return false, false
	}
	// d = D·10^x and e = E·10^y, D and E without a zero at their end.
	shift := (d.exp - int64(len(d.digits))) - (e.exp - int64(len(e.digits)))
	if shift < 0 {
		return false, true // D would have to be a multiple of 10
	}
	n, ok1 := new(big.Int).SetString(d.digits, 10)
	m, ok2 := new(big.Int).SetString(e.digits, 10)
	if !ok1 || !ok2 {
		return false, false
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), m)
	n.Mul(n, power)
	return n.Mod(n, m).Sign() == 0, true
}
