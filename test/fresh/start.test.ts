// `npm start` on Linux, where no Electron is there and none is downloaded.
import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

let harness: StartHarness;
afterEach(() => harness.close());

describe("on Linux", () => {
  beforeEach(async () => {
    harness = await openStartHarness("linux");
  });

  it("downloads nothing unless it is asked to", async () => {
    const { code, stdout } = await harness.run();
    expect([code, harness.requests(), harness.ran()]).toEqual([0, 0, ["browser"]]);
    expect(stdout).toContain("AGTMUX_UI=app downloads one");
  });

  it("says how a shell finds the command, until it does", async () => {
    const home = join(harness.root, "person");
    const place = join(home, ".local", "bin");
    // Root may write into this one, and would get the link there.
    const path = (harness.env["PATH"] ?? "").split(":").filter((one) => one !== "/usr/local/bin");
    const first = await harness.run({ HOME: home, PATH: path.join(":") });
    const [, where, link = ""] = /^For 'agtmux' in your shell(.*?): (.*)$/m.exec(first.stdout) ?? [];
    expect(where).toBe(` (with ${place} on your PATH)`);
    execFileSync("sh", ["-c", link]);
    expect(readlinkSync(join(place, "agtmux"))).toBe(join(harness.root, "bin", "agtmux"));
    const second = await harness.run({ HOME: home, PATH: [place, ...path].join(":") });
    expect([second.code, second.stdout.includes("in your shell")]).toEqual([0, false]);
  });

  it("another word in AGTMUX_UI is refused", async () => {
    const { code, stderr } = await harness.run({ AGTMUX_UI: "web" });
    expect([code, stderr, harness.ran()]).toEqual([
      1,
      "agtmux: AGTMUX_UI is 'web': use 'app' or 'browser'.\n",
      [],
    ]);
  });
});
