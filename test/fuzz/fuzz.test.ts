// That `npm run fuzz` forgets no boundary.
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createDesktopRouter, type DesktopService, createRouter } from "../../core/api/router.ts";
import { FakeDaemon } from "../fakes/fakeDaemon.ts";
import { TARGETS } from "./targets.ts";

describe("no boundary is forgotten", () => {
  const covered = new Set(TARGETS.flatMap(({ covers }) => covers));

  it.each(createAdapterRegistry().list())("of the adapter $agentType", (adapter) => {
    const hasFiles = "readStateFiles" in adapter || "readTranscript" in adapter || "readProgress" in adapter;
    const wanted = [
      "hook",
      "screen",
      "processes",
      ...(hasFiles ? ["files"] : []),
      ...(adapter.integration === undefined ? [] : ["settings"]),
    ].map((what) => `${what} of ${adapter.agentType}`);
    expect(wanted.filter((one) => !covered.has(one))).toEqual([]);
  });

  it("of the routers", () => {
    const procedures = [
      ...Object.keys(createRouter(new FakeDaemon())._def.procedures),
      ...Object.keys(createDesktopRouter({} as DesktopService)._def.procedures),
    ];
    expect(procedures.length).toBeGreaterThan(30);
    expect(procedures.filter((name) => !covered.has(name))).toEqual([]);
  });

  it("and none has another's name", () => {
    const names = TARGETS.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
