// An agent whose terminal was taken away, as by `su -c`, is in front where the program is that waits for it.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findProcess } from "../../core/actions/kill.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";

it.runIf(process.platform === "linux")("is in front with it, and not while it is suspended", async () => {
  const tmux = createPrivateTmux();
  const executor = createLocalExecutor({ targetId: "host", env: process.env });
  try {
    await tmux.run("new-session", "-d", "-s", "base", "setsid -w sleep 60");
    const pid = Number(await tmux.run("display-message", "-p", "-t", "base:", "#{pane_pid}"));
    const childOf = () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
    await expect.poll(childOf).toBeGreaterThan(0);
    const child = childOf();
    const isForeground = async () => (await findProcess(executor, child))?.isForeground;
    await expect.poll(isForeground).toBe(true);
    process.kill(child, "SIGSTOP");
    await expect.poll(isForeground).toBe(false);
    process.kill(child, "SIGKILL");
  } finally {
    await executor.close();
    await tmux.close();
  }
});
