// What is known of the commands that a rule names: which run other programs, which have commands of their own, which run what a
// project says. Names without folders. A list is never complete; it only keeps careless rules out.
import { isPlainProgram, isPlainWord } from "./commandWords.ts";

/** The last word of a command: any number of plain words may follow. */
export const MORE = "*";

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/** They run what their arguments name. */
const RUNNERS =
  set(`sudo doas su env xargs nice ionice nohup timeout setsid stdbuf script watch parallel flock strace ltrace
  gdb lldb chroot unshare nsenter systemd-run sh bash dash zsh fish ksh csh tcsh busybox python node bun deno perl
  ruby php lua awk gawk mawk sed find fd ssh scp rsync tmux screen expect npx pnpx bunx uvx pipx tar zip vim vi nvim emacs
  ed less more man osascript open xdg-open docker podman kubectl`);

/** The same, by a command of their own. */
const RUNNING_COMMANDS: ReadonlySet<string> = new Set(
  (
    "npm exec,npm x,pnpm exec,pnpm dlx,yarn exec,yarn dlx,bun x,uv run,uv tool,poetry run,conda run,bundle exec,git submodule," +
    "git bisect,jj util,mise exec,mise x,direnv exec,nix run,nix shell,nix develop"
  ).split(","),
);

/** Their first argument is a command of their own. */
const WITH_COMMANDS =
  set(`git hg svn jj npm pnpm yarn bun cargo go rustup docker podman kubectl helm gh glab brew apt apt-get
  dnf yum pacman apk pip uv poetry conda systemctl launchctl aws gcloud az terraform pulumi make just task rake mix bundle gem
  gradle gradlew mvn mvnw dotnet swift flutter dart deno nx turbo composer php artisan rails django-admin heroku fly vercel netlify
  security defaults crontab`);

/** They run what files of the project say, which an agent may have written a minute ago. */
const RUNS_PROJECT =
  set(`npm pnpm yarn bun npx deno cargo go make just task rake mix bundle gradle gradlew mvn mvnw dotnet
  swift pytest tox nox uv poetry vitest jest mocha ava playwright cypress tsc eslint prettier vite webpack rollup esbuild turbo nx
  cmake ctest ninja bazel meson composer phpunit rspec node python ruby perl php sh bash zsh dash pre-commit oxlint`);

/** They run programs that a repository can name in its settings. */
const RUNS_REPOSITORY = set("git hg jj");

/** Without its folder and its version; a Mac takes small and capital letters for the same. */
const baseName = (program: string): string =>
  program
    .slice(program.lastIndexOf("/") + 1)
    .replace(/(?<=[A-Za-z])[\d.]+$/, "")
    .toLowerCase();

const runsOther = (name: string, [command = ""]: readonly string[]): boolean =>
  RUNNERS.has(name) || RUNNING_COMMANDS.has(`${name} ${command}`);

/** Why nothing may be approved by this command; null: it may. */
export const commandProblem = (words: readonly string[]): string | null => {
  const [program = "", ...rest] = words;
  const own = rest.filter((word) => word !== MORE);
  if (!isPlainProgram(program))
    return `'${program}' is no program of its own, or not plain: a command that begins so is always left to you`;
  const odd = own.find((word) => !isPlainWord(word));
  if (odd !== undefined)
    return `'${odd}' is no plain word: a command with quotes, patterns or variables is always left to you`;
  if (rest.at(-1) !== MORE) return null;
  const name = baseName(program);
  if (runsOther(name, own)) return `${name} runs what its words name: list all words in place of '*'`;
  // Behind an option nobody knows which word is the command.
  if (WITH_COMMANDS.has(name) && (own[0] ?? "-").startsWith("-"))
    return `${name} has many commands: name one directly behind it, before '*'`;
  return own.at(-1)?.startsWith("-") === true
    ? `'*' behind '${own.at(-1)}' could be its value: list all words`
    : null;
};

/** What a person should know before a rule approves this command. */
export const commandNotes = (words: readonly string[]): string[] => {
  const name = baseName(words[0] ?? "");
  const shown = words.join(" ");
  if (runsOther(name, words.slice(1))) return [`${shown} runs another program`];
  if (RUNS_REPOSITORY.has(name))
    return [`${shown} may run programs that the repository names in its settings`];
  return RUNS_PROJECT.has(name)
    ? [`${shown} runs what the project says, which its agent may have written a minute ago`]
    : [];
};
