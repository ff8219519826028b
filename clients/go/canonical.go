package publicapi

import (
	"bytes"
	"errors"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var errNoCanonicalForm = errors.New("expected JSON with a canonical form (RFC 8785)")

// Arrays and objects inside one another. Clients in other languages cannot read more.
const maxDepth = 128

// A member of an object: its name, and the place of its text in the canonical output.
type member struct {
	name     string
	from, to int
	// value begins after the name and the colon.
	value int
}

// A canonicalizer reads a JSON text and writes its canonical form (RFC 8785) in one pass. The service sends data in
// canonical order already, so that nothing is sorted.
type canonicalizer struct {
	in    []byte
	at    int
	out   []byte
	depth int
	// top has the members of the outermost object.
	top []member
}

// A canonicalText is the canonical form of a JSON text, with the members of the outermost object.
type canonicalText struct {
	text    []byte
	members []member
	isObj   bool
}

// noForm is written, within a string, for what has no canonical form: half of a surrogate pair, and a number beyond the
// doubles. It is no part of UTF-8.
const noForm = 0xff

// hasNoForm reports whether a part of a text has no canonical form.
func hasNoForm(text []byte) bool { return bytes.IndexByte(text, noForm) >= 0 }

// canonicalize is parse for a text that has a canonical form as a whole.
func canonicalize(text []byte) (canonicalText, error) {
	content, err := parse(text)
	if err == nil && hasNoForm(content.text) {
		return canonicalText{}, errNoCanonicalForm
	}
	return content, err
}

// parse refuses everything but one JSON text in UTF-8 whose objects have each name once (I-JSON, RFC 7493): readers
// differ in which of two members counts.
func parse(text []byte) (canonicalText, error) {
	c := canonicalizer{in: text, out: make([]byte, 0, len(text)+16)}
	if !utf8.Valid(text) {
		return canonicalText{}, errNoCanonicalForm
	}
	c.space()
	isObject := c.peek() == '{'
	if err := c.value(); err != nil {
		return canonicalText{}, err
	}
	c.space()
	if c.at != len(c.in) {
		return canonicalText{}, errNoCanonicalForm
	}
	return canonicalText{c.out, c.top, isObject}, nil
}

// member gives the canonical text of a member of the outermost object.
func (c canonicalText) member(name string) ([]byte, bool) {
	for _, each := range c.members {
		if c.isObj && each.name == name {
			return c.text[each.value:each.to:each.to], true
		}
	}
	return nil, false
}

func (c *canonicalizer) peek() byte {
	if c.at < len(c.in) {
		return c.in[c.at]
	}
	return 0
}

func (c *canonicalizer) space() {
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// take reads one byte if it is the expected one.
func (c *canonicalizer) take(expected byte) bool {
	if c.peek() != expected || c.at >= len(c.in) {
		return false
	}
	c.at++
	return true
}

func (c *canonicalizer) value() error {
	switch first := c.peek(); {
	case first == '{':
		return c.nested(c.object)
	case first == '[':
		return c.nested(c.array)
	case first == '"':
		_, err := c.str()
		return err
	case first == '-' || (first >= '0' && first <= '9'):
		return c.number()
	}
	for _, literal := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(c.in[c.at:], []byte(literal)) {
			c.at += len(literal)
			c.out = append(c.out, literal...)
			return nil
		}
	}
	return errNoCanonicalForm
}

func (c *canonicalizer) nested(read func() error) error {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return errNoCanonicalForm
	}
	return read()
}

func (c *canonicalizer) array() error {
	c.at++
	c.out = append(c.out, '[')
	c.space()
	for first := true; !(first && c.take(']')); first = false {
		c.space()
		if err := c.value(); err != nil {
			return err
		}
		c.space()
		if c.take(']') {
			break
		}
		if !c.take(',') {
			return errNoCanonicalForm
		}
		c.out = append(c.out, ',')
	}
	c.out = append(c.out, ']')
	return nil
}

func (c *canonicalizer) object() error {
	c.at++
	c.out = append(c.out, '{')
	start := len(c.out)
	var local [16]member
	members, isSorted := local[:0], true
	c.space()
	for first := true; !(first && c.take('}')); first = false {
		c.space()
		from := len(c.out)
		name, err := c.str()
		if err != nil {
			return err
		}
		c.space()
		if !c.take(':') {
			return errNoCanonicalForm
		}
		c.out = append(c.out, ':')
		value := len(c.out)
		c.space()
		if err := c.value(); err != nil {
			return err
		}
		if len(members) > 0 && !isBefore(members[len(members)-1].name, name) {
			isSorted = false
		}
		members = append(members, member{name, from, len(c.out), value})
		c.space()
		if c.take('}') {
			break
		}
		if !c.take(',') {
			return errNoCanonicalForm
		}
		c.out = append(c.out, ',')
	}
	if !isSorted {
		if members = c.rewrite(start, members); members == nil {
			return errNoCanonicalForm
		}
	}
	c.out = append(c.out, '}')
	if c.depth == 1 {
		c.top = append([]member(nil), members...)
	}
	return nil
}

// rewrite puts the members of an object in canonical order; nil if two have the same name.
func (c *canonicalizer) rewrite(start int, members []member) []member {
	before := append([]byte(nil), c.out[start:]...)
	sort.SliceStable(members, func(i, j int) bool { return isBefore(members[i].name, members[j].name) })
	c.out = c.out[:start]
	kept := make([]member, 0, len(members))
	for at, each := range members {
		if at > 0 && members[at-1].name == each.name {
			return nil
		}
		if at > 0 {
			c.out = append(c.out, ',')
		}
		from := len(c.out)
		c.out = append(c.out, before[each.from-start:each.to-start]...)
		kept = append(kept, member{each.name, from, len(c.out), from + each.value - each.from})
	}
	return kept
}

