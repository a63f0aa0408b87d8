// Addresses, and answers of both hosts as their documents have them, with those that a hostile one could give.
import { describe, expect, it } from "vitest";
import {
  answered,
  githubData,
  githubRequest,
  gitlabData,
  gitlabRequest,
} from "../../test/workspaces/forgeStandIn.ts";
import { queryOf, readAnswer, readRemote, type Program } from "./forges.ts";

const GITHUB = { host: "github.com", path: "acme/shop" };
const GITLAB = { host: "gitlab.com", path: "acme/web/shop" };
const NOW = 1_700_000_000_000;

const read = (program: Program, stdout: string, exitCode: number | null = 0) =>
  readAnswer(
    program,
    program === "gh" ? GITHUB : GITLAB,
    { exitCode, stdout, stderr: "", timedOut: false },
    NOW,
  );
const found = (program: Program, data: unknown) => {
  const answer = read(program, answered(data));
  if (answer.kind !== "found") throw new Error(`${answer.kind}: ${JSON.stringify(answer)}`);
  return answer.requests;
};
const first = (program: Program, request: object) =>
  found(program, program === "gh" ? githubData([request]) : gitlabData([request]))[0]?.view;
const rollup = (state: string, ...nodes: object[]) => ({ state, contexts: { nodes } });
const run = (name: string, conclusion: string | null) => ({ __typename: "CheckRun", name, conclusion });

describe("an address", () => {
  it.each([
    ["https://github.com/acme/shop.git", "github.com acme/shop"],
    ["https://ann:ghp_secret@github.com/acme/shop/", "github.com acme/shop"],
    ["git@github.com:acme/shop.git", "github.com acme/shop"],
    ["github.com:acme/shop", "github.com acme/shop"],
    ["ssh://git@ssh.github.com:443/acme/shop.git", "github.com acme/shop"],
    ["ssh://git@GitLab.com/acme/web/shop.git", "gitlab.com acme/web/shop"],
    ["git://git.acme.example/a/b", "git.acme.example a/b"],
  ])("leads to a repository: %s", (address, expected) => {
    const repository = readRemote(address);
    expect(`${repository?.host} ${repository?.path}`).toBe(expected);
  });

  it.each([
    "/srv/git/shop.git",
    "../shop",
    "file:///srv/git/shop.git",
    "work:acme/shop",
    "https://github.com:8443/acme/shop",
    "https://github.com/acme",
    "https://github.com/acme/../../etc",
    "https://github.com/acme/%2e%2e",
    "https://github.com/acme/$(id)",
    "git@-oProxyCommand=id:acme/shop",
    "ext::sh -c id",
    "git@github.com:acme/shop;id",
    "git@github.com:--repo/shop\n",
    "https://github.com/acme/shop\u202E",
    "javascript:alert(1)",
    `https://github.com/acme/${"x".repeat(2_000)}`,
  ])("leads nowhere: %j", (address) => {
    expect(readRemote(address)).toBeNull();
  });
});

describe("a query", () => {
  it("has every branch, and no name within its own text", () => {
    const branches = ["fix/refunds", '"){evil}', "main"];
    for (const [program, repository] of [
      ["gh", GITHUB],
      ["glab", GITLAB],
    ] as const) {
      const { query, variables } = JSON.parse(
        queryOf(program, repository, { branches, others: ["other/shop"] }),
      );
      expect(query).not.toMatch(/evil|acme|other/);
      expect(JSON.stringify(variables)).toContain(JSON.stringify('"){evil}').slice(1, -1));
    }
  });
});

