import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  asOrdinaryUser,
  attention,
  closedFolder,
  dataFolderIn,
  examineIn,
  findingOf,
  placeIn,
  storeIn,
} from "../../../test/support/doctor/stage.ts";
import { resolveFrom } from "../../config/resolve.ts";
import { ensureDataFolder, ensureToken } from "../data-folder.ts";
import { lockProxy } from "../run/proxy-lock.ts";
import { startServing } from "../serve-proxy.ts";
import { quoted } from "./quoted.ts";
import { lookAtToken } from "./token-look.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ebb-doctor-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** `--port 0` looks at no port: other tests use the ports of this machine. */
const NO_PORT = ["--port", "0"] as const;

describe("a data folder behind a link", () => {
  const linked = (mode: number): void => {
    mkdirSync(join(home, "real folder"), { mode });
    chmodSync(join(home, "real folder"), mode);
    mkdirSync(join(home, ".local", "share"), { recursive: true });
    symlinkSync(join(home, "real folder"), dataFolderIn(home));
  };

  test("is what the link leads to, for the doctor and for every start", async () => {
    linked(0o700);
    writeFileSync(join(home, "real folder", "paused"), "");
    const examined = await examineIn(placeIn(home), ...NO_PORT);
    expect(attention(examined)).toEqual(["data folder/pause: warn"]);
    ensureDataFolder(dataFolderIn(home));
    const token = ensureToken(dataFolderIn(home));
    renameSync(join(home, "real folder", "token"), join(home, "token"));
    symlinkSync(join(home, "token"), join(home, "real folder", "token"));
    expect([lookAtToken(dataFolderIn(home)), ensureToken(dataFolderIn(home))]).toEqual([
      { kind: "token", token, mode: 0o600 },
      token,
    ]);
  });

  test("that others can enter is told of, with words that a shell takes", async () => {
    linked(0o755);
    const folder = join(home, "a 'b");
    symlinkSync(join(home, "real folder"), folder);
    const examined = await examineIn(placeIn(home), ...NO_PORT, "--data-folder", folder);
    const { fix } = findingOf(examined, "data folder", "folder") ?? {};
    expect(fix).toBe(`chmod 700 ${quoted(folder)}`);
    execFileSync("sh", ["-c", fix ?? ""]);
    expect(attention(await examineIn(placeIn(home), ...NO_PORT, "--data-folder", folder))).toEqual([]);
  });

  test("that leads nowhere cannot be used", async () => {
    mkdirSync(join(home, ".local", "share"), { recursive: true });
    symlinkSync(join(home, "nowhere"), dataFolderIn(home));
    const examined = await examineIn(placeIn(home), ...NO_PORT);
    expect(attention(examined)).toContain("data folder/folder: fail");
    expect(findingOf(examined, "data folder", "folder")?.fix).toContain(`rm ${dataFolderIn(home)}: `);
  });
});

