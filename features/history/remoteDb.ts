// An agent's database on another machine. It is asked over there, by sqlite3 or by Python, so that it does not come over whole, and
// only read: where nobody has it open it is taken as it lies, else the lock file beside it is not written either. What comes back
// may be false; it is only ever rows of text and numbers, and bounded.
import type { LogLine, ReadRows } from "../../core/ports/agentFiles.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { isObject } from "./logFile.ts";

const LIMIT_MS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Work asks, and with the answers asks again; beyond this it would never end. */
const MAX_ROUNDS = 6;
const MAX_QUESTIONS = 1_000;

const STATUS = { noFile: 93, noProgram: 94, left: 95 } as const;

/**
 * `$1` the file, `$2` its URI, `$3` the program for Python; a statement a line comes on the input. Python of a Mac may be a
 * stand-in that opens a window. A log without its lock file was left by a crash: only the agent itself may tidy it.
 */
const ASK = `f=$1 u=$2
[ -f "$f" ] && [ ! -L "$f" ] && [ -r "$f" ] || exit ${STATUS.noFile}
if [ -e "$f-wal" ] && [ -e "$f-shm" ]; then u="$u?mode=ro&readonly_shm=1"
elif [ -s "$f-wal" ]; then exit ${STATUS.left}; else u="$u?immutable=1"; fi
if sqlite3 -init /dev/null -json :memory: 'SELECT 1' >/dev/null 2>&1; then exec sqlite3 -init /dev/null -batch -bail -readonly -json "$u"; fi
if [ "$(uname)" != Darwin ] && command -v python3 >/dev/null 2>&1; then exec python3 -I -c "$3" "$u"; fi
exit ${STATUS.noProgram}
`;

const PYTHON = `import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], uri=True, timeout=1)
db.row_factory = sqlite3.Row
db.text_factory = lambda text: text.decode("utf-8", "replace")
for line in sys.stdin:
    rows = [dict(row) for row in db.execute(line.rstrip(";\\n"))]
    print(json.dumps(rows, separators=(",", ":"), default=lambda other: None))
`;

/** What cannot be asked, in words for a list. */
export class RemoteDbProblem extends Error {}

const problemOf = (exitCode: number | null, timedOut: boolean): string => {
  if (timedOut) return "asking its database takes too long";
  switch (exitCode) {
    case null:
      return "its database answers too much";
    case STATUS.noProgram:
      return "no program there can read its database (sqlite3 3.33, or python3)";
    case STATUS.left:
      return "its database was left open by a crash; start the agent once";
    default:
      return "its database cannot be read now";
  }
};

/** A value as SQL, in which nothing of it can end a text or a line. */
const literal = (value: string | number): string => {
  if (typeof value === "string") return `CAST(x'${Buffer.from(value, "utf8").toString("hex")}' AS TEXT)`;
  if (!Number.isFinite(value)) throw new RemoteDbProblem("a number of its database cannot be asked for");
  return String(value);
};

/** In one line. Before 3.43 SQLite has no `octet_length`. */
const statementOf = (sql: string, values: readonly (string | number)[]): string => {
  const parts = sql.replaceAll(/octet_length\((\w+)\)/g, "length(CAST($1 AS BLOB))").split("?");
  if (parts.length !== values.length + 1) throw new Error(`${values.length} values do not fit '${sql}'`);
  const whole = parts.map(
    (part, index) => `${part}${index < values.length ? literal(values[index] ?? 0) : ""}`,
  );
  return `${whole.join("").replaceAll(/\s+/g, " ")};`;
};

const END = '[{"done":1}]';

/** No program prints anything for a statement without rows. */
const rowsOf = (text: string): LogLine[] => {
  if (text.trim() === "") return [];
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows.filter(isObject) : [];
  } catch (cause) {
    throw new RemoteDbProblem("what its database answers cannot be read", { cause });
  }
};

interface RemoteDb {
  target: FeatureTarget;
  /** Absolute. */
  file: string;
}

/** Null where there is no such file. @throws RemoteDbProblem */
const ask = async (
  { target, file }: RemoteDb,
  statements: readonly string[],
): Promise<LogLine[][] | null> => {
  const uri = `file:${file.split("/").map(encodeURIComponent).join("/")}`;
  const stdin = ["PRAGMA trusted_schema = OFF;", "PRAGMA cell_size_check = ON;", ...statements]
    .flatMap((statement) => [statement, "SELECT 1 AS done;"])
    .join("\n");
  const { exitCode, stdout, timedOut } = await target.run(["sh", "-c", ASK, "agtmux", file, uri, PYTHON], {
    timeoutMs: LIMIT_MS,
    maxBytes: MAX_BYTES,
    stdin: `${stdin}\n`,
  });
  if (exitCode === STATUS.noFile) return null;
  if (exitCode !== 0) throw new RemoteDbProblem(problemOf(exitCode, timedOut));
  const answers = stdout.split(`${END}\n`).slice(2);
  if (answers.length < statements.length) throw new RemoteDbProblem(problemOf(1, false));
  return statements.map((_statement, index) => rowsOf(answers[index] ?? ""));
};

/** A view or a computed column would be a program of whoever wrote the file. */
const isPlain = (table: string): string => {
  const name = literal(table);
  return (
    `SELECT (SELECT count(*) FROM sqlite_master WHERE name = ${name} AND type = 'table' AND rootpage > 0) AS tables, ` +
    `(SELECT count(*) FROM pragma_table_xinfo(${name}) WHERE hidden <> 0) AS hidden;`
  );
};

/**
 * Runs work that asks for rows, as on this machine. It is begun again as often as it asks for something new, with all answers so
 * far, and what it asks for in one round is asked together. Null where there is no such database, or a table is no plain one.
 * @throws RemoteDbProblem
 */
export const withRemoteDb = async <T>(
  db: RemoteDb,
  tables: readonly string[],
  work: (rows: ReadRows) => T,
): Promise<T | null> => {
  const plain = await ask(db, tables.map(isPlain));
  if (plain === null || plain.some(([row]) => row?.["tables"] !== 1 || row["hidden"] !== 0)) return null;
  const known = new Map<string, readonly LogLine[]>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = new Set<string>();
    const result = work((sql, ...values) => {
      const statement = statementOf(sql, values);
      const rows = known.get(statement);
      if (rows === undefined) missing.add(statement);
      return rows ?? [];
    });
    if (missing.size === 0) return result;
    if (missing.size > MAX_QUESTIONS) break;
    const answers = await ask(db, [...missing]);
    if (answers === null) return null;
    for (const [index, statement] of [...missing].entries()) known.set(statement, answers[index] ?? []);
  }
  throw new RemoteDbProblem("its database asks for more than is asked of it");
};
