// Entry of the desktop app: one instance per user, everything that must happen before Electron is ready, then the app itself.
import { homedir } from "node:os";
import { app } from "electron";
import { resolveHome, runtimePaths } from "../core/rpc/paths.ts";
import { fail, runApp, findInstallation } from "./app.ts";
import { hardenAllContents, registerPageScheme } from "./pageProtocol.ts";

const start = async (): Promise<void> => {
  await app.whenReady();
  await runApp({
    installation: findInstallation(),
    paths: runtimePaths(resolveHome(process.env, homedir())),
    env: process.env,
  });
};

if (app.requestSingleInstanceLock()) {
  // Files that the app creates are for their owner only.
  process.umask(0o077);
  app.enableSandbox();
  registerPageScheme();
  hardenAllContents();
  app.dock?.hide();
  start().catch(fail);
} else {
  app.exit(0);
}
