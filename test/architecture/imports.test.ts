// Who may import whom, as docs/architecture.md says it.
import { describe, expect, it } from "vitest";
import { readSources, type Import } from "./sources.ts";

interface Layer {
  /** Folders that it may import; types only where the name begins with `type:`. */
  layers: readonly string[];
  /** Packages and Node modules; `node:*` stands for all of Node. */
  packages: readonly string[];
}

const CORE_PARTS = ["core/model", "core/engine", "core/ports"];
const LAYERS: Readonly<Record<string, Layer>> = {
  "core/model": { layers: [], packages: ["zod"] },
  "core/engine": { layers: ["core/model"], packages: [] },
  "core/files": { layers: ["core/model"], packages: ["node:*"] },
  "core/pattern": { layers: [], packages: ["node:*", "safe-regex2"] },
  "core/ports": { layers: ["core/model"], packages: [] },
  "core/store": { layers: CORE_PARTS, packages: ["node:*", "better-sqlite3", "zod"] },
  "core/targets": { layers: CORE_PARTS, packages: ["node:*", "execa", "ssh2", "zod"] },
  "core/tmux": { layers: CORE_PARTS, packages: ["node:*"] },
  "core/collect": { layers: [...CORE_PARTS, "core/tmux"], packages: ["node:*"] },
  "core/ingest": { layers: CORE_PARTS, packages: [] },
  "core/api": { layers: CORE_PARTS, packages: ["@trpc/server", "zod"] },
  "core/rpc": {
    layers: ["core/model", "core/ports", "core/api"],
    packages: ["node:*", "@trpc/server", "@trpc/client", "better-sqlite3", "zod"],
  },
  "core/config": { layers: ["core/model", "core/ports"], packages: ["node:*", "zod"] },
  "core/connections": {
    layers: ["core/model", "core/ports", "core/targets", "core/tmux", "core/collect", "core/config"],
    packages: [],
  },
  "core/actions": {
    layers: [...CORE_PARTS, "core/tmux", "core/ingest", "type:core/api", "core/connections"],
    packages: ["node:*"],
  },
  "core/integrations": {
    layers: ["core/model", "core/ports", "type:core/api", "core/connections"],
    packages: ["node:*", "diff"],
  },
  "core/doctor": {
    layers: [
      "core/model",
      "core/ports",
      "core/store",
      "core/tmux",
      "core/collect",
      "core/ingest",
      "core/connections",
      "core/integrations",
    ],
    packages: ["node:*"],
  },
  "core/daemon": { layers: ["core"], packages: ["node:*", "pino", "zod"] },
  adapters: { layers: ["core/model", "core/ports", "core/pattern"], packages: ["node:*", "zod"] },
  "features/documents": {
    layers: ["core/model", "core/files", "core/ports", "core/api"],
    packages: ["node:*", "better-sqlite3", "diff", "smol-toml", "yaml", "yjs", "zod"],
  },
  "editors/vscode": {
    layers: ["core/model", "core/files", "features/documents/model", "type:features/documents/ipc"],
    packages: ["node:*", "vscode"],
  },
  "features/automation": {
    layers: [...CORE_PARTS, "core/api", "core/files", "core/pattern"],
    packages: ["node:*", "croner", "unbash", "zod"],
  },
  "features/history": {
    layers: [...CORE_PARTS, "core/api", "core/files"],
    packages: ["node:*", "better-sqlite3", "zod"],
  },
  "features/workspaces": { layers: [...CORE_PARTS, "core/api"], packages: ["node:*", "smol-toml", "zod"] },
  cli: {
    layers: [
      "core/model",
      "core/ports",
      "core/rpc",
      "type:core/api",
      "core/api/paneFilter.ts",
      "ui",
      "core/connections/localTmux.ts",
      "cli/host/daemon.ts:core/daemon",
      "cli/host/daemon.ts:adapters",
      "cli/host/daemon.ts:features",
      "cli/doc:features/documents",
      "cli/doc:adapters/index.ts",
      "type:features",
    ],
    packages: ["node:*", "commander", "log-update", "string-width"],
  },
  main: {
    layers: [
      "core/model",
      "core/ports",
      "core/rpc",
      "core/api",
      "core/daemon",
      "core/actions/attach.ts",
      "main/compose.ts:adapters",
      "main/compose.ts:features",
    ],
    packages: ["node:*", "electron", "electron-menubar", "electron-store", "zod"],
  },
  preload: { layers: [], packages: ["electron"] },
  ui: { layers: ["core/model"], packages: [] },
  renderer: {
    layers: [
      "core/model",
      "ui",
      "type:core/api",
      "type:core/rpc",
      "core/rpc/messageLink.ts",
      "core/rpc/wire.ts",
    ],
    packages: ["react", "react-dom", "@trpc/client", "@trpc/server", "zod"],
  },
};

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const isAllowed = (layer: Layer, own: string, from: string, { to, isType }: Import): boolean => {
  if (isWithin(to, own)) return true;
  if (/^(core|adapters|editors|features|cli|main|preload|renderer|ui|test|e2e|bench|scripts)\//.test(to))
    return layer.layers.some((rule) => {
      const [first = "", rest] = rule.split(":");
      if (rest === undefined) return isWithin(to, first);
      return isWithin(to, rest) && (first === "type" ? isType : isWithin(from, first));
    });
  // A package's own parts, and files beside a source (styles).
  return layer.packages.some(
    (name) => isWithin(to, name) || (name === "node:*" && to.startsWith("node:")) || to.endsWith(".css"),
  );
};

describe("imports", () => {
  it.each(Object.entries(LAYERS))("of %s go where docs/architecture.md lets them", (own, layer) => {
    const sources = readSources(own);
    expect(sources.length).toBeGreaterThan(0);
    const wrong = sources.flatMap(({ path, imports }) =>
      imports.filter((one) => !isAllowed(layer, own, path, one)).map(({ to }) => `${path} imports ${to}`),
    );
    expect(wrong, "move the code, or let a port pass what is needed").toEqual([]);
  });

  it("are seen in every form in which they are written", () => {
    const cli = readSources("cli");
    const lists = cli.find(({ path }) => path === "cli/grammar/lists.ts");
    expect(lists?.imports).toContainEqual({ to: "cli/verbs/list.ts", isType: false });
    expect(lists?.imports).toContainEqual({ to: "cli/command/context.ts", isType: true });
    expect(
      isAllowed({ layers: ["type:core/api"], packages: [] }, "cli", "cli/x.ts", {
        to: "core/api/router.ts",
        isType: false,
      }),
    ).toBe(false);
  });
});
