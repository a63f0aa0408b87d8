// An Electron distribution without Electron: what electron-builder expects of its folders, with a shell script in the place
// of the binary that is Node where the environment asks for it, and the fuses as Electron ships them.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { WIRE_SENTINEL } from "./fuseWire.ts";

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
export const writeLinuxStub = (folder: string): void => {
  writeBinary(join(folder, "electron"));
  for (const file of ["chrome-sandbox", "LICENSE", "resources.pak", "locales/en-US.pak", "locales/de.pak"])
    write(join(folder, file), file);
  mkdirSync(join(folder, "resources"));
};

/** The folder that `--electron-dist` takes for macOS. */
export const writeMacStub = (folder: string): void => {
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
