import { expect, it } from "vitest";
import { memoryFiles } from "../../adapters/testkit/memoryFiles.ts";
import { agentVersionOf } from "./agentChecks.ts";

const LIB = "/home/me/.nvm/versions/node/v24.1.0/lib/node_modules";
const files = memoryFiles(
  {
    [`${LIB}/@maker/agent/package.json`]: '{"name": "@maker/agent", "version": "1.2.3"}',
    [`${LIB}/broken/package.json`]: "{",
    "/opt/homebrew/bin/bare": "",
    [`${LIB}/strange/package.json`]: '{"version": "\\u001b[31m1.2.3"}',
  },
  {
    links: {
      "/home/me/.nvm/versions/node/v24.1.0/bin/agent": "../lib/node_modules/@maker/agent/dist/cli.js",
      "/opt/homebrew/bin/bare": `${LIB}/@maker/agent/dist/cli.js`,
      "/proc/7/exe": "/home/me/.local/share/agent/versions/2.1.329",
      "/proc/8/exe": "/usr/bin/node",
    },
  },
);
const versionOf = (args: string, pid = 1) =>
  agentVersionOf(files, { pid, ppid: 1, comm: "x", args, startedAt: 0 }, () =>
    Promise.resolve("bin:/nowhere:/opt/homebrew/bin"),
  );

it.each([
  ["the package above the script", `node ${LIB}/@maker/agent/dist/cli.js --flag`, 1, "1.2.3"],
  ["a link to the script", "/usr/bin/node /home/me/.nvm/versions/node/v24.1.0/bin/agent", 1, "1.2.3"],
  ["a bare name on the PATH", "bare --continue", 9, "1.2.3"],
  ["a bare name that is not there", "other --continue", 9, null],
  ["the folder of a single program", "agent --continue", 7, "2.1.329"],
  ["only what interprets it", "agent", 8, null],
  ["an interpreter's folder", "/home/me/.nvm/versions/node/v24.1.0/bin/other", 1, null],
  ["a package that cannot be read", `node ${LIB}/broken/cli.js`, 1, null],
  ["a package with a strange version", `node ${LIB}/strange/cli.js`, 1, null],
  ["nothing", "", 1, null],
])("takes the version from %s", async (_what, args, pid, version) => {
  expect(await versionOf(args, pid)).toBe(version);
});
