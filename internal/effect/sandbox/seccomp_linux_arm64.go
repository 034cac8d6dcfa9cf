package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	otherABI  = 0 // a 32-bit program has another architecture
)

// deniedHere and markingHere are the calls that only this architecture has.
var deniedHere, markingHere []uint32
