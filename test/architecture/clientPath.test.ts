// What a command loads that only asks the daemon: neither the database nor SSH nor the schemas, whatever their authors import.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFakeHome, type FakeHome } from "../../cli/testing/fakeHome.ts";
import { makePane } from "../factories/view.ts";
import { AnsweringDaemon } from "../fakes/answeringDaemon.ts";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const PRELOAD = fileURLToPath(new URL("fixtures/tellLoadedScript.mjs", import.meta.url));

let home: FakeHome;
beforeEach(async () => {
  home = makeFakeHome();
  await home.serve(new AnsweringDaemon([makePane({ state: "running" })]));
});
afterEach(() => home.close());

/** Modules and files that a command loaded, as it runs from the sources. */
const loadedBy = async (args: readonly string[]): Promise<string[]> => {
  const child = spawn(process.execPath, ["--import", PRELOAD, MAIN, ...args], {
    env: { ...process.env, AGTMUX_HOME: home.paths.home, AGTMUX_NO_START: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  for await (const chunk of child.stderr) text += String(chunk);
  return text.split("\n");
};

const NEVER = [
  "/node_modules/better-sqlite3/",
  "/node_modules/ssh2/",
  "/node_modules/zod/",
  "/node_modules/@trpc/",
  "/core/store/",
  "/core/daemon/",
  "/core/targets/",
  "/adapters/",
  "NativeModule sqlite",
];

describe("the client's path", () => {
  it.each([
    { args: ["list", "panes"], also: [] },
    // What passes a document on needs no HTTP either.
    { args: ["list", "panes", "--json"], also: ["NativeModule _http_client", "/core/rpc/socketClient.ts"] },
    { args: ["__complete", "refs"], also: ["NativeModule _http_client", "/core/rpc/socketClient.ts"] },
    { args: ["status"], also: [] },
    // Without a terminal it only says so, once everything that it draws with was loaded.
    { args: ["pick"], also: ["/node_modules/react/"] },
    { args: ["help", "list", "panes"], also: ["/core/rpc/socketClient.ts"] },
  ])("of $args loads nothing of the daemon's", async ({ args, also }) => {
    const loaded = await loadedBy(args);
    expect(loaded.some((one) => one.endsWith("/cli/grammar/run.ts"))).toBe(true);
    const unwanted = args[0] === "help" ? NEVER.filter((part) => !part.includes("zod")) : NEVER;
    const found = [...unwanted, ...also].filter((part) =>
      loaded.some((one) => (part.startsWith("/") ? one.includes(part) : one === part)),
    );
    expect(found, "import it where it is used, with await import()").toEqual([]);
  });

  it("is seen where something is loaded", async () => {
    const loaded = await loadedBy(["list", "panes"]);
    expect(loaded).toContain("NativeModule _http_client");
    expect(loaded.some((one) => one.includes("/core/rpc/socketClient.ts"))).toBe(true);
  });
});
