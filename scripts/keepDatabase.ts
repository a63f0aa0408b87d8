// `npm run keep:database`: keeps a filled database of the newest schema in test/fixtures/databases, with what this version reads from
// it, for the versions to come. For a release that changed the schema; what is kept already is never written again.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { MIGRATIONS } from "../core/store/migrations.ts";
import { openStore } from "../core/store/openStore.ts";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { fillStore, readFilledStore } from "../test/factories/filledStore.ts";

const FOLDER = join(import.meta.dirname, "..", "test", "fixtures", "databases");
const schema = MIGRATIONS.at(-1)?.version ?? 0;
const kept = join(FOLDER, `schema-${schema}.db.gz`);
if (existsSync(kept)) {
  console.error(`${kept} is kept already: a released schema does not change.`);
  process.exit(1);
}
const work = mkdtempSync(join(tmpdir(), "agtmux-keep-"));
try {
  const path = join(work, "state.db");
  const store = openStore({ path, logger: SILENT_LOGGER });
  fillStore(store);
  const read = readFilledStore(store);
  const copy = join(work, "copy.db");
  store.copyTo(copy);
  store.close();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(kept, gzipSync(readFileSync(copy), { level: 9 }));
  writeFileSync(join(FOLDER, `schema-${schema}.json`), `${JSON.stringify(read, null, 2)}\n`);
  console.log(kept);
} finally {
  rmSync(work, { recursive: true });
}
