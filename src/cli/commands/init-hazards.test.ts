import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InitHome, openInitHome } from "../../../test/support/init/init-home.ts";

const SETTINGS = ".claude/settings.json";
const SERVERS = ".claude.json";
const TEXT = '{\n  "theme": "dark"\n}\n';

let home: InitHome;
beforeEach(() => {
  home = openInitHome();
});
afterEach(() => {
  chmodSync(home.folder, 0o700);
  home.close();
});

/** No file, no record and no draft was left. */
async function expectRefused(words: string, file = SETTINGS): Promise<void> {
  const before = home.read(SERVERS);
  const { code, err } = await home.run(["init", "claude", "--yes"]);
  expect([code, err]).toEqual([1, expect.stringContaining(words)]);
  expect(err).toContain(home.path(file));
  expect([home.read(SERVERS), existsSync(home.dataFolder)]).toEqual([before, false]);
  expect(readdirSync(home.folder, { recursive: true }).filter((name) => String(name).includes(".ebb-"))).toEqual([]);
}

describe("a file that cannot be meant", () => {
  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', ":3: expected valid JSON (comments are allowed), got: comma expected"],
    ['{ "a": ', ":1: expected valid JSON"],
    ['{ "a": 1 }\n}', ":2: expected the end of the file, got more"],
    ["[]", ":1: expected an object, got a list"],
    ['"text"', ":1: expected an object, got a string"],
    ["// words alone\n", ":1: expected an object, got comments alone"],
    ['{\n  "env": []\n}', ":2: env: expected an object, got []"],
    ['{\n  "env": null\n}', ":2: env: expected an object, got null"],
    ['{\n  "env": {},\n  "env": { "A": "1" }\n}', ":3: env: stated twice"],
    ["[".repeat(5_000), ":1: expected at most 200 levels of nesting"],
    [Buffer.from([0x7b, 0xff, 0x7d]), ": expected UTF-8"],
    [Buffer.from("{}", "utf16le"), ":1: expected valid JSON"],
  ])("is left, with its line: %j", async (content, words) => {
    home.write(SETTINGS, content);
    await expectRefused(`${home.path(SETTINGS)}${words}`);
  });

  test.each([
    ["a = ", ":1: expected valid TOML"],
    ["a = 1\n[a]\n", ":2: expected valid TOML"],
    ["mcp_servers = { x = { command = 'y' } }\n", "write the tables around it as [headers]"],
    ["[mcp_servers.ebb]\ncommand = 'other'\n", ":1: mcp_servers.ebb is set already"],
  ])("in TOML is left too: %j", async (text, words) => {
    home.write(".codex/config.toml", text);
    const { code, err } = await home.run(["init", "codex", "--yes"]);
    expect([code, err, home.read(".codex/config.toml")]).toEqual([1, expect.stringContaining(words), text]);
  });

  test("is left by ebb remove as well, and can be undone once it is mended", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    const put = home.read(SETTINGS) ?? "";
    home.write(SETTINGS, `${put}}`);
    const { code, err } = await home.run(["remove", "claude", "--yes"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/settings\.json:\d+: expected the end of the file/)]);
    expect(home.read(SERVERS)).not.toBeNull();
    home.write(SETTINGS, put);
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(0);
    expect(home.read(SETTINGS)).toBe(TEXT);
  });
});

