// Words that are gone from the code: each was a private name for something that has a common one (docs/glossary.md).
import { globSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { readSources, ROOT, TOP_FOLDERS } from "./sources.ts";

/** What is gone → what it is called. Fields of documents, of the database and of the wire keep their names. */
const GONE: Readonly<Record<string, string>> = {
  "action record": "audit",
  anew: "resync",
  beside: "SettingsHost",
  blind: "stale",
  breath: "yieldToEventLoop",
  "channel slots": "Semaphore",
  desk: "…Service",
  deaf: "ignoresKeys",
  "draw guard": "ErrorBoundary",
  "drawn lines": "screen text",
  ear: "meter",
  far: "remote…",
  fleet: "ConnectedTargets",
  hands: "PaneClient, ProcessSignaller, …Actions",
  heed: "handle…, on…",
  "hide states": "markStale",
  "high marks": "watermarks",
  hindrance: "StoreOutage, disabledReason",
  "key sheet": "ShortcutsDialog",
  knock: "request",
  "last values": "deferredWrites",
  "last words": "crashMessage",
  leash: "time limit",
  ledger: "UnitOfWork",
  lives: "RuntimeLifecycle",
  "make room": "endOutdated",
  notice: "AgentNotification, Notification…",
  "notice board": "NotificationScheduler",
  "once by key": "idempotency",
  "pane board": "TrayState",
  "pane turns": "KeyedMutex",
  pieces: "chunkedTask",
  placement: "paneBinding",
  pulse: "Liveness",
  scales: "ResolveContext",
  scene: "…Fixture, …Harness",
  sight: "…Reading, isPaneVisible",
  survive: "tolerateStoreFailure",
  "target unit": "ConnectedTarget",
  thrifty: "incrementalProbe",
  "wake ups": "powerEvents",
  weigh: "candidates",
  wishes: "NavigationRequests",
  world: "LiveState",
};

/** `PaneHands` → ` pane hands `. */
const toWords = (name: string): string =>
  ` ${name
    .replaceAll(/([a-z0-9])([A-Z])|[^A-Za-z0-9]+/g, "$1 $2")
    .trim()
    .toLowerCase()} `;

const goneIn = (name: string): string[] =>
  Object.keys(GONE).filter((word) => toWords(name).includes(` ${word} `));

const tell = (where: string, name: string): string[] =>
  goneIn(name).map((word) => `${where}: ${name} (say ${GONE[word]})`);

describe("words that are gone", () => {
  it.each(TOP_FOLDERS)("are in no exported name of %s", (folder) => {
    const found = readSources(folder).flatMap(({ path, exports }) =>
      exports.flatMap((name) => tell(path, name)),
    );
    expect(found).toEqual([]);
  });

  it.each([...TOP_FOLDERS, "test", "bench"])("are in no name of a file in %s", (folder) => {
    const files = globSync(`${folder}/**/*.*`, {
      cwd: ROOT,
      exclude: (path) => /(^|\/)fixtures$/.test(path),
    });
    expect(files.length).toBeGreaterThan(0);
    const found = files.flatMap((path) => tell(path, basename(path)));
    expect(found).toEqual([]);
  });

  it("are found in every form", () => {
    expect(["adapterDesk", "PaneHands", "farEvents.test.ts", "lastWords.ts"].flatMap(goneIn)).toEqual([
      "desk",
      "hands",
      "far",
      "last words",
    ]);
    expect(["Desktop", "insight", "worldwide", "farthest"].flatMap(goneIn)).toEqual([]);
  });
});
