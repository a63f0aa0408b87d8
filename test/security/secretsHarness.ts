// A daemon with two played agents that secrets go into, and the search of every byte that it keeps.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { openLogFile } from "../../core/daemon/logFile.ts";
import { framesOf } from "../chain/chainHarness.ts";
import { startTestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { makeSecrets, type Secret } from "./secrets.ts";

// Every byte that lies under a folder, searched for what must not be there.

/** Long enough to be no accident, short enough to lie on one page of a database whose texts are split over several. */
const PIECE = 12;

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Contents by path within the folder; links are not followed. */
export const readAll = (folder: string, except: readonly string[] = []): Map<string, Buffer> =>
  new Map(
    filesUnder(folder)
      .filter((path) => lstatSync(path).isFile() && !except.includes(relative(folder, path)))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );

const piecesOf = ({ value }: Secret): string[] => [value.slice(-PIECE), value.slice(-2 * PIECE, -PIECE)];

/** `file: kind` for every secret of which a part was found. */
export const findSecrets = (files: ReadonlyMap<string, Buffer>, secrets: readonly Secret[]): string[] =>
  [...files].flatMap(([path, bytes]) =>
    secrets
      .filter((one) => piecesOf(one).some((piece) => piece.length === PIECE && bytes.includes(piece)))
      .map(({ kind }) => `${path}: ${kind}`),
  );

/** Whether a word that may be there is: a search that finds nothing proves nothing otherwise. */
export const hasWord = (files: ReadonlyMap<string, Buffer>, word: string): boolean =>
  [...files.values()].some((bytes) => bytes.includes(word));

/** Much is started and stored, on machines that are busy with others. */
export const LIMIT_MS = 60_000;
export const PLAYED = ["claude", "codex"] as const;

export const openSecretsHarness = async () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-secret-"));
  const tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "200", "-y", "40", "exec cat");
  const log = await openLogFile({ path: join(root, "log"), level: "debug", maxBytes: 10_000_000 });
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath], logger: log.logger });
  const players: Player[] = [];
  for (const agent of PLAYED)
    players.push(
      await createPlayer({
        agent,
        tmux: { socketArgs: tmux.socketArgs, session: "base" },
        home: daemon.home,
        recordingsDir: framesOf(agent),
        eventScript: daemon.eventScript,
      }),
    );
  const given: Secret[] = [];
  let fresh: Secret[] = [];
  const everything = () => readAll(daemon.paths.home, ["config.json"]);
  return {
    tmux,
    daemon,
    log,
    /** With the log. */
    root,
    /** In the order of `PLAYED`. */
    players,
    /** Fresh ones for each way in, so that a find names the way. */
    secretsOf: (way: string): Secret[] => {
      const made = makeSecrets().map((one) => ({ ...one, kind: `${one.kind} by ${way}` }));
      given.push(...made);
      fresh.push(...made);
      return made;
    },
    /** All of every test so far. */
    given: (): readonly Secret[] => given,
    /** Forgets those of the test before. */
    begin: (): void => {
      fresh = [];
    },
    /** Every file of the home, by its name. */
    everything,
    /** Waits until the spool is empty and `isThere`; then what is found of the secrets of this test, or of all. */
    finish: async (
      isThere: () => boolean,
      what: string,
      which: "of this test" | "all" = "of this test",
    ): Promise<string[]> => {
      // An event lies in the spool as the hook wrote it until it is taken in.
      await until(() => readdirSync(daemon.paths.spoolNew).length === 0 && isThere(), what, LIMIT_MS);
      log.flush();
      const searched = new Map([...everything(), ...readAll(root)]);
      return findSecrets(searched, which === "all" ? given : fresh);
    },
    close: async (): Promise<void> => {
      await Promise.all(players.map((player) => player.close()));
      await daemon.close();
      await tmux.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

export type SecretsHarness = Awaited<ReturnType<typeof openSecretsHarness>>;
