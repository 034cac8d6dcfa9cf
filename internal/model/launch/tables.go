package launch

import (
	"slices"
	"strings"
	"sync"
)

// takes is what a runner's first positional word is.
type takes uint8

const (
	takesFirst   takes = iota // the package, unless a flag named it
	takesEach                 // every positional is a package
	takesCommand              // a command that runs beside the packages of its flags
	takesImage                // a container image
)

// family is one program, its flags before the sub-command, and the sub-commands that fetch packages.
type family struct {
	global  flags
	runners []runner
}

// runner is one way to fetch and run.
type runner struct {
	name  string     // Line.Runner
	sub   [][]string // the sub-command in each spelling, nil for none
	eco   string
	takes takes
	flags flags
}

// wrapper is a command that runs another.
type wrapper struct {
	sub   [][]string
	flags flags
	skip  int  // positional words before the command
	env   bool // NAME=value words come before the command
	dash  bool // the command stands after "--"
	slash bool // flags start with a slash, after a title (cmd's start)
}

// subs reads "exec|tool run": alternatives, each of one or more words.
func subs(list string) [][]string {
	if list == "" {
		return nil
	}
	var out [][]string
	for _, s := range strings.Split(list, "|") {
		out = append(out, strings.Fields(s))
	}
	return out
}

