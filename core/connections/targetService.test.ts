import { expect, it } from "vitest";
import { configSchema } from "../model/config.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import { createTargetService } from "./targetService.ts";

const NOW = 1_800_000_000_000;

it("brings attempts forward that wait for a network, not those that wait for a person or are over", async () => {
  const nextAttemptAt = new Map<string, number | null>([
    ["soon", NOW + 30_000],
    ["person", NOW + 300_000],
    ["up", null],
    ["failing", NOW + 1_000],
  ]);
  const config = configSchema.parse({
    targets: [...nextAttemptAt.keys()].map((name) => ({ name, ssh_target: name })),
  });
  const tried: string[] = [];
  const open: Parameters<typeof createTargetService>[0]["open"] = ({ config: own }) => ({
    config: own,
    start: () => {},
    connectNow: () => {
      tried.push(own.name);
      return own.name === "failing" ? Promise.reject(new Error("refused")) : Promise.resolve();
    },
    link: {
      isEnabled: true,
      transport: null,
      rttMs: null,
      remedy: null,
      nextAttemptAt: nextAttemptAt.get(own.name) ?? null,
      note: null,
    },
    close: () => Promise.resolve(),
  });
  const service = createTargetService({
    config: () => config,
    write: () => Promise.resolve(),
    ingest: {
      setTarget: () => {},
      removeTarget: () => {},
      targets: () => [],
      targetOf: () => undefined,
    },
    open,
    clock: { now: () => NOW, setTimer: () => () => {} },
    logger: SILENT_LOGGER,
  });
  service.apply();
  await service.retryNow();
  expect(tried).toEqual(["soon", "failing"]);
  await service.close();
});
