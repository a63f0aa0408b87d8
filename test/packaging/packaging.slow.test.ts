// The packaged app, made around a stub of Electron: what is in it and what is not, how it is sealed, and that its command
// line works with nothing but what was packaged. What needs a real Electron is in docs/mac-checklist.md.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import {
  listFiles,
  type Packaged,
  packageForLinux,
  packageForMac,
  readFuses,
  ROOT,
  sizeOf,
} from "./packageApp.ts";

// The packaged command line as a person has it: found through a link, in a home of its own, with a tmux server of its own and
// no Node on its path but the one in the app.

const execFileAsync = promisify(execFile);

/** `command`: the packaged `bin/agtmux`. One session named `work` is there. */
const openPackagedCommand = async (command: string) => {
  const tmux = createPrivateTmux();
  const root = mkdtempSync(join(tmpdir(), "agtmux-packaged-"));
  await tmux.newSession("work");
  const bin = join(root, "path");
  const seen = join(root, "seen");
  mkdirSync(bin);
  symlinkSync(command, join(bin, "agtmux"));
  const { stdout: realTmux } = await execFileAsync("sh", ["-c", "command -v tmux"]);
  const script = `#!/bin/sh
echo "\${ELECTRON_RUN_AS_NODE-unset}" >>'${seen}'
exec '${realTmux.trim()}' "$@"
`;
  writeFileSync(join(bin, "tmux"), script);
  chmodSync(join(bin, "tmux"), 0o755);
  const env = {
    HOME: root,
    PATH: `${bin}:/usr/bin:/bin`,
    AGTMUX_HOME: join(root, "agtmux-home"),
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    LC_ALL: "C.UTF-8",
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execFileAsync("agtmux", args, { env, cwd: root });
    return stdout;
  };
  return {
    /** Gives what it printed; fails when it ends with another status than 0. */
    run,
    /** ELECTRON_RUN_AS_NODE as every tmux client saw it that was started so far, "unset" where it was not there. */
    seenByTmux: (): string[] => (existsSync(seen) ? readFileSync(seen, "utf8").trim().split("\n") : []),
    close: async (): Promise<void> => {
      await run("daemon", "stop");
      await tmux.close();
      await rm(root, { recursive: true, force: true });
    },
  };
};

// Reads the header of an asar archive: a pickle of sizes and a JSON tree of its files.

interface AsarEntry {
  readonly files?: Readonly<Record<string, AsarEntry>>;
  readonly offset?: string;
  readonly size?: number;
  readonly unpacked?: boolean;
}

const readAt = (file: string, position: number, length: number): Buffer => {
  const handle = openSync(file, "r");
  try {
    const data = Buffer.alloc(length);
    readSync(handle, data, 0, length, position);
    return data;
  } finally {
    closeSync(handle);
  }
};

const filesOf = (entry: AsarEntry, path: string): [string, AsarEntry][] =>
  entry.files === undefined
    ? [[path, entry]]
    : Object.entries(entry.files).flatMap(([name, child]) =>
        filesOf(child, path === "" ? name : `${path}/${name}`),
      );

/** Fails where the file is no archive. */
const readAsar = (archive: string) => {
  const sizes = readAt(archive, 0, 16);
  const contentAt = 8 + sizes.readUInt32LE(4);
  const header = readAt(archive, 16, sizes.readUInt32LE(12)).toString();
  const files = new Map(filesOf(JSON.parse(header) as AsarEntry, ""));
  return {
    /** Paths of all files, without folders. */
    paths: [...files.keys()],
    /** Those whose content lies beside the archive. */
    unpacked: [...files].filter(([, { unpacked }]) => unpacked === true).map(([path]) => path),
    /** SHA-256 of the header, in hex: what Electron compares with the plist. */
    headerHash: createHash("sha256").update(header).digest("hex"),
    /** A packed file's content. */
    read: (path: string): string => {
      const { offset, size } = files.get(path) ?? {};
      if (offset === undefined || size === undefined) throw new Error(`${path} is not in ${archive}`);
      return readAt(archive, contentAt + Number(offset), size).toString();
    },
  };
};

