// What is asked of GitHub and GitLab about branches, and how their answers are read: which repository an address names, one query
// for all branches of a repository, and what came back as pull requests, or why nothing did. `gh` and `glab` send it; they keep the
// login, and no token is known here. Addresses, names and answers may be hostile. Pure; nothing is run here.
import * as z from "zod";
import { isRequestPage } from "../../core/model/requestPage.ts";
import type { PullRequest } from "../../core/model/workspace.ts";
import { inLoginShell } from "../../core/model/commandWords.ts";
import type { RunResult } from "../../core/ports/targetExecutor.ts";

// Repositories: where a remote's address leads.

export interface ForgeRepository {
  host: string;
  /** `acme/shop`; on GitLab groups may be nested. */
  path: string;
}

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOST = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})+$`);
const PATH_PART = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,200}$/;
const MAX_PARTS = 20;
/** Hosts that take SSH in place of another one. */
const SSH_HOSTS: ReadonlyMap<string, string> = new Map([
  ["ssh.github.com", "github.com"],
  ["altssh.gitlab.com", "gitlab.com"],
]);

const repositoryOf = (host: string, path: string): ForgeRepository | null => {
  const lower = host.toLowerCase();
  const parts = path
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .split("/");
  const isPlain =
    parts.length >= 2 && parts.length <= MAX_PARTS && parts.every((part) => PATH_PART.test(part));
  return isPlain && HOST.test(lower) ? { host: SSH_HOSTS.get(lower) ?? lower, path: parts.join("/") } : null;
};

/** Null for what is no repository on another host: a folder, a name that only the person's SSH knows, a port of the web. */
export const readRemote = (address: string): ForgeRepository | null => {
  if (address.length > 1_000) return null;
  if (!/^[a-z+]+:\/\//i.test(address)) {
    const [, host, path] = /^(?:[^@\s/:]+@)?([^\s/:@]+):([^\s:]+)$/.exec(address) ?? [];
    return host === undefined || path === undefined ? null : repositoryOf(host, path);
  }
  const url = URL.parse(address);
  if (url === null) return null;
  switch (url.protocol) {
    case "ssh:":
    case "git+ssh:":
      return repositoryOf(url.hostname, url.pathname);
    case "https:":
    case "http:":
    case "git:":
      return url.port === "" ? repositoryOf(url.hostname, url.pathname) : null;
    default:
      return null;
  }
};

// Programs: what sends a query. They are run outside of every repository, because `glab` reads settings of the one it is in.

export type Program = "gh" | "glab";

/** What a script says where the program itself is missing, as a shell does. */
export const NO_PROGRAM = 127;
/** `gh` has no login at all (`gh help exit-codes`). */
const NO_LOGIN = 4;

/**
 * `$1`: the program, `$2`: the host, `$3`: a folder in which the program was found, or nothing. Tokens in variables are left to the program only for the host that they are documented for
 * (`gh help environment`, "Environment variables" of glab): else a repository's address could have one sent elsewhere. It becomes
 * the program, so that it ends with it.
 */
const PREPARE = `cd / || exit 1
ulimit -c 0 2>/dev/null; ulimit -t 60 2>/dev/null
[ "$1 $2" = "gh github.com" ] || unset GH_TOKEN GITHUB_TOKEN
[ "$1 $2\${GITLAB_HOST-}\${GL_HOST-}\${GITLAB_URI-}\${GITLAB_URL-}\${GITLAB_API_HOST-}" = "glab gitlab.com" ] ||
unset GITLAB_TOKEN GITLAB_ACCESS_TOKEN OAUTH_TOKEN
unset GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN CI_JOB_TOKEN GLAB_ENABLE_CI_AUTOLOGIN GITLAB_CI GH_HOST GH_REPO GITLAB_HOST
unset GL_HOST GITLAB_URI GITLAB_URL GITLAB_API_HOST GITLAB_REPO GITLAB_GROUP GH_DEBUG GLAB_DEBUG_HTTP DEBUG
unset GH_FORCE_TTY CLICOLOR_FORCE GIT_DIR GIT_WORK_TREE
export GH_PROMPT_DISABLED=1 NO_PROMPT=1 GLAB_NO_PROMPT=1 GH_NO_UPDATE_NOTIFIER=1 GH_NO_EXTENSION_UPDATE_NOTIFIER=1
export GLAB_CHECK_UPDATE=false GLAB_SEND_TELEMETRY=false GH_PAGER=cat GLAB_PAGER=cat PAGER=cat NO_COLOR=1 BROWSER=false
export GH_BROWSER=false GIT_TERMINAL_PROMPT=0
PATH=$PATH:/opt/homebrew/bin:/usr/local/bin\${3:+:$3}
command -v "$1" >/dev/null 2>&1 || exit ${NO_PROGRAM}
`;

/** `gh api`, `glab api`: the query is standard input; the headers of the answer are printed before it. */
const ASK = `${PREPARE}exec "$1" api graphql --hostname "$2" --include --header 'Content-Type: application/json' --input - 2>/dev/null
`;

/**
 * Whether it has a login of its own for the host; a host without one is not connected to (\`gh auth status\`, \`glab auth status\`).
 */
const KNOWS = `${PREPARE}exec "$1" auth status --hostname "$2" >/dev/null 2>&1 </dev/null
`;

const words = (script: string, program: Program, host: string, folder: string | null): string[] => [
  "nice",
  "-n",
  "10",
  "sh",
  "-c",
  script,
  "agtmux-pulls",
  program,
  host,
  folder ?? "",
];
export const askWords = (program: Program, host: string, folder: string | null): string[] =>
  words(ASK, program, host, folder);
export const knowsWords = (program: Program, host: string, folder: string | null): string[] =>
  words(KNOWS, program, host, folder);

/** The person's own shell knows folders that a daemon, or a command over SSH, does not. */
export const findWords = (program: Program): string[] => inLoginShell(`command -v ${program}`);

/** The folder that was found, among whatever else the person's shell prints. */
export const readFolder = (program: Program, output: string): string | null => {
  const paths = output
    .split("\n")
    .filter((line) => /^\/[^:\p{Cc}]{1,500}$/u.test(line) && line.endsWith(`/${program}`));
  return paths.at(-1)?.slice(0, -program.length - 1) || null;
};

// Queries. What varies is in the variables, so that no name is read as a part of the query.

/** Pull requests of one branch that are looked at: forks may have branches of the same name. */
const MAX_OF_BRANCH = 10;
const MAX_CHECKS = 100;

/** GitHub's documents of `PullRequest` and `StatusCheckRollup`: docs.github.com/graphql/reference. A fork's parent is asked, too. */
const githubQuery = ({ path }: ForgeRepository, branches: readonly string[]): object => {
  const [owner = "", name = ""] = path.split("/");
  const variables = branches.map((_, index) => `$b${index}: String!`).join(", ");
  const asked = branches.map(
    (_, index) =>
      `b${index}: pullRequests(headRefName: $b${index}, first: ${MAX_OF_BRANCH}, orderBy: {field: UPDATED_AT, direction: DESC}) { ...Found }`,
  );
  return {
    query: `query($owner: String!, $name: String!, ${variables}) {
  repository(owner: $owner, name: $name) { ...Asked parent { ...Asked } }
}
fragment Asked on Repository { nameWithOwner defaultBranchRef { name } ${asked.join(" ")} }
fragment Found on PullRequestConnection {
  nodes {
    number title url state isDraft reviewDecision headRefName headRefOid headRepository { nameWithOwner }
    commits(last: 1) { nodes { commit { statusCheckRollup { state contexts(first: ${MAX_CHECKS}) { nodes {
      __typename ... on CheckRun { name conclusion } ... on StatusContext { context state }
    } } } } } }
  }
}`,
    variables: { owner, name, ...Object.fromEntries(branches.map((branch, index) => [`b${index}`, branch])) },
  };
};

/** GitLab's documents of `MergeRequest` and `Pipeline`: docs.gitlab.com/api/graphql/reference; `approved` since 16.3. */
const gitlabQuery = (paths: readonly string[], branches: readonly string[]): object => {
  const variables = paths.map((_, index) => `$p${index}: ID!`).join(", ");
  const asked = paths.map((_, index) => `p${index}: project(fullPath: $p${index}) { ...Asked }`);
  return {
    query: `query($branches: [String!], ${variables}) { ${asked.join(" ")} }
