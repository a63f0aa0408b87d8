// Puts the stand-in in the place of the `electron` module for everything that this process loads:
// `node --import ./e2e/standIn/register.mjs main/index.ts`.
import { registerHooks } from "node:module";

const standIn = new URL("./electron.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "electron" ? { url: standIn, shortCircuit: true } : nextResolve(specifier, context),
});
