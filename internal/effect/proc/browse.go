package proc

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
)

// Browse opens a URL in the user's browser. It does not wait for it, and what the browser says goes nowhere.
func Browse(url string, env []string) error {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return errors.New("only web pages are opened in a browser")
	}
	argv := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		argv = []string{"/usr/bin/open", url}
	case "windows":
		argv = []string{"rundll32.exe", "url.dll,FileProtocolHandler", url}
	default:
		if Get(env, "DISPLAY") == "" && Get(env, "WAYLAND_DISPLAY") == "" {
			return errors.New("no display")
		}
	}
	path, err := Look(argv[0], env, "")
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