fragment Asked on Project {
  fullPath repository { rootRef }
  mergeRequests(sourceBranches: $branches, sort: UPDATED_DESC, first: 50) { nodes {
    iid title webUrl state draft approved detailedMergeStatus sourceBranch diffHeadSha sourceProject { fullPath }
    approvedBy(first: 1) { nodes { username } }
    headPipeline { status jobs(statuses: [FAILED], retried: false, first: 20) { nodes { name allowFailure } } }
  } }
}`,
    variables: {
      branches,
      ...Object.fromEntries(paths.map((path, index) => [`p${index}`, path])),
    },
  };
};

/** Standard input of the program. `others`: further repositories in which a branch may have been offered; GitHub names them itself. */
export const queryOf = (
  program: Program,
  repository: ForgeRepository,
  { branches, others }: { branches: readonly string[]; others: readonly string[] },
): string =>
  JSON.stringify(
    program === "gh"
      ? githubQuery(repository, branches)
      : gitlabQuery([repository.path, ...others], branches),
  );

// Answers.

/** A pull request with the branch that it wants merged. */
export interface FoundRequest {
  view: PullRequest;
  head: { path: string; branch: string };
}

export type Answer =
  | { kind: "found"; requests: FoundRequest[]; defaultBranch: string | null; restUntil: number | null }
  /** `retryAt`: epoch ms; null where the host does not say when. */
  | { kind: "limited"; retryAt: number | null }
  | { kind: "logged out" }
  | { kind: "no program" }
  | { kind: "failed"; reason: string };

const MAX_TITLE = 200;
const MAX_CHECK = 100;

/** One line without anything that steers a terminal or hides text. */
const plainLine = (text: string, max: number): string => {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/\p{Cs}$/u, "")}…`;
};