describe("a file that cannot be exchanged", () => {
  test("because it is read-only", async () => {
    chmodSync(home.write(SETTINGS, TEXT), 0o444);
    await expectRefused("the file is read-only");
  });

  test("because its folder is read-only", async () => {
    chmodSync(dirname(home.write(SETTINGS, TEXT)), 0o555);
    await expectRefused(`the folder ${home.path(".claude")} is read-only`);
  });

  test("because it is a folder, or a file stands where its folder must be", async () => {
    mkdirSync(home.path(SETTINGS), { recursive: true });
    await expectRefused("expected a file, got a folder");
    home.close();
    home = openInitHome();
    home.write(".claude", "");
    await expectRefused("ENOTDIR", ".claude");
  });

  test("because it is huge", async () => {
    home.write(SETTINGS, `${" ".repeat(16 * 1024 * 1024)}{}`);
    await expectRefused("expected at most 16 MiB");
  });

  test("because it has another name, or is a link to nothing", async () => {
    linkSync(home.write(SETTINGS, TEXT), home.path("other-name"));
    await expectRefused("hard links");
    home.close();
    home = openInitHome();
    mkdirSync(home.path(".claude"));
    symlinkSync(home.path("nowhere"), home.path(SETTINGS));
    await expectRefused("a link that leads to no file");
  });

  test("because its client writes it at this moment", async () => {
    home.write(SERVERS, "{}");
    mkdirSync(home.path(".claude.json.lock"));
    const { code, err } = await home.run(["init", "claude", "--yes"]);
    expect([code, err]).toEqual([1, expect.stringContaining("its client is writing it")]);
    expect([home.read(SERVERS), home.read(SETTINGS), existsSync(home.path(".claude.json.lock"))]).toEqual([
      "{}",
      null,
      true,
    ]);
  });
});

describe("a file that changes between the question and the answer", () => {
  test.each([
    ["the first", SETTINGS],
    ["the second", SERVERS],
  ])("is left, and so is the other one: %s", async (_, name) => {
    home.write(SETTINGS, TEXT);
    home.write(SERVERS, TEXT);
    const answer = (): string => {
      home.write(name, '{ "mine": 1 }');
      return "y";
    };
    const { code, err } = await home.run(["init", "claude"], { answer });
    expect([code, err]).toEqual([1, expect.stringContaining(`${home.path(name)}: the file changed meanwhile`)]);
    const other = name === SETTINGS ? SERVERS : SETTINGS;
    expect([home.read(name), home.read(other)]).toEqual(['{ "mine": 1 }', TEXT]);
    expect((await home.run(["remove", "claude", "--yes"])).err).toContain("is on record");
  });

  test("is left by ebb remove, which can be run again", async () => {
    home.write(SETTINGS, TEXT);
    await home.run(["init", "claude", "--yes"]);
    const answer = (): string => {
      home.write(SETTINGS, (home.read(SETTINGS) ?? "").replace("dark", "light"));
      return "y";
    };
    expect((await home.run(["remove", "claude"], { answer })).code).toBe(1);
    expect(home.read(SETTINGS)).toContain("ANTHROPIC_BASE_URL");
    expect((await home.run(["remove", "claude", "--yes"])).code).toBe(0);
    expect(home.read(SETTINGS)).toBe(TEXT.replace("dark", "light"));
  });
});

describe("a file that is exchanged", () => {
  test("keeps its mode, and the link that leads to it", async () => {
    chmodSync(home.write("dotfiles/settings.json", TEXT), 0o640);
    mkdirSync(home.path(".claude"));
    symlinkSync("../dotfiles/settings.json", home.path(SETTINGS));
    await home.run(["init", "claude", "--yes"]);
    expect(lstatSync(home.path(SETTINGS)).isSymbolicLink()).toBe(true);
    expect(home.read("dotfiles/settings.json")).toContain("ANTHROPIC_BASE_URL");
    expect(statSync(home.path("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
    await home.run(["remove", "claude", "--yes"]);
    expect(lstatSync(home.path(SETTINGS)).isSymbolicLink()).toBe(true);
    expect([home.read("dotfiles/settings.json"), statSync(home.path("dotfiles/settings.json")).mode & 0o777]).toEqual([
      TEXT,
      0o640,
    ]);
  });

  test.skipIf(process.getuid?.() !== 0)("keeps its owner", async () => {
    chownSync(home.write(SETTINGS, TEXT), 1234, 4321);
    await home.run(["init", "claude", "--yes"]);
    expect(home.read(SETTINGS)).not.toBe(TEXT);
    expect([statSync(home.path(SETTINGS)).uid, statSync(home.path(SETTINGS)).gid]).toEqual([1234, 4321]);
  });
});
