import { describe, expect, test } from "vitest";
import { ALL_SOURCES, bash, CONTENT, edit, evidenceOf, read, step } from "../../test/support/evidence.ts";
import { calls, failure, harness, numbered, type PartsMessage, sourceOf } from "../../test/support/source.ts";
import { createClaudeCodeDialect } from "../dialects/claude-code.ts";
import { observe } from "./observe.ts";
import { readFacts } from "./reads.ts";

const NOTE = harness("Note: /w/f.ts changed on disk since you last read it.");

function window(id: string, offset: number, count: number, limit = count): readonly PartsMessage[] {
  const lines = Array.from({ length: count }, (_, index) => `line ${offset + index}`);
  return step(id, "Read", { file_path: "/w/f.ts", offset, limit }, numbered(offset, ...lines));
}

function idle(count: number): readonly PartsMessage[] {
  return Array.from({ length: count }, (_, index) => bash(`idle${index}`, "ls")).flat();
}

describe("readFacts", () => {
  test("answers every successful read in order and nothing else", () => {
    const { facts } = evidenceOf([
      ...read("r1"),
      ...bash("b1", "wc /w/f.ts"),
      ...read("r2", "/w/g.ts"),
      calls(["r3", "Read", { file_path: "/w/h.ts" }]),
      failure("r3", "no"),
      ...read("r4"),
    ]);
    expect(facts.map(({ path, step: at }) => [path, at])).toEqual([
      ["/w/f.ts", 1],
      ["/w/g.ts", 3],
      ["/w/f.ts", 5],
    ]);
  });

  test("names the first later event as proof, so that a longer transcript keeps it", () => {
    const shorter = [...read("r1"), ...read("r2"), ...edit("e1")];
    const { factOf, observed } = evidenceOf(shorter);
    expect(factOf("r1")).toMatchObject({
      superseded: { itemKey: observed.acquisitions[1]?.callKey, step: 2 },
      stale: { itemKey: observed.acquisitions[2]?.callKey, step: 3 },
    });
    const longer = evidenceOf([...shorter, ...edit("e2"), ...read("r3")]);
    expect(longer.factOf("r1")).toMatchObject({ superseded: factOf("r1")?.superseded, stale: factOf("r1")?.stale });
  });

  test("counts shell changes and notices only where they are switched on", () => {
    const classes = (bashEdits: boolean, harnessNotices: boolean, ...more: readonly PartsMessage[]) =>
      evidenceOf([...read("r1"), ...more], { bashEdits, harnessNotices, shellReads: false }).classOf("r1");
    expect([classes(true, false, ...bash("b1", "rm f.ts")), classes(false, true, ...bash("b1", "rm f.ts"))]).toEqual([
      "stale",
      "fresh",
    ]);
    expect([classes(false, true, NOTE), classes(true, false, NOTE)]).toEqual(["stale", "fresh"]);
  });

  test("names the text of a notice as proof, behind the calls of its step and before those of the next", () => {
    const { factOf, observed } = evidenceOf([...read("r1"), NOTE, ...read("r2")]);
    expect(factOf("r1")?.stale).toEqual({ itemKey: observed.notices[0]?.itemKey, step: 1 });
    expect(factOf("r2")?.stale).toBeNull();
  });

  test("makes reads of either path of a move stale", () => {
    const { classOf } = evidenceOf([...read("r1"), ...read("r2", "/w/g.ts"), ...bash("b1", "mv f.ts g.ts")]);
    expect([classOf("r1"), classOf("r2")]).toEqual(["stale", "stale"]);
  });

  test("counts quiet steps from the last event of the path, failed ones apart", () => {
    const failed = [calls(["e9", "Edit", { file_path: "/w/f.ts" }]), failure("e9", "no")];
    expect(evidenceOf([...read("r1"), ...edit("e1"), ...idle(3)]).factOf("r1")?.quietSteps).toBe(3);
    expect(evidenceOf([...read("r1"), ...edit("e1"), ...idle(3), ...read("r2")]).factOf("r1")?.quietSteps).toBe(0);
    expect(evidenceOf([...read("r1"), ...edit("e1"), ...idle(3), ...failed]).factOf("r1")?.quietSteps).toBe(4);
    expect(evidenceOf([...read("r1")]).factOf("r1")?.quietSteps).toBe(0);
  });

  test("does not take the harness's word of a change for use of the path", () => {
    const messages = [...read("r1"), ...edit("e1"), ...idle(3), NOTE];
    expect(evidenceOf(messages).factOf("r1")?.quietSteps).toBe(3);
  });

  test("takes a shell change for use of the path even where it proves nothing", () => {
    const messages = [...read("r1"), ...edit("e1"), ...idle(3), ...bash("b1", "sed -i s/a/b/ f.ts")];
    const { factOf } = evidenceOf(messages, { ...ALL_SOURCES, bashEdits: false });
    expect(factOf("r1")?.quietSteps).toBe(0);
  });

  test("covers a read by a later one that prints its lines behind the last change", () => {
    const coveredBy = (...later: readonly PartsMessage[]) =>
      evidenceOf([...window("r1", 10, 5), ...later]).factOf("r1")?.isCoveredLater;
    expect(coveredBy(...edit("e1"), ...window("r2", 1, 100))).toBe(true);
    expect(coveredBy(...edit("e1"), ...window("r2", 10, 5))).toBe(true);
    expect(coveredBy(...window("r2", 1, 100))).toBe(true);
    expect(coveredBy(...edit("e1"), ...window("r2", 11, 100))).toBe(false);
    expect(coveredBy(...edit("e1"), ...window("r2", 1, 13, 100))).toBe(false);
    expect(coveredBy(...window("r2", 1, 100), ...edit("e1"))).toBe(false);
    expect(coveredBy(...edit("e1"))).toBe(false);
  });

  test("flags a media read and supersedes it by its like", () => {
    const image = (id: string): readonly PartsMessage[] => [
      calls([id, "Read", { file_path: "/w/a.png" }]),
      { role: "user", parts: [{ kind: "result", id, text: "", mediaCount: 1 }] },
    ];
    const { classOf, factOf } = evidenceOf([...image("r1"), ...image("r2")]);
    expect([classOf("r1"), factOf("r1")?.mediaCount]).toEqual(["superseded", 1]);
  });

  test("takes pages apart from lines and from other pages", () => {
    const pages = (id: string, range: string) =>
      step(id, "Read", { file_path: "/w/a.pdf", pages: range }, "PDF file read: /w/a.pdf");
    const { classOf, factOf } = evidenceOf([...pages("r1", "1-3"), ...pages("r2", "4-6"), ...pages("r3", "1-3")]);
    expect(["r1", "r2", "r3"].map(classOf)).toEqual(["superseded", "fresh", "fresh"]);
    expect(["r1", "r2"].map((id) => factOf(id)?.isCoveredLater)).toEqual([true, false]);
  });

  test("never takes an emptied or persisted read for one that prints its lines", () => {
    const classBefore = (text: string) => evidenceOf([...read("r1"), ...read("r2", "/w/f.ts", text)]).classOf("r1");
    expect(classBefore("[Old tool result content cleared]")).toBe("fresh");
    expect(classBefore("<persisted-output>\nOutput too large\n</persisted-output>")).toBe("fresh");
    expect(classBefore(`[Truncated: PARTIAL view — showing lines 1-2]\n\n1\tone\n2\ttwo`)).toBe("fresh");
    expect(classBefore(CONTENT)).toBe("superseded");
  });

  test("looks at each read a bounded number of times, however many there are of one path", () => {
    const messages = Array.from({ length: 10_000 }, (_, index) =>
      window(`r${index}`, 1 + ((index * 7) % 500), 1 + ((index * 13) % 5), 5),
    ).flat();
    const observed = observe(sourceOf(messages), createClaudeCodeDialect(), null, new Map());
    let looks = 0;
    const counted = observed.acquisitions.map((placed) => ({
      ...placed,
      get acquisition() {
        looks++;
        return placed.acquisition;
      },
    }));
    expect(readFacts({ ...observed, acquisitions: counted }, ALL_SOURCES).size).toBe(10_000);
    expect(looks).toBeLessThan(30 * 10_000);
  });
});