describe("GitHub's answer", () => {
  it("says what state a pull request is in", () => {
    const state = (more: object) => first("gh", githubRequest(more))?.state;
    expect(state({})).toBe("open");
    expect(state({ isDraft: true, reviewDecision: "APPROVED" })).toBe("draft");
    expect(state({ reviewDecision: "APPROVED" })).toBe("approved");
    expect(state({ reviewDecision: "CHANGES_REQUESTED" })).toBe("changes_requested");
    expect(state({ reviewDecision: null })).toBe("open");
    expect(state({ state: "MERGED" })).toBe("merged");
    expect(state({ state: "CLOSED", isDraft: true })).toBe("closed");
  });

  it("says what became of its checks", () => {
    const checks = (given: object | null) => first("gh", githubRequest({}, given))?.checks;
    const status = { __typename: "StatusContext", context: "ci/old", state: "ERROR" };
    expect(checks(null)).toBeNull();
    expect(checks(rollup("SUCCESS", run("build", "SUCCESS"), run("old", "FAILURE")))).toEqual({
      state: "passed",
      failed: null,
      failed_count: 0,
    });
    expect(checks(rollup("PENDING", run("build", null), run("lint", "SUCCESS")))?.state).toBe("running");
    expect(checks(rollup("EXPECTED"))?.state).toBe("running");
    expect(checks(rollup("FAILURE", run("build", "SUCCESS"), run("lint", "TIMED_OUT"), status))).toEqual({
      state: "failed",
      failed: "lint",
      failed_count: 2,
    });
    expect(checks(rollup("PENDING", run("build", null), run("lint", "FAILURE")))?.failed).toBe("lint");
    expect(checks(rollup("FAILURE"))).toEqual({ state: "failed", failed: null, failed_count: 1 });
  });

  it("names where the branch comes from, also in the repository that it was forked from", () => {
    const fork = githubRequest({ number: 3, headRepository: { nameWithOwner: "eve/shop" } });
    const parent = { nameWithOwner: "upstream/shop", defaultBranchRef: null, b0: { nodes: [fork] } };
    expect(
      found("gh", githubData([githubRequest()], parent)).map(({ head, view }) => [
        head.path,
        view.repository,
        view.number,
      ]),
    ).toEqual([
      ["acme/shop", "acme/shop", 12],
      ["eve/shop", "upstream/shop", 3],
    ]);
    expect(found("gh", githubData([githubRequest({ headRepository: null })]))).toEqual([]);
  });

  it("is taken request by request, so that one that is wrong hides no other", () => {
    const wrong = [{}, null, 7, githubRequest({ number: "12" }), githubRequest({ title: 3 })];
    expect(found("gh", githubData([...wrong, githubRequest()]))).toHaveLength(1);
  });
});

describe("GitLab's answer", () => {
  it("says state and checks of a merge request", () => {
    const of = (more: object) => first("glab", gitlabRequest(more));
    expect(of({})).toMatchObject({
      forge: "gitlab",
      number: 7,
      repository: "acme/web/shop",
      // Nobody has approved it: none is required.
      state: "open",
      checks: null,
      url: "https://gitlab.com/acme/web/shop/-/merge_requests/7",
    });
    expect(of({ approvedBy: { nodes: [{ username: "ann" }] } })?.state).toBe("approved");
    expect(of({ detailedMergeStatus: "REQUESTED_CHANGES" })?.state).toBe("changes_requested");
    expect(of({ draft: true })?.state).toBe("draft");
    expect(of({ state: "merged" })?.state).toBe("merged");
    expect(of({ state: "locked" })?.state).toBe("open");
    const jobs = {
      nodes: [
        { name: "lint", allowFailure: true },
        { name: "unit", allowFailure: false },
      ],
    };
    expect(of({ headPipeline: { status: "FAILED", jobs } })?.checks).toEqual({
      state: "failed",
      failed: "unit",
      failed_count: 1,
    });
    expect(of({ headPipeline: { status: "RUNNING", jobs: { nodes: [] } } })?.checks?.state).toBe("running");
    expect(of({ headPipeline: { status: "SUCCESS", jobs } })?.checks?.state).toBe("passed");
    expect(of({ headPipeline: { status: "MANUAL", jobs: null } })?.checks).toBeNull();
  });
});

