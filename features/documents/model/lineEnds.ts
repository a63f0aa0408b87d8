// How a document ends its lines: as its first line does. What is put into it does the same.

export type LineEnd = "\n" | "\r\n";

export const lineEndOf = (document: string): LineEnd => (/^[^\n]*\r\n/.test(document) ? "\r\n" : "\n");

export const withLineEnds = (text: string, lineEnd: LineEnd): string => text.replaceAll(/\r?\n/g, lineEnd);
