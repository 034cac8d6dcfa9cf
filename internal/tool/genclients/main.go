// Command genclients writes what is made from internal/model/client/clients.json: clients_gen.go beside it, and
// docs/clients.md. Tests in internal/model/client and internal/tool/clientpage fail when one is stale.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/client"
	"github.com/mcpassay/mcpassay/internal/tool/clientpage"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "genclients:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "internal", "model", "client")
	raw, err := os.ReadFile(filepath.Join(dir, "clients.json"))
	if err != nil {
		return err
	}
	var rows []client.Client
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rows); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, "clients.json"), err)
	}
	code, err := goTable(rows)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	pointers := make([]*client.Client, len(rows))
	for i := range rows {
		pointers[i] = &rows[i]
	}
	if err := clientpage.Write(&page, pointers); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, "docs"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "clients.md"), page.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "clients_gen.go"), code, 0o644)
}

// moduleRoot is the folder of go.mod: go generate runs in the package's folder, a person in the root.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return "", fmt.Errorf("no go.mod above the working folder")
	}
}

// goTable prints the rows as one composite literal of constants, which the linker lays out: it costs nothing when
// the program starts. Maps can not be laid out, so they are set by a function when the table is first used.
func goTable(rows []client.Client) ([]byte, error) {
	p := printer{}
	p.WriteString("// Code generated from clients.json by internal/tool/genclients. DO NOT EDIT.\n\npackage client\n\nvar table = [...]Client{\n")
	for i := range rows {
		p.path = fmt.Sprintf("table[%d]", i)
		p.value(reflect.ValueOf(rows[i]), false)
		p.WriteString(",\n")
	}
	p.WriteString("}\n\nfunc addMaps() {\n" + p.maps.String() + "}\n")
	return format.Source(p.Bytes())
}

type printer struct {
	bytes.Buffer
	path string
	maps strings.Builder
}

// value prints v; typed says whether the literal must name its type.
func (p *printer) value(v reflect.Value, typed bool) {
	name := strings.ReplaceAll(v.Type().String(), "client.", "")
	switch v.Kind() {
	case reflect.Struct:
		if typed {
			p.WriteString(name)
		}
		p.WriteString("{")
		for i := range v.NumField() {
			f := v.Field(i)
			switch {
			case f.IsZero():
				continue
			case f.Kind() == reflect.Map:
				p.addMap(p.path+"."+v.Type().Field(i).Name, f)
				continue
			}
			fmt.Fprintf(p, "%s: ", v.Type().Field(i).Name)
			p.value(f, true)
			p.WriteString(", ")
		}
		p.WriteString("}")
	case reflect.Slice:
		p.WriteString(name + "{")
		for i := range v.Len() {
			if v.Type().Elem() == reflect.TypeFor[client.Location]() {
				p.WriteString("\n")
			}
			p.value(v.Index(i), false)
			p.WriteString(", ")
		}
		p.WriteString("}")
	default:
		fmt.Fprintf(p, "%#v", v.Interface())
	}
}

func (p *printer) addMap(path string, m reflect.Value) {
	fmt.Fprintf(&p.maps, "\t%s = map[string][]string{", path)
	all := m.Interface().(map[string][]string)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&p.maps, "%q: {", k)
		for _, s := range all[k] {
			fmt.Fprintf(&p.maps, "%q, ", s)
		}
		p.maps.WriteString("}, ")
	}
	p.maps.WriteString("}\n")
}