describe("a hostile answer", () => {
  it("names no page but that of the request on its own host", () => {
    for (const url of [
      "javascript:alert(1)",
      "http://github.com/acme/shop/pull/12",
      "https://github.com.evil.example/acme/shop/pull/12",
      "https://evil.example/acme/shop/pull/12",
      "https://ann@github.com/acme/shop/pull/12",
      "https://github.com:444/acme/shop/pull/12",
      "https://github.com/acme/shop/pull/13",
      "https://github.com/acme/shop/pull/12?x=1",
      "https://github.com/acme/shop/pull/12#x",
      "https://github.com/acme/shop/pull/12\n",
      "file:///etc/passwd",
      `https://github.com/${"a".repeat(5_000)}`,
    ])
      expect(first("gh", githubRequest({ url }))?.url).toBeNull();
    expect(
      first("glab", gitlabRequest({ webUrl: "https://evil.example/-/merge_requests/7" }))?.url,
    ).toBeNull();
  });

  it("leaves no control character, no hidden text and no long one", () => {
    const title = `\u001B]0;x\u0007 a\n\nb\u202E\u200Bc\u2028d ${"e".repeat(9_000)}`;
    const view = first("gh", githubRequest({ title }, rollup("FAILURE", run(`\u009B2J${title}`, "FAILURE"))));
    for (const text of [view?.title ?? "", view?.checks?.failed ?? ""]) {
      expect(text).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
      expect(text.length).toBeLessThanOrEqual(200);
    }
    expect(view?.title).toMatch(/^\]0;x a b c d e+…$/);
  });

  it("of another form says why nothing is known, and throws nothing", () => {
    for (const output of [
      "",
      "hello",
      "[1",
      "null",
      "[]",
      "{}",
      '{"data":null}',
      '{"data":{"repository":7}}',
    ])
      for (const program of ["gh", "glab"] as const) {
        expect(read(program, output).kind).toBe("failed");
        expect(read(program, answered(output)).kind).toBe("failed");
      }
    expect(read("gh", answered(githubData([])), null)).toMatchObject({ reason: "gh printed too much" });
    expect(
      read("gh", answered({ data: { repository: null }, errors: [{ type: "NOT_FOUND" }] })),
    ).toMatchObject({
      reason: "github.com doesn't show acme/shop to the login of gh",
    });
    const complex = { errors: [{ message: `Query has complexity\u001B[2J of ${"9".repeat(500)}` }] };
    expect(read("glab", answered(complex))).toMatchObject({
      reason: expect.stringMatching(/^gitlab\.com refuses: “Query has complexity \[2J of 9+…”$/),
    });
    expect(read("glab", answered({ message: "x\u001B" }, { status: "502 Bad Gateway" }))).toMatchObject({
      reason: "gitlab.com answered with status 502",
    });
    expect(
      readAnswer("gh", GITHUB, { exitCode: null, stdout: "", stderr: "", timedOut: true }, NOW),
    ).toMatchObject({
      reason: "gh took too long",
    });
  });
});

describe("a refusal", () => {
  it("is a limit, with the time that the host gives", () => {
    const body = { message: "You have exceeded a secondary rate limit" };
    const limited = (stdout: string) => read("gh", stdout, 1);
    expect(limited(answered(body, { status: "403 Forbidden", headers: { "Retry-After": "90" } }))).toEqual({
      kind: "limited",
      retryAt: NOW + 90_000,
    });
    const reset = { "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1700000600" };
    expect(limited(answered({}, { status: "403 Forbidden", headers: reset }))).toEqual({
      kind: "limited",
      retryAt: 1_700_000_600_000,
    });
    expect(limited(answered({ data: null, errors: [{ type: "RATE_LIMITED" }] }))).toEqual({
      kind: "limited",
      retryAt: null,
    });
    expect(limited(answered(body, { status: "403 Forbidden" }))).toEqual({ kind: "limited", retryAt: null });
    expect(read("glab", answered("Retry later", { status: "429 Too Many Requests" }), 1).kind).toBe(
      "limited",
    );
    expect(limited(answered({ message: "Must have admin rights" }, { status: "403 Forbidden" })).kind).toBe(
      "failed",
    );
  });

  it("leaves the last calls of an hour to the person", () => {
    const headers = { "X-Ratelimit-Remaining": "12", "X-Ratelimit-Reset": "1700000600" };
    expect(read("gh", answered(githubData([]), { headers }))).toMatchObject({
      kind: "found",
      restUntil: 1_700_000_600_000,
    });
  });

  it("is a missing login, or a missing program", () => {
    expect(read("gh", "", 4)).toEqual({ kind: "logged out" });
    expect(read("gh", answered({ message: "Bad credentials" }, { status: "401 Unauthorized" }), 1)).toEqual({
      kind: "logged out",
    });
    expect(read("glab", answered({}, { status: "401 Unauthorized" }), 1)).toEqual({ kind: "logged out" });
    expect(read("glab", "", 127)).toEqual({ kind: "no program" });
  });
});
