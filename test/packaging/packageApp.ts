// Packages the app around a stub of Electron with the project's own script, into a temporary folder.
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// Reads the fuses of an Electron binary: one character each behind a sentinel, in the order that Electron's documentation of
// fuses gives. Our own, instead of asking the library that flips them.

export const WIRE_SENTINEL = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";

const FUSES = [
  "runAsNode",
  "cookieEncryption",
  "nodeOptionsEnvironmentVariable",
  "nodeCliInspectArguments",
  "embeddedAsarIntegrityValidation",
  "onlyLoadAppFromAsar",
  "loadBrowserProcessSpecificV8Snapshot",
  "grantFileProtocolExtraPrivileges",
  "wasmTrapHandlers",
] as const;

type Fuse = (typeof FUSES)[number];

/** Fails where the binary has no fuses. */
export const readFuses = (binary: string): Record<Fuse, boolean> => {
  const text = readFileSync(binary, "latin1");
  const at = text.indexOf(WIRE_SENTINEL);
  if (at === -1) throw new Error(`${binary} has no fuses`);
  // A byte for the wire's version and one for its length.
  const wire = text.slice(at + WIRE_SENTINEL.length + 2);
  return Object.fromEntries(FUSES.map((fuse, index) => [fuse, wire[index] === "1"])) as Record<Fuse, boolean>;
};

// An Electron distribution without Electron: what electron-builder expects of its folders, with a shell script in the place
// of the binary that is Node where the environment asks for it, and the fuses as Electron ships them.

/** As in Electron 45: version 1 of the wire, nine fuses; RunAsNode, NODE_OPTIONS, --inspect, file: and wasm traps on. */
const SHIPPED_WIRE = `${WIRE_SENTINEL}\u0001\u0009101100011`;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, "latin1");
};

const writeBinary = (path: string): void => {
  write(
    path,
    `#!/bin/sh
if [ "$ELECTRON_RUN_AS_NODE" != 1 ]; then echo 'this would be the app' >&2; exit 99; fi
exec '${process.execPath}' "$@"
# ${SHIPPED_WIRE}
`,
  );
  chmodSync(path, 0o755);
};

const plist = (executable: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleExecutable</key><string>${executable}</string>
  <key>CFBundleIdentifier</key><string>com.github.Electron</string>
</dict>
</plist>
`;

/** The folder that `--electron-dist` takes for Linux. */
const writeLinuxStub = (folder: string): void => {
  writeBinary(join(folder, "electron"));
  for (const file of ["chrome-sandbox", "LICENSE", "resources.pak", "locales/en-US.pak", "locales/de.pak"])
    write(join(folder, file), file);
  mkdirSync(join(folder, "resources"));
};

/** The folder that `--electron-dist` takes for macOS. */
const writeMacStub = (folder: string): void => {
  const contents = join(folder, "Electron.app", "Contents");
  const framework = join(contents, "Frameworks", "Electron Framework.framework");
  writeBinary(join(contents, "MacOS", "Electron"));
  writeBinary(join(framework, "Electron Framework"));
  write(join(contents, "Info.plist"), plist("Electron"));
  for (const language of ["en", "de"]) {
    write(join(contents, "Resources", `${language}.lproj`, "locale.pak"), language);
    write(join(framework, "Versions", "A", "Resources", `${language}.lproj`, "locale.pak"), language);
  }
  for (const suffix of ["", " (GPU)", " (Plugin)", " (Renderer)"]) {
    const helper = join(contents, "Frameworks", `Electron Helper${suffix}.app`, "Contents");
    write(join(helper, "Info.plist"), plist(`Electron Helper${suffix}`));
    write(join(helper, "MacOS", `Electron Helper${suffix}`), "helper");
  }
};

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Packaged {
  /** The folder that is installed: the app's own on Linux, `Contents` on macOS. */
  readonly folder: string;
  /** Below it, the folder with the archive and the command line. */
  readonly resources: string;
}

/** Paths of all files below a folder, sorted, with slashes. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();

const SOURCES = ["adapters", "cli", "core", "features", "main", "preload", "renderer", "ui"];
const OUTPUTS = ["main/index.js", "preload/index.cjs", "renderer/index.html", "cli/agtmux.cjs"];

/** `npm test` has just built; a suite that runs by itself must not test an older program. */
export const isBuilt = (): boolean => {
  const outputs = OUTPUTS.map((file) => join(ROOT, "dist", file));
  if (!outputs.every((file) => existsSync(file))) return false;
  const oldest = Math.min(...outputs.map((file) => statSync(file).mtimeMs));
  return SOURCES.every((folder) =>
    listFiles(join(ROOT, folder))
      .filter((file) => /\.(ts|tsx|css|html)$/.test(file) && !file.includes(".test."))
      .every((file) => statSync(join(ROOT, folder, file)).mtimeMs <= oldest),
  );
};

const runScript = async (args: readonly string[]): Promise<void> => {
  await promisify(execFile)(
    process.execPath,
    [
      join(ROOT, "scripts", "package.mjs"),
      "--dir",
      "--no-sign",
      ...(isBuilt() ? ["--no-build"] : []),
      ...args,
    ],
    { cwd: ROOT, maxBuffer: 1 << 24 },
  );
};

/** `root`: a temporary folder. One at a time: what is packaged is made in one place. */
export const packageForLinux = async (root: string, arch: string): Promise<Packaged> => {
  const stub = join(root, "electron-linux");
  writeLinuxStub(stub);
  await runScript(["--linux", `--${arch}`, "--electron-dist", stub, "--output", join(root, "out")]);
  const folder = join(root, "out", arch === "x64" ? "linux-unpacked" : `linux-${arch}-unpacked`);
  return { folder, resources: join(folder, "resources") };
};

/** As `packageForLinux`. */
export const packageForMac = async (root: string, arch: string): Promise<Packaged> => {
  const stub = join(root, "electron-mac");
  writeMacStub(stub);
  await runScript(["--mac", `--${arch}`, "--electron-dist", stub, "--output", join(root, "out")]);
  const folder = join(root, "out", arch === "x64" ? "mac" : `mac-${arch}`, "agtmux.app", "Contents");
  return { folder, resources: join(folder, "Resources") };
};

/** In bytes. */
export const sizeOf = (folder: string): number =>
  listFiles(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
