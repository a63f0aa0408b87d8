import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readSshAliases } from "./sshConfig.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-ssh-"));
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};

describe("the hosts that an SSH configuration names", () => {
  it("are the words of Host lines that are no patterns, in their order and once", async () => {
    write(
      ".ssh/config",
      [
        "# Host commented",
        "Host build gpu-box *.internal !bad",
        "  HostName 10.0.0.7",
        'host="quoted one" # a remark',
        "HOST = build ci",
        "Match host build",
        "  User deploy",
        "Host *",
        "\tHostName ignored\r",
      ].join("\n"),
    );
    expect(await readSshAliases(home)).toEqual({ aliases: ["build", "gpu-box", "ci"], problems: [] });
  });

  it("come by a pattern of many stars in no more time than by one", async () => {
    write(".ssh/config", `Include ${"*".repeat(30)}a*a*a*a*a*a*a*z\nInclude x?[a-c][!d]*.con[f]\n`);
    write(`.ssh/${"a".repeat(200)}`, "Host never\n");
    write(".ssh/x.bel.conf", "Host by-class\n");
    write(".ssh/x.bdl.conf", "Host not-by-class\n");
    expect(await readSshAliases(home)).toEqual({ aliases: ["by-class"], problems: [] });
  });

  it("come from included files too: relative, of the home, absolute, and by pattern", async () => {
    write(".ssh/config", `Include conf.d/*.conf ~/work/hosts\nInclude "${home}/abs"\nHost last\n`);
    write(".ssh/conf.d/b.conf", "Host b\n");
    write(".ssh/conf.d/a.conf", "Host a\nInclude ../config\n");
    write(".ssh/conf.d/.hidden.conf", "Host hidden\n");
    write(".ssh/conf.d/notes.txt", "Host notes\n");
    write("work/hosts", "Host worker\n");
    write("abs", "Host absolute\n");
    expect((await readSshAliases(home)).aliases).toEqual(["a", "b", "worker", "absolute", "last"]);
  });

  it("leave out what ssh or a shell could take for something else", async () => {
    write(".ssh/config", "Host -oProxyCommand=x $(id) a;b ok\nInclude [\n");
    const { aliases, problems } = await readSshAliases(home);
    expect(aliases).toEqual(["ok"]);
    expect(problems).toEqual(["What '[' includes cannot be listed."]);
  });

  it("whose folder has no end are named in short", async () => {
    write(".ssh/config", `Include ${"a".repeat(9_000)}\n`);
    const { problems } = await readSshAliases(home);
    for (const problem of problems) expect(problem.length).toBeLessThan(300);
  });

  it("are none without a configuration, and a folder in its place is no failure", async () => {
    expect(await readSshAliases(home)).toEqual({ aliases: [], problems: [] });
    mkdirSync(join(home, ".ssh", "config"), { recursive: true });
    expect(await readSshAliases(home)).toEqual({ aliases: [], problems: [] });
  });
});
