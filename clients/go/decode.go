package publicapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// decode reads canonical JSON into a value of a generated type. encoding/json would also take members whose names
// differ in case, so that data could say something else to a Go program than to other clients.
func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	return assign(reflect.ValueOf(into).Elem(), value, "data")
}

func assign(target reflect.Value, value any, place string) error {
	if target.Kind() == reflect.Interface {
		if value != nil {
			target.Set(reflect.ValueOf(value))
		}
		return nil
	}
	if target.Kind() == reflect.Pointer {
		if value == nil {
			return nil
		}
		target.Set(reflect.New(target.Type().Elem()))
		return assign(target.Elem(), value, place)
	}
	switch value := value.(type) {
	case map[string]any:
		return assignObject(target, value, place)
	case []any:
		if target.Kind() == reflect.Slice {
			target.Set(reflect.MakeSlice(target.Type(), len(value), len(value)))
			for at, each := range value {
				if err := assign(target.Index(at), each, fmt.Sprintf("%s[%d]", place, at)); err != nil {
					return err
				}
			}
			return nil
		}
	case string:
		if target.Kind() == reflect.String {
			target.SetString(value)
			return nil
		}
	case bool:
		if target.Kind() == reflect.Bool {
			target.SetBool(value)
			return nil
		}
	case json.Number:
		if number, err := value.Int64(); err == nil && target.Kind() == reflect.Int64 {
			target.SetInt(number)
			return nil
		}
	}
	return fmt.Errorf("%s: expected a %s", place, target.Kind())
}

func assignObject(target reflect.Value, object map[string]any, place string) error {
	switch target.Kind() {
	case reflect.Map:
		target.Set(reflect.MakeMapWithSize(target.Type(), len(object)))
		for name, member := range object {
			element := reflect.New(target.Type().Elem()).Elem()
			if err := assign(element, member, place+"."+name); err != nil {
				return err
			}
			target.SetMapIndex(reflect.ValueOf(name), element)
		}
		return nil
	case reflect.Struct:
		for at := 0; at < target.NumField(); at++ {
			name, _, _ := strings.Cut(target.Type().Field(at).Tag.Get("json"), ",")
			member, ok := object[name]
			if !ok {
				continue
			}
			if err := assign(target.Field(at), member, place+"."+name); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s: expected a %s", place, target.Kind())
}
