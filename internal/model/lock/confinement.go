package lock

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Confinement is what a server may reach beside its own program when the guard starts it. It is a part of how a server is started:
// the digest of the launch covers it, and so does an approval.
type Confinement struct {
	// Executor is the way to confine it: auto for the best of the machine, landlock, bubblewrap, seatbelt.
	Executor string `json:"executor"`
	// Read and Write are folders and files, sorted, with ${project} and ${home} for what differs from machine to machine.
	Read  []string `json:"read"`
	Write []string `json:"write"`
	// Connect are TCP ports, sorted; Network says that all of the network is open, and there are no ports then.
	Connect []int `json:"connect"`
	Network bool  `json:"network,omitempty"`
}

// Executors are the ways that can keep a server to a profile.
func Executors() []string { return []string{"auto", "landlock", "bubblewrap", "seatbelt"} }

// NewConfinement makes a profile of what a person named: paths are absolute.
func NewConfinement(executor string, read, write []string, connect []int, network bool, p Places) (*Confinement, error) {
	if executor == "" {
		executor = "auto"
	}
	c := &Confinement{Executor: executor, Read: []string{}, Write: []string{}, Connect: []int{}, Network: network}
	for _, of := range []struct {
		from []string
		to   *[]string
	}{{read, &c.Read}, {write, &c.Write}} {
		for _, dir := range of.from {
			*of.to = append(*of.to, p.shorten(filepath.Clean(dir)))
		}
		slices.Sort(*of.to)
		*of.to = slices.Compact(*of.to)
	}
	c.Connect = append(c.Connect, connect...)
	slices.Sort(c.Connect)
	c.Connect = slices.Compact(c.Connect)
	return c, c.check()
}

// On gives the folders on this machine.
func (c *Confinement) On(p Places) (read, write []string) {
	for _, dir := range c.Read {
		read = append(read, p.expand(dir))
	}
	for _, dir := range c.Write {
		write = append(write, p.expand(dir))
	}
	return read, write
}

// check refuses what no verb would write.
func (c *Confinement) check() error {
	if c == nil {
		return nil
	}
	if !slices.Contains(Executors(), c.Executor) {
		return fmt.Errorf("%q confines no server to a profile: %s do", c.Executor, strings.Join(Executors(), ", "))
	}
	for _, dirs := range [][]string{c.Read, c.Write} {
		if !slices.IsSorted(dirs) {
			return errors.New("the folders of its confinement are not in their order")
		}
		for _, dir := range dirs {
			named := strings.HasPrefix(dir, "${project}") || strings.HasPrefix(dir, "${home}")
			if !named && !filepath.IsAbs(dir) && !path.IsAbs(dir) {
				return fmt.Errorf("%q in its confinement hangs on where one stands", dir)
			}
			if slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), "..") {
				return fmt.Errorf("%q in its confinement leads out of itself", dir)
			}
		}
	}
	if !slices.IsSorted(c.Connect) {
		return errors.New("the ports of its confinement are not in their order")
	}
	for _, port := range c.Connect {
		if port < 1 || port > 1<<16-1 {
			return fmt.Errorf("%d is no TCP port", port)
		}
	}
	if c.Network && len(c.Connect) > 0 {
		return errors.New("its confinement opens the whole network, and single ports of it")
	}
	return nil
}

// Same says whether two are one profile.
func (c *Confinement) Same(o *Confinement) bool {
	return (c == nil) == (o == nil) && (c == nil || string(must(c)) == string(must(o)))
}

// Reached says in words what it may connect to.
func (c *Confinement) Reached() string {
	if c.Network {
		return "all of the network"
	}
	if len(c.Connect) == 0 {
		return "nobody"
	}
	words := "TCP"
	for i, port := range c.Connect {
		if i > 0 {
			words += ","
		}
		words += " " + strconv.Itoa(port)
	}
	return words
}
