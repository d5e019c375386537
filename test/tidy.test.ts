import { describe, expect, test } from "vitest";
import { importViolations } from "./support/tidy/imports.ts";
import { deadLinks } from "./support/tidy/markdown.ts";
import { numberViolations } from "./support/tidy/numbers.ts";
import { purityViolations } from "./support/tidy/purity.ts";
import {
  anchorsInRepository,
  existsInRepository,
  repositoryPages,
  repositorySources,
  textOf,
} from "./support/tidy/repository.ts";
import { shapeViolations } from "./support/tidy/shape.ts";
import { type Source, toSource, type Violation } from "./support/tidy/source.ts";
import { machinePaths } from "./support/tidy/words.ts";

const sources = repositorySources();
const pages = repositoryPages();

function inWords(violations: readonly Violation[]): readonly string[] {
  return violations.map((one) => `${one.path}:${one.line}: ${one.words}`);
}

function broken(rule: (source: Source) => readonly Violation[]): readonly string[] {
  return inWords(sources.flatMap(rule));
}

describe("the repository", () => {
  test("is looked at as a whole", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(pages.length).toBeGreaterThan(10);
  });

  test("imports downward only", () => expect(broken(importViolations)).toEqual([]));

  test("keeps pure folders pure", () => expect(broken(purityViolations)).toEqual([]));

  test("keeps files and functions short, shallow, named and documented", () => {
    expect(broken(shapeViolations)).toEqual([]);
  });

  test("states the size bound in one place", () => expect(broken(numberViolations)).toEqual([]));

  test("names no path of a machine it was written on", () => {
    const texts = [...sources, ...pages].flatMap(({ path, text }) => machinePaths(path, text));
    expect(inWords(texts)).toEqual([]);
  });

  test("has no dead links in its pages", () => {
    const dead = pages.flatMap((page) => deadLinks(page, existsInRepository, anchorsInRepository));
    expect(inWords(dead)).toEqual([]);
  });

  test("gives a reason for every dependency", () => {
    const { dependencies, devDependencies } = JSON.parse(textOf("package.json"));
    const reasons = pages.filter((page) => page.path.startsWith("docs/decisions/")).map((page) => page.text);
    const names = Object.keys({ ...dependencies, ...devDependencies });
    expect(names.filter((name) => !reasons.some((text) => text.includes(`\`${name}\``)))).toEqual([]);
  });

  test("takes exact versions of its dependencies", () => {
    const { dependencies, devDependencies } = JSON.parse(textOf("package.json"));
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

function found(rule: (source: Source) => readonly Violation[], path: string, text: string): readonly string[] {
  return rule(toSource(path, text)).map((one) => one.words);
}

describe("the rule of import directions", () => {
  test.each([
    ["src/engine/plan.ts", 'import { a } from "../policies/a.ts";', "engine may not import policies"],
    ["src/model/item.ts", 'import type { a } from "../lib/hash.ts";', "model may not import lib"],
    ["src/policies/a.ts", 'import type { a } from "../engine/plan.ts";', "policies may not import engine"],
    ["src/policies/a.ts", 'type A = import("../engine/plan.ts").A;', "policies may not import engine"],
    ["src/proxy/a.ts", 'import { a } from "../cli/main.ts";', "proxy may not import cli"],
    ["src/proxy/a.ts", 'const a = await import("../stores/memory.ts");', "proxy may not import stores"],
    ["src/config/a.ts", 'import { a } from "../builtins.ts";', "config may not import builtins.ts"],
    ["src/keeper/a.ts", 'export { a } from "../wires/a.ts";', "keeper may not import wires"],
    ["src/keeper/a.ts", 'import "../../test/a.ts";', "src/keeper/a.ts imports test/a.ts, which is outside src"],
    ["src/wires/one/a.ts", 'import { a } from "../other/b.ts";', "one wire may not import another"],
    ["src/newcomer/a.ts", 'import "../lib/a.ts";', "newcomer has no place in the table of import directions"],
    ["src/engine/a.ts", 'import { readFileSync } from "node:fs";', "engine is pure and may not import node:fs"],
    ["src/lib/other.ts", 'import { hash } from "node:crypto";', "lib is pure and may not import node:crypto"],
    ["src/dialects/a.ts", 'import { parse } from "yaml";', "dialects is pure and may not import yaml"],
    ["src/stores/a.ts", 'import { z } from "zod";', "stores may import one driver each, not zod"],
    ["src/cli/a.ts", 'import D from "better-sqlite3";', "only stores may import better-sqlite3"],
  ])("sees %s: %s", (path, text, words) => {
    expect(found(importViolations, path, text)).toEqual([words]);
  });

  test.each([
    ["src/engine/plan.ts", 'import { a } from "../model/item.ts"; import { b } from "./b.ts";'],
    ["src/lib/hash.ts", 'import { createHash } from "node:crypto";'],
    ["src/cli/main.ts", 'import { a } from "../builtins.ts"; import { b } from "../config/b.ts";'],
    ["src/engine/plan.test.ts", 'import { a } from "../policies/a.ts"; import { readFileSync } from "node:fs";'],
  ])("lets %s be", (path, text) => {
    expect(found(importViolations, path, text)).toEqual([]);
  });
});

describe("the rule of purity", () => {
  test.each([
    ["export async function f() {}", "async"],
    ["for await (const a of b) f(a);", "await"],
    ["const now = () => Date.now();", "Date"],
    ["const at = () => new Date();", "Date"],
    ["const r = () => Math.random();", "Math.random"],
    ["const home = () => process.env.HOME;", "process"],
    ["const wait = () => setTimeout(f, 1);", "setTimeout"],
    ["const id = () => crypto.randomUUID();", "crypto"],
    ["const f = () => performance.now();", "performance"],
    ["let count = 0;", "module state"],
    ["console.log(1);", "console"],
  ])("sees %s", (text, what) => {
    expect(found(purityViolations, "src/engine/a.ts", text)).toEqual([`engine is pure and may not use ${what}`]);
  });

  test("lets types, properties and own names be, and everything outside pure folders", () => {
    const text = "interface A { process: Date; wait(): Promise<void> } const f = (a: A) => a.process;";
    expect(found(purityViolations, "src/model/a.ts", text)).toEqual([]);
    expect(found(purityViolations, "src/keeper/a.ts", "const now = () => Date.now();")).toEqual([]);
    expect(found(purityViolations, "src/engine/a.test.ts", "const now = () => Date.now();")).toEqual([]);
  });
});

describe("the rule of shape", () => {
  const long = (lines: number): string => "\n".repeat(lines);

  test.each([
    ["src/a/b.ts", long(401), "401 lines, at most 400"],
    ["src/a/b.ts", `/** F. */\nexport function f() {${long(70)}}`, "a function of 71 lines, at most 70"],
    ["src/a/b.ts", `const f = () => {${long(70)}};`, "a function of 71 lines, at most 70"],
    ["test/b.test.ts", `test("x", () => {${long(70)}});`, "a function of 71 lines, at most 70"],
    [
      "src/a/b.ts",
      "const f = () => { if (a) for (;;) while (b) { try {} finally {} } };",
      "4 levels of nesting, at most 3",
    ],
    ["src/a/b-utils.ts", "", "the file's name says nothing about its content"],
    ["src/a/service.ts", "", "the file's name says nothing about its content"],
    ["src/a/helpers.test.ts", "", "the file's name says nothing about its content"],
    ["src/a/someName.ts", "", "not kebab-case"],
    ["src/a/b.ts", "const a: any = 1;", "any"],
    ["test/a.ts", "export default 3;", "a default export"],
    ["test/a.ts", "export default function f() {}", "a default export"],
    ["test/a.ts", 'export * from "./b.ts";', "a starred re-export"],
    ["src/a/b.ts", "register();", "a side effect on import"],
    ["src/a/b.ts", "export function f() {}", "an export without a sentence above it"],
    ["src/a/b.ts", "export const A = 1;", "an export without a sentence above it"],
  ])("sees what is wrong in %s (%#)", (path, text, words) => {
    expect(found(shapeViolations, path, text)).toEqual([words]);
  });

  test("lets groups of tests, else-if chains and type exports be", () => {
    expect(found(shapeViolations, "test/b.test.ts", `describe("x", () => {${long(100)}});`)).toEqual([]);
    const chain = "const f = () => { if (a) b(); else if (c) d(); else if (e) g(); else if (h) i(); else j(); };";
    expect(found(shapeViolations, "src/a/b.ts", chain)).toEqual([]);
    expect(found(shapeViolations, "src/a/b.ts", "export interface A {}\nexport type B = A;")).toEqual([]);
    expect(found(shapeViolations, "vitest.config.ts", "export default {};")).toEqual([]);
  });
});

describe("the rules of numbers, paths and links", () => {
  test("see a second copy of the size bound", () => {
    expect(found(numberViolations, "src/keeper/a.ts", "const a = 16_384; const b = 262144;")).toHaveLength(2);
    expect(found(numberViolations, "src/policies/size-bound-default.ts", "const a = 16_384;")).toEqual([]);
  });

  test("see a path of a machine", () => {
    const written = ["/ho", "me/ubuntu/x"].join("");
    expect(machinePaths("a.md", `see ${written} there`)).toHaveLength(1);
    expect(machinePaths("a.md", "see /recall/x and ./home/x there")).toEqual([]);
  });

  test("see a link to a missing file and to a missing heading", () => {
    const page = {
      path: "docs/a.md",
      text: "# One\n\n[x](b.md) [y](#one) [z](#two) [w](../c.md#q)\n\n```md\n[no](no.md)\n```\n",
    };
    const dead = deadLinks(
      page,
      (path) => path !== "docs/b.md",
      (path) => (path === "docs/a.md" ? ["one"] : ["r"]),
    );
    expect(dead.map((one) => one.words)).toEqual([
      "b.md leads nowhere",
      "#two has no such heading",
      "../c.md#q has no such heading",
    ]);
  });
});
