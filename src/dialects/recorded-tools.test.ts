import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { acquired, type GivenCall } from "../../test/support/dialect-calls.ts";
import { recordedToolCalls } from "../../test/support/recorded-tool-calls.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { Dialect } from "../model/ports.ts";
import { createClineDialect } from "./cline.ts";
import { createCopilotCliDialect } from "./copilot-cli.ts";
import { createGenericDialect } from "./generic.ts";
import { createMiniSweAgentDialect } from "./mini-swe-agent.ts";
import { createOpenHandsDialect } from "./openhands.ts";
import { createSweAgentDialect } from "./swe-agent.ts";

const folder = recordedSessions ?? "";
const shell = createShellParser();

/** How often each tool meant what, of all calls of a recording. */
function meaningsOf(dialect: Dialect, calls: readonly GivenCall[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const call of calls) {
    const { kind, outcome } = acquired(dialect, call, shell);
    const key = `${call.tool} ${kind} ${outcome}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Asked and printed lines of each successful read. */
function windowsOf(dialect: Dialect, calls: readonly GivenCall[]): readonly string[] {
  return calls
    .map((call) => acquired(dialect, call, shell))
    .filter(({ kind, outcome }) => kind === "read" && outcome === "ok")
    .map(({ window, printed }) => `${window?.start}-${window?.end ?? ""} ${printed?.start}-${printed?.end}`);
}

describe.skipIf(recordedSessions === null)("every recorded call of", () => {
  test("Cline maps", () => {
    const dialect = createClineDialect();
    const calls = recordedToolCalls(folder, "sessions/cline/session.messages.json");
    expect(meaningsOf(dialect, calls)).toEqual({
      "editor edit ok": 4,
      "read_files read ok": 6,
      "run_commands run ok": 1,
    });
    const windows = ["462-480", "1-45", "250-300", "240-251", "354-380", "356-368"];
    expect(windowsOf(dialect, calls)).toEqual(windows.map((lines) => `${lines} ${lines}`));
  });

  test("Copilot's command line maps, or belongs to no file", () => {
    const dialect = createCopilotCliDialect();
    const calls = recordedToolCalls(folder, "sessions/copilot/vct-cli.jsonl");
    expect(meaningsOf(dialect, calls)).toEqual({
      "bash run ok": 2,
      "glob search ok": 1,
      "report_intent other ok": 1,
      "task_complete other ok": 1,
      "view read ok": 1,
      "view search ok": 3,
      "web_fetch fetch ok": 1,
      "web_search fetch ok": 3,
    });
    expect(windowsOf(dialect, calls)).toEqual(["1- 1-82"]);
  });

  test("SWE-agent maps, or belongs to no file", () => {
    const dialect = createSweAgentDialect();
    const calls = recordedToolCalls(folder, "sessions/swe-agent/marshmallow-fc.traj");
    expect(meaningsOf(dialect, calls)).toEqual({
      "bash run ok": 4,
      "create write ok": 1,
      "edit edit failed": 1,
      "edit edit ok": 2,
      "find_file search ok": 1,
      "open read ok": 1,
      "submit other ok": 1,
    });
    expect(windowsOf(dialect, calls)).toEqual(["1457-1556 1457-1556"]);
    const changed = calls
      .flatMap((call) => acquired(dialect, call, shell).changes)
      .map(({ kind, path }) => `${kind} ${path}`);
    expect(changed).toEqual([
      "write reproduce.py",
      "edit /testbed/reproduce.py",
      "edit /testbed/src/marshmallow/fields.py",
      "delete reproduce.py",
    ]);
  });

  test("OpenHands maps, or belongs to no file", () => {
    const dialect = createOpenHandsDialect();
    const calls = recordedToolCalls(folder, "sessions/openai-chat/openhands-django-11087-req48.json");
    expect(meaningsOf(dialect, calls)).toEqual({
      "execute_bash run failed": 14,
      "execute_bash run ok": 7,
      "str_replace_editor edit failed": 2,
      "str_replace_editor edit ok": 10,
      "str_replace_editor read ok": 7,
      "str_replace_editor write failed": 2,
      "str_replace_editor write ok": 7,
    });
    expect(windowsOf(dialect, calls)).toEqual([
      "1- 1-329",
      "1- 1-426",
      "678-700 678-700",
      "1- 1-353",
      "1- 1-195",
      "1329-1350 1329-1350",
      "169-230 169-230",
    ]);
    expect(meaningsOf(dialect, recordedToolCalls(folder, "sessions/openai-chat/openhands-sdk-fncall.json"))).toEqual({
      "str_replace_editor read failed": 1,
      "str_replace_editor read ok": 1,
      "str_replace_editor write failed": 1,
      "terminal run ok": 2,
    });
    expect(meaningsOf(dialect, recordedToolCalls(folder, "sessions/openhands/traj-basic-gui.json"))).toEqual({
      "execute_bash run ok": 2,
      "str_replace_editor write ok": 2,
    });
  });

  test("every earlier request of the same OpenHands run means the same", () => {
    const dialect = createOpenHandsDialect();
    const place = join(folder, "sessions/openai-chat");
    const requests = readdirSync(place)
      .filter((name) => /-req\d+\.json$/.test(name))
      .sort();
    const read = (name: string) =>
      recordedToolCalls(folder, `sessions/openai-chat/${name}`).map((call) => acquired(dialect, call, shell));
    const last = read(requests.at(-1) ?? "");
    for (const name of requests) {
      const calls = read(name);
      expect(calls.length, name).toBeGreaterThan(0);
      expect(calls, name).toEqual(last.slice(0, calls.length));
    }
  });

  test("plain programs on the SDKs is a read by its shape", () => {
    const names = readdirSync(join(folder, "wire/sdk")).map((name) => `wire/sdk/${name}`);
    const calls = names.flatMap((name) => recordedToolCalls(folder, name));
    expect(calls.length).toBeGreaterThan(8);
    expect(Object.keys(meaningsOf(createGenericDialect(), calls))).toEqual(["read read ok"]);
  });
});

describe.skipIf(recordedSessions === null)("agents whose calls are text of the model", () => {
  test.each(["sessions/swe-agent/pydicom-1458.traj", "sessions/mini-swe-agent/github-issue.traj.json"])(
    "make no tool calls: %s",
    (path) => expect(recordedToolCalls(folder, path)).toEqual([]),
  );

  test("mini-swe-agent's commands, made as calls, read and change the file they name", () => {
    const messages: readonly { readonly content: string }[] = JSON.parse(
      readFileSync(join(folder, "sessions/mini-swe-agent/github-issue.traj.json"), "utf8"),
    );
    const calls = messages.flatMap(({ content }, index) => {
      const command = /```mswea_bash_command\n([\s\S]*?)\n```\s*$/.exec(content)?.[1];
      const text = messages[index + 1]?.content ?? null;
      return command === undefined || index === 0 ? [] : [{ tool: "bash", input: { command }, text }];
    });
    const meant = calls.map((call) => acquired(createMiniSweAgentDialect(), call, shell));
    const words = meant.map(({ isShellRead, path, printed, outcome, changes }) =>
      isShellRead
        ? `read ${path} ${printed?.start}-${printed?.end}`
        : `${outcome} ${changes.map((one) => `${one.kind} ${one.path}`).join()}`,
    );
    expect(words.filter((word) => /tests\/missing_colon\.py/.test(word))).toEqual([
      "read tests/missing_colon.py 1-10",
      "ok edit tests/missing_colon.py",
      "read tests/missing_colon.py 1-10",
      "ok write tests/missing_colon.py",
    ]);
  });
});
