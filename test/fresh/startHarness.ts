// A clone in which `npm start` can be tried without a desktop: our scripts and Electron's own installer are the real ones; the
// command line, what is built, and the binary that a mirror on loopback serves are stand-ins. No real host is ever asked.
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { electronVersion } from "../../scripts/findElectron.ts";
import { type Finished, type Running, startProgram } from "../harness/commandLine.ts";

// Writes zip archives with modes and symbolic links, as Electron's releases are. Nothing is compressed.

type ZipEntry =
  | { readonly path: string; readonly text: string; readonly isExecutable?: boolean }
  | { readonly path: string; readonly link: string };

const modeOf = (entry: ZipEntry): number => {
  if ("link" in entry) return 0o120777;
  return entry.isExecutable === true ? 0o100755 : 0o100644;
};

/** What both headers of an entry have in common, from the version on that is needed to extract it. */
const fieldsOf = (name: Buffer, body: Buffer): Buffer => {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt32LE(crc32(body), 10);
  fields.writeUInt32LE(body.length, 14);
  fields.writeUInt32LE(body.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
};

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const zipFile = (entries: readonly ZipEntry[]): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const body = Buffer.from("link" in entry ? entry.link : entry.text);
    const fields = fieldsOf(name, body);
    const part = Buffer.concat([signature(0x04034b50), fields, name, body]);
    const more = Buffer.alloc(14);
    // Made on Unix: the upper half of the attributes is the mode.
    more.writeUInt32LE((modeOf(entry) * 0x10000) >>> 0, 6);
    more.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 3]), fields, more, name]));
    local.push(part);
    offset += part.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, signature(0x06054b50), end]);
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = ["adapters", "core", "main", "preload", "renderer", "ui", "package.json"];
const BUILT = ["dist/main/index.js", "dist/preload/index.cjs", "dist/renderer/index.html"];
const MAC_BINARY = "Electron.app/Contents/MacOS/Electron";
const version = electronVersion(join(ROOT, "node_modules", "electron"));

/** What is downloaded: it writes down that it ran. */
const APP = `#!/bin/sh
echo "app $0 $*" >>"$AGTMUX_TEST_LOG"
exit 0
`;
const COMMAND_LINE = `#!/bin/sh
case $1 in
  list) echo '{"items":[]}' ;;
  ui) echo "browser" >>"$AGTMUX_TEST_LOG"; echo '{"url":"http://127.0.0.1:1/open?token=0"}' ;;
esac
`;

/** What a mirror does with the archive. */
type Serving = "whole" | "cut off" | "half and then nothing";

export interface StartHarness {
  readonly root: string;
  /** Of Electron's package in the clone. */
  readonly electron: string;
  readonly env: Readonly<Record<string, string>>;
  /** How often the mirror was asked for the archive. */
  requests(): number;
  serve(how: Serving): void;
  /** How long the archive is where only half of it comes. */
  readonly halfBytes: number;
  /** Nobody answers at the mirror any more. */
  closeMirror(): Promise<void>;
  /** The archive that is served has another sum than the package says. */
  forgetSum(): void;
  /** What ran so far: lines of the app and of the browser. */
  ran(): string[];
  /** The calls of macOS's tools so far. */
  tools(): string[];
  start(env?: Readonly<Record<string, string>>): Running;
  run(env?: Readonly<Record<string, string>>): Promise<Finished>;
  close(): Promise<void>;
}

const archive = (platform: "darwin" | "linux"): Buffer => {
  const binary = platform === "darwin" ? MAC_BINARY : "electron";
  const framework = "Electron.app/Contents/Frameworks/Electron Framework.framework";
  const bundle: ZipEntry[] = [
    { path: "Electron.app/Contents/Info.plist", text: "<plist/>\n" },
    { path: `${framework}/Versions/A/Electron Framework`, text: "x".repeat(300_000) },
    { path: `${framework}/Versions/Current`, link: "A" },
  ];
  return zipFile([
    { path: "version", text: version },
    { path: binary, text: APP, isExecutable: true },
    ...(platform === "darwin" ? bundle : []),
  ]);
};

const put = (file: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
};

const makeClone = (root: string): void => {
  for (const name of SOURCES) symlinkSync(join(ROOT, name), join(root, name));
  cpSync(join(ROOT, "scripts"), join(root, "scripts"), { recursive: true });
  cpSync(join(ROOT, "bin", "findNode.sh"), join(root, "bin", "findNode.sh"));
  put(join(root, "bin", "agtmux"), COMMAND_LINE, 0o755);
  for (const file of BUILT) put(join(root, file), "");
  const modules = join(ROOT, "node_modules");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(modules))
    if (name !== "electron") symlinkSync(join(modules, name), join(root, "node_modules", name));
  cpSync(join(modules, "electron"), join(root, "node_modules", "electron"), { recursive: true });
};

/** Tools of macOS that write down how they were called. */
const putTools = (bin: string): void => {
  for (const name of ["plutil", "codesign"])
    put(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"$AGTMUX_TEST_TOOLS"\n`, 0o755);
};

const halfOf = (zip: Buffer): Buffer => zip.subarray(0, zip.length / 2);

const startMirror = async (zip: Buffer, how: () => Serving): Promise<{ server: Server; asked: string[] }> => {
  const asked: string[] = [];
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { "content-length": zip.length });
    if (how() === "whole") {
      response.end(zip);
      return;
    }
    response.write(halfOf(zip), () => {
      if (how() === "cut off") response.destroy();
    });
  };
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { server, asked };
};

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

/** `platform`: whose binary is started, whatever this machine is. */
export const openStartHarness = async (platform: "darwin" | "linux"): Promise<StartHarness> => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-start-"));
  const clone = join(root, "clone");
  mkdirSync(clone);
  makeClone(clone);
  putTools(join(root, "bin"));
  const electron = join(clone, "node_modules", "electron");
  const zip = archive(platform);
  const name = `electron-v${version}-${platform}-arm64.zip`;
  const putSum = (sum: string): void =>
    writeFileSync(join(electron, "checksums.json"), JSON.stringify({ [name]: sum }));
  putSum(createHash("sha256").update(zip).digest("hex"));
  let serving: Serving = "whole";
  const { server, asked } = await startMirror(zip, () => serving);
  const closeMirror = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  const log = join(root, "ran");
  const env = {
    HOME: root,
    PATH: `${join(root, "bin")}:${process.env["PATH"]}`,
    AGTMUX_TEST_LOG: log,
    AGTMUX_TEST_TOOLS: join(root, "tools"),
    AGTMUX_UI: "",
    DISPLAY: "",
    WAYLAND_DISPLAY: "",
    ELECTRON_OVERRIDE_DIST_PATH: "",
    ELECTRON_INSTALL_PLATFORM: platform,
    ELECTRON_INSTALL_ARCH: "arm64",
    ELECTRON_MIRROR: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    electron_config_cache: join(root, "cache"),
  };
  const start = (more: Readonly<Record<string, string>> = {}): Running =>
    startProgram(process.execPath, [join(clone, "scripts", "start.mjs")], { ...env, ...more });
  return {
    root: clone,
    electron,
    env,
    requests: () => asked.length,
    serve: (how) => (serving = how),
    halfBytes: halfOf(zip).length,
    closeMirror,
    forgetSum: () => putSum("0".repeat(64)),
    ran: () => linesOf(log),
    tools: () => linesOf(env.AGTMUX_TEST_TOOLS),
    start,
    run: (more) => start(more).finished,
    close: async () => {
      await closeMirror();
      rmSync(root, { recursive: true });
    },
  };
};