const PACKAGE_LIMIT_MS = 240_000;
const MB = 1024 * 1024;
/** What we add to Electron: about 13 MB, most of it SQLite twice. */
const MAX_ADDED_BYTES = 20 * MB;
const MAC_ARCH = process.platform === "darwin" ? process.arch : "arm64";
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/** Modules that are not bundled: better-sqlite3, and ssh2 with what it needs. */
const MODULES = /^node_modules\/(asn1|bcrypt-pbkdf|better-sqlite3|safer-buffer|ssh2|tweetnacl)\//;
/** What a module needs to be loaded, and its licence. */
const MODULE_FILES = /\/(package\.json|LICENSE|[^/]+\.js|prebuilds\/[^/]+\.node)$/;
const NEEDLESS =
  /\.(ts|map|md|c|cc|h|gyp)$|\/(test|tests|examples|src|deps|build)\/|cpu-features|node-linux|node-addon-api|buildcheck|\/nan\//;
/** What Vite made has names of its own: only the kind counts. */
const kindOf = (path: string): string =>
  path.replace(/^dist\/(main|renderer\/assets)\/.*\.(\w+)$/, "dist/$1/*.$2");
const isModule = (path: string): boolean => MODULES.test(path) && MODULE_FILES.test(path);
/** Everything but the modules, each kind once. */
const ownFiles = (paths: readonly string[]): string[] =>
  [...new Set(paths.filter((path) => !isModule(path)).map(kindOf))].toSorted();

let root: string;
let linux: Packaged;
let mac: Packaged;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-packaging-"));
  linux = await packageForLinux(root, process.arch);
  mac = await packageForMac(root, MAC_ARCH);
}, PACKAGE_LIMIT_MS);
afterAll(() => rm(root, { recursive: true, force: true }));

const systems = [
  { system: "Linux", get: () => linux, prebuilt: `linux-${process.arch}.node` },
  { system: "macOS", get: () => mac, prebuilt: `darwin-${MAC_ARCH}.node` },
];

