// `agtmux setup` in short: it installs the hooks of every agent that can have them. The rest is in setup.slow.test.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSetupHome } from "./setupHarness.ts";

describe("setup", () => {
  it(
    "goes on with the others where one agent's settings cannot be changed, and says so",
    { timeout: 60_000 },
    async (test) => {
      const { home, setup } = await openSetupHome(test);
      writeFileSync(join(home, ".gemini/settings.json"), "{ broken");
      const done = await setup("--yes");
      expect(done.code).toBe(0);
      expect(done.stdout).toMatch(/^✗ Gemini CLI: .*settings\.json/m);
      expect(done.stdout.match(/has its hooks\./g)).toHaveLength(6);
      expect(readFileSync(join(home, ".gemini/settings.json"), "utf8")).toBe("{ broken");
    },
  );
});
