import { describe, expect, test } from "vitest";
import { acquired, stated } from "../../test/support/dialect-calls.ts";
import { headerOf } from "../../test/support/header.ts";
import { dialects } from "../builtins.ts";
import { resolveFrom } from "../config/resolve.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Dialect } from "../model/ports.ts";
import { testDialect } from "../testing/test-dialect.ts";
import { dialectsOf } from "./dialect-list.ts";
import { keeperSettingsOf } from "./open-keeper.ts";
import { analysisPartsOf, replaySettingsOf } from "./replay-settings.ts";

const HOPPER = `
hopper:
  tools:
    load_lines:
      kind: read
      path: [file, path]
      range: { offset: skip, limit: count, first_line: 0, limit_default: 200 }
      result: "N: "
      failure: "cannot load"
    patch: { kind: edit, path: file, replace: { from: before, to: after, all: everywhere }, success: patched }
    store: { kind: write, path: file, content: body }
    drop: { kind: delete, path: file, success: [dropped, gone] }
    shift: { kind: rename, path: file, to: target }
    sh: { kind: run, command: line, result: raw }
    look: { kind: search, command: what }
  reads_through_shell: true
`;

function configOf(env: Readonly<Record<string, string>>) {
  return resolveFrom(null, new Map(), { env, cwd: "/w", home: "/h", platform: "linux" });
}

function listOf(env: Readonly<Record<string, string>>): readonly Dialect[] {
  return keeperSettingsOf(configOf(env), () => {}).dialects;
}

function hopper(): Dialect {
  const [first] = listOf({ EBB_DIALECTS: HOPPER });
  if (first === undefined) throw new Error("no dialect");
  return first;
}

describe("a stated dialect", () => {
  const dialect = hopper();
  const shell = createShellParser();
  const of = (tool: string, input: object, text: string) =>
    acquired(dialect, { tool, input: { ...input }, text }, shell);

  for (const check of testDialect(dialect, shell, [])) test(check.name, check.run);

  test.each([
    [{}, 1, 200],
    [{ skip: 0 }, 1, 200],
    [{ skip: 10, count: 5 }, 11, 15],
    [{ count: 5 }, 1, 5],
    [{ skip: -3, count: 5 }, 1, 5],
  ])("asks with %j for lines %i to %i", (range, start, end) => {
    expect(of("load_lines", { file: "f", ...range }, "1: a").window).toEqual({ start, end, part: null });
  });

  test("reads the lines that were printed, and what failed", () => {
    expect(of("load_lines", { path: "f" }, "loaded f\n11: a\n12: b\nend")).toMatchObject({
      kind: "read",
      path: "f",
      printed: { start: 11, end: 12 },
    });
    expect(of("load_lines", { file: "f" }, "nothing")).toMatchObject({ outcome: "ok", printed: { start: 1, end: 0 } });
    expect(of("load_lines", { file: "f" }, "cannot load f")).toMatchObject({ outcome: "failed", printed: null });
  });

  test("changes files by what its answers say", () => {
    expect(of("patch", { file: "f" }, "patched f").changes).toEqual([{ kind: "edit", path: "f", source: "tool" }]);
    expect(of("patch", { file: "f" }, "no such text")).toMatchObject({ outcome: "failed", changes: [] });
    expect(of("store", { file: "f" }, "done").changes).toEqual([{ kind: "write", path: "f", source: "tool" }]);
    expect(of("store", { file: "f" }, "disk error")).toMatchObject({ outcome: "failed", changes: [] });
    expect(of("drop", { file: "f" }, "gone").changes).toEqual([{ kind: "delete", path: "f", source: "tool" }]);
    expect(of("shift", { file: "f", target: "g" }, "done").changes.map(({ path }) => path)).toEqual(["f", "g"]);
    expect(of("sh", { line: "echo > f" }, "").changes).toEqual([{ kind: "write", path: "f", source: "shell" }]);
    expect(of("look", { what: "x" }, "")).toMatchObject({ kind: "search", command: "x" });
  });

  test("reads through its shell where its answers are the output", () => {
    expect(of("sh", { line: "cat f" }, "a\nb\n")).toMatchObject({
      isShellRead: true,
      path: "f",
      printed: { start: 1, end: 2 },
    });
    expect(dialect.readsThroughShell).toBe(true);
    expect(dialect.hasShell(["sh"])).toBe(true);
    expect(dialect.hasShell(["look"])).toBe(false);
  });

  test("states changes by the arguments that were named", () => {
    const replacements = [{ from: "a", to: "b", isAll: true }];
    const input = { file: "f", before: "a", after: "b", everywhere: true };
    expect(stated(dialect, { tool: "patch", input, text: "patched" })).toEqual({ kind: "replacements", replacements });
    expect(stated(dialect, { tool: "store", input: { file: "f", body: "x" }, text: "" })).toEqual({
      kind: "content",
      text: "x",
      isNew: false,
    });
    expect(stated(dialect, { tool: "drop", input: { file: "f" }, text: "" })).toBeNull();
  });

  test("leaves every other tool to what it extends", () => {
    expect(of("read_file", { path: "f" }, "a")).toMatchObject({ kind: "read", path: "f" });
    expect(of("unknown", { path: "f" }, "a")).toMatchObject({ kind: "other" });
  });
});