describe.each(systems)("the package for $system", ({ get, prebuilt }) => {
  const sqlite = `node_modules/better-sqlite3/prebuilds/${prebuilt}`;

  it("has the app in one archive, with SQLite's binary for this system beside it, and nothing else", () => {
    const archive = readAsar(join(get().resources, "app.asar"));
    const icons = listFiles(join(ROOT, "resources", "icons")).filter((file) => file.includes("Template"));
    expect(ownFiles(archive.paths)).toEqual(
      [
        "dist/main/*.js",
        "dist/preload/index.cjs",
        "dist/renderer/assets/*.css",
        "dist/renderer/assets/*.js",
        "dist/renderer/index.html",
        "package.json",
        "resources/hooks/agtmux-event",
        "resources/hooks/agtmux-run",
        ...icons.map((icon) => `resources/icons/${icon}`),
      ].toSorted(),
    );
    expect({
      needless: archive.paths.filter((path) => NEEDLESS.test(path)),
      unpacked: archive.unpacked,
      beside: listFiles(join(get().resources, "app.asar.unpacked")),
      manifest: JSON.parse(archive.read("package.json")) as unknown,
    }).toEqual({
      needless: [],
      unpacked: [sqlite],
      beside: [sqlite],
      manifest: expect.objectContaining({
        version,
        main: "dist/main/index.js",
        desktopName: "agtmux-app.desktop",
      }),
    });
  });

  it("has every module that the app's code leaves outside", () => {
    const archive = readAsar(join(get().resources, "app.asar"));
    const code = archive.read("dist/main/index.js");
    const imports = /(?:^import\b[^"';]*?|\bimport\()["']([^."'][^"']*)["']/gm;
    const names = [...code.matchAll(imports)].map(([, name = ""]) => name);
    const outside = names.filter((name) => name !== "electron" && !name.startsWith("node:"));
    expect(new Set(outside)).toEqual(new Set(["better-sqlite3", "ssh2"]));
    expect(archive.paths).toEqual(
      expect.arrayContaining(["node_modules/better-sqlite3/package.json", "node_modules/ssh2/lib/index.js"]),
    );
  });

  it("has the command line as real files, complete and without anything needless", () => {
    const cli = join(get().resources, "cli");
    const files = listFiles(cli);
    const schemas = listFiles(join(ROOT, "resources", "schemas")).map((file) => `resources/schemas/${file}`);
    expect(ownFiles(files)).toEqual(
      [
        "bin/agtmux",
        "dist/cli/agtmux-documents.vsix",
        ...["agtmux", "daemon", "doc", "more", "picker", "run", "socketClient"].map(
          (name) => `dist/cli/${name}.cjs`,
        ),
        "dist/renderer/assets/*.css",
        "dist/renderer/assets/*.js",
        "dist/renderer/index.html",
        "package.json",
        "resources/adapters/example.json",
        "resources/hooks/agtmux-event",
        "resources/hooks/agtmux-run",
        ...schemas,
        "resources/skill/SKILL.md",
        "share/bash-completion/completions/agtmux",
        "share/fish/vendor_completions.d/agtmux.fish",
        "share/man/man1/agtmux.1",
        "share/zsh/site-functions/_agtmux",
      ].toSorted(),
    );
    const isExecutable = (file: string): boolean => (statSync(join(cli, file)).mode & 0o111) === 0o111;
    expect({
      // `agtmux doc skill` installs the page.
      needless: files.filter((path) => NEEDLESS.test(path) && path !== "resources/skill/SKILL.md"),
      binaries: files.filter((path) => path.endsWith(".node")),
      executable: ["bin/agtmux", "resources/hooks/agtmux-event", "resources/hooks/agtmux-run"].filter(
        isExecutable,
      ),
      completion: readFileSync(join(cli, "share/zsh/site-functions/_agtmux"), "utf8").split("\n")[0],
    }).toEqual({
      needless: [],
      binaries: [sqlite],
      executable: ["bin/agtmux", "resources/hooks/agtmux-event", "resources/hooks/agtmux-run"],
      completion: "#compdef agtmux",
    });
  });

  it("adds little to Electron", () => {
    expect(sizeOf(get().resources)).toBeLessThan(MAX_ADDED_BYTES);
  });
});

const SEALED = {
  runAsNode: true,
  cookieEncryption: false,
  nodeOptionsEnvironmentVariable: false,
  nodeCliInspectArguments: false,
  embeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  wasmTrapHandlers: true,
};

describe("the package for Linux", () => {
  it("has the app's binary beside its resources, under a name that is not the command line's, and sealed", () => {
    expect(listFiles(linux.folder).filter((file) => !file.startsWith("resources/"))).toEqual([
      "LICENSE.electron.txt",
      "agtmux-app",
      "chrome-sandbox",
      "locales/en-US.pak",
      "resources.pak",
    ]);
    expect(readFuses(join(linux.folder, "agtmux-app"))).toEqual(SEALED);
  });
});

describe("the package for macOS", () => {
  const plist = (): string => readFileSync(join(mac.folder, "Info.plist"), "utf8");
  const valueOf = (key: string): string | undefined =>
    new RegExp(`<key>${key}</key>\\s*<(?:string>([^<]*)</string|(true)/)>`)
      .exec(plist())
      ?.slice(1)
      .find(Boolean);

  it("is a menu-bar app of this version that never naps and says why it needs what it asks for", () => {
    const keys = ["CFBundleIdentifier", "CFBundleName", "CFBundleExecutable", "CFBundleShortVersionString"];
    const more = ["LSUIElement", "NSAppSleepDisabled", "NSUserNotificationAlertStyle", "CFBundleIconFile"];
    expect(Object.fromEntries([...keys, ...more].map((key) => [key, valueOf(key)]))).toEqual({
      CFBundleIdentifier: "dev.agtmux.app",
      CFBundleName: "agtmux",
      CFBundleExecutable: "agtmux",
      CFBundleShortVersionString: version,
      LSUIElement: "true",
      NSAppSleepDisabled: "true",
      NSUserNotificationAlertStyle: "alert",
      CFBundleIconFile: "icon.icns",
    });
    expect(valueOf("NSAppleEventsUsageDescription")).toMatch(/terminal/);
    expect(valueOf("NSLocalNetworkUsageDescription")).toMatch(/SSH/);
    for (const place of ["Desktop", "Documents", "Downloads"])
      expect(valueOf(`NS${place}FolderUsageDescription`), place).toMatch(/agents/i);
    for (const kind of ["Network", "Removable"])
      expect(valueOf(`NS${kind}VolumesUsageDescription`), kind).toMatch(/agents/i);
    expect(readFileSync(join(mac.resources, "icon.icns"))).toEqual(
      readFileSync(join(ROOT, "resources", "icons", "app.icns")),
    );
  });

  it("is sealed: fuses, and the archive's hash in the plist", () => {
    const { headerHash } = readAsar(join(mac.resources, "app.asar"));
    expect(plist()).toMatch(
      new RegExp(
        `<key>Resources/app.asar</key>\\s*<dict>[^/]*/key>\\s*<string>SHA256</string>[^/]*/key>\\s*<string>${headerHash}<`,
      ),
    );
    const framework = join(mac.folder, "Frameworks", "Electron Framework.framework", "Electron Framework");
    expect(readFuses(framework)).toEqual(SEALED);
  });

  it("has every file that Homebrew's cask links", () => {
    const cask = readFileSync(join(ROOT, "scripts", "packaging", "homebrew", "agtmux.rb"), "utf8");
    const linked = [...cask.matchAll(/#\{appdir\}\/agtmux\.app\/Contents\/([^"]+)"/g)].map(
      ([, path = ""]) => path,
    );
    expect(linked.length).toBeGreaterThanOrEqual(5);
    expect(linked.filter((path) => !existsSync(join(mac.folder, path)))).toEqual([]);
  });

  it("would be signed with no more than machine code at run time and, for the app itself, AppleScript", () => {
    const rights = (file: string): string[] =>
      [
        ...readFileSync(join(ROOT, "resources", "entitlements", file), "utf8").matchAll(
          /<key>([^<]+)<\/key>\s*<true\/>/g,
        ),
      ]
        .map(([, key = ""]) => key)
        .toSorted();
    expect({ app: rights("app.plist"), helper: rights("helper.plist") }).toEqual({
      app: ["com.apple.security.automation.apple-events", "com.apple.security.cs.allow-jit"],
      helper: ["com.apple.security.cs.allow-jit"],
    });
    const config = readFileSync(join(ROOT, "electron-builder.yml"), "utf8");
    expect(config).toMatch(/^ {2}entitlements: resources\/entitlements\/app\.plist$/m);
    expect(config).toMatch(/^ {2}entitlementsInherit: resources\/entitlements\/helper\.plist$/m);
  });
});

describe("the command line of the package", () => {
  it("answers, starts a daemon and shows the panes with nothing but what was packaged", async () => {
    const { resources } = process.platform === "darwin" ? mac : linux;
    const command = await openPackagedCommand(join(resources, "cli", "bin", "agtmux"));
    try {
      expect(await command.run("--version")).toBe(`${version}\n`);
      const panes = await command.run("list", "panes", "--all", "--plain", "--columns", "session,agent");
      expect(panes).toBe("work\t-\n");
      expect(await command.run("run", "echo", "the agent")).toBe("the agent\n");
      expect(await command.run("schema", "status")).toContain('"title": "agtmux status"');
      // A daemon that was started is Node too; what it starts must not take an Electron app for Node.
      expect(new Set(command.seenByTmux())).toEqual(new Set(["unset"]));
    } finally {
      await command.close();
    }
  }, 60_000);
});
