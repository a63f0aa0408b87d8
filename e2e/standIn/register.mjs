// Puts the stand-in in the place of the `electron` module for everything that this process loads:
// `node --import ./e2e/standIn/register.mjs main/index.ts`.
import { registerHooks } from "node:module";
import Database from "better-sqlite3";

// Lets the app take this machine for another system. This changes only the app's own decisions. The database's binary depends
// on the real system, so it is loaded before.
const platform = process.env["AGTMUX_STAND_IN_PLATFORM"];
if (platform !== undefined) {
  new Database(":memory:").close();
  Object.defineProperty(process, "platform", { value: platform });
}

// Where a packaged app has its own files.
const resources = process.env["AGTMUX_STAND_IN_RESOURCES"];
if (resources !== undefined) Object.defineProperty(process, "resourcesPath", { value: resources });

const standIn = new URL("./electron.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "electron" ? { url: standIn, shortCircuit: true } : nextResolve(specifier, context),
});
