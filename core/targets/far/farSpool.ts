// The spool of a target as its far shell sees it. Nothing on the far side waits for us: a hook drops a file as it always
// does, and a glance at the folder, which costs no program there, says when one is there.
import { quoteArgv } from "../quote.ts";
import type { FarShell } from "./farShell.ts";

const TIMEOUT_MS = 15_000;
const MAX_BAD_FILES = 100;

/** One file of the spool: `ageMs` by the target's own clock, `bytes` at most what was asked for. */
export interface SpooledFile {
  name: string;
  modifiedSeconds: number;
  ageMs: number;
  size: number;
  /** Null: no regular file of the user. */
  bytes: Buffer | null;
}

export interface FarSpool {
  /** Looks without waiting; `onFiles` of the drain is told when something lies there. */
  glance(): void;
  onFiles(listener: () => void): void;
  /** The oldest files first, at most `count`. */
  read(options: { count: number; maxBytes: number }): Promise<SpooledFile[]>;
  remove(names: readonly string[]): Promise<void>;
  /** Takes a file that is no event out of the way. */
  reject(name: string): Promise<void>;
}

/** Names that our own script makes; anything else is not for us to read. */
const NAME = /^[A-Za-z0-9._-]{1,255}$/;

export const createFarSpool = (options: {
  shell: FarShell;
  /** The spool's folder on the target, absolute. */
  spoolDir: string;
  makeNonce: () => string;
}): FarSpool => {
  const { shell, spoolDir, makeNonce } = options;
  const folder = quoteArgv([`${spoolDir}/new`]);
  const bad = quoteArgv([`${spoolDir}/bad`]);
  let isPrepared = false;

  const ask = async (script: string): Promise<Buffer> => {
    const answer = await shell.ask(script, { timeoutMs: TIMEOUT_MS });
    return answer.stdout;
  };
  const pathOf = (name: string): string => quoteArgv([`${spoolDir}/new/${name}`]);

  const list = async (count: number): Promise<Omit<SpooledFile, "bytes">[]> => {
    const answer = await ask(
      `if cd ${folder}; then date +%s; ls -tr | head -n ${count} | while IFS= read -r x; do ` +
        `stat -c '%Y %s %n' -- "$x" || stat -f '%m %z %N' -- "$x"; done; cd /; fi`,
    );
    const [now = "", ...lines] = answer.toString("utf8").split("\n");
    return lines.flatMap((line) => {
      const [, modified, size, name = ""] = /^(\d+) (\d+) (.+)$/.exec(line) ?? [];
      if (modified === undefined || !NAME.test(name)) return [];
      const modifiedSeconds = Number(modified);
      const ageMs = Math.max(0, (Number(now) - modifiedSeconds) * 1_000);
      return [{ name, modifiedSeconds, ageMs, size: Number(size) }];
    });
  };

  return {
    glance: () => {
      const define = isPrepared ? "" : `p() { set -- ${folder}/*; [ -e "$1" ] && n; }\n`;
      isPrepared = true;
      shell.tell(`${define}p`);
    },
    onFiles: (listener) => shell.onNotice(listener),
    read: async ({ count, maxBytes }) => {
      const listed = await list(count);
      if (listed.length === 0) return [];
      const nonce = makeNonce();
      const answer = await ask(
        listed
          .map(
            ({ name }) =>
              `f=${pathOf(name)}; if [ -f "$f" ] && [ ! -L "$f" ] && [ -O "$f" ]; then printf F; head -c ${maxBytes} <"$f"; else printf E; fi; printf '\\n%s\\n' ${nonce}`,
          )
          .join("\n"),
      );
      const end = Buffer.from(`\n${nonce}\n`);
      let from = 0;
      return listed.map((file) => {
        const to = answer.indexOf(end, from);
        const part = answer.subarray(from, to === -1 ? from : to);
        from = to === -1 ? answer.length : to + end.length;
        const isFile = part.subarray(0, 1).toString("latin1") === "F";
        return { ...file, bytes: isFile ? part.subarray(1) : null };
      });
    },
    remove: async (names) => {
      if (names.length > 0) await ask(`rm -f -- ${names.map(pathOf).join(" ")}`);
    },
    reject: async (name) => {
      await ask(
        `mkdir -p ${bad} && mv -f -- ${pathOf(name)} ${bad}/ && ls -t ${bad} | tail -n +${MAX_BAD_FILES + 1} | ` +
          `while IFS= read -r x; do rm -rf -- ${bad}/"$x"; done`,
      );
    },
  };
};
