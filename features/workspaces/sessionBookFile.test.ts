// The book over the lives of a tmux server that is replaced faster than rows are noted: nothing that ran in it may be forgotten.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { handClock } from "../../test/workspaces/handClock.ts";
import { makePane } from "../../test/factories/view.ts";
import { SessionBookFile } from "./sessionBook.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const SHELL = makePane({ pane: 99, state: null, agent: null });
const agent = (pane: number, id: string): PaneView => ({
  ...makePane({ pane, session: "work", activity: { folder: `/p${pane}` } }),
  agent_session_id: id,
});

let folder: string;
let rows: PaneView[];
let life: string;
let asked: number;
let clock: ReturnType<typeof handClock>;
let book: SessionBookFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-book-"));
  [rows, life, asked, clock] = [[], "10 1", 0, handClock()];
  const target = {
    tmux: () => ({
      server: "default",
      run: ([verb]: string[]) => {
        asked += 1;
        // Plain questions would run a hook that a person set.
        expect(verb).toBe("if-shell");
        return Promise.resolve({ exitCode: 0, stdout: `${life}\n`, stderr: "", timedOut: false });
      },
    }),
  };
  book = new SessionBookFile(
    partOf({
      rows: { all: () => rows },
      target: () => target as never,
      clock,
      logger: SILENT_LOGGER,
      redact: (text) => text,
    }),
    join(folder, "workspaces.json"),
  );
});
afterEach(async () => {
  await book.close();
  rmSync(folder, { recursive: true, force: true });
});
const see = async (seen: PaneView[]): Promise<void> => {
  rows = seen;
  book.handleChanges();
  clock.advance(2_000);
  await book.lost();
};
const lost = async (): Promise<string[]> => (await book.lost()).map(({ agent_session_id: id }) => id);

it("offers what ran in a server at once, though another one took its place between two looks at the rows", async () => {
  await see([agent(1, "a"), agent(2, "b"), SHELL]);
  [rows, life] = [[SHELL], "20 2"];
  expect(await lost()).toEqual(["a", "b"]);
});

it("still offers it when the agents were seen to end before their server", async () => {
  await see([agent(1, "a"), SHELL]);
  await see([SHELL]);
  life = "20 2";
  await see([SHELL]);
  clock.advance(60_000);
  await see([SHELL]);
  expect(await lost()).toEqual(["a"]);
});

it("asks the server nothing while the same agents run", async () => {
  await see([agent(1, "a"), SHELL]);
  for (let turn = 0; turn < 5; turn += 1) await see([agent(1, "a"), SHELL]);
  expect(asked).toBe(1);
});

it("forgets several at once and while it notes what runs: no write takes the file of another", async () => {
  await see([agent(1, "a"), agent(2, "b"), agent(3, "c"), SHELL]);
  [rows, life] = [[SHELL], "20 2"];
  const gone = await book.lost();
  expect(gone).toHaveLength(3);
  await Promise.all([...gone.map((one) => book.forget([one])), book.lost()]);
  expect(await lost()).toEqual([]);
});
