import { describe, expect, it } from "vitest";
import { assistant, bodyOf, call, EMPTY_TALK, result, results, user } from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { Edit } from "../model/edit.ts";
import type { Parts } from "./self-check-parts.ts";
import { unstatedFault } from "./self-check-stated.ts";

const called = assistant(user(EMPTY_TALK, "go"), call("r1", "Read", {}), call("r2", "Read", {}));
const read = wire.read(bodyOf(user(results(called, result("r1", "a"), result("r2", "b")), "more")), new Map());
if (!read.ok) throw new Error(read.words);
const { source } = read;
const keys = source.transcript.items.map(({ key }) => key);
const [go = "", , , first = "", second = "", more = ""] = keys;

const NOTHING: Parts = { texts: [], notes: [], lifetimes: [], asked: [], references: [], fields: [] };
const remove: Edit = { kind: "delete", anchorKey: more, resultKeys: [first, second] };
const faultIn = (parts: Partial<Parts>, ...edits: readonly Edit[]) =>
  unstatedFault({ ...NOTHING, ...parts }, edits, source);

describe("what was put in beside markers", () => {
  it("is stated, each part by an edit", () => {
    expect(faultIn({})).toBeNull();
    expect(faultIn({ asked: ["r2"], references: ["r1", "r2"] }, remove)).toBeNull();
    expect(faultIn({}, remove)).toBeNull();
    expect(faultIn({ notes: ["n"] }, { kind: "note", anchorKey: go, text: "n" })).toBeNull();
    expect(faultIn({ lifetimes: [300_000] }, { kind: "breakpoint", itemKey: first, ttlMs: 300_000 })).toBeNull();
  });

  it.each([
    ["a deletion nobody decided", { asked: ["r1"], references: ["r1"] }, []],
    ["a deletion of another result", { asked: ["r9"], references: ["r9"] }, [remove]],
    ["the same deletion twice", { asked: ["r1", "r1"], references: ["r1"] }, [remove]],
    ["names without a deletion", { references: ["r1"] }, [remove]],
    ["a deletion without names", { asked: ["r1"] }, [remove]],
    ["a deletion of what has no name", { asked: ["r1"], references: ["r2"] }, [remove]],
    ["a name of no result", { asked: ["r1"], references: ["r1", "r9"] }, [remove]],
    ["names in another order", { asked: ["r1"], references: ["r2", "r1"] }, [remove]],
    ["the same name twice", { asked: ["r1"], references: ["r1", "r1"] }, [remove]],
    ["a note nobody decided", { notes: ["n"] }, [remove]],
    ["a breakpoint nobody decided", { lifetimes: [300_000] }, [remove]],
    ["a binding nobody decided", { fields: [["block_binding", { prefix_mismatch_behavior: "drop_block" }]] }, [remove]],
    [
      "a binding twice",
      {
        fields: [
          ["block_binding", { prefix_mismatch_behavior: "drop_block" }],
          ["block_binding", { prefix_mismatch_behavior: "drop_block" }],
        ],
      },
      [{ kind: "drop-thinking" }],
    ],
    ["another binding", { fields: [["block_binding", {}]] }, [{ kind: "drop-thinking" }]],
  ] as readonly (readonly [string, Partial<Parts>, readonly Edit[]])[])("is refused as %s", (_, parts, edits) => {
    expect(faultIn(parts, ...edits)).toContain("untouched");
  });
});
