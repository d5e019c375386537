import { expect, test } from "vitest";
import { anthropicProvider } from "../providers/anthropic.ts";
import { withStatedModels } from "../providers/stated-models.ts";
import { withoutCacheDeletion } from "../providers/without-cache-deletion.ts";
import { toCacheEditsAdapter } from "./cache-edits-option.ts";
import { readConfigText } from "./config-file.ts";

const NAMES = "block_type: b, edits_member: e, delete_type: d, reference_member: r";

function issuesOf(stated: string): readonly string[] {
  const { issues } = readConfigText(`cache_edits: ${stated}`, "f");
  return issues.map(({ where, words }) => `${where}: ${words}`);
}

test.each([`{ ${NAMES} }`, `{ ${NAMES}, text_behind: true, beta_header: some-name-2026-01-01 }`, "null"])(
  "a form of cache edits is stated by its names: %s",
  (stated) => expect(issuesOf(stated)).toEqual([]),
);

test("junk is refused, with what was expected and what came", () => {
  expect(issuesOf("true")[0]).toContain("expected { block_type, edits_member, delete_type, reference_member }");
  expect(issuesOf("{ block_type: b }")).toHaveLength(3);
  expect(issuesOf(`{ ${NAMES}, text_behind: 1 }`)[0]).toContain(
    "cache_edits.text_behind: expected true or false, got 1",
  );
  expect(issuesOf(`{ ${NAMES}, beta_header: "a,b" }`)[0]).toContain("one value of the header anthropic-beta");
  expect(issuesOf(`{ ${NAMES}, other: 1 }`)[0]).toContain("cache_edits.other: unknown key");
  expect(issuesOf(`{ ${NAMES.replace("b,", '" ",')} }`)[0]).toContain("cache_edits.block_type: expected a name");
});

test("what is left out of a form is not needed by it", () => {
  const names = { block_type: "b", edits_member: "e", delete_type: "d", reference_member: "r" };
  const adapter = { blockType: "b", editsMember: "e", deleteType: "d", referenceMember: "r" };
  expect(toCacheEditsAdapter(null)).toBe(null);
  expect(toCacheEditsAdapter(names)).toEqual({ ...adapter, needsTextBehind: false, betaHeader: null });
  expect(toCacheEditsAdapter({ ...names, text_behind: true, beta_header: "h" })).toEqual({
    ...adapter,
    needsTextBehind: true,
    betaHeader: "h",
  });
});

test("without a form no model deletes from its cache, whatever is stated of it", () => {
  const stated = withStatedModels(anthropicProvider, [{ name: "claude-opus-4-8", deletesInCache: true }]);
  expect(stated.modelFacts("claude-opus-4-8").deletesInCache).toBe(true);
  expect(withoutCacheDeletion(stated).modelFacts("claude-opus-4-8")).toEqual(
    anthropicProvider.modelFacts("claude-opus-4-8"),
  );
});
