import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPayloadRedactor, MAX_STORED_BYTES, redactPayload, redactText } from "./redact.ts";

// Assembled at run time, so that no scanner takes this file for a leak.
const filler = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
const secrets: [title: string, secret: string, text: (secret: string) => string][] = [
  ["an OpenAI-style key", `sk-proj-${filler}`, (s) => `export OPENAI=${s}`],
  ["an Anthropic-style key", `sk-ant-api03-${filler}`, (s) => `key ${s}.`],
  ["a GitHub token", `ghp_${filler.slice(0, 36)}`, (s) => `git clone https://${s}@github.com/a/b`],
  ["a fine-grained GitHub token", `github_pat_${filler}`, (s) => `(${s})`],
  ["a GitLab token", `glpat-${filler.slice(0, 20)}`, (s) => s],
  ["a Slack token", `xoxb-${filler}`, (s) => `slack ${s}`],
  ["an AWS access key id", `AKIA${filler.toUpperCase().slice(0, 16)}`, (s) => `id=${s}`],
  ["a Google key", `AIza${filler}`, (s) => `?q=${s}`],
  ["an npm token", `npm_${filler.slice(0, 36)}`, (s) => `//registry/:_authToken=${s}`],
  ["a JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${filler}`, (s) => `jwt ${s}`],
  ["a bearer header", "abc123.def456", (s) => `curl -H "Authorization: Bearer ${s}" https://x`],
  ["a bare bearer", "abc123.def456", (s) => `Bearer ${s}`],
  ["a basic header", "dXNlcjpwYXNz", (s) => `authorization: Basic ${s}`],
  ["a cookie header", "sid=abc; other=def", (s) => `Cookie: ${s}\nAccept: */*`],
  ["a URL's password", "hunter2", (s) => `postgres://bob:${s}@db.example/x`],
  ["a URL's password with an at sign", "hun@ter2", (s) => `postgres://bob:${s}@db.example/x`],
  ["an environment assignment", "wJalrXUtnFEMI/K7MDENG", (s) => `AWS_SECRET_ACCESS_KEY=${s} aws s3 ls`],
  ["a quoted assignment with spaces", "correct horse battery", (s) => `password = "${s}"`],
  ["a JSON text", "hunter22", (s) => `{"db_password":"${s}"}`],
  ["JSON inside of JSON", "hunter22", (s) => JSON.stringify({ a: `{"db_password": "${s}"}` })],
  ["JSON three deep", "hunter22 x", (s) => JSON.stringify(JSON.stringify({ client_secret: s }))],
  ["a basic header in JSON", "dXNlcjpwYXNz", (s) => JSON.stringify({ a: `{"Authorization":"Basic ${s}"}` })],
  ["a password with a backslash", "hunt\\er22", (s) => `password=${s}`],
  ["a command-line option", "hunter22", (s) => `mysql --password ${s} -h x`],
  ["a curl user", "hunter22", (s) => `curl -s -u bob:${s} https://x`],
  ["a query parameter", "abcdef", (s) => `https://x/y?api_key=${s}&z=1`],
  [
    "a private key block",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\nAgEAAoIBAQC7",
    (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
  ],
  ["a Telegram token in a URL", `123456789:AA${filler.slice(0, 33)}`, (s) => `https://x/bot${s}/getMe`],
  ["a Telegram token that ends in a dash", `123456789:AA${filler.slice(0, 32)}-`, (s) => s],
  ["a Twilio key", `SK${"0123456789abcdef".repeat(2)}`, (s) => `twilio ${s}`],
  ["a Google OAuth secret", `GOCSPX-${filler}`, (s) => s],
  ["a Docker Hub token", `dckr_pat_${filler}`, (s) => s],
  ["a Vault token", `hvs.${filler}`, (s) => s],
  ["a Slack webhook", filler, (s) => `https://hooks.slack.com/services/T0/B0/${s}`],
  ["a Discord webhook", filler, (s) => `https://discord.com/api/webhooks/123/${s}`],
  ["an Azure account key", `${filler}==`, (s) => `AccountName=a;AccountKey=${s};EndpointSuffix=x`],
  ["an Azure signature", `${filler}%3D`, (s) => `https://a/c?sv=1&sig=${s}`],
  ["an unfinished private key block", "MIIEvQIBADAN", (s) => `-----BEGIN PRIVATE KEY-----\\n${s}`],
];

describe("redactText", () => {
  test.each(secrets)("takes out %s", (_title, secret, text) => {
    const clean = redactText(text(secret), 4_000);
    expect(clean).not.toContain(secret);
    expect(clean).toContain("[redacted]");
  });

  test.each([
    "rm -rf build && npm run build",
    "max_tokens=4096 temperature: 1",
    "git clone ssh://git@github.com/a/b.git",
    "the tokenizer: fast, sentencepiece",
    "curl -H \"X-Api-Key: $KEY\" 'https://x/y?z=1'",
    "docker run -u 1000:1000 image",
    "12345678-1234-1234-1234-123456789012 toolu_01A09q90qw90lq917835lq9",
    "a desk-lamp-on-the-big-wooden-table",
    "npm-debug-log-of-the-last-run",
    "echo token=$TOKEN",
  ])("leaves %j alone", (text) => {
    expect(redactText(text, 4_000)).toBe(text);
  });

  test("cuts a long text with a mark of its original length, without half a character", () => {
    const clean = redactText("😀".repeat(1_000), 100);
    expect(clean.length).toBeLessThanOrEqual(100);
    expect(clean).toMatch(/…\[cut from 2000 characters\]$/);
    expect(clean.isWellFormed()).toBe(true);
  });

  test("leaves a long text as many characters as it may have", () => {
    expect(redactText("word ".repeat(400), 100)).toHaveLength(100);
  });

  test("takes out a secret that lies across the cut", () => {
    const clean = redactText(`${"x ".repeat(500)}sk-${filler.repeat(20)}`, 1_020);
    expect(clean).not.toContain("sk-A1");
  });

  test("changes nothing when applied again", () => {
    const piece = fc.oneof(
      fc.constantFrom(...secrets.map(([, secret, text]) => text(secret))),
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        "token=",
        "Authorization: ",
        "://",
        "@",
        '"',
        "'",
        "\n",
        " ",
        "-----BEGIN PRIVATE KEY-----",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 60, max: 400 }), (pieces, max) => {
        const text = pieces.join("");
        const once = redactText(text, 10_000);
        expect(redactText(once, 10_000)).toBe(once);
        expect(redactText(text, max).length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });
});

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe("redactPayload", () => {
  test("takes out values under secret keys, whatever their spelling, and keeps counts", () => {
    const clean = redactPayload({
      apiKey: "k",
      "API-Key": "k",
      x_api_key: "k",
      password: 1234,
      clientSecret: { inner: "k" },
      headers: { Authorization: "k", Cookie: ["k"], accept: "*/*" },
      session_token: "k",
      usage: { input_tokens: 12, totalTokens: 13, token_count: { output: 5, leaked: "k" } },
      tokenizer: "fast",
      tool_input: { command: "ls" },
    });
    expect(JSON.parse(JSON.stringify(clean))).toEqual({
      apiKey: "[redacted]",
      "API-Key": "[redacted]",
      x_api_key: "[redacted]",
      password: "[redacted]",
      clientSecret: "[redacted]",
      headers: { Authorization: "[redacted]", Cookie: "[redacted]", accept: "*/*" },
      session_token: "[redacted]",
      usage: { input_tokens: 12, totalTokens: 13, token_count: { output: 5, leaked: "[redacted]" } },
      tokenizer: "fast",
      tool_input: { command: "ls" },
    });
  });

  test("keeps a __proto__ key as data and pollutes nothing", () => {
    const clean = redactPayload(
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1}'),
    );
    expect(JSON.stringify(clean)).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1}',
    );
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  test("stays within 16 kB and finite time for hostile input", () => {
    let deep: unknown = "bottom";
    for (let i = 0; i < 50_000; i += 1) deep = { child: deep, list: [deep].slice(0, i % 2) };
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const hostile: unknown[] = [
      "x".repeat(10_000_000),
      { a: "token=".repeat(2_000_000) },
      { a: "-".repeat(10_000_000) },
      { a: "://a:".repeat(2_000_000) },
      { a: "-----BEGIN PRIVATE KEY-----".repeat(300_000) },
      { a: "curl ".repeat(2_000_000) },
      { a: "\u0000".repeat(1_000_000), b: "😀".repeat(1_000_000), c: "\ud800".repeat(100_000) },
      Array.from({ length: 5_000 }, () => `password="${"p".repeat(3_900)}"`),
      Array.from({ length: 1_000_000 }, (_, i) => i),
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`.repeat(50), i])),
      deep,
      cyclic,
      { f: () => 1, s: Symbol("s"), u: undefined, n: 10n ** 500n, d: new Date(0) },
    ];
    const startedAt = performance.now();
    for (const payload of hostile)
      expect(bytes(redactPayload(payload))).toBeLessThanOrEqual(MAX_STORED_BYTES);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test("stays within 16 kB for any JSON", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        fc.string({ maxLength: 5_000, unit: "binary" }),
        fc.double(),
        fc.array(tie("value"), { maxLength: 130 }),
        fc.dictionary(fc.string({ maxLength: 300, unit: "binary" }), tie("value"), { maxKeys: 130 }),
      ),
    }));
    fc.assert(
      fc.property(value, (payload) => {
        expect(bytes(redactPayload(payload))).toBeLessThanOrEqual(MAX_STORED_BYTES);
      }),
      { numRuns: 200 },
    );
  });

  test("leaves an ordinary payload as it is", () => {
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: "3f0c",
      tool_input: { command: "npm test", timeout: 1_000 },
      list: [1, true, null, "x"],
    };
    expect(JSON.parse(JSON.stringify(redactPayload(payload)))).toEqual(payload);
  });
});

describe.each([
  ["a payload that is redacted once", redactPayload],
  ["a payload redactor that remembers", createPayloadRedactor()],
])("%s", (_title, redact) => {
  const plain = (payload: unknown): unknown => JSON.parse(JSON.stringify(redact(payload)));
  const nest = (levels: number, innermost: unknown): unknown =>
    levels === 0 ? innermost : { child: nest(levels - 1, innermost) };
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));

  test("keeps a hundred fields and a hundred entries, and marks that there were more", () => {
    expect(plain(fields(100))).toEqual(fields(100));
    expect(plain(fields(101))).toEqual({ ...fields(100), "…[cut]": true });
    expect(plain(Array(100).fill(1))).toEqual(Array(100).fill(1));
    expect(plain(Array(101).fill(1))).toEqual([...Array(100).fill(1), "…[cut] 101 items"]);
  });

  test("keeps eight levels and marks that there were more", () => {
    expect(plain(nest(8, "text"))).toEqual(nest(8, "text"));
    expect(plain(nest(9, "text"))).toEqual(nest(8, "…[cut]"));
  });
});

describe("a payload redactor that remembers", () => {
  // Fragments of every rule, so that texts are made in which a rule may begin, match or be cut off.
  const fragments = secrets.flatMap(([, secret, text]) => [secret, text(secret), text("$X")]);
  const text = fc.array(fc.constantFrom(...fragments, " ", "\n", "-", "=", "word", "/home/x"), {
    maxLength: 6,
  });

  test("gives what one that forgets gives, whatever came before", () => {
    const redact = createPayloadRedactor();
    const payload = fc.dictionary(
      fc.constantFrom("cwd", "password", "token_count", "apiKey", "text"),
      text.map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(payload, (value) => {
        expect(JSON.stringify(redact(value))).toBe(JSON.stringify(redactPayload(value)));
      }),
      { numRuns: 500 },
    );
  });

  test("bounds a payload of known texts as any other", () => {
    const redact = createPayloadRedactor();
    const known = "x".repeat(199);
    redact({ known });
    const list = Array.from({ length: 90 }, () => [known, known]);
    expect(Buffer.byteLength(JSON.stringify(redact({ list })))).toBeLessThanOrEqual(MAX_STORED_BYTES);
    expect(JSON.stringify(redact({ list }))).toBe(JSON.stringify(redactPayload({ list })));
  });
});

test("a token is found wherever its word begins and ends", () => {
  const token = `hf_${filler.slice(0, 20)}`;
  for (let before = 0; before < 40; before += 1) {
    const words = "a bc ".repeat(8).slice(0, before).trimEnd();
    expect(redactText(`${words} ${token} b`, 4_000)).toBe(`${words} [redacted] b`);
    expect(redactText(`${words} ${token}`, 4_000)).toBe(`${words} [redacted]`);
  }
});
