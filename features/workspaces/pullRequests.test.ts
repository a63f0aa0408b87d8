// With repositories as files, a clock of the test, and programs that play `gh` and `glab`.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { configSchema } from "../../core/model/config.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import {
  answered,
  createForgeStandIn,
  githubData,
  githubRequest,
  gitlabData,
  gitlabRequest,
  NOT_LOGGED_IN,
  type ForgeStandIn,
} from "../../test/workspaces/forgeStandIn.ts";
import { handClock } from "../../test/workspaces/handClock.ts";
import { localTarget } from "../../test/workspaces/localTarget.ts";
import { headsOf, PullRequests } from "./pullRequests.ts";
import { readRemotes } from "./readRepository.ts";
import type { WorkTreeKey } from "./workTrees.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-pulls-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const COMMIT = "c".repeat(40);
const SECRET = "ghp_thisIsNoTokenOfAnybody";
let count = 0;
let forge: ForgeStandIn;
let clock: ReturnType<typeof handClock>;
let isOn: boolean;
let news: number;
let keys: WorkTreeKey[];
let targets: Record<string, FeatureTarget | null>;
let changeConfig: () => void;
let show: (areShown: boolean) => void;
let pulls: PullRequests;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const BASIC = '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n';

/** A worktree as git would leave it: what is read of one is in these files. */
const worktree = (
  branch: string | null,
  { settings = BASIC, target = "host" }: { settings?: string; target?: string } = {},
): WorkTreeKey => {
  count += 1;
  const workTree = join(root, `tree-${count}`);
  write(join(workTree, ".git/HEAD"), branch === null ? `${COMMIT}\n` : `ref: refs/heads/${branch}\n`);
  write(join(workTree, ".git/config"), settings);
  if (branch !== null && !branch.includes(".."))
    write(join(workTree, ".git/refs/heads", branch), `${COMMIT}\n`);
  const key = { target, workTree };
  keys.push(key);
  return key;
};

const settled = async (condition: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 400 && !condition(); turn += 1) await wait(10);
  expect(condition()).toBe(true);
};
/** Lets so much time pass, and what is asked then come back. */
const pass = async (ms: number): Promise<void> => {
  const before = news;
  clock.advance(ms);
  await settled(() => news > before);
};
const calls = (program: "gh" | "glab" = "gh") =>
  forge.calls(program).filter(([, verb]) => verb === "api").length;
const of = (key: WorkTreeKey) => pulls.of(key);
const sideOf = () => ({ short_ref: "host/%1", place: "work:1.0" });
const diagnosis = async () => {
  const [check] = pulls.doctorChecks();
  const found = await check?.run();
  return [found ?? []].flat();
};

beforeEach(() => {
  count += 1;
  forge = createForgeStandIn(join(root, `bin-${count}`));
  clock = handClock();
  isOn = true;
  news = 0;
  keys = [];
  const env = {
    PATH: `${forge.folder}:${process.env["PATH"] ?? ""}`,
    GH_TOKEN: SECRET,
    GITLAB_TOKEN: SECRET,
    GITLAB_HOST: "",
    GH_ENTERPRISE_TOKEN: SECRET,
  };
  targets = { host: localTarget(root, env), vm1: localTarget(root, env) };
  const context = partOf<ConstructorParameters<typeof PullRequests>[0]["context"]>({
    target: (name) => {
      const found = targets[name] ?? null;
      if (found === null) throw new AgtmuxError("E_TARGET_UNREACHABLE", `${name} is unreachable`);
      return found;
    },
    clock,
    logger: SILENT_LOGGER,
    config: () => configSchema.parse({ pull_requests: isOn }),
    onConfigChange: (listener) => {
      changeConfig = listener;
      return () => {};
    },
    rows: partOf({
      onShown: (listener: (areShown: boolean) => void) => {
        show = listener;
        return () => {};
      },
    }),
  });
  pulls = new PullRequests({ context, keys: () => keys, onNews: () => (news += 1) });
});
afterEach(() => pulls.close());

describe("the branch of a worktree", () => {
  const heads = (branch: string, settings: string) =>
    headsOf(branch, readRemotes(settings)).heads.map((head) => `${head.repository.path} ${head.branch}`);

  it("is what git would push, and what it follows under another name", () => {
    expect(heads("x", BASIC)).toEqual(["acme/shop x"]);
    const follows = `${BASIC}[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/y\n`;
    expect(heads("x", follows)).toEqual(["acme/shop x", "acme/shop y"]);
    const two = `${BASIC}[remote "ann"]\n\turl = https://github.com/ann/shop\n`;
    expect(heads("x", two)).toEqual(["acme/shop x"]);
    expect(heads("x", `${two}[remote]\n\tpushDefault = ann\n`)).toEqual(["ann/shop x"]);
    expect(heads("x", `${two}[branch "x"]\n\tpushRemote = ann\n`)).toEqual(["ann/shop x"]);
    expect(heads("x", '[remote "origin"]\n\turl = /srv/git/shop\n')).toEqual([]);
    expect(heads("x", "")).toEqual([]);
  });
});

