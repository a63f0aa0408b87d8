// Which tmux servers of a target are watched, and under which names references know them. Pure: it reads the configuration and the
// environment, never the disk.
import { basename, dirname } from "node:path/posix";
import type { Config } from "../model/config.ts";
import { refNameSchema } from "../model/runtime.ts";
import { BACKGROUND_SERVER, DEFAULT_SERVER } from "../model/shortRef.ts";

/** A server to watch. It need not run: a missing socket is a normal answer. */
export interface TmuxSocket {
  /** Name in references. */
  server: string;
  socketPath: string;
  /**
   * Name for `tmux -L`, for a socket in tmux's own folder: tmux then refuses a folder that another user made. In /tmp anybody can
   * make it before its owner does.
   */
  label?: string;
}

interface ServersInput {
  configured: Config["tmux_servers"];
  /** `AGTMUX_TMUX_SOCKETS` (when set, exactly these are watched) and `TMUX_TMPDIR`. */
  env: { readonly AGTMUX_TMUX_SOCKETS?: string | undefined; readonly TMUX_TMPDIR?: string | undefined };
  uid: number;
}

/** Where tmux has its own sockets. */
const tmuxFolder = (tmpdir: string | undefined, uid: number): string =>
  `${(tmpdir || "/tmp").replace(/(?<=.)\/+$/, "")}/tmux-${uid}`;

const labelIn = (folder: string, socketPath: string): { label?: string } =>
  dirname(socketPath) === folder ? { label: basename(socketPath) } : {};

/** A server that only its socket names, as `$TMUX` does. */
export const serverAt = (
  socketPath: string,
  { tmpdir, uid }: { tmpdir: string | undefined; uid: number },
): TmuxSocket => ({
  server: basename(socketPath),
  socketPath,
  ...labelIn(tmuxFolder(tmpdir, uid), socketPath),
});

const MAX_NAME_LENGTH = 64;

const toRefName = (text: string): string => {
  const name = text.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, MAX_NAME_LENGTH);
  return refNameSchema.safeParse(name).success ? name : "server";
};

/** The first of `name`, `name-2`, `name-3`… that is free. */
const freeName = (name: string, taken: ReadonlySet<string>): string => {
  for (let suffix = 1; ; suffix++) {
    const tail = suffix === 1 ? "" : `-${suffix}`;
    const candidate = name.slice(0, MAX_NAME_LENGTH - tail.length) + tail;
    if (!taken.has(candidate)) return candidate;
  }
};

/**
 * The servers to watch, each socket once, in the order of naming. The user's default server comes first and is named `default`; a
 * socket inside tmux's own folder has the name that `tmux -L` knows; one outside is named after its file, made unique by a number,
 * and never `default`; none is `background`. Entries of AGTMUX_TMUX_SOCKETS are names or absolute paths; empty and invalid ones are left out.
 */
export const resolveServers = ({ configured, env, uid }: ServersInput): TmuxSocket[] => {
  const folder = tmuxFolder(env.TMUX_TMPDIR, uid);
  const servers: TmuxSocket[] = [];
  const names = new Set([BACKGROUND_SERVER]);
  const paths = new Set<string>();
  const add = (name: string, socketPath: string): void => {
    if (paths.has(socketPath)) return;
    const server = freeName(name, names);
    names.add(server);
    paths.add(socketPath);
    servers.push({ server, socketPath, ...labelIn(folder, socketPath) });
  };
  const addPath = (socketPath: string): void => {
    const name = toRefName(basename(socketPath));
    if (dirname(socketPath) === folder) add(name, socketPath);
    else add(name === DEFAULT_SERVER ? `${DEFAULT_SERVER}-2` : name, socketPath);
  };

  if (env.AGTMUX_TMUX_SOCKETS !== undefined && env.AGTMUX_TMUX_SOCKETS.trim() !== "") {
    for (const entry of env.AGTMUX_TMUX_SOCKETS.split(",").map((part) => part.trim())) {
      if (entry.startsWith("/")) addPath(entry);
      else if (refNameSchema.safeParse(entry).success) add(entry, `${folder}/${entry}`);
    }
    return servers;
  }
  add(DEFAULT_SERVER, `${folder}/${DEFAULT_SERVER}`);
  for (const entry of configured) {
    if (typeof entry === "string") add(entry, `${folder}/${entry}`);
    else add(entry.name, entry.socket_path);
  }
  return servers;
};
