import { describe, expect, it } from "vitest";
import { type EditCall, replayCalls } from "../../test/support/edit-replay.ts";
import { afterBy, editOf as edit, fileIn, WorkingSession } from "../../test/support/working-session.ts";

const LINES = Array.from({ length: 60 }, (_, line) => `const value${line} = compute(${line});`);
const FILE = `${LINES.join("\n")}\n`;
const MODIFIED = "The user modified your proposed changes before accepting them. Here's the result";

/** A conversation that has read `/w/a.ts` and then opened `tmp_fix`. */
async function opened(): Promise<WorkingSession> {
  const session = new WorkingSession();
  await session.read("/w/a.ts", FILE);
  await session.open("tmp_fix");
  return session;
}

const multi = (edits: readonly object[]): EditCall => ({ tool: "MultiEdit", input: { file_path: "/w/a.ts", edits } });
const write = (content: string, path = "/w/a.ts"): EditCall => ({
  tool: "Write",
  input: { file_path: path, content },
});

const CHANGES: readonly (readonly [string, readonly EditCall[]])[] = [
  [
    "edits one after the other",
    [edit("value7 =", "seven ="), edit("compute(50)", "go(\n  50,\n)"), edit("seven =", "x=")],
  ],
  ["an edit of every occurrence", [edit("compute", "work", "/w/a.ts", { replace_all: true })]],
  ["an edit with marks that replace would read", [edit("compute(3)", "$& $1 $` $$")]],
  [
    "several edits in one call, the later ones on the earlier ones",
    [
      multi([
        { old_string: "value1 ", new_string: "one " },
        { old_string: "one = compute", new_string: "uno = run" },
      ]),
    ],
  ],
  ["a write over what was read", [write("all new\nlines\n")]],
  ["a write and an edit of it", [write("all new\nlines\n"), edit("new\n", "newer\n")]],
  ["a removed end", [edit(`${LINES[58]}\n${LINES[59]}\n`, "")]],
];

describe("what changed while a scope was open", () => {
  it.each(CHANGES)("is what an independent replay gives: %s", async (_, calls) => {
    const session = await opened();
    for (const one of calls) await session.call(one);
    const file = fileIn(await session.close("tmp_fix"));
    const expected = replayCalls(FILE, calls);
    expect(expected).not.toBeNull();
    expect(afterBy(file, FILE)).toBe(expected);
    expect(file.changes.map(({ outcome, isProven }) => [outcome, isProven])).toEqual(calls.map(() => ["ok", true]));
  });

  it("is nothing where it was changed and changed back", async () => {
    const session = await opened();
    await session.call(edit("value7 = compute(7)", "value7 = 7"));
    await session.call(edit("value9", "nine"));
    await session.call(edit("nine", "value9"));
    await session.call(edit("value7 = 7", "value7 = compute(7)"));
    const { net, changes } = fileIn(await session.close("tmp_fix"));
    expect(changes).toHaveLength(4);
    expect(net).toEqual({ kind: "none", words: "changed, and changed back" });
  });

  it("is nothing where every edit failed or was refused", async () => {
    const session = await opened();
    await session.call(
      edit("nowhere", "x"),
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
      true,
    );
    await session.call(edit("value7", "x"), "The user doesn't want to proceed with this tool use.", true);
    const { net, changes } = fileIn(await session.close("tmp_fix"));
    expect(changes.map(({ outcome }) => outcome)).toEqual(["failed", "interrupted"]);
    expect(net.kind).toBe("none");
  });

  it("leaves out what was changed before it was opened and after it was closed", async () => {
    const session = new WorkingSession();
    await session.read("/w/a.ts", FILE);
    const before = edit("value1 =", "one =");
    await session.call(before);
    await session.open("tmp_fix");
    const inside = edit("value2 =", "two =");
    await session.call(inside);
    const closing = await session.close("tmp_fix");
    await session.call(edit("value3 =", "three ="));
    const start = replayCalls(FILE, [before]) ?? "";
    expect(afterBy(fileIn(closing), start)).toBe(replayCalls(start, [inside]));
    expect(fileIn(closing).changes).toHaveLength(1);
    const later = await session.report("tmp_fix");
    expect(later.files).toEqual(closing.files);
    expect(later.scope?.ended).toMatchObject({ by: "order", step: closing.until.step });
  });

  it("is told to two scopes at once, each for its own time", async () => {
    const session = await opened();
    const [one, two, three] = [edit("value1 =", "one ="), edit("value2 =", "two ="), edit("value3 =", "three =")];
    await session.call(one);
    await session.open("tmp_more");
    await session.call(two);
    const outer = await session.close("tmp_fix");
    await session.call(three);
    const inner = await session.close("tmp_more");
    expect(afterBy(fileIn(outer), FILE)).toBe(replayCalls(FILE, [one, two]));
    const start = replayCalls(FILE, [one]) ?? "";
    expect(afterBy(fileIn(inner), start)).toBe(replayCalls(start, [two, three]));
  });

  it("begins with nothing for a file that a write created", async () => {
    const session = await opened();
    await session.call(write("a\nb", "/w/new.ts"), "File created successfully at: /w/new.ts");
    await session.call(edit("b", "c\n", "/w/new.ts"));
    expect(afterBy(fileIn(await session.close("tmp_fix"), "/w/new.ts"), "")).toBe("a\nc\n");
  });
});

