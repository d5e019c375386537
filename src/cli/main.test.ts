import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../lib/hash.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { STORE_FILE_NAME } from "./data-folder.ts";
import type { Io } from "./io.ts";
import { main } from "./main.ts";
import { LOCAL_TENANT } from "./open-keeper.ts";

const ADDRESS = "4k7q0m2x9v1c";
const TEXT = "first line\nsecond line\nthird line\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

interface Terminal {
  readonly isInteractive?: boolean;
  readonly answer?: string;
  readonly env?: Record<string, string>;
  /** Runs once the command waits to be stopped. */
  whileRunning?(out: string): Promise<void>;
}

async function run(argv: readonly string[], terminal: Terminal = {}): Promise<Ran> {
  const out: Uint8Array[] = [];
  let err = "";
  const io: Io = {
    out: (chunk) => void out.push(Buffer.from(chunk)),
    err: (text) => {
      err += text;
    },
    place: { env: terminal.env ?? {}, cwd: folder, home: folder, platform: "linux" },
    isInteractive: terminal.isInteractive ?? false,
    progress: process.stderr,
    ask: async () => terminal.answer ?? "",
    // A command listens for the request to stop before it says that it runs.
    untilStopped: () => Promise.resolve().then(() => terminal.whileRunning?.(Buffer.concat(out).toString())),
  };
  const code = await main(argv, io);
  return { code, out: Buffer.concat(out), err };
}

function dataFolder(): string {
  return join(folder, ".local", "share", "ebb");
}

/** One item in a store as an earlier proxy left it. */
async function storeItem(kind: "result" | "media" = "result"): Promise<void> {
  const store = openSqliteStore({ file: join(dataFolder(), STORE_FILE_NAME) });
  const bytes = Buffer.from(TEXT);
  const item = {
    key: "call:x",
    address: ADDRESS,
    kind,
    callId: "toolu_1",
    digest: sha256Hex(bytes),
    bytes: bytes.length,
    lines: kind === "media" ? 0 : 3,
    mediaType: kind === "media" ? "image/png" : null,
    label: { tool: "Read", path: "/p/a.txt", lineStart: null, lineEnd: null, command: null },
    isError: false,
    absolutePath: "/p/a.txt",
    isStored: true,
    step: 1,
    turn: 1,
  };
  const opened = {
    type: "lineage-opened" as const,
    sessionId: "s1",
    agentId: null,
    parent: null,
    inherited: [],
    turnsBefore: 0,
    stepsBefore: 0,
    warmUntilMs: null,
  };
  await store.commit({
    tenant: LOCAL_TENANT,
    lineage: "l1",
    expectedSeq: 0,
    atMs: 1_000,
    entries: [opened, { type: "item-acquired", item }],
    chain: [],
    originals: [{ digest: item.digest, bytes }],
  });
  await store.close();
}

describe("the command line", () => {
  test("explains itself", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    for (const name of ["proxy", "analyze", "replay", "inspect", "recall", "stats", "purge"]) {
      expect(out.toString()).toContain(`\n  ${name} `);
    }
  });

  test.each([[["prox"]], [["recall"]], [["stats", "--nonsense"]], [["purge"]], [["inspect", "x", "--request", "0"]]])(
    "ends with 2 for wrong usage: %j",
    async (argv) => {
      const { code, err } = await run(argv);
      expect(code).toBe(2);
      expect(err).not.toBe("");
    },
  );

  test("ends with 2 for a configuration that is refused, before anything is made", async () => {
    writeFileSync(join(folder, "ebb.yaml"), "prot: 1");
    const { code, err } = await run(["proxy"]);
    expect(code).toBe(2);
    expect(err).toContain(`${join(folder, "ebb.yaml")}:1: prot: unknown key, did you mean port?`);
    expect(existsSync(dataFolder())).toBe(false);
  });
});

