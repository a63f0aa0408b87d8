// The kinds of secrets that must not reach a disk, each with the words around it in which agents and people write it. They
// are assembled at run time and random, so that no scanner takes this file for a leak and no test finds another's.
import { randomBytes } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const letters = (length: number, alphabet = LETTERS): string => {
  const text = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join("");
  // Some patterns ask for a digit, and every real key of that length has one.
  return `${text.slice(0, -2)}7${text.slice(-1)}`;
};
const upper = (length: number): string => letters(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const hex = (length: number): string => randomBytes(length).toString("hex").slice(0, length);
const base64 = (bytes: number): string => randomBytes(bytes).toString("base64");
const base64url = (bytes: number): string => randomBytes(bytes).toString("base64url");

const secret = (kind: string, value: string, line: (value: string) => string = (one) => one) => ({
  kind,
  /** What must not be found anywhere: the part that gives access. */
  value,
  /** A line of text as it would be seen with it. */
  line: line(value),
});

export type Secret = ReturnType<typeof secret>;

/** A fresh secret of every kind. */
export const makeSecrets = (): Secret[] => [
  secret("AWS access key id", `AKIA${upper(16)}`, (v) => `aws sts --key ${v}`),
  secret("AWS secret access key", letters(40), (v) => `AWS_SECRET_ACCESS_KEY=${v} aws s3 ls`),
  secret("GitHub token (classic)", `ghp_${letters(36)}`, (v) => `gh auth login ${v}`),
  secret("GitHub token (server)", `ghs_${letters(36)}`, (v) => `found ${v},`),
  secret("GitHub token (fine-grained)", `github_pat_${letters(22)}_${letters(59)}`),
  secret("GitLab token", `glpat-${letters(20)}`, (v) => `use ${v} for the runner`),
  secret("Slack token", `xoxb-${letters(12, "0123456789")}-${letters(24)}`),
  secret(
    "Slack webhook",
    `${upper(9)}/${letters(24)}`,
    (v) => `https://hooks.slack.com/services/T0${upper(8)}/B${v}`,
  ),
  secret("Stripe key", `sk_live_${letters(24)}`, (v) => `stripe --api ${v}`),
  secret("Google API key", `AIza${letters(35)}`, (v) => `https://maps.googleapis.com/?key=${v}`),
  secret("Google OAuth client secret", `GOCSPX-${letters(28)}`),
  secret("GCP service account", base64(60), (v) =>
    JSON.stringify({
      type: "service_account",
      private_key_id: "1",
      private_key: `-----BEGIN PRIVATE KEY-----\n${v}\n-----END PRIVATE KEY-----\n`,
    }),
  ),
  secret("OpenAI key", `sk-proj-${letters(48)}`, (v) => `OPENAI ${v}`),
  secret("Anthropic key", `sk-ant-api03-${base64url(60)}`, (v) => `key: ${v}`),
  secret("npm token", `npm_${letters(36)}`, (v) => `//registry.example/:_authToken=${v}`),
  secret("PyPI token", `pypi-AgEIcHlwaS5vcmc${base64url(50)}`, (v) => `twine upload -p ${v}`),
  secret("JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${letters(20)}.${base64url(32)}`, (v) => `got ${v}`),
  secret("bearer header", base64url(24), (v) => `curl -H 'Authorization: Bearer ${v}' https://api.example`),
  secret("basic header", base64(18), (v) => `Authorization: Basic ${v}`),
  secret("cookie header", hex(32), (v) => `Cookie: sid=${v}`),
  secret("API key header", hex(32), (v) => `curl -H "X-Api-Key: ${v}" https://api.example`),
  secret("password in a URL", letters(16), (v) => `psql postgres://app:${v}@db.example/main`),
  secret(
    "PEM private key",
    base64(90),
    (v) => `-----BEGIN RSA PRIVATE KEY-----\n${v}\n-----END RSA PRIVATE KEY-----`,
  ),
  secret(
    "OpenSSH private key",
    base64(90),
    (v) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${v}\n-----END OPENSSH PRIVATE KEY-----`,
  ),
  secret(
    "PGP private key",
    base64(90),
    (v) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${v}\n-----END PGP PRIVATE KEY BLOCK-----`,
  ),
  secret(
    "Azure storage key",
    base64(64),
    (v) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${v};EndpointSuffix=x`,
  ),
  secret(
    "Azure shared access signature",
    encodeURIComponent(base64(32)),
    (v) => `https://a.blob.core.windows.net/c?sv=2022&sig=${v}`,
  ),
  secret(
    "Azure service bus key",
    base64(32),
    (v) => `Endpoint=sb://a.example/;SharedAccessKeyName=n;SharedAccessKey=${v}`,
  ),
  secret("Twilio key", `SK${hex(32)}`, (v) => `twilio ${v}`),
  secret("SendGrid key", `SG.${base64url(16)}.${base64url(32)}`),
  secret(
    "Telegram bot token",
    `${letters(9, "123456789")}:AA${base64url(24)}7`,
    (v) => `https://api.telegram.org/bot${v}/getMe`,
  ),
  secret("Hugging Face token", `hf_${letters(34)}`, (v) => `huggingface-cli login --with ${v}`),
  secret("Docker Hub token", `dckr_pat_${base64url(20)}`),
  secret("DigitalOcean token", `dop_v1_${hex(64)}`),
  secret("Vault token", `hvs.${base64url(24)}`),
  secret("age key", `AGE-SECRET-KEY-1${upper(58)}`),
  secret("password=", letters(14), (v) => `mysqldump --password=${v} app`),
  secret("PGPASSWORD", letters(14), (v) => `PGPASSWORD=${v} psql`),
  secret("api_key:", letters(20), (v) => `api_key: ${v}`),
  secret("client_secret", letters(24), (v) => `{"client_secret": "${v}"}`),
];
