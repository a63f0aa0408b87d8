// The machine on which the figures were measured.
import { execFileSync } from "node:child_process";
import { arch, cpus, platform, release, totalmem } from "node:os";
import type { Machine } from "./report/model.ts";

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
  tmux: execFileSync("tmux", ["-V"], { encoding: "utf8" }).trim(),
});
