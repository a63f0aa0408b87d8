// What is known of programs, for the check of rules: which run other programs, which have commands of their own, and which run
// what a project says. Names without folders. A list is never complete; it only keeps careless rules out.

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** They run what their arguments name. */
export const RUNNERS =
  set(`sudo doas su env xargs nice ionice nohup timeout setsid stdbuf script watch parallel flock strace ltrace
  gdb lldb chroot unshare nsenter systemd-run sh bash dash zsh fish ksh csh tcsh busybox python python2 python3 node bun deno perl
  ruby php lua awk gawk mawk sed find fd ssh scp rsync tmux screen expect npx pnpx bunx uvx pipx tar zip vim vi nvim emacs
  ed less more man osascript open xdg-open docker podman kubectl`);

/** Their first argument is a command of their own. */
export const WITH_COMMANDS =
  set(`git hg svn jj npm pnpm yarn bun cargo go rustup docker podman kubectl helm gh glab brew apt apt-get
  dnf yum pacman apk pip pip3 uv poetry conda systemctl launchctl aws gcloud az terraform pulumi make just task rake mix bundle gem
  gradle gradlew mvn mvnw dotnet swift flutter dart deno nx turbo composer php artisan rails django-admin heroku fly vercel netlify
  security defaults crontab`);

/** They run what files of the project say, which an agent may have written a minute ago. */
export const RUNS_PROJECT =
  set(`npm pnpm yarn bun npx deno cargo go make just task rake mix bundle gradle gradlew mvn mvnw dotnet
  swift pytest tox nox uv poetry vitest jest mocha ava playwright cypress tsc eslint prettier vite webpack rollup esbuild turbo nx
  cmake ctest ninja bazel meson composer phpunit rspec node python python3 ruby perl php sh bash zsh dash pre-commit oxlint`);

/** They run programs that a repository can name in its settings. */
export const RUNS_REPOSITORY = set("git hg jj");