describe("ebb recall", () => {
  beforeEach(() => storeItem());

  test("prints the exact bytes with --raw", async () => {
    const { code, out } = await run(["recall", ADDRESS, "--raw"]);
    expect(code).toBe(0);
    expect(out.equals(Buffer.from(TEXT))).toBe(true);
  });

  test("prints a header and the lines that were asked for, by address or call id", async () => {
    const { code, out } = await run(["recall", "toolu_1", "--range", "2-3", "--pattern", "THIRD", "--ignore-case"]);
    expect(code).toBe(0);
    expect(out.toString()).toContain("third line");
    expect(out.toString()).not.toContain("second line");
  });

  test("prints at most the characters asked for, and the range that continues", async () => {
    const { code, out } = await run(["recall", ADDRESS, "--chars", "4"]);
    expect([code, out.toString()]).toEqual([
      0,
      expect.stringMatching(/; characters 1 to 4 of line 1 shown, continue with range=1@5-, then range=2-\n\n.{4}\n$/),
    ]);
    for (const chars of ["0", "-1", "1.5", "many"]) {
      const refused = await run(["recall", ADDRESS, `--chars=${chars}`]);
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("expected a whole number from 1")]);
    }
  });

  test("prints the index of what left, of one session where it is named", async () => {
    for (const more of [[], ["--session", "s1"]]) {
      const { code, out } = await run(["recall", "index", ...more]);
      expect([code, out.toString()]).toEqual([0, "[ebb index] what left session s1: nothing\n"]);
    }
    expect((await run(["recall", "index", "--session", "s2"])).err).toContain("unknown id");
  });

  test.each([
    [["0000000000zz"], "unknown id"],
    [[ADDRESS, "--session", "s2"], "belongs to another session"],
    [[ADDRESS, "--range", "4-2"], "bad range"],
    [[ADDRESS, "--pattern", "("], "bad pattern"],
    [[ADDRESS, "--pattern", "nowhere"], "selects nothing"],
  ])("of %j says on the error stream what is wrong: %s", async (argv, failure) => {
    const { code, out, err } = await run(["recall", ...argv]);
    expect([code, out.toString(), err]).toEqual([1, "", expect.stringMatching(`^ebb: ${failure}: .`)]);
  });

  test("refuses --raw of a part", async () => {
    for (const part of [
      ["--range", "1"],
      ["--pattern", "x"],
      ["--chars", "9"],
    ]) {
      expect((await run(["recall", ADDRESS, "--raw", ...part])).code).toBe(2);
    }
  });
});

test("ebb recall writes an attachment into a file of the user alone and prints its path", async () => {
  await storeItem("media");
  const { code, out } = await run(["recall", ADDRESS]);
  const file = out.toString().trim();
  expect(code).toBe(0);
  expect(file.endsWith(`${ADDRESS}.png`)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(TEXT);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(join(file, ".."), { recursive: true });
});

describe("ebb purge", () => {
  beforeEach(() => storeItem());

  test("removes for good, and recall says so afterwards", async () => {
    expect((await run(["purge", "--session", "s1", "--yes"])).out.toString()).toMatch(/^Removed 1 original,/);
    const { code, err } = await run(["recall", ADDRESS]);
    expect(code).toBe(1);
    expect(err).not.toBe("");
  });

  test("asks a person, and removes nothing without a yes", async () => {
    expect((await run(["purge", "--all"], { isInteractive: true, answer: "n" })).code).toBe(1);
    expect((await run(["recall", ADDRESS, "--raw"])).out.toString()).toBe(TEXT);
    expect((await run(["purge", "--all"], { isInteractive: true, answer: "y" })).code).toBe(0);
    expect((await run(["recall", ADDRESS, "--raw"])).code).toBe(1);
  });

  test("does nothing unasked where nobody can be asked", async () => {
    expect((await run(["purge", "--all"])).code).toBe(2);
    expect((await run(["recall", ADDRESS, "--raw"])).out.toString()).toBe(TEXT);
  });

  test("takes one selection only, and whole days", async () => {
    expect((await run(["purge", "--all", "--session", "s1", "--yes"])).code).toBe(2);
    expect((await run(["purge", "--older-than", "soon", "--yes"])).code).toBe(2);
  });
});

describe("ebb proxy", () => {
  test("says how to point an agent at it, keeps its folder to the user, and answers stats", async () => {
    let stats = "";
    const { code, out } = await run(["proxy", "--port", "0", "--upstream", "http://127.0.0.1:9"], {
      async whileRunning(greeting) {
        const port = /ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:(\d+)/.exec(greeting)?.[1] ?? "";
        stats = (await run(["stats", "--port", port])).out.toString();
        expect((await fetch(`http://127.0.0.1:${port}/stats`)).status).toBe(404);
      },
    });
    expect(code).toBe(0);
    expect(out.toString()).toContain(`Store: ${dataFolder()}`);
    expect(out.toString()).toContain("(mode enforce)");
    expect(stats).toMatch(/^Ebb \d+\.\d+\.\d+, mode enforce\n/);
    expect(statSync(dataFolder()).mode & 0o777).toBe(0o700);
    for (const name of ["token", STORE_FILE_NAME]) expect(statSync(join(dataFolder(), name)).mode & 0o777).toBe(0o600);
  });

  test("names the policies in force, wherever they were stated", async () => {
    const stated = { EBB_PIPELINE: "readlifecycle", EBB_BOUND: "off" };
    const policiesOf = async (env: Readonly<Record<string, string>>) =>
      /^Policies: (.*)$/m.exec((await run(["proxy", "--port", "0"], { env })).out.toString())?.[1];
    expect(await policiesOf(stated)).toBe("readlifecycle, mediabudget");
    expect(await policiesOf({ ...stated, EBB_MEDIA: "off" })).toBe("readlifecycle");
    expect(await policiesOf({ EBB_PRESET: "tidy" })).toBe("sizebound, readlifecycle, lifetimes, mediabudget");
  });

  test("names the options when it cannot listen there", async () => {
    const { code, err } = await run(["proxy", "--port", "0", "--host", "192.0.2.1"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^ebb: the configuration is refused\nhost, port: expected .*192\.0\.2\.1/);
  });

  test("tells its figures under a loopback name only, and `ebb stats` says so", async () => {
    let told: Ran | null = null;
    await run(["proxy", "--port", "0", "--host", "127.0.0.2"], {
      async whileRunning(greeting) {
        const port = /ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.2:(\d+)/.exec(greeting)?.[1] ?? "";
        told = await run(["stats", "--port", port, "--host", "127.0.0.2"]);
      },
    });
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining("only under 127.0.0.1, localhost or ::1") });
  });

  test("makes one token and keeps it", async () => {
    const tokenAfterStart = async (): Promise<string> => {
      expect((await run(["proxy", "--port", "0"])).code).toBe(0);
      return readFileSync(join(dataFolder(), "token"), "utf8");
    };
    const token = await tokenAfterStart();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    chmodSync(join(dataFolder(), "token"), 0o644);
    expect(await tokenAfterStart()).toBe(token);
    expect(statSync(join(dataFolder(), "token")).mode & 0o777).toBe(0o600);
  });

  test("names the port that is taken, and the flag", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, err } = await run(["proxy", "--port", port]);
    await new Promise((resolve) => server.close(resolve));
    expect(code).toBe(1);
    expect(err).toContain(port);
    expect(err).toContain("--port");
  });

  test("refuses a folder that others can enter and that holds other things", async () => {
    const shared = join(folder, "shared");
    mkdirSync(shared, { mode: 0o755 });
    writeFileSync(join(shared, "thesis.txt"), "");
    const { code, err } = await run(["proxy", "--port", "0", "--data-folder", shared]);
    expect(code).toBe(1);
    expect(err).toContain("other users can enter this folder");
    expect(statSync(shared).mode & 0o777).toBe(0o755);
  });
});

