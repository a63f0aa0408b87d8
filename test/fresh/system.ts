// A minimal Debian in a folder, with the distribution's own Node, npm and tmux, and one ordinary user. What runs in it has its
// own process ids, its own /proc and the network of outside, and ends with the command that started it. It needs root.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const USER = "person";
/** What a person has installed before the first command of the README. */
const PACKAGES = ["nodejs", "npm", "git", "tmux", "ca-certificates"];
const CERTIFICATES = "/etc/agtmux-test-certificates.crt";
/** Mounts live in a namespace of the command's own, and so does every process: the first one takes the orphans in. */
const ENTER = `set -e
mount -t proc proc "$1/proc"
mount --bind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
mount -t tmpfs -o mode=1777 shm "$1/dev/shm"
mount -t tmpfs -o mode=1777 tmp "$1/tmp"
system=$1
shift
exec chroot "$system" sh -c '"$@" & wait $!' init "$@"`;

const run = (file: string, args: readonly string[]): string =>
  execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 26 });

/** The mirror that this machine's apt has for Debian itself, in whatever way it was told. */
export const findMirror = (): string => {
  const [mirror = ""] = run("apt-get", [
    "indextargets",
    "--format",
    "$(REPO_URI)",
    "Created-By: Packages",
    "Label: Debian",
  ]).split("\n");
  if (mirror === "") throw new Error("apt knows no mirror of Debian here: name one with --mirror");
  return mirror;
};

/** Proxies and how old an index may be, as this machine's apt has them. */
const aptSettings = (): string =>
  run("apt-config", ["dump"])
    .split("\n")
    .filter((line) => /^Acquire::(Check-|https?::|Retries)/.test(line))
    .map((line) => `${line}\n`)
    .join("");

/** Certificates that this machine needs on top of its own, e.g. those of a proxy. */
const certificatesOf = (npm: string): string | undefined =>
  [process.env["NODE_EXTRA_CA_CERTS"], npm].find((path) => path !== undefined && existsSync(path));

const npmSetting = (name: string): string => {
  const text = run("npm", ["config", "get", name, "--workspaces=false"]).trim();
  return text === "null" || text === "undefined" ? "" : text;
};

/** What npm and Node need to know of the network. */
const networkEnvironment = (folder: string): string[] => {
  const certificates = certificatesOf(npmSetting("cafile"));
  if (certificates !== undefined) copyFileSync(certificates, join(folder, CERTIFICATES));
  const proxies = Object.entries(process.env).filter(([name]) => /^(https?|no)_proxy$/i.test(name));
  return [
    `npm_config_registry=${npmSetting("registry")}`,
    ...proxies.map(([name, value]) => `${name}=${value ?? ""}`),
    ...(certificates === undefined
      ? []
      : [`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, `npm_config_cafile=${CERTIFICATES}`]),
  ];
};

const enter = (folder: string, command: readonly string[]): string[] => [
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "sh",
  "-c",
  ENTER,
  "enter",
  folder,
  ...command,
];

const make = (folder: string, codename: string, mirror: string, packages: readonly string[]): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("debootstrap", ["--variant=minbase", codename, folder, mirror]);
  writeFileSync(join(folder, "etc/apt/apt.conf.d/99host"), aptSettings());
  const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "--no-install-recommends"];
  run("unshare", enter(folder, [...apt, "update"]));
  run("unshare", enter(folder, [...apt, "install", ...packages]));
  run("unshare", enter(folder, ["useradd", "--create-home", "--shell", "/bin/bash", USER]));
};

/** Makes the system unless it is there already; an unfinished one is made again. */
export const openSystem = (
  folder: string,
  codename: string,
  mirror: () => string,
  packages: readonly string[] = PACKAGES,
) => {
  const made = `${folder}.made`;
  if (!existsSync(made)) {
    make(folder, codename, mirror(), packages);
    writeFileSync(made, "");
  }
  const environment = networkEnvironment(folder);
  const clean = (home: string, user: string): string[] => [
    "env",
    "-i",
    `HOME=${home}`,
    `USER=${user}`,
    `LOGNAME=${user}`,
    "SHELL=/bin/bash",
    "LANG=C.UTF-8",
    "TERM=xterm-256color",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...environment,
  ];
  return {
    folder,
    /** Where the user lives, as seen from outside. */
    home: join(folder, "home", USER),
    /** What is in front of every command, to be spawned: as root, or as the user in its own folder `cwd`. */
    start: ({ as, cwd }: { as: "root" | "user"; cwd: string }, command: readonly string[]): ChildProcess => {
      const inFolder = ["sh", "-c", 'cd "$0" && exec "$@"', cwd, ...command];
      const prefix =
        as === "root"
          ? clean("/root", "root")
          : [
              "setpriv",
              `--reuid=${USER}`,
              `--regid=${USER}`,
              "--init-groups",
              ...clean(`/home/${USER}`, USER),
            ];
      return spawn("unshare", enter(folder, [...prefix, ...inFolder]), { stdio: ["ignore", "pipe", "pipe"] });
    },
  };
};

export type DebianSystem = ReturnType<typeof openSystem>;
