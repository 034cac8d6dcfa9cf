package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	otherABI  = 0 // a 32-bit program has another architecture
)

// deniedHere and byNameHere are the calls that only this architecture has.
var deniedHere, byNameHere []uint32