describe("what no recorded call states", () => {
  it("is named: a command that writes the file", async () => {
    const session = await opened();
    await session.bash("sed -i s/value7/seven/ /w/a.ts");
    const { net, changes } = fileIn(await session.close("tmp_fix"));
    expect(net).toEqual({ kind: "unknown", words: "changed by command, no diff recorded" });
    expect(changes).toMatchObject([{ by: "command", tool: "Bash", isProven: false }]);
  });

  it("does not hide what the calls around it prove", async () => {
    const session = await opened();
    await session.call(edit("value1 =", "one ="));
    await session.bash("sed -i s/value7/seven/ /w/a.ts");
    await session.call(edit("value2 =", "two ="));
    const { net } = fileIn(await session.close("tmp_fix"));
    expect(net).toMatchObject({ kind: "changed", isWhole: false });
    const lines = net.kind === "changed" ? net.parts.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)) : [];
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual([
      `-${LINES[1]}`,
      "+const one = compute(1);",
      "-value2 =",
      "+two =",
    ]);
  });

  it("is an unknown actor where a later read shows another text", async () => {
    const session = await opened();
    await session.call(edit("value1 =", "one ="));
    const foreign = FILE.replace("value1 =", "one =").replace("value20", "twenty");
    await session.read("/w/a.ts", foreign);
    await session.call(edit("value2 =", "two ="));
    const { net, changes } = fileIn(await session.close("tmp_fix"));
    expect(changes.map(({ by }) => by)).toEqual(["tool", "unknown", "tool"]);
    expect(net).toMatchObject({ kind: "changed", isWhole: false });
  });

  it("is an unknown actor where an edit does not fit", async () => {
    const session = await opened();
    await session.call(edit("value1 =", "one ="));
    await session.call(edit("was never there", "x"));
    expect(fileIn(await session.close("tmp_fix")).changes.map(({ by }) => by)).toEqual(["tool", "unknown", "tool"]);
  });

  it("is an unknown actor where the harness tells of a change", async () => {
    const session = await opened();
    await session.remind("Note: /w/a.ts was modified, either by the user or by a linter. This change was intentional.");
    const { net, changes } = fileIn(await session.close("tmp_fix"));
    expect(changes).toMatchObject([{ by: "unknown", tool: null }]);
    expect(net.kind).toBe("unknown");
  });

  it("is an edit that the user changed before it acted", async () => {
    const session = await opened();
    await session.call(edit("value1 =", "one ="), MODIFIED);
    expect(fileIn(await session.close("tmp_fix")).net.kind).toBe("unknown");
  });

  it("is a file written whole that nobody had read", async () => {
    const session = await opened();
    await session.call(write("new\n", "/w/b.ts"));
    const { net } = fileIn(await session.close("tmp_fix"), "/w/b.ts");
    expect(net).toMatchObject({ isWhole: false, words: "written whole; what stood there before is not known" });
  });

  it("is the text of a call on a path that may not be stored", async () => {
    const session = new WorkingSession({ isNeverStored: (path) => path.endsWith(".env") });
    await session.read("/w/a.ts", FILE);
    await session.open("tmp_fix");
    await session.call(edit("OLD_SECRET", "NEW_SECRET", "/w/.env"));
    const report = await session.close("tmp_fix");
    expect(fileIn(report, "/w/.env").net.kind).toBe("unknown");
    expect(JSON.stringify(report)).not.toContain("SECRET");
    for (const { entry } of await session.records()) {
      if (entry.type === "change-seen") expect(entry.change).toMatchObject({ text: null, base: null });
    }
  });
});

