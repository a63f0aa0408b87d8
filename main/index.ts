// Entry of the desktop app: one instance per user, everything that must precede readiness, then the app itself.
import { homedir } from "node:os";
import { app } from "electron";
import { resolveHome, runtimePaths } from "../core/rpc/paths.ts";
import { fail, runApp } from "./app.ts";
import { hardenAllContents } from "./hardenContents.ts";
import { findInstallation } from "./installation.ts";
import { registerPageScheme } from "./pageProtocol.ts";

const start = async (): Promise<void> => {
  await app.whenReady();
  await runApp({
    installation: findInstallation(),
    paths: runtimePaths(resolveHome(process.env, homedir())),
    env: process.env,
  });
};

if (app.requestSingleInstanceLock()) {
  // Nothing that the app creates is for anyone else.
  process.umask(0o077);
  app.enableSandbox();
  registerPageScheme();
  hardenAllContents();
  app.dock?.hide();
  start().catch(fail);
} else {
  app.exit(0);
}
