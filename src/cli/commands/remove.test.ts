import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InitHome, openInitHome } from "../../../test/support/init/init-home.ts";

const SETTINGS = ".claude/settings.json";
const SERVERS = ".claude.json";
const CODEX = ".codex/config.toml";
const TEXT = '{\n  // looks\n  "theme": "dark", // as it is\n  "env": {\n    "A": "1" // one\n  }\n}\n';

let home: InitHome;
beforeEach(() => {
  home = openInitHome();
});
afterEach(() => home.close());

const records = (): readonly string[] => {
  const folder = join(home.dataFolder, "clients");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe("the record", () => {
  test("and the copies lie in the data folder, for the user alone, until the change is undone", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    const folder = join(home.dataFolder, "clients");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(records()).toHaveLength(2);
    for (const name of records()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const backup = records().find((name) => name.endsWith(".backup")) ?? "";
    expect(home.read(`.local/share/ebb/clients/${backup}`)).toBe(TEXT);
    await home.run(["remove", "claude", "--yes"]);
    expect(records()).toEqual([]);
  });

  test("that is missing is said to be, with the folder that was looked in", async () => {
    const { code, err } = await home.run(["remove", "claude", "--yes"]);
    expect([code, err]).toEqual([1, `ebb: no \`ebb init claude\` is on record in ${home.dataFolder}\n`]);
  });

  test("that is damaged is named", async () => {
    await home.run(["init", "pi", "--yes"]);
    const file = join(home.dataFolder, "clients", records()[0] ?? "");
    writeFileSync(file, "{");
    expect((await home.run(["remove", "pi", "--yes"])).err).toContain(`${file}: the record cannot be read`);
  });

  test("without its copies still takes out what was put in", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    for (const name of records()) if (name.endsWith(".backup")) rmSync(join(home.dataFolder, "clients", name));
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(0);
    expect(home.read(SETTINGS)).toBe(TEXT);
  });

  test("of a change that broke off before the files were written is taken back", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    home.write(SETTINGS, TEXT);
    rmSync(home.path(SERVERS));
    expect(await home.run(["remove", "claude"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Nothing of Ebb's"),
    });
    expect([home.read(SETTINGS), records()]).toEqual([TEXT, []]);
  });

  test("of one configuration folder is not that of another", async () => {
    const env = { CLAUDE_CONFIG_DIR: home.path("other") };
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    await home.run(["init", "claude", "--yes"], { env });
    expect((await home.run(["remove", "claude", "--yes"], { env })).code).toBe(0);
    expect([existsSync(home.path("other")), home.read(SETTINGS)]).toEqual([
      false,
      expect.stringContaining("ANTHROPIC"),
    ]);
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(0);
    expect(home.read(SETTINGS)).toBe(TEXT);
  });
});

describe("a file that was changed since", () => {
  test("keeps every change, comment and space of its user", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    const edited = (home.read(SETTINGS) ?? "")
      .replace('"dark", // as it is', '"light",\n\n  // mine\n  "model":   "x",')
      .replace('"A": "1"', '"A": "2", "B": "3"');
    home.write(SETTINGS, edited);
    const { code, out } = await home.run(["remove", "claude", "--yes"]);
    expect([code, out]).toEqual([0, expect.stringContaining('-    "ANTHROPIC_BASE_URL"')]);
    expect(home.read(SETTINGS)).toBe(
      '{\n  // looks\n  "theme": "light",\n\n  // mine\n  "model":   "x",\n  "env": {\n    "A": "2", "B": "3" // one\n  }\n}\n',
    );
  });

  test("that its client wrote anew keeps what the client added", async () => {
    await home.run(["init", "claude", "--yes"]);
    const state = JSON.parse(home.read(SERVERS) ?? "");
    home.write(SERVERS, JSON.stringify({ numStartups: 1, ...state, projects: {} }, null, 2));
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(0);
    expect(home.read(SERVERS)).toBe('{\n  "numStartups": 1,\n  "projects": {}\n}');
    expect(home.read(SETTINGS)).toBeNull();
  });

  test("keeps what stands beside a value in a map that Ebb made, and the map with it", async () => {
    await home.run(["init", "claude", "--yes"]);
    home.write(SETTINGS, (home.read(SETTINGS) ?? "").replace('"env": {', '"env": { "MINE": "1",'));
    await home.run(["remove", "claude", "--yes"]);
    expect(JSON.parse(home.read(SETTINGS) ?? "")).toEqual({ env: { MINE: "1" } });
  });

  test("is deleted where nothing but Ebb's was ever in it", async () => {
    await home.run(["init", "pi", "--yes"]);
    home.write(".pi/agent/models.json", JSON.stringify(JSON.parse(home.read(".pi/agent/models.json") ?? "")));
    expect((await home.run(["remove", "pi", "--yes"])).code).toBe(0);
    expect(existsSync(home.path(".pi"))).toBe(false);
  });

  test("keeps a folder that is no longer empty", async () => {
    await home.run(["init", "pi", "--yes"]);
    home.write(".pi/agent/auth.json", "{}");
    await home.run(["remove", "pi", "--yes"]);
    expect(readdirSync(home.path(".pi/agent"))).toEqual(["auth.json"]);
  });

  test("is taken as it is where the user took Ebb's parts out already", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    home.write(SETTINGS, '{"mine": 1}');
    home.write(SERVERS, "{}");
    const { code, out } = await home.run(["remove", "claude"]);
    expect([code, out, records()]).toEqual([0, "Nothing of Ebb's was left in the files of Claude Code.\n", []]);
    expect(home.read(SETTINGS)).toBe('{"mine": 1}');
  });

  test("in TOML keeps tables, comments and values of its user", async () => {
    home.write(CODEX, 'model = "x"\n');
    await home.run(["init", "codex", "--yes", "--upstream", "https://api.openai.com"]);
    const put = home.read(CODEX) ?? "";
    home.write(CODEX, `# top\n${put.replace('model = "x"', 'model = "y" # better')}\n[tui]\n# sound\nnotify = true\n`);
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(0);
    expect(home.read(CODEX)).toBe('# top\nmodel = "y" # better\n\n[tui]\n# sound\nnotify = true\n');
  });

  test("in TOML without a last line end keeps the space before what came behind", async () => {
    home.write(CODEX, 'model = "x"');
    await home.run(["init", "codex", "--yes"]);
    home.write(CODEX, `${home.read(CODEX)}\n[tui]\nx = 1\n`);
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(0);
    expect(home.read(CODEX)).toBe('model = "x"\n\n[tui]\nx = 1\n');
  });

  test("in TOML is found again in another form", async () => {
    home.write(CODEX, 'model = "x"\n');
    await home.run(["init", "codex", "--yes"]);
    const [, program] = /args = \["([^"]+)"/.exec(home.read(CODEX) ?? "") ?? [];
    const anew = `[mcp_servers]\n[mcp_servers.ebb] # tools\nargs = ['${program}',\n  'mcp']\ncommand='${process.execPath}'\n[tui]\nx = 1\n`;
    home.write(CODEX, anew);
    expect((await home.run(["remove", "codex", "--yes"])).code).toBe(1);
    expect(home.read(CODEX)).toBe(anew);
    home.write(CODEX, anew.replace(" # tools", ""));
    expect((await home.run(["remove", "codex", "--yes", "--force"])).code).toBe(0);
    expect(home.read(CODEX)).toBe("[mcp_servers]\n[tui]\nx = 1\n");
  });
});