describe("a file that was read in part", () => {
  async function partly(): Promise<WorkingSession> {
    const session = new WorkingSession();
    await session.read("/w/other.ts", "x");
    await session.open("tmp_fix");
    return session;
  }

  it("shows what each call replaced, without line numbers", async () => {
    const session = await partly();
    await session.call(edit("first old\nsecond", "first new\nsecond"));
    await session.call(edit("second", "2nd"));
    const { net } = fileIn(await session.close("tmp_fix"));
    if (net.kind !== "changed") throw new Error(net.words);
    expect(net.isWhole).toBe(true);
    expect(net.parts).toMatchObject([
      { hasLines: false, hunks: [{ lines: ["-first old", "-second", "+first new", "+2nd"] }] },
    ]);
  });

  it("is net zero only where the way back is certain", async () => {
    const session = await partly();
    await session.call(edit("alpha", "beta"));
    await session.call(edit("beta", "alpha"));
    expect(fileIn(await session.close("tmp_fix")).net.kind).toBe("none");
    await session.open("tmp_again");
    await session.call(edit("gamma", "delta"));
    await session.call(edit("delta;", "gamma;"));
    expect(fileIn(await session.close("tmp_again")).net).toMatchObject({ kind: "changed", isWhole: false });
  });

  it("is known from the first whole read on, and before it by going back", async () => {
    const session = await partly();
    const [one, two] = [edit("value1 =", "one ="), edit("value2 =", "two =")];
    await session.call(one);
    await session.read("/w/a.ts", replayCalls(FILE, [one]) ?? "");
    await session.call(two);
    expect(afterBy(fileIn(await session.close("tmp_fix")), FILE)).toBe(replayCalls(FILE, [one, two]));
  });
});

describe("a notebook", () => {
  const cell = (input: object): EditCall => ({
    tool: "NotebookEdit",
    input: { notebook_path: "/w/n.ipynb", ...input },
  });

  it("is told cell by cell", async () => {
    const session = await opened();
    await session.call(cell({ cell_id: "c1", new_source: "x = 1" }));
    await session.open("tmp_cells");
    await session.call(cell({ cell_id: "c1", new_source: "x = 2" }));
    await session.call(cell({ cell_id: "c1", new_source: "y = 1", edit_mode: "insert", cell_type: "code" }));
    await session.call(cell({ cell_id: "c9", new_source: "", edit_mode: "delete" }));
    const { files } = await session.close("tmp_cells");
    expect(files.map((file) => [file.cell, file.net.kind === "changed" && file.net.isWhole])).toEqual([
      ["c1", true],
      ["new, after c1 (c4)", true],
      ["c9", false],
    ]);
    const [known, added] = files;
    expect(known === undefined ? null : afterBy(known, "x = 1")).toBe("x = 2");
    expect(added === undefined ? null : afterBy(added, "")).toBe("y = 1");
  });
});
