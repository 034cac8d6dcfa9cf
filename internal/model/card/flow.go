package card

// Sign is how sure it is that a tool plays a part.
type Sign uint8

// The signs.
const (
	None   Sign = iota
	Weak        // it can be used so
	Strong      // it is for that: name, description and parameters agree
)

func sign(weak, strong bool) Sign {
	switch {
	case strong:
		return Strong
	case weak:
		return Weak
	}
	return None
}

func (c *Capabilities) takes(k ParameterKind) bool {
	for i := range c.Parameters {
		if c.Parameters[i].Kind == k {
			return true
		}
	}
	return false
}

// reads says that name and description both begin with reading.
func (c *Capabilities) reads() bool { return c.Verb == Reads && c.First == Reads }

// opens says that the tool opens addresses that the model picks.
func (c *Capabilities) opens() bool {
	return c.reads() && c.takes(TakesAddress) && (c.Says(Network, ByText) || c.named&(internet|web) != 0)
}

// Brings says that the tool brings what strangers wrote before the model: pages, mails, issues.
func (c *Capabilities) Brings() Sign {
	return sign(c.reads() && c.named&messages != 0, c.opens() || c.reads() && c.named&(internet|mail|posts) != 0)
}

// Holds says that the tool brings what is the user's own before the model: files, mails, databases, secrets.
func (c *Capabilities) Holds() Sign {
	return sign(false, c.reads() && (c.named&disk != 0 && c.takes(TakesPath) || c.named&mail != 0 || c.takes(TakesQuery)) ||
		c.reads() && c.Says(Secrets, ByName))
}

// Leaks says that the tool takes text and gives it to others: in mails, in posts, to an address that the model picks.
// An address alone can carry text too.
func (c *Capabilities) Leaks() Sign {
	sends, posting := c.Plainly(Sends, ByName), c.Verb == Writes && c.named&posts != 0
	return sign(c.opens() || sends && c.takes(TakesRecipient),
		c.takes(TakesBody) && (sends && (c.takes(TakesRecipient) || c.Says(Sends, ByText)) || posting && c.First == Writes ||
			c.takes(TakesAddress) && c.named&internet != 0 && c.Verb != Reads))
}
