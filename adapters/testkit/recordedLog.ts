// Logs of real sessions, for tests of the readers of transcripts.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../test/fixtures/transcripts");

/** `name` as `gemini.jsonl`. */
export const recordedLog = (name: string): string => readFileSync(join(FOLDER, name), "utf8");
