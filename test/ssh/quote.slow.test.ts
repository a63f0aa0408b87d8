// The quoting function against login shells: no login shell changes a byte, directly with every shell of this machine, and
// through a real server with each as login shell.
import fc from "fast-check";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRemoteExecutor } from "../../core/targets/executors/createRemoteExecutor.ts";
import {
  encodeScriptLine,
  LOGIN_COMMAND,
  quoteArgv,
  quoteForLogin,
} from "../../core/targets/remoteScript.ts";
import type { RemoteExecutor } from "../../core/targets/remoteExecutor.ts";
import { given, NASTY, SHELLS, SHOW, word, words, wordsOf } from "./quotedWords.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

const execFileAsync = promisify(execFile);

describe("quoting", () => {
  it.each(SHELLS)("is byte-exact when %s is the login shell", async (shell) => {
    await fc.assert(
      fc.asyncProperty(words, async (argv) => {
        const script = encodeScriptLine(`exec ${quoteArgv([...SHOW, ...argv])}`);
        const [direct, byInput] = await Promise.all([
          given(shell, quoteForLogin([...SHOW, ...argv])),
          given(shell, LOGIN_COMMAND, script),
        ]);
        expect({ direct, byInput }).toEqual({ direct: argv, byInput: argv });
      }),
      { numRuns: 15, examples: [[NASTY]] },
    );
  });
});

describe.each(SHELLS)("through a real server whose login shell is %s", (shell) => {
  let server: SshServer;
  let executor: RemoteExecutor;
  beforeAll(async () => {
    server = await createSshServer({ loginShell: shell.replace(/^\S+/, (name) => `/usr/bin/${name}`) });
    executor = createRemoteExecutor({
      targetId: "vm1",
      alias: server.alias,
      env: process.env,
      logger: SILENT_LOGGER,
      controlDir: join(server.folder, "cm"),
      transport: "openssh",
      configFile: server.configFile,
    });
    await executor.connect();
  });
  afterAll(async () => {
    await executor.close();
    await server.close();
  });

  it("is byte-exact as command, as input and for a terminal's ssh", async () => {
    await fc.assert(
      fc.asyncProperty(words, word, async (argv, stdin) => {
        const [ran, login] = await Promise.all([
          executor.run([...SHOW, ...argv], { timeoutMs: 20_000, stdin }),
          execFileAsync("ssh", ["-F", server.configFile, server.alias, quoteForLogin([...SHOW, ...argv])]),
        ]);
        expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
        expect(wordsOf(ran.stdout)).toEqual(argv);
        expect(wordsOf(login.stdout)).toEqual(argv);
        const { stdout } = await executor.run(["cat"], { timeoutMs: 20_000, stdin });
        expect(stdout).toBe(stdin);
      }),
      { numRuns: 4, examples: [[NASTY, NASTY.join("")]] },
    );
  });
});
