import type { ConfigFile } from "../config/configFile.ts";
import { expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../model/config.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createTmuxFinder } from "./hostTarget.ts";

/** A machine without any program. */
const places: string[] = [];
const executor = {
  targetId: "host",
  files: {
    stat: (path: string) => {
      places.push(path);
      return Promise.resolve(null);
    },
  },
} as unknown as TargetExecutor;

it("looks where the programs of a Mac are, without a shell's PATH", async () => {
  const env = { PATH: "/usr/bin:/bin", HOME: "/Users/me", USER: "me" };
  await expect(
    createTmuxFinder({ current: DEFAULT_CONFIG } as ConfigFile, env)(executor),
  ).rejects.toMatchObject({
    code: "E_TMUX_MISSING",
  });
  expect(places).toEqual(
    [
      "/usr/bin",
      "/bin",
      "/Users/me/.nix-profile/bin",
      "/etc/profiles/per-user/me/bin",
      // Homebrew of Apple silicon comes before the leftovers of an Intel Homebrew.
      "/opt/homebrew/bin",
      "/usr/local/bin",
      "/opt/local/bin",
      "/run/current-system/sw/bin",
      "/nix/var/nix/profiles/default/bin",
    ].map((folder) => `${folder}/tmux`),
  );
});