describe("pull requests", () => {
  it("are asked for once for all branches of a repository, by its own name and nothing of the folder's", async () => {
    const [one, two, other] = [worktree("fix/refunds"), worktree("two"), worktree("three")];
    forge.answer("gh", answered(githubData([githubRequest()])));
    await pass(0);
    expect(calls()).toBe(1);
    const [folder, ...words] = forge.calls("gh")[0] ?? [];
    expect(folder).toBe("/");
    expect(words.slice(0, 5)).toEqual(["api", "graphql", "--hostname", "github.com", "--include"]);
    expect(words.join(" ")).not.toMatch(/acme|refunds/);
    const { variables } = JSON.parse(forge.stdin("gh"));
    expect(variables).toEqual({ owner: "acme", name: "shop", b0: "fix/refunds", b1: "two", b2: "three" });
    expect(of(one).pull_request).toMatchObject({ number: 12, state: "open", title: "Split refunds" });
    expect([of(two), of(other)]).toEqual([
      { pull_request: null, pull_request_problem: null },
      { pull_request: null, pull_request_problem: null },
    ]);
  });

  it("keep the programs from asking, colouring, paging and browsing, and tokens to the host that they are for", async () => {
    worktree("x");
    worktree("x", { settings: BASIC.replace("github.com", "git.acme.example") });
    forge.knows("gh", ["git.acme.example"]);
    forge.answer("gh", answered(githubData([])));
    await pass(0);
    expect(calls()).toBe(2);
    const env = forge.env("gh");
    expect(env.get("GH_PROMPT_DISABLED")).toBe("1");
    expect([env.get("GH_PAGER"), env.get("NO_COLOR"), env.get("GH_BROWSER")]).toEqual(["cat", "1", "false"]);
    // The last call was to the other host.
    expect(JSON.stringify([...env])).not.toContain(SECRET);
    keys = [worktree("x")];
    await pass(300_000);
    expect(forge.env("gh").get("GH_TOKEN")).toBe(SECRET);
    expect(forge.env("gh").has("GH_ENTERPRISE_TOKEN")).toBe(false);
    keys = [worktree("x", { settings: '[remote "o"]\n\turl = https://gitlab.com/acme/web/shop.git\n' })];
    forge.answer("glab", answered(gitlabData([])));
    await pass(300_000);
    expect(forge.env("glab").get("GITLAB_TOKEN")).toBe(SECRET);
  });

  it("of a fork's branch of the same name are not taken for the own ones", async () => {
    const key = worktree("fix/refunds");
    const fork = githubRequest({ number: 9, headRepository: { nameWithOwner: "eve/shop" } });
    forge.answer("gh", answered(githubData([fork])));
    await pass(0);
    expect(of(key).pull_request).toBeNull();
    const parent = {
      nameWithOwner: "upstream/shop",
      b0: { nodes: [githubRequest({ number: 4, url: "https://github.com/upstream/shop/pull/4" })] },
    };
    forge.answer("gh", answered(githubData([fork], parent)));
    await pass(300_000);
    expect(of(key).pull_request).toMatchObject({
      number: 4,
      repository: "upstream/shop",
      url: "https://github.com/upstream/shop/pull/4",
    });
  });

  it("of the main branch, which a branch only began at, are not its own", async () => {
    const settings = `${BASIC}[branch "fix/refunds"]\n\tremote = origin\n\tmerge = refs/heads/main\n`;
    const key = worktree("fix/refunds", { settings });
    forge.answer("gh", answered(githubData([githubRequest({ headRefName: "main" })])));
    await pass(0);
    expect(of(key).pull_request).toBeNull();
  });

  it("that are over count while the branch stands where they ended, and an open one goes before them", async () => {
    const key = worktree("fix/refunds");
    const merged = githubRequest({ number: 3, state: "MERGED", headRefOid: COMMIT });
    forge.answer("gh", answered(githubData([merged])));
    await pass(0);
    expect(of(key).pull_request).toMatchObject({ number: 3, state: "merged" });
    forge.answer("gh", answered(githubData([merged, githubRequest()])));
    await pass(300_000);
    expect(of(key).pull_request?.number).toBe(12);
    write(join(key.workTree, ".git/refs/heads/fix/refunds"), `${"d".repeat(40)}\n`);
    forge.answer("gh", answered(githubData([merged])));
    await pass(300_000);
    expect(of(key).pull_request).toBeNull();
    rmSync(join(key.workTree, ".git/refs"), { recursive: true });
    write(join(key.workTree, ".git/packed-refs"), `# pack-refs\n${COMMIT} refs/heads/fix/refunds\n`);
    await pass(300_000);
    expect(of(key).pull_request?.number).toBe(3);
  });

  it("come from GitLab by glab, with the other remotes as places where they may have been opened", async () => {
    const settings =
      '[remote "origin"]\n\turl = git@gitlab.com:acme/web/shop.git\n[remote "up"]\n\turl = https://gitlab.com/up/shop\n';
    const key = worktree("fix/refunds", { settings });
    forge.answer("glab", answered(gitlabData([gitlabRequest()])));
    await pass(0);
    expect(of(key).pull_request).toMatchObject({ forge: "gitlab", number: 7 });
    expect(JSON.parse(forge.stdin("glab")).variables).toEqual({
      branches: ["fix/refunds"],
      p0: "acme/web/shop",
      p1: "up/shop",
    });
    expect(calls("gh")).toBe(0);
  });

  it("are not asked for without a branch, without a remote elsewhere, or of a host that no login is for", async () => {
    const none = worktree(null);
    const local = worktree("x", { settings: '[remote "origin"]\n\turl = /srv/git/shop.git\n' });
    const foreign = worktree("x", {
      settings: '[remote "origin"]\n\turl = https://evil.example/acme/shop\n',
    });
    const outside = worktree("../../../../etc/passwd");
    forge.answer("gh", answered(githubData([])));
    await pass(0);
    expect([none, local, foreign, outside].map((key) => of(key).pull_request_problem)).toEqual([
      null,
      null,
      null,
      null,
    ]);
    // Only whether it has a login was asked, which connects to no host that it has none for.
    expect(forge.calls("gh").filter((words) => words.includes("evil.example"))).toEqual([
      ["/", "auth", "status", "--hostname", "evil.example"],
    ]);
    const list = await pulls.list(keys, sideOf);
    expect(list.not_looked_at.map(({ reason }) => reason)).toEqual([
      "no branch is checked out",
      "it has no remote on GitHub or GitLab",
      "neither gh nor glab is logged in to evil.example",
    ]);
    expect((await diagnosis()).find(({ summary }) => summary.includes("evil"))?.status).toBe("skipped");
  });

  it("are asked for on the machine of the agent, and say so where it is unreachable", async () => {
    const key = worktree("fix/refunds", { target: "vm1" });
    forge.answer("gh", "", NOT_LOGGED_IN);
    await pass(0);
    expect(of(key).pull_request_problem).toBe("gh isn't logged in to github.com on vm1");
    expect(await diagnosis()).toMatchObject([
      { status: "warning", remedy: "Run 'gh auth login --hostname github.com' on vm1." },
    ]);
    targets["vm1"] = null;
    await pass(300_000);
    const { not_looked_at: left } = await pulls.list(keys, sideOf);
    expect(left).toEqual([{ target: "vm1", work_tree: key.workTree, reason: "vm1 is unreachable" }]);
  });
});