describe("the dialects of a configuration", () => {
  const recognised = (
    list: readonly Dialect[],
    toolNames: readonly string[],
    systemTexts: readonly string[] = [],
    agent: string | null = null,
  ) => list.find((one) => one.recognises(headerOf({ toolNames, systemTexts }), agent))?.name;
  const own = (more: string) => ({
    EBB_DIALECTS: `{ hopper: { ${more} tools: { load: { kind: read, path: file } } } }`,
  });

  test("are the built-in ones where none is stated", () => {
    expect(listOf({})).toEqual(dialects);
  });

  test("are asked before the built-in ones, and take what offers all of their tools", () => {
    const list = listOf(own(""));
    expect(recognised(list, ["load", "Read", "Edit", "Bash"])).toBe("hopper");
    expect(recognised(list, ["Read", "Edit", "Bash"])).toBe("claude-code");
  });

  test("take what the dialect they extend would take", () => {
    const list = listOf(own("extends: claude-code,"));
    expect(recognised(list, ["Read", "Edit", "Bash"])).toBe("hopper");
    expect(recognised(list, ["load"])).toBe("generic");
    expect(
      acquired(list[0] ?? hopper(), { tool: "Read", input: { file_path: "f" }, text: "1\ta" }, null),
    ).toMatchObject({ kind: "read", path: "f" });
  });

  test("take what they are told to, all of it holding", () => {
    const list = listOf(own('recognise: { tools: [load], system: "I am Hopper", user_agent: "hopper/" },'));
    expect(recognised(list, ["load"], ["Hello. I am Hopper."], "hopper/1.0")).toBe("hopper");
    expect(recognised(list, [], ["Hello. I am Hopper."], "hopper/1.0")).toBe("generic");
    expect(recognised(list, ["load"], [], "hopper/1.0")).toBe("generic");
    expect(recognised(list, ["load"], ["Hello. I am Hopper."], "other/1.0")).toBe("generic");
  });

  test("are the chosen one alone, whatever the request looks like", () => {
    expect(listOf({ EBB_DIALECT: "pi" }).map(({ name }) => name)).toEqual(["pi"]);
    expect(recognised(listOf({ EBB_DIALECT: "pi" }), ["Read", "Edit", "Bash"])).toBe("pi");
    expect(recognised(listOf({ ...own(""), EBB_DIALECT: "hopper" }), [])).toBe("hopper");
  });

  test("are those of replays and analyses as well", () => {
    const io = { place: { cwd: "/w", env: {}, home: "/h", platform: "linux" }, out: () => {}, err: () => {} };
    const settings = replaySettingsOf(configOf(own("")), io as unknown as Parameters<typeof replaySettingsOf>[1]);
    expect(analysisPartsOf(settings).dialects[0]?.name).toBe("hopper");
    expect(settings.keeper.dialects[0]?.name).toBe("hopper");
  });

  test("answer for each name that a configuration may give", () => {
    expect(dialects.map(({ name }) => name).toSorted()).toEqual(
      [...new Set(dialects.map(({ name }) => name))].toSorted(),
    );
    for (const { name } of dialects) expect(dialectsOf({ dialect: name, dialects: [] }, dialects)).toHaveLength(1);
  });
});
