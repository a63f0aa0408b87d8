// Puts the stand-in in the place of the `electron` module for everything that this process loads:
// `node --import ./e2e/standIn/register.mjs main/index.ts`.
import { registerHooks } from "node:module";
import Database from "better-sqlite3";

// What the app does on another system: only what it decides itself, on what this machine has. The database's binary is chosen by
// this machine's own name, so it is loaded before.
const platform = process.env["AGTMUX_STAND_IN_PLATFORM"];
if (platform !== undefined) {
  new Database(":memory:").close();
  Object.defineProperty(process, "platform", { value: platform });
}

const standIn = new URL("./electron.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "electron" ? { url: standIn, shortCircuit: true } : nextResolve(specifier, context),
});