describe("a machine on which all is well", () => {
  test("before the first start, and the doctor leaves nothing behind", async () => {
    const place = placeIn(home);
    const examined = await examineIn(place, ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([0, []]);
    expect(existsSync(dataFolderIn(home))).toBe(false);
  });

  test("with a proxy that runs, a store, and an agent that goes through it", async () => {
    await storeIn(home);
    const config = { ...resolveFrom(null, new Map(), placeIn(home, ["claude"])), port: 0 };
    const serving = await startServing({ ...config, logLevel: "silent" }, () => {});
    const { port } = serving.proxy;
    const unlock = lockProxy(config, port, "proxy");
    const env = { PATH: join(home, "programs"), ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    const place = { env, cwd: home, home, platform: "linux" } as const;
    const examined = await examineIn(place, "--port", String(port));
    unlock();
    await serving.close();
    expect([examined.code, attention(examined)]).toEqual([0, []]);
    expect(findingOf(examined, "proxy", "port")?.words).toBe(`this Ebb runs on http://127.0.0.1:${port}`);
    expect(findingOf(examined, "agents", "Claude Code")?.words).toBe(
      `through Ebb on http://127.0.0.1:${port} (ANTHROPIC_BASE_URL); no request of it yet`,
    );
    expect(findingOf(examined, "self-test", "release")?.words).toMatch(/^3 results left for markers/);
    expect(findingOf(examined, "store", "database")?.words).toMatch(/^opens, schema \d+, sound$/);
    const token = readFileSync(join(dataFolderIn(home), "token"), "utf8").trim();
    expect(examined.text).not.toContain(token);
  });
});

describe("a configuration", () => {
  test("that is refused is told line by line, ends with 2, and the other checks go on", async () => {
    writeFileSync(join(home, "ebb.yaml"), "prot: 1\nmode: sometimes\n");
    const examined = await examineIn(placeIn(home, [], { EBB_PROT: "4141" }));
    expect(examined.code).toBe(2);
    const refused = examined.findings.filter(({ area, state }) => area === "configuration" && state === "fail");
    expect(refused.map(({ words }) => words)).toEqual([
      `${join(home, "ebb.yaml")}:1: prot: unknown key, did you mean port?`,
      expect.stringContaining("mode: expected"),
      "EBB_PROT: unknown name, did you mean EBB_PORT?",
    ]);
    expect(refused.at(-1)?.fix).toContain("unset EBB_PROT");
    expect(findingOf(examined, "self-test", "release")?.state).toBe("ok");
  });

  test("that names a file which is not there ends with 2", async () => {
    const examined = await examineIn(placeIn(home), "--config", "gone.yaml");
    // Without a configuration the usual port is looked at, and anything may listen there.
    const found = attention(examined).filter((finding) => !finding.startsWith("proxy/"));
    expect([examined.code, found]).toEqual([2, ["configuration/refused: fail"]]);
  });

  test("that forwards to the proxy itself is told of", async () => {
    const examined = await examineIn(placeIn(home), "--port", "9", "--upstream", "http://localhost:9");
    expect(findingOf(examined, "configuration", "upstream")?.state).toBe("fail");
    expect(examined.code).toBe(2);
  });

  test.each([
    [["--mode", "observe"], {}, "mode is observe"],
    [["--mode", "off"], {}, "mode is off"],
    [["--bound", "off"], { EBB_PIPELINE: "", EBB_MEDIA: "off" }, "no policy is in force"],
  ])("under which nothing leaves is no failure: %j %j", async (flags, env, words) => {
    const examined = await examineIn(placeIn(home, [], env), ...NO_PORT, ...flags);
    expect([examined.code, attention(examined)]).toEqual([0, []]);
    expect(findingOf(examined, "self-test", "release")?.words).toBe(
      `nothing was to leave (${words}), and every body came through unchanged`,
    );
  });
});

describe("the recall command", () => {
  test("that is on no path needs attention, with the way to put it there", async () => {
    const place = { ...placeIn(home), env: { PATH: join(home, "nowhere") } };
    const examined = await examineIn(place, ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([1, ["installation/recall command: warn"]]);
    expect(findingOf(examined, "installation", "recall command")?.fix).toContain("npm link");
  });

  test("that runs another version needs attention", async () => {
    const other = join(home, "other", "bin");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(home, "other", "package.json"), JSON.stringify({ name: "ebb", version: "0.0.1" }));
    writeFileSync(join(other, "ebb.mjs"), "", { mode: 0o755 });
    const place = placeIn(home);
    rmSync(join(home, "programs", "ebb"));
    symlinkSync(join(other, "ebb.mjs"), join(home, "programs", "ebb"));
    const examined = await examineIn(place, ...NO_PORT);
    expect(findingOf(examined, "installation", "recall command")?.words).toContain("another version, 0.0.1");
  });
});

describe("the data folder", () => {
  test("that others can enter needs attention, and is left as it is", async () => {
    await storeIn(home);
    chmodSync(dataFolderIn(home), 0o755);
    const examined = await examineIn(placeIn(home), ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([1, ["data folder/folder: warn"]]);
    expect(findingOf(examined, "data folder", "folder")?.fix).toBe(`chmod 700 ${dataFolderIn(home)}`);
    expect(statSync(dataFolderIn(home)).mode & 0o777).toBe(0o755);
  });

  test("that others can enter and that holds other things is one Ebb refuses", async () => {
    const shared = join(home, "shared");
    mkdirSync(shared, { mode: 0o755 });
    writeFileSync(join(shared, "thesis.txt"), "");
    const examined = await examineIn(placeIn(home), ...NO_PORT, "--data-folder", shared);
    expect([examined.code, attention(examined)]).toEqual([2, ["data folder/folder: fail"]]);
  });

  test.each(["taken", "taken/below"])("where a file stands is told of: %s", async (name) => {
    writeFileSync(join(home, "taken"), "");
    const examined = await examineIn(placeIn(home), ...NO_PORT, "--data-folder", join(home, name));
    expect([examined.code, attention(examined)]).toEqual([2, ["data folder/folder: fail"]]);
    expect(findingOf(examined, "data folder", "folder")?.words).toContain(`${join(home, "taken")} is a file`);
  });

  test("that cannot be written, or entered, is told of to whom modes bind", async () => {
    const closed = join(home, "closed");
    closedFolder(closed);
    const locked = join(home, "locked");
    mkdirSync(locked, { mode: 0o000 });
    const place = placeIn(home);
    await asOrdinaryUser(home, async () => {
      for (const folder of [closed, join(closed, "below"), locked]) {
        const examined = await examineIn(place, ...NO_PORT, "--data-folder", folder);
        expect([folder, examined.code, attention(examined)]).toEqual([
          folder,
          2,
          expect.arrayContaining(["data folder/folder: fail"]),
        ]);
        expect(findingOf(examined, "data folder", "folder")?.words).toContain("EACCES");
      }
    });
    chmodSync(locked, 0o700);
  });

  test("with a token that others can read, or that is none, is told of without the token", async () => {
    await storeIn(home);
    const file = join(dataFolderIn(home), "token");
    const token = "t".repeat(43);
    writeFileSync(file, `${token}\n`, { mode: 0o644 });
    const place = placeIn(home);
    const examined = await examineIn(place, ...NO_PORT);
    expect([examined.code, attention(examined)]).toEqual([1, ["data folder/token: warn"]]);
    expect(examined.text).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    writeFileSync(file, "half a tok");
    const second = await examineIn(place, ...NO_PORT);
    expect([second.code, attention(second)]).toEqual([2, ["data folder/token: fail"]]);
    expect(second.text).not.toContain("half a tok");
  });

  test("in which Ebb is paused needs attention", async () => {
    await storeIn(home);
    writeFileSync(join(dataFolderIn(home), "paused"), "2026-01-02T03:04:05.000Z\n");
    const examined = await examineIn(placeIn(home), ...NO_PORT);
    expect(attention(examined)).toEqual(["data folder/pause: warn"]);
    expect(findingOf(examined, "data folder", "pause")?.words).toContain("2026-01-02T03:04:05.000Z");
  });
});

test("a person reads areas, findings and fixes", async () => {
  const place = { ...placeIn(home), env: {} };
  let text = "";
  const { main } = await import("../main.ts");
  const code = await main(["doctor", ...NO_PORT], {
    out: (chunk) => {
      text += chunk.toString();
    },
    err: () => {},
    place,
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  });
  expect(code).toBe(1);
  expect(text).toMatch(/^Ebb \d+\.\d+\.\d+ looks at this machine\.\n\ninstallation\n {2}ok {4}Ebb /);
  expect(text).toMatch(/\n {2}warn {2}recall command {2}markers name .*\n {24}fix: \(cd .* && npm link\)/);
  expect(text).toMatch(/\n\n1 finding needs attention\.\n$/);
});
