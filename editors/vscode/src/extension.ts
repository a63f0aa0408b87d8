// The extension: finds the projects with documents and hands VS Code's buffers to them.
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { LineEdit } from "./applyResponse.ts";
import type { Buffer } from "./patchTaker.ts";
import { openProject, type Project } from "./project.ts";

const FOLDER = ".agent-doc";
/** How often workspace folders are searched for a project that began meanwhile. */
const LOOK_MS = 2_000;

const lineRange = (document: vscode.TextDocument, { from, to }: LineEdit): vscode.Range => {
  const at = (line: number) =>
    line < document.lineCount
      ? new vscode.Position(line, 0)
      : document.lineAt(document.lineCount - 1).rangeIncludingLineBreak.end;
  return new vscode.Range(at(from), at(to));
};

const bufferOf = (document: vscode.TextDocument): Buffer => {
  let version = document.version;
  return {
    getText: () => {
      version = document.version;
      return document.getText();
    },
    edit: async (edits) => {
      if (document.version !== version) return false;
      const change = new vscode.WorkspaceEdit();
      for (const edit of edits) change.replace(document.uri, lineRange(document, edit), edit.text);
      return vscode.workspace.applyEdit(change);
    },
    save: async () => document.save(),
  };
};

/** Another user's folder could bring patch files, and a link lead anywhere. Like the command, this accepts neither. */
const isOwnFolder = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
};

/** The nearest folder upwards that is a project's. */
const findProject = (from: string): string | null => {
  for (let folder = from; ; folder = dirname(folder)) {
    if (isOwnFolder(join(folder, FOLDER))) return join(folder, FOLDER);
    if (dirname(folder) === folder) return null;
  }
};

const projects = new Map<string, Promise<Project>>();

const meet = (from: string, version: string, output: vscode.LogOutputChannel): void => {
  const folder = findProject(from);
  if (folder === null || projects.has(folder)) return;
  const opened = openProject({
    folder,
    version,
    open: async (file) => bufferOf(await vscode.workspace.openTextDocument(file)),
    log: (message) => output.warn(message),
  });
  projects.set(folder, opened);
  opened.catch((error: unknown) => {
    projects.delete(folder);
    output.warn(`${folder}: ${String(error)}`);
  });
};

export const activate = (context: vscode.ExtensionContext): void => {
  const output = vscode.window.createOutputChannel("agtmux documents", { log: true });
  const manifest: { version?: unknown } = context.extension.packageJSON;
  const version = String(manifest.version);
  const look = (): void => {
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) meet(uri.fsPath, version, output);
    for (const { uri } of vscode.workspace.textDocuments)
      if (uri.scheme === "file") meet(dirname(uri.fsPath), version, output);
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  context.subscriptions.push(
    output,
    { dispose: () => clearInterval(timer) },
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (document.uri.scheme !== "file" || contentChanges.length === 0) return;
      const folder = findProject(dirname(document.uri.fsPath));
      void (folder === null ? undefined : projects.get(folder))?.then((project) => project.typed());
    }),
  );
};

export const deactivate = async (): Promise<void> => {
  for (const opened of projects.values()) await (await opened).close();
  projects.clear();
};
