// A pane's process and its descendants, bounded. The caller says how a process and its children are found.

/** How many processes of a pane are looked at. */
const MAX_PROCESSES = 128;

/** Parents before children; breadth first, so that the bound cuts the deepest. `read` gives null for a process that is gone. */
export const walkProcesses = async <T>(
  root: number,
  read: (pid: number) => Promise<T | null>,
  listChildren: (process: T) => Promise<readonly number[]>,
): Promise<T[]> => {
  const found: T[] = [];
  const seen = new Set<number>([root]);
  let level: readonly number[] = [root];
  while (level.length > 0 && found.length < MAX_PROCESSES) {
    const entries = await Promise.all(
      level.slice(0, MAX_PROCESSES - found.length).map(async (pid) => {
        const process = await read(pid);
        return { process, children: process === null ? [] : await listChildren(process) };
      }),
    );
    const next: number[] = [];
    for (const { process, children } of entries) {
      if (process !== null) found.push(process);
      for (const child of children)
        if (!seen.has(child)) {
          seen.add(child);
          next.push(child);
        }
    }
    level = next;
  }
  return found;
};
