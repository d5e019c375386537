import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { flaggedOptions } from "../src/cli/program.ts";
import { referencePages } from "../src/cli/reference.ts";
import { readConfigText } from "../src/config/config-file.ts";
import { flagOf } from "../src/config/options.ts";
import { blocksOf } from "./support/tidy/markdown.ts";
import { repositoryPages, textOf } from "./support/tidy/repository.ts";

const ROOT = resolve(import.meta.dirname, "..");

const blocks = repositoryPages().flatMap((page) => blocksOf(page.text).map((block) => ({ ...block, path: page.path })));

function flagsOf(name: string): ReadonlySet<string> {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return new Set();
  const own = command.flags.map((flag) => `--${flag.name}`);
  return new Set(["--help", "--config", ...own, ...flaggedOptions(command).map(([key]) => flagOf(key))]);
}

function tagged(tag: string): typeof blocks {
  return blocks.filter((block) => block.tag === tag);
}

describe("the pages", () => {
  test.each(tagged("sh run").map((block) => [`${block.path}:${block.line}`, block.body] as const))(
    "show commands that work: %s",
    (_, body) => {
      expect(existsSync(join(ROOT, "dist", "cli", "main.js")), "npm run build comes first").toBe(true);
      const home = mkdtempSync(join(tmpdir(), "ebb-docs-"));
      try {
        const program = `ebb() { "${process.execPath}" "${join(ROOT, "bin", "ebb.mjs")}" "$@"; }\nset -eu\n${body}`;
        const env = { PATH: process.env.PATH, HOME: home };
        expect(execFileSync("bash", ["-c", program], { cwd: home, env, encoding: "utf8" })).not.toBe("");
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  );

  test.each(tagged("yaml").map((block) => [`${block.path}:${block.line}`, block.body] as const))(
    "show configurations that are accepted: %s",
    (_, body) => expect(readConfigText(body, "ebb.yaml").issues).toEqual([]),
  );

  test.each(tagged("json").map((block) => [`${block.path}:${block.line}`, block.body] as const))(
    "show JSON that parses: %s",
    (_, body) => expect(() => JSON.parse(body)).not.toThrow(),
  );

  test("begin with code, all of docs but the decisions and the vocabulary", () => {
    const late = repositoryPages()
      .filter((page) => /^docs\/(start|guides|concepts)\//.test(page.path) && !page.path.endsWith("vocabulary.md"))
      .filter((page) => (blocksOf(page.text)[0]?.line ?? Number.POSITIVE_INFINITY) > 8);
    expect(late.map((page) => page.path)).toEqual([]);
  });

  test("name every command that exists, and no other", () => {
    const names = COMMANDS.map((command) => command.name);
    const said = blocks.flatMap((block) =>
      [...block.body.matchAll(/^(?:\w+=\S+ )*(?:npx )?ebb ([a-z]+)/gm)].map((match) => match[1] ?? ""),
    );
    expect([...new Set(said)].filter((name) => !names.includes(name))).toEqual([]);
  });

  test("give commands only flags that they take", () => {
    const unknown = blocks.flatMap(({ body, path, line }) =>
      [...body.matchAll(/^(?:\w+=\S+ )*(?:npx )?ebb ([a-z]+)([^#\n]*)/gm)].flatMap(([, name, rest = ""]) => {
        const taken = flagsOf(name ?? "");
        const given = [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([flag]) => flag);
        return given.filter((flag) => !taken.has(flag)).map((flag) => `${path}:${line}: ${name} ${flag}`);
      }),
    );
    expect(unknown).toEqual([]);
  });

  test("explain every reason of a decline once, and no other", () => {
    const declared = /export type DeclineReason =([^;]+);/.exec(textOf("src/model/decision.ts"))?.[1] ?? "";
    const reasons = [...declared.matchAll(/"([a-z_]+)"/g)].map((match) => match[1] ?? "");
    const rows = repositoryPages().flatMap((page) =>
      [...page.text.matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => ({ path: page.path, name: match[1] ?? "" })),
    );
    const explained = rows.filter((row) => row.path === "docs/concepts/declines.md").map((row) => row.name);
    expect(explained.toSorted()).toEqual(reasons.toSorted());
    expect(rows.filter((row) => reasons.includes(row.name) && row.path !== "docs/concepts/declines.md")).toEqual([]);
  });

  test("of the reference are as they would be generated", () => {
    const stale = referencePages(COMMANDS).filter((page) => textOf(`docs/reference/${page.fileName}`) !== page.text);
    expect(stale.map((page) => page.fileName)).toEqual([]);
  });
});
