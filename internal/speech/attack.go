package speech

import "strings"

// attackWords are words of attack techniques, in names and descriptions: what a tool says that it does, with no pretext at
// all. Strong ones name a technique, weak ones are shared with honest tools for administrators. They come from MITRE ATT&CK's
// names of techniques and software, and from the vocabulary of penetration tests.
func attackWords() map[string]bits {
	all := map[string]bits{}
	for w := range strings.FieldsSeq(strongAttack) {
		all[w] |= attack
	}
	for w := range strings.FieldsSeq(sharedAttack) {
		all[w] |= weakAttack
	}
	return all
}

const strongAttack = `
exfiltrate exfiltrates exfiltrated exfiltrating exfiltration exfil exfiltrator steal steals stealing stealer stolen
keylogger keylogging keylog keystrokes keystroke infostealer ransom ransoms extort extorts extortion blackmail ransomware malware trojan rootkit bootkit spyware adware botnet
backdoor backdoors backdoored shellcode exploit exploits exploiting exploitation exploited
privesc cmdi rce lfi rfi ssrf xxe sqli xss csrf deserialization injection injections injector hijack hijacks hijacking hijacker
bypass bypasses bypassing evade evades evasion obfuscate antiforensic timestomp timestomping tamper tampering
bruteforce bruteforcing spray spraying cracking crack cracks dcsync kerberoast kerberoasting asrep mimikatz lsass ntds ntlm
dump dumps dumping dumper harvest harvests harvesting harvester sniff sniffs sniffing sniffer spoof spoofs spoofing spoofed
phish phishing vishing smishing pharming clickjacking skimmer wiretap eavesdrop
recon reconnaissance osint jailbreak escape confusion pmkid kwallet dork fingerprinting footprinting enumerate enumeration enum
escalate escalation impersonate impersonation lateral c2 beaconing exfils cryptojacking cryptominer
hollowing doppelganging sideloading sideload searchorder trampoline preload ldpreload setuid suid polkit
traversal toctou smuggle smuggling covert steganography stego exhaust exhaustion ddos dos 
attack attacker attackers malicious 
pwn pwned zero-day 0day cve uac amsi etw applocker edr
zerologon printnightmare eternalblue log4shell juicypotato rottenpotato certifried petitpotam dirtycow dirtypipe
syscall syscalls dll dlls ptrace ldpreload apc fiber unhook unhooking`

const sharedAttack = `
cred creds privesc dangerous bypass bypasses extraction decryption brute force forced hook hooks capture captures escape abuse abuses intercept injected binary arguments fork symlinks links obtain obtains
vulnerability vulnerable vulnerabilities capabilities persistence attacks victim target targets compromised poison dangerous suspicious
inodes quota permissions manipulate manipulation manipulates traceroute sweep netbios topology dork live wireless probe fingerprint nosql ldap malformed intercept intercepts interception extract extracts saved autofill decrypt decrypts
arbitrary secrets credentials passwords password hash hashes token tokens cookies keychain keyring clipboard webcam microphone
screenshot covertly secretly stealth stealthily hidden hide silently silent sensitive unauthorized privilege privileges elevated
root sudo admin administrator shell command commands execute remote reverse inject inject injecting injected target targets
scan scanning scanner ports port subdomain subdomains dns whois smb snmp ldap rpc ldap nfs ftp rdp wmi psexec winrm banner vhost vhosts
hosts shodan censys wayback certificate certificates asn whois wifi bluetooth bucket buckets
symlink hardlink mount unmount overlayfs inode acl acls permissions ownership chmod chown registry cron crontab scheduled task service
wipe overwrite shred delete encrypt encrypts tamper logs log memory process thread mem kernel module driver
dictionary wordlist rainbow relay replay ticket pass-the-hash kerberos vault wallet wallets browser firefox chrome history
tunnel tunneling covert beacon webhook pastebin telegram gist gpg pgp kdbx ntfs ads alternate`