/** The page of a request where its address is one of that host and repository, as the host writes it; else null. */
const pageOf = (address: string, { host, path }: ForgeRepository, tail: string): string | null =>
  address.toLowerCase() === `https://${host}/${path}/${tail}`.toLowerCase() && isRequestPage(address, host)
    ? address
    : null;

const COMMIT = /^[0-9a-f]{40,64}$/;
const text = z.string().max(10_000);
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
const nodesOf = <T extends z.ZodType>(schema: T) =>
  z.object({ nodes: z.array(z.unknown()).max(1_000) }).transform(({ nodes }): z.output<T>[] =>
    nodes.flatMap((node) => {
      const read = schema.safeParse(node);
      return read.success ? [read.data] : [];
    }),
  );

const githubCheckSchema = z.union([
  z.object({ __typename: z.literal("CheckRun"), name: text, conclusion: maybe(text) }),
  z.object({ __typename: z.literal("StatusContext"), context: text, state: text }),
]);
const githubRollupSchema = z.object({
  state: text,
  contexts: nodesOf(githubCheckSchema).nullish().catch([]),
});
const githubRequestSchema = z.object({
  number: z.number().int().nonnegative(),
  title: text,
  url: text,
  state: z.enum(["OPEN", "CLOSED", "MERGED"]),
  isDraft: z.boolean(),
  reviewDecision: maybe(text),
  headRefName: text,
  headRefOid: maybe(z.string().regex(COMMIT)),
  headRepository: z.object({ nameWithOwner: text }).nullish(),
  commits: maybe(
    nodesOf(z.object({ commit: z.object({ statusCheckRollup: githubRollupSchema.nullish() }) })),
  ),
});
const githubRepositorySchema = z
  .object({
    nameWithOwner: text,
    defaultBranchRef: maybe(z.object({ name: text })),
  })
  .catchall(z.unknown());

/** Conclusions of GitHub that count as failed (`CheckConclusionState`, `StatusState`). */
const FAILED: ReadonlySet<string> = new Set([
  "FAILURE",
  "ERROR",
  "TIMED_OUT",
  "STARTUP_FAILURE",
  "ACTION_REQUIRED",
]);

/** What the host makes of all checks counts; while others still run, one that failed does. */
const githubChecks = (rollup: z.infer<typeof githubRollupSchema> | null): PullRequest["checks"] => {
  if (rollup === null) return null;
  const failed = (rollup.contexts ?? []).flatMap((check) =>
    check.__typename === "CheckRun"
      ? FAILED.has(check.conclusion ?? "")
        ? [check.name]
        : []
      : FAILED.has(check.state)
        ? [check.context]
        : [],
  );
  if (rollup.state === "SUCCESS") return { state: "passed", failed: null, failed_count: 0 };
  if (rollup.state !== "FAILURE" && rollup.state !== "ERROR" && failed.length === 0)
    return { state: "running", failed: null, failed_count: 0 };
  return { state: "failed", failed: checkName(failed[0]), failed_count: Math.max(1, failed.length) };
};

const checkName = (name: string | undefined): string | null => plainLine(name ?? "", MAX_CHECK) || null;

const githubState = (request: z.infer<typeof githubRequestSchema>): PullRequest["state"] => {
  if (request.state === "MERGED") return "merged";
  if (request.state === "CLOSED") return "closed";
  if (request.isDraft) return "draft";
  if (request.reviewDecision === "APPROVED") return "approved";
  return request.reviewDecision === "CHANGES_REQUESTED" ? "changes_requested" : "open";
};

