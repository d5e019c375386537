import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordedCallsIn } from "../../test/support/recorded-calls.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Acquisition } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import { createCodexDialect } from "./codex.ts";
import { createGeminiCliDialect } from "./gemini-cli.ts";
import { createOpencodeDialect } from "./opencode.ts";
import { createPiDialect } from "./pi.ts";

const shell = createShellParser();

/** Folders of one agent's calls, and its tools that are no file, shell, search or fetch. */
const AGENTS: readonly (readonly [Dialect, readonly string[], readonly string[]])[] = [
  [createOpencodeDialect(), ["wire/opencode", "sessions/opencode"], ["skill", "task", "todowrite"]],
  [createCodexDialect(), ["wire/codex", "sessions/codex"], ["exec", "recall", "update_plan"]],
  [createGeminiCliDialect(), ["wire/gemini", "sessions/gemini-cli"], ["update_topic"]],
  [createPiDialect(), ["wire/pi", "sessions/pi"], []],
];

function acquisitionsOf(dialect: Dialect, folders: readonly string[]): readonly (Acquisition & { text: string })[] {
  return folders
    .flatMap((folder) => recordedCallsIn(join(recordedSessions ?? "", folder)))
    .map(({ call, result, text }) => ({ ...dialect.acquire(call, result, text, shell), text }));
}

describe.skipIf(recordedSessions === null).each(AGENTS)(
  "calls that real clients recorded ($0.name)",
  (dialect, folders, others) => {
    const all = recordedSessions === null ? [] : acquisitionsOf(dialect, folders);

    test("there are some", () => expect(all.length).toBeGreaterThan(5));

    test("mean something each, but for tools that are known to be no file, shell, search or fetch", () => {
      expect(Array.from(new Set(all.filter(({ kind }) => kind === "other").map(({ tool }) => tool))).sort()).toEqual(
        others,
      );
    });

    test("a read, an edit and a write name their file", () => {
      const unnamed = all.filter(
        ({ kind, path, changes }) => ["read", "write"].includes(kind) && path === null && changes.length === 0,
      );
      expect(unnamed).toEqual([]);
    });

    test("a successful edit or write states what it changed", () => {
      const silent = all.filter(
        ({ kind, outcome, changes }) => ["edit", "write"].includes(kind) && outcome === "ok" && changes.length === 0,
      );
      expect(silent).toEqual([]);
    });

    test("what failed changed nothing and printed nothing", () => {
      const failed = all.filter(({ outcome }) => outcome !== "ok");
      expect(
        failed.filter(({ changes, printed, isShellRead }) => changes.length > 0 || printed !== null || isShellRead),
      ).toEqual([]);
    });
  },
);