describe("asking", () => {
  it("is done once a minute while rows are shown, every five minutes otherwise, and never while it is off", async () => {
    isOn = false;
    changeConfig();
    worktree("fix/refunds");
    forge.answer("gh", answered(githubData([githubRequest()])));
    show(true);
    clock.advance(3_600_000);
    expect(forge.calls("gh")).toEqual([]);
    show(false);
    isOn = true;
    changeConfig();
    await pass(1);
    expect(calls()).toBe(1);
    clock.advance(59_000);
    show(true);
    clock.advance(900);
    expect(calls()).toBe(1);
    await pass(200);
    expect(calls()).toBe(2);
    await pass(60_000);
    expect(calls()).toBe(3);
    show(false);
    clock.advance(290_000);
    expect(calls()).toBe(3);
    await pass(10_000);
    expect(calls()).toBe(4);
    // A command gets what was seen a moment ago.
    expect((await pulls.list(keys, sideOf)).items).toMatchObject([
      { number: 12, branch: "fix/refunds", short_ref: "host/%1" },
    ]);
    expect(calls()).toBe(4);
    isOn = false;
    changeConfig();
    expect(of(keys[0] ?? { target: "", workTree: "" }).pull_request).toBeNull();
    expect(await diagnosis()).toMatchObject([{ status: "skipped" }]);
  });

  it("that fails for one repository says so of that one, whatever another one of its host says", async () => {
    const lost = worktree("x", { settings: BASIC.replace("acme/shop", "acme/lost") });
    const found = worktree("fix/refunds");
    forge.answer("gh", answered({ data: { repository: null }, errors: [{ type: "NOT_FOUND" }] }), 1);
    keys = [lost];
    await pulls.list(keys, sideOf);
    forge.answer("gh", answered(githubData([githubRequest()])));
    keys = [found, lost];
    const { items, not_looked_at: left } = await pulls.list(keys, sideOf);
    expect([items.length, left.map(({ reason }) => reason)]).toEqual([
      1,
      ["github.com doesn't show acme/lost to the login of gh"],
    ]);
  });

  it("is done once for all who ask at the same time", async () => {
    worktree("fix/refunds");
    forge.answer("gh", answered(githubData([githubRequest()])));
    const lists = await Promise.all([
      pulls.list(keys, sideOf),
      pulls.list(keys, sideOf),
      pulls.list(keys, sideOf),
    ]);
    expect(lists.map(({ items }) => items.length)).toEqual([1, 1, 1]);
    expect(calls()).toBe(1);
  });

  it("rests as long as the host says, says so, and keeps what was seen for a while", async () => {
    const key = worktree("fix/refunds");
    forge.answer("gh", answered(githubData([githubRequest()])));
    await pass(0);
    show(true);
    const limit = { status: "403 Forbidden", headers: { "Retry-After": "600" } };
    forge.answer("gh", answered({ message: "secondary rate limit" }, limit), 1);
    await pass(60_000);
    expect(of(key)).toMatchObject({
      pull_request: { number: 12 },
      pull_request_problem: expect.stringMatching(
        /^github\.com limits how often it is asked; it is asked again at \d\d:\d\d$/,
      ),
    });
    expect(await diagnosis()).toMatchObject([
      { status: "warning", remedy: "Nothing: it is asked again by itself." },
    ]);
    for (let minute = 0; minute < 9; minute += 1) await pass(60_000);
    expect(calls()).toBe(2);
    forge.answer("gh", answered({}, { status: "429 Too Many Requests" }), 1);
    await pass(60_000);
    expect(calls()).toBe(3);
    // Without a time, twice as long each time.
    for (let minute = 0; minute < 8; minute += 1) await pass(60_000);
    expect(calls()).toBeLessThanOrEqual(6);
    expect(of(key).pull_request).toBeNull();
    forge.answer("gh", answered(githubData([githubRequest()])));
    for (let minute = 0; minute < 10; minute += 1) await pass(60_000);
    expect(of(key)).toMatchObject({ pull_request: { number: 12 }, pull_request_problem: null });
  });

  it("names a program that is missing, and what is printed by one that is not the right one", async () => {
    const key = worktree("fix/refunds");
    for (const output of ["x".repeat(5_000_000), "\u001B[2J", answered("<html>")]) {
      forge.answer("gh", output);
      await pass(300_000);
      expect(of(key)).toMatchObject({
        pull_request: null,
        pull_request_problem: expect.stringMatching(
          /^gh printed (?:too much|what is no answer of github\.com)$/,
        ),
      });
    }
    rmSync(join(forge.folder, "gh"));
    await pass(300_000);
    expect(of(key).pull_request_problem).toBe("gh isn't installed");
    expect((await diagnosis())[0]?.remedy).toMatch(
      /^Install gh .* then run 'gh auth login --hostname github.com'/,
    );
  });

  it("takes no more than twenty branches of a repository, and names the others", async () => {
    for (let index = 0; index < 23; index += 1) worktree(`b${index}`);
    forge.answer("gh", answered(githubData([])));
    const list = await pulls.list(keys, sideOf);
    expect(list.not_looked_at.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => "only 20 branches of a repository are asked about"),
    );
    expect(list.asked).toBe(20);
  });

  it("runs no program and reads no settings that the repository has", async () => {
    const key = worktree("fix/refunds");
    const mark = join(root, `ran-${count}`);
    for (const name of ["gh", "sh", "nice", "cat", "git"]) {
      write(join(key.workTree, name), `#!/bin/sh\n: >'${mark}'\n`);
      chmodSync(join(key.workTree, name), 0o755);
    }
    write(join(key.workTree, ".git/glab-cli/config.yml"), "host: evil.example\n");
    forge.answer("gh", answered(githubData([githubRequest()])));
    await pass(0);
    expect(of(key).pull_request?.number).toBe(12);
    expect(() => readFileSync(mark)).toThrow();
  });
});
