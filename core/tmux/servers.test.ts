import { describe, expect, it } from "vitest";
import { resolveServers } from "./servers.ts";

const resolve = (
  sockets?: string,
  configured: Parameters<typeof resolveServers>[0]["configured"] = [],
  tmpdir?: string,
) =>
  resolveServers({ configured, env: { AGTMUX_TMUX_SOCKETS: sockets, TMUX_TMPDIR: tmpdir }, uid: 501 }).map(
    ({ server, socketPath }) => [server, socketPath],
  );

describe("resolveServers", () => {
  it("watches the default server and the configured ones", () => {
    expect(resolve(undefined, ["work", { name: "pair", socket_path: "/srv/pair.sock" }, "default"])).toEqual([
      ["default", "/tmp/tmux-501/default"],
      ["work", "/tmp/tmux-501/work"],
      ["pair", "/srv/pair.sock"],
    ]);
  });

  it("looks in TMUX_TMPDIR", () => {
    expect(resolve("", [], "/var/t/")).toEqual([["default", "/var/t/tmux-501/default"]]);
  });

  it("watches only the sockets of the environment when it names some", () => {
    expect(resolve(" a, /tmp/tmux-501/b ,,no slash/x,/tmp/tmux-501/a", ["work"])).toEqual([
      ["a", "/tmp/tmux-501/a"],
      ["b", "/tmp/tmux-501/b"],
    ]);
  });

  it("gives sockets outside tmux's folder a unique, valid name that is never the default server's", () => {
    expect(resolve("/a/sock,/b/sock,/c/default,/d/my sock!,/e/é")).toEqual([
      ["sock", "/a/sock"],
      ["sock-2", "/b/sock"],
      ["default-2", "/c/default"],
      ["my-sock-", "/d/my sock!"],
      ["-", "/e/é"],
    ]);
  });

  it("labels what lies in tmux's own folder, so that tmux itself refuses the folder of somebody else", () => {
    const servers = resolveServers({ configured: [], env: { AGTMUX_TMUX_SOCKETS: "work,/srv/x" }, uid: 0 });
    expect(servers.map(({ label }) => label)).toEqual(["work", undefined]);
  });
});
