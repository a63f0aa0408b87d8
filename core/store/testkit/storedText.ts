// Everything that a database file holds, as one text in which tests can search.
import BetterSqlite3 from "better-sqlite3";

export const storedText = (path: string): string => {
  const db = new BetterSqlite3(path, { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const text = JSON.stringify(tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all()));
  db.close();
  return text;
};