// str reads a string, writes its canonical form and gives its value.
func (c *canonicalizer) str() (string, error) {
	if !c.take('"') {
		return "", errNoCanonicalForm
	}
	start := c.at
	for c.at < len(c.in) && c.in[c.at] != '"' && c.in[c.at] != '\\' && c.in[c.at] >= ' ' {
		c.at++
	}
	if c.take('"') {
		// Nothing is escaped, so the text is its own canonical form.
		c.out = append(c.out, c.in[start-1:c.at]...)
		return string(c.in[start : c.at-1]), nil
	}
	decoded := append([]byte(nil), c.in[start:c.at]...)
	for {
		switch each := c.peek(); {
		case c.at >= len(c.in) || each < ' ':
			return "", errNoCanonicalForm
		case each == '"':
			c.at++
			c.out = appendString(c.out, string(decoded))
			return string(decoded), nil
		case each != '\\':
			decoded = append(decoded, each)
			c.at++
		default:
			var err error
			if decoded, err = c.escape(decoded); err != nil {
				return "", err
			}
		}
	}
}

const (
	escapes   = `"\/bfnrt`
	unescapes = "\"\\/\b\f\n\r\t"
)

func (c *canonicalizer) escape(decoded []byte) ([]byte, error) {
	c.at += 2
	if c.at > len(c.in) {
		return nil, errNoCanonicalForm
	}
	letter := c.in[c.at-1]
	if at := strings.IndexByte(escapes, letter); at >= 0 {
		return append(decoded, unescapes[at]), nil
	}
	if letter != 'u' {
		return nil, errNoCanonicalForm
	}
	unit, err := c.hex()
	if err != nil || !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(decoded, unit), err
	}
	if bytes.HasPrefix(c.in[c.at:], []byte(`\u`)) {
		before := c.at
		c.at += 2
		low, err := c.hex()
		if whole := utf16.DecodeRune(unit, low); err != nil || whole != utf8.RuneError {
			return utf8.AppendRune(decoded, whole), err
		}
		c.at = before
	}
	// The code follows, so that names differ that have different halves.
	return append(decoded, noForm, byte(unit>>8), byte(unit)|0x80), nil
}

func (c *canonicalizer) hex() (rune, error) {
	if c.at+4 > len(c.in) {
		return 0, errNoCanonicalForm
	}
	digits := string(c.in[c.at : c.at+4])
	c.at += 4
	unit, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || strings.ContainsAny(digits, "+-_") {
		return 0, errNoCanonicalForm
	}
	return rune(unit), nil
}

func (c *canonicalizer) digits() int {
	start := c.at
	for c.at < len(c.in) && c.in[c.at] >= '0' && c.in[c.at] <= '9' {
		c.at++
	}
	return c.at - start
}

func (c *canonicalizer) number() error {
	start := c.at
	isNegative := c.take('-')
	isZero := c.peek() == '0'
	count := c.digits()
	if count == 0 || (isZero && count > 1) {
		return errNoCanonicalForm
	}
	isPlain := count <= 15 && !(isNegative && isZero)
	if c.take('.') {
		isPlain = false
		if c.digits() == 0 {
			return errNoCanonicalForm
		}
	}
	if c.take('e') || c.take('E') {
		isPlain = false
		if !c.take('-') {
			c.take('+')
		}
		if c.digits() == 0 {
			return errNoCanonicalForm
		}
	}
	text := c.in[start:c.at]
	if isPlain {
		c.out = append(c.out, text...)
		return nil
	}
	number, err := strconv.ParseFloat(string(text), 64)
	if err != nil && math.IsInf(number, 0) {
		c.out = append(c.out, '"', noForm, '"')
		return nil
	}
	c.out = appendNumber(c.out, number)
	return nil
}

// isBefore compares names by their UTF-16 code units, as RFC 8785 section 3.2.3 requires.
func isBefore(one, other string) bool {
	for len(one) > 0 && len(other) > 0 {
		if one[0] == other[0] && one[0] < utf8.RuneSelf {
			one, other = one[1:], other[1:]
			continue
		}
		a, sizeA := utf8.DecodeRuneInString(one)
		b, sizeB := utf8.DecodeRuneInString(other)
		if a != b {
			const firstAstral = 0x10000
			if (a >= firstAstral) == (b >= firstAstral) {
				return a < b
			}
			// A character beyond U+FFFF begins with a surrogate.
			highA, _ := utf16.EncodeRune(a)
			highB, _ := utf16.EncodeRune(b)
			if a < firstAstral {
				highA = a
			} else {
				highB = b
			}
			return highA < highB
		}
		one, other = one[sizeA:], other[sizeB:]
	}
	return len(one) < len(other)
}

func appendString(out []byte, text string) []byte {
	const hexDigits = "0123456789abcdef"
	out = append(out, '"')
	for at := 0; at < len(text); at++ {
		each := text[at]
		switch place := strings.IndexByte(unescapes, each); {
		case place >= 0 && each != '/':
			out = append(out, '\\', escapes[place])
		case each < ' ':
			out = append(out, '\\', 'u', '0', '0', hexDigits[each>>4], hexDigits[each&15])
		default:
			out = append(out, each)
		}
	}
	return append(out, '"')
}

// appendNumber writes a double as ECMAScript does.
func appendNumber(out []byte, number float64) []byte {
	size := math.Abs(number)
	if number == 0 {
		return append(out, '0')
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(out, number, 'f', -1, 64)
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	text = strings.Replace(strings.Replace(text, "e-0", "e-", 1), "e+0", "e+", 1)
	return append(out, text...)
}