// The flags that take a value, per program. npm: the non-boolean definitions of npm 11's config; an
// unknown flag is a boolean there (nopt). uv, pip, pnpm, bun, docker, podman, deno, go, dotnet: their references.
const (
	npmFlags = "-p=package --package=package -c=script --call=script --registry --prefix -C --workspace -w --loglevel " +
		"--userconfig --globalconfig --cache --script-shell --shell --node-options --node-arg --tag --before --omit " +
		"--include --otp --location -L --proxy --https-proxy --noproxy --ca --cafile --cert --key --scope " +
		"--auth-type --install-strategy --fetch-retries --fetch-timeout --fetch-retry-mintimeout " +
		"--fetch-retry-maxtimeout --maxsockets --umask --user-agent --min-release-age --access --cpu --os --libc " +
		"--git --logs-dir --logs-max --local-address --heading --depth --save-prefix --replace-registry-host"
	pnpmFlags = "--package=package --allow-build --reporter --loglevel --dir -C --filter -F --store-dir --registry " +
		"--config-dir --workspace-concurrency --cpu --os --libc --virtual-store-dir --modules-dir"
	uvShared = "-p --python --index --default-index -i --index-url --extra-index-url -f --find-links --index-strategy " +
		"--keyring-provider --resolution --prerelease --fork-strategy --exclude-newer --exclude-newer-package " +
		"--link-mode -C --config-setting --config-settings --config-settings-package -P --upgrade-package " +
		"--upgrade-group --reinstall-package --refresh-package --no-build-package --no-binary-package " +
		"--no-build-isolation-package --no-sources-package --env-file --cache-dir --directory --project " +
		"--config-file --color --python-preference --python-fetch --allow-insecure-host --trusted-host " +
		"--python-platform --torch-backend --with-requirements -c --constraints --constraint -b " +
		"--build-constraints --build-constraint --overrides --override --excludes --exclude --preview-features --malware-check "
	uvTool = uvShared + "--from=package --with=with -w=with --with-editable=with --with-executables-from=with"
	uvRun  = uvShared + "--from=package --with=with -w=with --with-editable=with --extra --no-extra --group --no-group " +
		"--only-group --package"
	uvGlobal = "--cache-dir --directory --project --config-file --color --python-preference --python-fetch " +
		"--allow-insecure-host --trusted-host --preview-features"
	pipFlags = "-r --requirement -c --constraint -e=with --editable=with -t --target -i --index-url --extra-index-url " +
		"-f --find-links --platform --python-version --implementation --abi --root --prefix --src " +
		"--upgrade-strategy --no-binary --only-binary --progress-bar --cache-dir --timeout --retries --proxy " +
		"--trusted-host --cert --client-cert --log --exists-action --report -C --config-settings --config-setting --global-option " +
		"--python -p --keyring-provider --use-feature --use-deprecated --root-user-action --group --build-constraint " +
		"--overrides --index --default-index --prerelease --resolution --link-mode --torch-backend --uploaded-prior-to"
	pipxFlags = "--spec=package --with=with --python --pip-args --index-url -i --backend --fetch-python --suffix --preinstall=with"
	denoFlags = "-c --config --import-map --lock --cert --location --seed -L --log-level --preload --require --import --ext --minimum-dependency-age"
	goFlags   = "--C --mod --modfile --tags --ldflags --gcflags --asmflags --exec --o --p --overlay --pkgdir --toolexec " +
		"--buildmode --compiler --gccgoflags --installsuffix --pgo --coverpkg --covermode"
	dnxFlags = "--version=version --source --add-source --configfile --verbosity -v --framework -f --arch -a --tool-path " +
		"--tool-manifest"
	dockerGlobal = "--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey --root --runroot " +
		"--connection --url --identity --storage-driver --storage-opt --namespace -n --address -a --snapshotter"
	dockerFlags = "--add-host --annotation -a --attach --blkio-weight --blkio-weight-device --cap-add --cap-drop " +
		"--cgroup-parent --cgroupns --cidfile --cpu-count --cpu-percent --cpu-period --cpu-quota --cpu-rt-period " +
		"--cpu-rt-runtime -c --cpu-shares --cpus --cpuset-cpus --cpuset-mems --detach-keys --device " +
		"--device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps --device-write-iops --dns " +
		"--dns-option --dns-opt --dns-search --domainname --entrypoint -e --env --env-file --expose --gpus --group-add " +
		"--health-cmd --health-interval --health-retries --health-start-interval --health-start-period " +
		"--health-timeout -h --hostname --io-maxbandwidth --io-maxiops --ip --ip6 --ipc --isolation --kernel-memory " +
		"-l --label --label-file --link --link-local-ip --log-driver --log-opt --mac-address -m --memory " +
		"--memory-reservation --memory-swap --memory-swappiness --mount --name --network --net --network-alias " +
		"--net-alias --oom-score-adj --pid --pids-limit --platform -p --publish --pull --restart --runtime --security-opt " +
		"--shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user --userns --uts " +
		"-v --volume --volume-driver --volumes-from -w --workdir " +
		"--arch --authfile --blkio-weight-device --cgroup-conf --cgroups --chrootdirs --conmon-pidfile --creds " +
		"--decryption-key --env-merge --unsetenv --gidmap --uidmap --group-entry --gpus --hooks-dir --hostuser " +
		"--image-volume --init-path --intel-rdt-closid --os --override-arch --passwd-entry --personality --pidfile " +
		"--pod --pod-id-file --preserve-fd --preserve-fds --requires --retry --retry-delay --rdt-class --sdnotify " +
		"--seccomp-policy --secret --shm-size-systemd --subgidname --subuidname --systemd --timeout --tz --umask " +
		"--variant --health-log-destination --health-max-log-count --health-max-log-size --health-on-failure " +
		"--health-startup-cmd --health-startup-interval --health-startup-retries --health-startup-success --health-startup-timeout"
)

// engines are the programs that run containers, all with the flags of docker.
var engines = [...]string{"docker", "podman", "nerdctl", "finch"}

// IsEngine says whether a program runs containers.
func IsEngine(program string) bool { return slices.Contains(engines[:], program) }