const githubRequests = (repository: unknown, host: string): FoundRequest[] => {
  const read = githubRepositorySchema.safeParse(repository);
  const place = read.success ? readRemote(`https://${host}/${read.data.nameWithOwner}`) : null;
  if (!read.success || place === null) return [];
  return Object.entries(read.data).flatMap(([key, value]) => {
    const requests = /^b\d+$/.test(key) ? nodesOf(githubRequestSchema).safeParse(value) : null;
    return (requests?.data ?? []).flatMap((request): FoundRequest[] => {
      const path = request.headRepository?.nameWithOwner;
      if (path === undefined) return [];
      return [
        {
          head: { path, branch: request.headRefName },
          view: {
            forge: "github",
            host,
            repository: place.path,
            number: request.number,
            title: plainLine(request.title, MAX_TITLE),
            state: githubState(request),
            checks: githubChecks(request.commits?.[0]?.commit.statusCheckRollup ?? null),
            commit: request.headRefOid ?? null,
            url: pageOf(request.url, place, `pull/${request.number}`),
          },
        },
      ];
    });
  });
};

const gitlabRequestSchema = z.object({
  iid: z.coerce.number().int().nonnegative(),
  title: text,
  webUrl: maybe(text),
  state: z.enum(["opened", "closed", "locked", "merged"]),
  draft: z.boolean(),
  approved: maybe(z.boolean()),
  approvedBy: maybe(nodesOf(z.object({ username: text }))),
  detailedMergeStatus: maybe(text),
  sourceBranch: text,
  diffHeadSha: maybe(z.string().regex(COMMIT)),
  sourceProject: z.object({ fullPath: text }).nullish(),
  headPipeline: maybe(
    z.object({
      status: text,
      jobs: maybe(nodesOf(z.object({ name: text, allowFailure: z.boolean() }))),
    }),
  ),
});
const gitlabProjectSchema = z.object({
  fullPath: text,
  repository: maybe(z.object({ rootRef: maybe(text) })),
  mergeRequests: nodesOf(gitlabRequestSchema),
});

/** `PipelineStatusEnum`. A pipeline that was skipped, cancelled, or waits for a person says nothing. */
const gitlabChecks = (
  pipeline: z.infer<typeof gitlabRequestSchema>["headPipeline"],
): PullRequest["checks"] => {
  const failed = (pipeline?.jobs ?? []).filter(({ allowFailure }) => !allowFailure).map(({ name }) => name);
  const one = {
    state: "failed",
    failed: checkName(failed[0]),
    failed_count: Math.max(1, failed.length),
  } as const;
  switch (pipeline?.status ?? "") {
    case "SUCCESS":
      return { state: "passed", failed: null, failed_count: 0 };
    case "FAILED":
      return one;
    case "CREATED":
    case "WAITING_FOR_RESOURCE":
    case "WAITING_FOR_CALLBACK":
    case "PREPARING":
    case "PENDING":
    case "RUNNING":
    case "SCHEDULED":
      return failed.length > 0 ? one : { state: "running", failed: null, failed_count: 0 };
    default:
      return null;
  }
};

/** Where no approval is required, GitLab calls a request approved that nobody has looked at: somebody has to have approved it. */
const gitlabState = (request: z.infer<typeof gitlabRequestSchema>): PullRequest["state"] => {
  if (request.state === "merged") return "merged";
  if (request.state === "closed") return "closed";
  if (request.draft) return "draft";
  if (request.detailedMergeStatus === "REQUESTED_CHANGES") return "changes_requested";
  return request.approved === true && (request.approvedBy ?? []).length > 0 ? "approved" : "open";
};

const gitlabRequests = (project: unknown, host: string): FoundRequest[] => {
  const read = gitlabProjectSchema.safeParse(project);
  const place = read.success ? readRemote(`https://${host}/${read.data.fullPath}`) : null;
  if (!read.success || place === null) return [];
  return read.data.mergeRequests.flatMap((request): FoundRequest[] => {
    const path = request.sourceProject?.fullPath;
    if (path === undefined) return [];
    return [
      {
        head: { path, branch: request.sourceBranch },
        view: {
          forge: "gitlab",
          host,
          repository: place.path,
          number: request.iid,
          title: plainLine(request.title, MAX_TITLE),
          state: gitlabState(request),
          checks: gitlabChecks(request.headPipeline),
          commit: request.diffHeadSha ?? null,
          url: pageOf(request.webUrl ?? "", place, `-/merge_requests/${request.iid}`),
        },
      },
    ];
  });
};

