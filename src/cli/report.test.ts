import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runIn } from "../../test/support/command-io.ts";
import { editOf as edit, WorkingSession } from "../../test/support/working-session.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { STORE_FILE_NAME } from "./data-folder.ts";

const FILE = Array.from({ length: 60 }, (_, line) => `export const value${line} = compute(${line});\n`).join("");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-report-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...argv: readonly string[]) {
  return runIn(folder, argv);
}

/** A conversation as a proxy leaves it on disk while its client goes on. */
async function recorded(
  use: (session: WorkingSession) => Promise<void>,
  session?: WorkingSession,
): Promise<WorkingSession> {
  mkdirSync(join(folder, ".local", "share", "ebb"), { recursive: true, mode: 0o700 });
  const store = openSqliteStore({ file: join(folder, ".local", "share", "ebb", STORE_FILE_NAME) });
  const going = session ?? new WorkingSession();
  going.resumeOn(store);
  await use(going);
  await going.keeper.close();
  await store.close();
  return going;
}

describe("ebb report", () => {
  test("tells what a scope acquired, what left and what changed, from the first command to after its end", async () => {
    const session = await recorded(async (one) => one.read("/w/src/a.ts", FILE));
    const opened = await run("hold", "--scope", "tmp_fix", "--reason", "the rounding fix");
    expect(opened.out).toContain("tmp_fix is open");
    await recorded(async (one) => {
      await one.read("/w/src/b.ts", FILE);
      await one.call(edit("compute(7)", "compute(8)", "/w/src/a.ts"));
      await one.bash("sed -i s/a/b/ src/c.ts");
    }, session);
    const closed = await run("release", "--scope", "tmp_fix", "--reason", "fixed");
    expect(closed).toMatchObject({ code: 0, err: "" });
    const [words = "", ...told] = closed.out.split("\n");
    expect(words).toMatch(/^tmp_fix is closed\. .* let go; from the next request/);
    const shown = told
      .slice(1)
      .join("\n")
      .replaceAll(/^ {2}[0-9a-z]{12} {2}/gm, "  ADDRESS  ");
    await expect(shown).toMatchFileSnapshot("../../test/golden/report.txt");
    expect((await run("report", "tmp_fix")).out).toBe(told.slice(1).join("\n"));
    const markdown = await run("report", "tmp_fix", "--format", "markdown");
    await expect(markdown.out.replaceAll(/`[0-9a-z]{12}`/g, "`ADDRESS`")).toMatchFileSnapshot(
      "../../test/golden/report.md.txt",
    );
    const json = JSON.parse((await run("report", "session", "--format", "json")).out);
    expect(json).toMatchObject({
      sessionId: "session",
      scope: null,
      files: [{ path: "/w/src/a.ts" }, { path: "/w/src/c.ts" }],
    });
  });

  test.each([
    [["report", "tmp_none"], "unknown scope"],
    [["report", "nobody"], "unknown session"],
    [["report", "--format", "pdf"], "expected text, json or markdown"],
    [["report", "one", "--session", "two"], "is named already"],
  ])("%j is refused in words: %s", async (argv, words) => {
    await recorded(async (one) => one.read("/w/src/a.ts", FILE));
    const { code, err } = await run(...argv);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
  });
});