// families is the table of package runners by program.
var families = sync.OnceValue(func() map[string]*family {
	npm, pnpm, uvt, pip, dnx := syntax(npmFlags), syntax(pnpmFlags), syntax(uvTool).clustered(), syntax(pipFlags).clustered(), syntax(dnxFlags)
	yarn, bun := syntax("-p=package --package=package --cwd"), syntax("-p=package --package=package --cwd --config -c --registry")
	deno, golang := syntax(denoFlags), syntax(goFlags).singleDash()
	dlx := syntax(pnpmFlags + " -p=package")
	m := map[string]*family{
		"npx": {runners: []runner{{name: "npx", eco: "npm", flags: npm}}},
		"npm": {global: npm, runners: []runner{
			{name: "npm exec", sub: subs("exec|x"), eco: "npm", flags: npm},
			{name: "npm install", sub: subs("install|i|add|ci"), eco: "npm", takes: takesEach, flags: npm}}},
		"bunx": {runners: []runner{{name: "bunx", eco: "npm", flags: bun}}},
		"bun": {global: syntax("--cwd --config -c"), runners: []runner{
			{name: "bunx", sub: subs("x"), eco: "npm", flags: bun},
			{name: "bun add", sub: subs("add|a|install|i"), eco: "npm", takes: takesEach, flags: bun}}},
		"pnpx": {runners: []runner{{name: "pnpm dlx", eco: "npm", flags: dlx}}},
		"pnpm": {global: pnpm, runners: []runner{
			{name: "pnpm dlx", sub: subs("dlx"), eco: "npm", flags: pnpm},
			{name: "pnpm add", sub: subs("add|install|i"), eco: "npm", takes: takesEach, flags: pnpm}}},
		"yarn": {global: syntax("--cwd"), runners: []runner{
			{name: "yarn dlx", sub: subs("dlx"), eco: "npm", flags: yarn},
			{name: "yarn add", sub: subs("add|global add"), eco: "npm", takes: takesEach, flags: yarn}}},
		"uvx": {runners: []runner{{name: "uvx", eco: "pypi", flags: uvt}}},
		"uv": {global: syntax(uvGlobal), runners: []runner{
			{name: "uv tool run", sub: subs("tool run"), eco: "pypi", flags: uvt},
			{name: "uv run", sub: subs("run"), eco: "pypi", takes: takesCommand, flags: syntax(uvRun).clustered()},
			{name: "uv tool install", sub: subs("tool install"), eco: "pypi", flags: uvt},
			{name: "uv pip install", sub: subs("pip install"), eco: "pypi", takes: takesEach, flags: pip}}},
		"pipx": {global: syntax("--cwd"), runners: []runner{
			{name: "pipx run", sub: subs("run"), eco: "pypi", flags: syntax(pipxFlags)},
			{name: "pipx install", sub: subs("install"), eco: "pypi", takes: takesEach, flags: syntax(pipxFlags)}}},
		"pip": {global: pip, runners: []runner{{name: "pip install", sub: subs("install"), eco: "pypi", takes: takesEach, flags: pip}}},
		"deno": {global: deno, runners: []runner{
			{name: "deno run", sub: subs("run|serve"), eco: "deno", flags: deno},
			{name: "deno x", sub: subs("x"), eco: "npm", flags: deno}}},
		"dx": {runners: []runner{{name: "deno x", eco: "npm", flags: deno}}},
		"go": {global: syntax("-C"), runners: []runner{
			{name: "go run", sub: subs("run"), eco: "go", flags: golang},
			{name: "go install", sub: subs("install"), eco: "go", takes: takesEach, flags: golang}}},
		"dnx": {runners: []runner{{name: "dnx", eco: "nuget", flags: dnx}}},
		"dotnet": {runners: []runner{
			{name: "dnx", sub: subs("tool exec|tool execute|dnx"), eco: "nuget", flags: dnx},
			{name: "dotnet tool install", sub: subs("tool install"), eco: "nuget", flags: dnx}}},
		"nix": {global: syntax("--option --extra-experimental-features --experimental-features"), runners: []runner{
			{name: "nix run", sub: subs("run"), eco: "nix", flags: syntax("--option --extra-experimental-features --experimental-features --override-input --arg --argstr -I")}}},
	}
	m["yarnpkg"] = m["yarn"]
	docker := &family{global: syntax(dockerGlobal).clustered(), runners: []runner{
		{sub: subs("run|container run"), eco: "oci", takes: takesImage, flags: syntax(dockerFlags).clustered()}}}
	for _, name := range engines {
		m[name] = docker
	}
	return m
})

