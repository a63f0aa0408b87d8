// The scripted model's process keeps the run's folder: when the driver is killed, it ends what the driver had started.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { openRunRoot } from "../../setup/runRoot.ts";

const SERVE = fileURLToPath(new URL("serve.ts", import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

const begin = async (): Promise<{ root: string; model: ChildProcess; agent: ChildProcess }> => {
  const root = openRunRoot();
  mkdirSync(join(root, "home"));
  const agent = spawn("sleep", ["600"], { env: { HOME: join(root, "home") }, stdio: "ignore" });
  const model = spawn(process.execPath, [SERVE, String(await freePort()), join(root, "model.jsonl"), root], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  started.push(agent, model);
  if (model.stdout === null) throw new Error("the model has no output");
  await once(model.stdout, "data");
  return { root, model, agent };
};

it("ends what runs in the folder of a driver that is gone, removes the folder and ends", async () => {
  const { root, model, agent } = await begin();
  const ended = [once(model, "exit"), once(agent, "exit")];
  // The driver's end of the pipe closes, however the driver ends.
  model.stdin?.end();
  await Promise.all(ended);
  expect(agent.signalCode).toBe("SIGKILL");
  expect(existsSync(root)).toBe(false);
});

it("leaves everything to a driver that ends it by itself", async () => {
  const { root, model, agent } = await begin();
  const ended = once(model, "exit");
  model.kill("SIGTERM");
  await ended;
  expect(agent.exitCode ?? agent.signalCode).toBeNull();
  expect(existsSync(root)).toBe(true);
});
