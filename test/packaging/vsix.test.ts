// The extension for VS Code as one file: what VS Code reads of it is there, and nothing else.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { expect, test } from "vitest";
import { ROOT } from "./packageApp.ts";

test("the extension's file has its manifest, its program and its license, and the same bytes each time", () => {
  const pack = (): Buffer => {
    execFileSync(process.execPath, [join(ROOT, "scripts", "packVsix.mjs")], { stdio: "ignore" });
    return readFileSync(join(ROOT, "release", "agtmux-documents.vsix"));
  };
  const packed = pack();
  const files = unzipSync(packed);
  expect(Object.keys(files).toSorted()).toEqual([
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/extension.cjs",
    "extension/package.json",
  ]);
  const manifest: { main: string; version: string; engines: { vscode: string } } = JSON.parse(
    strFromU8(files["extension/package.json"] ?? new Uint8Array()),
  );
  expect(Object.keys(files)).toContain(`extension/${manifest.main.replace("./", "")}`);
  const vsix = strFromU8(files["extension.vsixmanifest"] ?? new Uint8Array());
  expect(vsix).toContain(`Version="${manifest.version}"`);
  expect(vsix).toContain(`Value="${manifest.engines.vscode}"`);
  // It is loaded by VS Code's own Node, which has no modules of ours.
  const program = strFromU8(files["extension/extension.cjs"] ?? new Uint8Array());
  const loaded = new Set([...program.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name));
  expect([...loaded].filter((name) => name !== "vscode" && name?.startsWith("node:") !== true)).toEqual([]);
  expect(pack()).toEqual(packed);
});