// wrappers is the table of commands that run another, by program; "sh -c", "cmd /c", PowerShell and eval
// have grammars of their own.
var wrappers = sync.OnceValue(func() map[string][]wrapper {
	plain := []wrapper{{}}
	with := func(list string) []wrapper { return []wrapper{{flags: syntax(list)}} }
	sub := func(sub, list string) []wrapper { return []wrapper{{sub: subs(sub), flags: syntax(list)}} }
	m := map[string][]wrapper{
		"env": {{flags: syntax("-u --unset -C --chdir -S=script --split-string=script"), env: true}},
		"sudo": {{flags: syntax("-u -g -h -p -C -T -R -D -r -t -U --user --group --host --prompt --chdir --chroot --role " +
			"--type --close-from --command-timeout --other-user").clustered(), env: true}},
		"doas": with("-u -C"), "su": with("-c=script --command=script -s --shell -g -G --group"), "runuser": with("-u --user -c=script --command=script"),
		"nohup": plain, "setsid": plain, "command": plain, "builtin": plain, "call": plain, "winpty": plain, "unbuffer": plain,
		"chronic": plain, "dbus-run-session": plain, "catchsegv": plain,
		"exec": with("-a"), "nice": with("-n --adjustment"), "ionice": with("-c -n -p --class --classdata"),
		"timeout":       {{flags: syntax("-s --signal -k --kill-after"), skip: 1}},
		"gtimeout":      {{flags: syntax("-s --signal -k --kill-after"), skip: 1}},
		"time":          with("-f -o --format --output"),
		"stdbuf":        with("-i -o -e --input --output --error"),
		"xargs":         with("-I -n -P -L -d -a -s -E --max-args --max-procs --replace --delimiter --arg-file"),
		"xvfb-run":      with("-n -s -e -f -p -w --server-num --server-args --error-file --auth-file --wait"),
		"caffeinate":    with("-t -w"),
		"arch":          with("-d -e"),
		"firejail":      plain,
		"start":         {{slash: true}},
		"cross-env":     {{env: true}},
		"dotenv":        with("-f -e -c -v -p --file"),
		"dotenvx":       sub("run", "-f -e -fk --env-file --env --env-vault-file"),
		"env-cmd":       with("-f --file -r --rc-file -e --environments"),
		"op":            sub("run", "--env-file --account --config --session --environment"),
		"doppler":       sub("run", "-p -c -t --project --config --token --command=script --mount --scope --config-dir"),
		"infisical":     sub("run", "--env --projectId --path --token --domain --command=script --tags --project-config-dir"),
		"varlock":       sub("run", "--path --env"),
		"aws-vault":     {{sub: subs("exec"), flags: syntax("-d --duration --region --mfa-token"), dash: true}},
		"chamber":       {{sub: subs("exec"), dash: true}},
		"teller":        {{sub: subs("run"), dash: true}},
		"direnv":        {{sub: subs("exec"), skip: 1}},
		"mise":          {{sub: subs("exec|x"), flags: syntax("-c=script --command=script -C --cd -j --jobs"), dash: true}},
		"rtx":           {{sub: subs("exec|x"), dash: true}},
		"asdf":          sub("exec", ""),
		"nvm":           {{sub: subs("exec"), skip: 1}},
		"fnm":           sub("exec", "--using --log-level --node-dist-mirror --fnm-dir"),
		"volta":         sub("run", "--node --npm --yarn --pnpm"),
		"conda":         sub("run", "-n --name -p --prefix --cwd"),
		"mamba":         sub("run", "-n --name -p --prefix --cwd"),
		"micromamba":    sub("run", "-n --name -p --prefix --cwd"),
		"poetry":        sub("run", "-C --directory -P --project"),
		"pdm":           sub("run", "-p --project"),
		"pipenv":        sub("run", ""),
		"hatch":         sub("run", "-e --env"),
		"rye":           sub("run", ""),
		"pixi":          sub("run", "-e --environment --manifest-path -m"),
		"bundle":        sub("exec", ""),
		"wsl":           with("-d --distribution -u --user --cd --distribution-id --shell-type"),
		"flatpak-spawn": with(""),
		"kubectl":       {{sub: subs("exec"), flags: syntax("-n --namespace -c --container --context"), dash: true}},
		"sandbox-exec":  with("-f -n -p -D"),
	}
	for _, name := range engines {
		m[name] = []wrapper{{sub: subs("exec|container exec"), flags: syntax("-e --env --env-file -u --user -w --workdir --detach-keys").clustered(), skip: 1}}
	}
	return m
})
