// Programs that play `gh` and `glab`: they answer as documented (cli.github.com/manual, docs.gitlab.com/cli), from files that a test
// writes, and note how they were called.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Program = "gh" | "glab";

/** `gh`'s own exit status without a login (`gh help exit-codes`). */
export const NOT_LOGGED_IN = 4;

const script = (folder: string, program: Program): string => `#!/bin/sh
d='${folder}'
{ printf '%s' "$PWD"; for one in "$@"; do printf '\\t%s' "$one"; done; printf '\\n'; } >>"$d/${program}.calls"
env >"$d/${program}.env"
if [ "$1" = auth ]; then grep -qx -- "$4" "$d/${program}.hosts" 2>/dev/null; exit; fi
cat >"$d/${program}.stdin"
[ -f "$d/${program}.hang" ] && { sleep 30 & echo $! >"$d/sleeper"; wait; }
cat "$d/${program}.answer"
exit "$(cat "$d/${program}.status")"
`;

export interface ForgeStandIn {
  /** For the front of PATH. */
  readonly folder: string;
  /** What the program prints from now on, and how it ends. */
  answer(program: Program, output: string, status?: number): void;
  /** Hosts for which it has a login. */
  knows(program: Program, hosts: readonly string[]): void;
  /** Each call: the folder in which it ran, then its words. */
  calls(program: Program): string[][];
  /** Of the last call. */
  stdin(program: Program): string;
  env(program: Program): ReadonlyMap<string, string>;
}

export const createForgeStandIn = (
  folder: string,
  programs: readonly Program[] = ["gh", "glab"],
): ForgeStandIn => {
  mkdirSync(folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const read = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
  const answer = (program: Program, output: string, status = 0): void => {
    writeFileSync(at(`${program}.answer`), output);
    writeFileSync(at(`${program}.status`), String(status));
  };
  for (const program of programs) {
    writeFileSync(at(program), script(folder, program));
    chmodSync(at(program), 0o755);
    answer(program, "");
  }
  return {
    folder,
    answer,
    knows: (program, hosts) =>
      writeFileSync(at(`${program}.hosts`), hosts.map((host) => `${host}\n`).join("")),
    calls: (program) =>
      read(`${program}.calls`)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split("\t")),
    stdin: (program) => read(`${program}.stdin`),
    env: (program) =>
      new Map(
        read(`${program}.env`)
          .split("\n")
          .map((line): [string, string] => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]),
      ),
  };
};

/** What `--include` makes of an answer. */
export const answered = (
  body: unknown,
  { status = "200 OK", headers = {} }: { status?: string; headers?: Record<string, string> } = {},
): string => {
  const lines = Object.entries({ "Content-Type": "application/json; charset=utf-8", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/2.0 ${status}\n${lines.join("")}\r\n${typeof body === "string" ? body : JSON.stringify(body)}`;
};

/** A pull request as GitHub's `PullRequest` has it: docs.github.com/graphql/reference/objects#pullrequest. */
export const githubRequest = (more: object = {}, rollup: object | null = null): object => ({
  number: 12,
  title: "Split refunds",
  url: "https://github.com/acme/shop/pull/12",
  state: "OPEN",
  isDraft: false,
  reviewDecision: "REVIEW_REQUIRED",
  headRefName: "fix/refunds",
  headRefOid: "c".repeat(40),
  headRepository: { nameWithOwner: "acme/shop" },
  commits: { nodes: [{ commit: { statusCheckRollup: rollup } }] },
  ...more,
});

export const githubData = (requests: readonly unknown[], parent: object | null = null): object => ({
  data: {
    repository: {
      nameWithOwner: "acme/shop",
      defaultBranchRef: { name: "main" },
      b0: { nodes: requests },
      parent,
    },
  },
});

/** A merge request as GitLab's `MergeRequest` has it: docs.gitlab.com/api/graphql/reference/#mergerequest. */
export const gitlabRequest = (more: object = {}): object => ({
  iid: "7",
  title: "Split refunds",
  webUrl: "https://gitlab.com/acme/web/shop/-/merge_requests/7",
  state: "opened",
  draft: false,
  approved: true,
  approvedBy: { nodes: [] },
  detailedMergeStatus: "MERGEABLE",
  sourceBranch: "fix/refunds",
  diffHeadSha: "c".repeat(40),
  sourceProject: { fullPath: "acme/web/shop" },
  headPipeline: null,
  ...more,
});

export const gitlabData = (requests: readonly object[]): object => ({
  data: {
    p0: { fullPath: "acme/web/shop", repository: { rootRef: "main" }, mergeRequests: { nodes: requests } },
  },
});