const githubDataSchema = z.object({
  repository: z.object({ parent: z.unknown().optional() }).catchall(z.unknown()),
});

const readData = (
  program: Program,
  data: unknown,
  host: string,
): Pick<Extract<Answer, { kind: "found" }>, "requests" | "defaultBranch"> | null => {
  if (program === "gh") {
    const read = githubDataSchema.safeParse(data);
    if (!read.success) return null;
    const { repository } = read.data;
    const own = githubRepositorySchema.safeParse(repository);
    return {
      requests: [...githubRequests(repository, host), ...githubRequests(repository.parent, host)],
      defaultBranch: own.data?.defaultBranchRef?.name ?? null,
    };
  }
  const read = z.record(z.string(), z.unknown()).safeParse(data);
  const projects = read.success ? Object.entries(read.data).filter(([key]) => /^p\d+$/.test(key)) : [];
  const own = gitlabProjectSchema.safeParse(projects.find(([key]) => key === "p0")?.[1]);
  if (!own.success) return null;
  return {
    requests: projects.flatMap(([, project]) => gitlabRequests(project, host)),
    defaultBranch: own.data.repository?.rootRef ?? null,
  };
};

/** Of requests in an hour, so many are left to the person. */
const LEFT_TO_PERSON = 100;

/** `--include` prints the status, the headers and an empty line before the body. */
const splitAnswer = (
  output: string,
): { status: number; headers: ReadonlyMap<string, string>; body: string } => {
  const end = /\r?\n\r?\n/.exec(output);
  const head = end === null ? "" : output.slice(0, end.index);
  const [first = "", ...lines] = head.split(/\r?\n/);
  const headers = lines.slice(0, 200).flatMap((line): [string, string][] => {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
  });
  return {
    status: Number(/^HTTP\/[\d.]+ (\d{3})/.exec(first)?.[1] ?? "0"),
    headers: new Map(headers),
    body: end === null ? output : output.slice(end.index + end[0].length),
  };
};

const numberOf = (value: string | undefined): number | null =>
  value !== undefined && /^\d{1,12}$/.test(value.trim()) ? Number(value) : null;

const bodySchema = z.object({
  data: z.unknown().optional(),
  message: maybe(text),
  errors: maybe(z.array(z.object({ type: maybe(text), message: maybe(text) }).catch({}))),
});

const readBody = (body: string): z.infer<typeof bodySchema> | null => {
  try {
    return bodySchema.parse(JSON.parse(body));
  } catch {
    // Whatever it is, it is no answer.
    return null;
  }
};

const RATE = /rate limit|too many requests/i;

/** `now`: epoch ms. Never throws on content. */
export const readAnswer = (
  program: Program,
  { host, path }: ForgeRepository,
  { exitCode, stdout, timedOut }: RunResult,
  now: number,
): Answer => {
  if (timedOut) return { kind: "failed", reason: `${program} took too long` };
  if (exitCode === null) return { kind: "failed", reason: `${program} printed too much` };
  if (exitCode === NO_PROGRAM) return { kind: "no program" };
  if (exitCode === NO_LOGIN && program === "gh") return { kind: "logged out" };
  const { status, headers, body } = splitAnswer(stdout);
  const read = readBody(body);
  const errors = read?.errors ?? [];
  const reset = numberOf(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset"));
  const left = numberOf(headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining"));
  const retry = numberOf(headers.get("retry-after"));
  const resetAt = reset === null ? null : reset * 1_000;
  const isLimited =
    status === 429 ||
    errors.some(({ type }) => type === "RATE_LIMITED") ||
    (status === 403 &&
      (retry !== null ||
        left === 0 ||
        RATE.test(`${read?.message ?? ""} ${read === null ? body.slice(0, 500) : ""}`)));
  if (isLimited) return { kind: "limited", retryAt: retry === null ? resetAt : now + retry * 1_000 };
  if (status === 401) return { kind: "logged out" };
  if (status >= 400) return { kind: "failed", reason: `${host} answered with status ${status}` };
  if (read === null) return { kind: "failed", reason: `${program} printed what is no answer of ${host}` };
  const found = readData(program, read.data, host);
  if (found === null) {
    const told = errors.find(({ type, message }) => type !== "NOT_FOUND" && (message ?? "") !== "")?.message;
    return {
      kind: "failed",
      reason:
        typeof told === "string"
          ? `${host} refuses: “${plainLine(told, MAX_CHECK)}”`
          : `${host} doesn't show ${path} to the login of ${program}`,
    };
  }
  return { kind: "found", ...found, restUntil: left !== null && left < LEFT_TO_PERSON ? resetAt : null };
};
