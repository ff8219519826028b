package publicapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// decode reads canonical JSON into a value of a generated type, and lists the members that do not have its type, which
// keep their zero value: the data are verified, whatever they are. encoding/json would also take members whose names
// differ in case, so that data could say something else to a Go program than to other clients.
func decode(data []byte, into any) []string {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return []string{err.Error()}
	}
	var decoding decoding
	decoding.assign(reflect.ValueOf(into).Elem(), value, "data")
	return decoding.mistakes
}

type decoding struct{ mistakes []string }

func (d *decoding) assign(target reflect.Value, value any, place string) {
	if target.Kind() == reflect.Interface {
		if value != nil {
			target.Set(reflect.ValueOf(value))
		}
		return
	}
	if target.Kind() == reflect.Pointer {
		if value == nil {
			return
		}
		target.Set(reflect.New(target.Type().Elem()))
		d.assign(target.Elem(), value, place)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		if d.assignObject(target, value, place) {
			return
		}
	case []any:
		if target.Kind() == reflect.Slice {
			target.Set(reflect.MakeSlice(target.Type(), len(value), len(value)))
			for at, each := range value {
				d.assign(target.Index(at), each, fmt.Sprintf("%s[%d]", place, at))
			}
			return
		}
	case string:
		if target.Kind() == reflect.String {
			target.SetString(value)
			return
		}
	case bool:
		if target.Kind() == reflect.Bool {
			target.SetBool(value)
			return
		}
	case json.Number:
		if number, err := value.Int64(); err == nil && target.Kind() == reflect.Int64 {
			target.SetInt(number)
			return
		}
	}
	d.mistakes = append(d.mistakes, fmt.Sprintf("%s: expected a %s", place, target.Kind()))
}

// assignObject reports whether the target is one for an object.
func (d *decoding) assignObject(target reflect.Value, object map[string]any, place string) bool {
	switch target.Kind() {
	case reflect.Map:
		target.Set(reflect.MakeMapWithSize(target.Type(), len(object)))
		for name, member := range object {
			element := reflect.New(target.Type().Elem()).Elem()
			d.assign(element, member, place+"."+name)
			target.SetMapIndex(reflect.ValueOf(name), element)
		}
		return true
	case reflect.Struct:
		for at := 0; at < target.NumField(); at++ {
			name, _, _ := strings.Cut(target.Type().Field(at).Tag.Get("json"), ",")
			if member, ok := object[name]; ok {
				d.assign(target.Field(at), member, place+"."+name)
			}
		}
		return true
	}
	return false
}
