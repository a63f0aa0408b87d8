// `npm run vsix`: the extension for VS Code as one file, release/agtmux-documents.vsix, for `code --install-extension`. It is
// bundled and packed here; nothing is fetched. `-- --output <file>`: the packages have it beside the bundles of the command.
import "./checkNode.mjs";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { strToU8, zipSync } from "fflate";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "editors", "vscode");
const { values: options } = parseArgs({
  options: { output: { type: "string", default: join(ROOT, "release", "agtmux-documents.vsix") } },
});
/** The same bytes for the same sources: a zip has no date before 1980. */
const DATE = new Date(1980, 0, 1, 12);

const manifestText = readFileSync(join(SOURCE, "manifest.json"), "utf8");
const { name, displayName, description, version, publisher, engines } = JSON.parse(manifestText);

const { build } = await import("esbuild");
const { outputFiles } = await build({
  entryPoints: [join(SOURCE, "src", "extension.ts")],
  bundle: true,
  write: false,
  platform: "node",
  target: "node18",
  format: "cjs",
  external: ["vscode"],
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
});

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".cjs" ContentType="application/javascript"/><Default Extension=".txt" ContentType="text/plain"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
`;

const vsixManifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space="preserve">${description}</Description>
    <Categories>Other</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;

const zip = zipSync(
  {
    "extension.vsixmanifest": strToU8(vsixManifest),
    "[Content_Types].xml": strToU8(contentTypes),
    "extension/package.json": strToU8(manifestText),
    "extension/extension.cjs": outputFiles[0].contents,
    "extension/LICENSE.txt": readFileSync(join(ROOT, "LICENSE")),
  },
  { level: 9, mtime: DATE },
);
mkdirSync(dirname(options.output), { recursive: true });
// Put in its place whole: a command may be about to install the one before.
const made = `${options.output}.${process.pid}`;
writeFileSync(made, zip);
renameSync(made, options.output);
console.log(`${options.output} (${Math.round(zip.length / 1024)} kB)`);