describe("Ebb's own parts that the user changed", () => {
  const change = async (): Promise<void> => {
    home.write(SETTINGS, '{ "env": { "ANTHROPIC_BASE_URL": "https://api.anthropic.com" } }');
    await home.run(["init", "claude", "--yes"]);
    home.write(SETTINGS, (home.read(SETTINGS) ?? "").replace("127.0.0.1:4141", "gw.example"));
  };

  test("stay, are named with their line, and the rest goes", async () => {
    await change();
    const { code, err } = await home.run(["remove", "claude", "--yes"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`${home.path(SETTINGS)}:1: env.ANTHROPIC_BASE_URL was changed since`),
    ]);
    expect(JSON.parse(home.read(SETTINGS) ?? "")).toEqual({ env: { ANTHROPIC_BASE_URL: "http://gw.example" } });
    expect(home.read(SERVERS)).toBeNull();
  });

  test("go with --force, also afterwards, and what stood there comes back", async () => {
    await change();
    await home.run(["remove", "claude", "--yes"]);
    expect((await home.run(["remove", "claude", "--yes", "--force"])).code).toBe(0);
    expect(home.read(SETTINGS)).toBe('{ "env": { "ANTHROPIC_BASE_URL": "https://api.anthropic.com" } }');
    expect(records()).toEqual([]);
  });

  test("are also those with a comment of the user's inside", async () => {
    home.write(SERVERS, "{}");
    await home.run(["init", "claude", "--yes"]);
    const edited = (home.read(SERVERS) ?? "").replace('"command"', '/* mine */ "command"');
    home.write(SERVERS, edited);
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(1);
    expect(home.read(SERVERS)).toBe(edited);
  });
});

describe("a person", () => {
  test("is asked after the change was shown, and a no writes nothing", async () => {
    home.write(SETTINGS, TEXT);
    const no = await home.run(["init", "claude"], { answer: () => "n" });
    expect([no.code, home.read(SETTINGS), records()]).toEqual([1, TEXT, []]);
    expect(no.out).toContain("+++ ");
    expect((await home.run(["init", "claude"], { answer: () => "y" })).code).toBe(0);
    const put = home.read(SETTINGS);
    expect((await home.run(["remove", "claude"], { answer: () => "" })).code).toBe(1);
    expect((await home.run(["remove", "claude", "--dry-run"])).out).toContain('-    "ANTHROPIC_BASE_URL"');
    expect(home.read(SETTINGS)).toBe(put);
    expect((await home.run(["remove", "claude"], { answer: () => "yes" })).code).toBe(0);
    expect(home.read(SETTINGS)).toBe(TEXT);
  });

  test("who cannot be asked must say --yes", async () => {
    const { code, err } = await home.run(["init", "claude"]);
    expect([code, err]).toEqual([1, "ebb: nothing was written: nobody can be asked here, add --yes\n"]);
    expect([home.read(SETTINGS), existsSync(home.dataFolder)]).toEqual([null, false]);
  });
});
