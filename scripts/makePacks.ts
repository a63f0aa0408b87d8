// `npm run adapter:packs -- --out <folder> [--agent <agent>]...`: one signed detection pack for each agent that was recorded, of its
// recordings and, where there is one, `adapters/<agent>/cure.json`: rules in the form of an adapter file that extends the agent, for
// what the code does not read yet. A pack is checked as every agtmux checks it before it is written. The private key (ed25519, PEM) comes
// from the file that --key names, or from the variable AGTMUX_PACK_KEY; it is written nowhere.
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createAdapterRegistry } from "../adapters/index.ts";
import { checkPack } from "../adapters/packs/packCheck.ts";
import { compareVersions, readPack, writePack, type DetectionPack } from "../adapters/packs/packFile.ts";
import { packContentOf } from "../adapters/testkit/packContent.ts";
import { unlessMissing } from "../core/model/errors.ts";
import { packFileName, RELEASE_PACK_KEY } from "../core/model/release.ts";
import type { AgentAdapter } from "../core/ports/agentAdapter.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { createDeadline } from "../core/pattern/pattern.ts";

const ADAPTERS = join(import.meta.dirname, "..", "adapters");
const KEY_VARIABLE = "AGTMUX_PACK_KEY";

const cureOf = async ({ agentType }: AgentAdapter): Promise<unknown> => {
  const text = await unlessMissing(readFile(join(ADAPTERS, agentType, "cure.json"), "utf8"));
  return text === null ? null : JSON.parse(text);
};

const readKey = async (path: string | undefined): Promise<KeyObject> => {
  const pem = path === undefined ? process.env[KEY_VARIABLE] : await readFile(path, "utf8");
  if (pem === undefined || pem === "")
    throw new Error(`name the private key: --key <file>, or its PEM in ${KEY_VARIABLE}`);
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("the private key is not ed25519");
  return key;
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { out: { type: "string" }, agent: { type: "string", multiple: true }, key: { type: "string" } },
  });
  if (values.out === undefined) throw new Error("name a folder: --out <folder>");
  const key = await readKey(values.key);
  const publicKey = createPublicKey(key);
  // Else every agtmux would refuse what is made here.
  if (RELEASE_PACK_KEY !== null && !createPublicKey(RELEASE_PACK_KEY).equals(publicKey))
    throw new Error("the private key is not that of RELEASE_PACK_KEY in core/model/release.ts");
  const out = resolve(values.out);
  const known = createAdapterRegistry().list();
  const unknown = (values.agent ?? []).filter((name) => known.every(({ agentType }) => agentType !== name));
  if (unknown.length > 0) throw new Error(`there is no agent ${unknown.join(", ")}`);
  const deadline = createDeadline();
  const madeAt = new Date().toISOString();

  const made: { base: AgentAdapter; file: Buffer; pack: DetectionPack }[] = [];
  for (const base of known) {
    const content = packContentOf(base, { madeAt, cure: await cureOf(base) });
    if (content === null) {
      console.log(`${base.agentType}: no recordings, so no pack`);
      continue;
    }
    const file = writePack(content, key);
    const pack = await readPack(file, { key: publicKey, deadline });
    if (
      pack.rules.screens.length + pack.rules.titles.length > 0 &&
      compareVersions(pack.version, base.version) <= 0
    )
      throw new Error(
        `adapters/${base.agentType}/cure.json: its version ${pack.version} has to be newer than ${base.version}, the adapter's`,
      );
    made.push({ base, file, pack });
  }
  await mkdir(out, { recursive: true });
  for (const { base, file, pack } of made) {
    if (values.agent !== undefined && !values.agent.includes(base.agentType)) continue;
    const others = made
      .filter((other) => other.base !== base)
      .map((other) => ({ agentType: other.base.agentType, recordings: other.pack.content.recordings }));
    await checkPack(pack, { base, others, deadline, logger: SILENT_LOGGER });
    const path = join(out, packFileName(base.agentType));
    await writeFile(`${path}.new`, file);
    await rename(`${path}.new`, path);
    console.log(
      `${path}: ${pack.version}, ${pack.content.recordings.length} recordings, ${Math.ceil(file.length / 1_024)} kB, driven with ${pack.content.driven_with.join(", ")}`,
    );
  }
};

await run();
