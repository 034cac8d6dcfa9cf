package client

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpassay/mcpassay/internal/model/launch"
)

// Folder is the folder that the client starts the entry in, absolute and with slashes; "" where the file does not say which.
func (s *Server) Folder() string {
	if s.Project != "" {
		return strings.ReplaceAll(s.Project, `\`, "/")
	}
	return s.File.Project
}

// OfItsFolder says whether the launch is another one in another folder: a word of it is a relative path, the name of a
// script, or a reference to the project.
func (s *Server) OfItsFolder() bool {
	if !s.Command.Set() {
		return false
	}
	command := s.Command.Value
	if strings.ContainsAny(command, `/\`) && !absolute(command) || ofProject(command) || s.Cwd.Set() && (!absolute(s.Cwd.Value) || ofProject(s.Cwd.Value)) {
		return true
	}
	return slices.ContainsFunc(s.Args, func(a Str) bool { return ofFolder(a.Value) }) ||
		slices.ContainsFunc(s.Env, func(p Pair) bool { return launch.LoadsCode(p.Key) && ofFolder(p.Value) })
}

// ofFolder says whether a word, or what it says behind a blank or a "=", means another thing in another folder.
func ofFolder(text string) bool {
	if ofProject(text) {
		return true
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '=' || r == ' ' }) {
		if word == "." || word == ".." {
			return true
		}
		for _, start := range [...]string{"./", "../", `.\`, `..\`} {
			if strings.HasPrefix(word, start) {
				return true
			}
		}
		if !absolute(word) && !strings.Contains(word, "://") && slices.Contains(scripts, strings.ToLower(path.Ext(word))) {
			return true
		}
	}
	return false
}

// ofProject says whether a text refers to the folder that is open in the client.
func ofProject(text string) bool {
	if !strings.Contains(text, "{") {
		return false
	}
	return slices.ContainsFunc([]string{"workspaceFolder", "workspacePath", "CLAUDE_PROJECT_DIR", "{cwd}"}, func(name string) bool { return strings.Contains(text, name) })
}

// scripts are the suffixes of what an interpreter reads.
var scripts = []string{".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", ".php", ".pl", ".ps1", ".bat", ".cmd", ".jar", ".wasm"}

// absolute says whether a path is one on any system, or begins with what somebody else fills in.
func absolute(p string) bool {
	return p != "" && strings.ContainsRune(`/\~$%{`, rune(p[0])) || launch.DrivePath(p)
}
