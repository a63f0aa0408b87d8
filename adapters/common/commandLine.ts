// Reading a process's argument vector as ps shows it: joined by blanks, so a path with a blank in it is two words.

/** More words than an agent is ever started with; a hostile argument list stays cheap. */
const MAX_LENGTH = 4_000;

export const wordsOf = (args: string): string[] =>
  args
    .slice(0, MAX_LENGTH)
    .split(/\s+/)
    .filter((word) => word !== "");