test("ebb replay and inspect take files: what is none is wrong usage", async () => {
  expect(await run(["replay", "gone.jsonl"])).toMatchObject({ code: 2, err: expect.stringContaining("no such file") });
  expect(await run(["replay", folder])).toMatchObject({ code: 2, err: expect.stringContaining("got a folder") });
  expect((await run(["inspect", "gone.jsonl", "--request", "1"])).code).toBe(2);
});

test("ebb analyze says what Ebb would do in the requests of the scope alone", async () => {
  const session = resolve(import.meta.dirname, "../../test/fixtures/sessions/folds.jsonl");
  const stayed = async (scope: string): Promise<unknown> => {
    const { out } = await run(["analyze", session, "--scope", scope, "--json"]);
    return JSON.parse(out.toString()).totals.would.declined;
  };
  const counts = (noReads: number, fresh: number): unknown => [
    { reason: "no_file_reads", items: noReads },
    { reason: "fresh_read", items: fresh },
  ];
  expect([await stayed("all"), await stayed("live")]).toEqual([counts(3, 2), counts(1, 1)]);
});

test("ebb recall names the folder in which an address is unknown", async () => {
  expect((await run(["recall", ADDRESS])).err).toContain(`"${ADDRESS}" in ${dataFolder()}`);
});

test("ebb stats says that no proxy runs, and what is stored", async () => {
  await storeItem();
  const { code, out } = await run(["stats", "--port", "9"]);
  expect(code).toBe(0);
  const stored = `1 original, 34 B stored of 34 B in ${dataFolder()}`;
  const next = "Of the conversation used last: ebb report --last";
  expect(out.toString()).toBe(`No proxy runs on 127.0.0.1:9.\n${stored}\n${next}\n`);
});

test("ebb docs writes the reference, and its check fails where a page is stale", async () => {
  expect((await run(["docs", "--check"])).code).toBe(1);
  expect((await run(["docs"])).code).toBe(0);
  expect((await run(["docs", "--check"])).code).toBe(0);
  writeFileSync(join(folder, "docs", "reference", "options.md"), "old");
  const { code, err } = await run(["docs", "--check"]);
  expect([code, err]).toEqual([1, expect.stringContaining("options.md is stale")]);
});
