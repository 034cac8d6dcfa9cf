// Command mcpassay makes MCP servers trustworthy. All it does is in internal/cli.
package main

import (
	"os"

	"github.com/mcpassay/mcpassay/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.OS()))
}
