import { describe, expect, it } from "vitest";
import { bash, EMPTY_TALK, edit, idle, read, user } from "../../test/support/conversation.ts";
import { ask, deletingKeeper, deletingProvider, deletionsIn } from "../../test/support/deleting-provider.ts";
import { CONTEXT, keep, order, release } from "../../test/support/orders.ts";

const file = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, line) => `const ${name}${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;

const first = read(user(EMPTY_TALK, "please fix a.ts"), "r0", "/w/c.ts", file("c", 600));
const second = read(first, "r1", "/w/a.ts", file("a", 300));
const edited = edit(second, "e1", "/w/a.ts");

/** A conversation in which the stale read of `a.ts` was deleted by the provider. */
async function deleted() {
  const ground = { keeper: deletingKeeper(), provider: deletingProvider() };
  for (const [index, talk] of [first, second, edited].entries()) await ask(ground, talk, { atMs: index * MINUTE });
  return ground;
}

describe("what the provider deleted", () => {
  it("is no part of the window any more, and the window says how it left", async () => {
    const { keeper } = await deleted();
    const answer = await keeper.window(CONTEXT);
    if (!answer.ok) throw new Error(answer.words);
    const [, item] = answer.items;
    expect(item).toMatchObject({
      label: "Read /w/a.ts lines 1-300",
      state: "released",
      left: "its file was modified later, through the provider's own deletion",
    });
  });

  it("comes back whole by its address, and the index of what left has it", async () => {
    const { keeper } = await deleted();
    const query = { tenant: "local", range: null, pattern: null, ignoreCase: false, chars: null, sessionId: null };
    const asked = { ...query, by: "agent", atMs: 9_000_000 } as const;
    const recalled = await keeper.recall({ ...asked, id: "r1" });
    if (!recalled.ok) throw new Error(recalled.words);
    expect(Buffer.from(recalled.raw).toString()).toContain("const a299");
    const index = await keeper.recall({ ...asked, id: "index" });
    if (!index.ok) throw new Error(index.words);
    expect(index.text).toContain(recalled.item?.address);
  });

  it("counts as released by its policy at the moment native, with nothing written again", async () => {
    const { keeper } = await deleted();
    const { released, figures, law_violations } = keeper.stats();
    expect(released).toMatchObject([{ policy: "readlifecycle", reason: "stale", moment: "native", count: 1 }]);
    expect(figures.unique_released_tokens).toBeGreaterThan(3_000);
    expect({ reanchored: figures.reanchored_tokens, law_violations }).toEqual({ reanchored: 0, law_violations: 0 });
  });

  it.each([
    ["whole", null],
    ["in part", "1-5"],
  ])("cannot be kept %s: the answer says so, and the requests go on as they were", async (_, range) => {
    const ground = await deleted();
    const answer = await order(ground.keeper, keep("r1", range));
    expect(JSON.stringify(answer)).toContain("the provider made it leave, and only it could put it back");
    const { sent } = await ask(ground, idle(edited, "i", 1), { atMs: 4 * MINUTE });
    expect(deletionsIn(sent)).toMatchObject([{ calls: ["r1"] }]);
    expect(sent).not.toContain('"content":"[ebb ');
  });
});

describe("what is let go on purpose", () => {
  it("leaves by a deletion as well, and costs nothing", async () => {
    const ground = await deleted();
    await order(ground.keeper, release("r0"));
    const { sent, usage, prepared } = await ask(ground, bash(edited, "s1", "ls", "x"), { atMs: 4 * MINUTE });
    expect(prepared.plan?.fresh).toMatchObject([{ reason: "let_go", moment: "native" }]);
    expect(deletionsIn(sent)).toMatchObject([
      { calls: ["r1"] },
      { calls: ["r0"], note: expect.stringContaining("it was let go on purpose") },
    ]);
    expect(usage?.cacheWriteTokens).toBeLessThan(400);
  });

  it("in part leaves a slice in its place, which no deletion can: it acts as everywhere else", async () => {
    const ground = await deleted();
    await order(ground.keeper, keep("r0", "1-5"));
    const { sent, prepared } = await ask(ground, bash(edited, "s1", "ls", "x"), { atMs: 4 * MINUTE });
    expect(prepared.plan?.fresh).toMatchObject([{ reason: "kept", moment: "deliberate" }]);
    expect(deletionsIn(sent)).toMatchObject([{ calls: ["r1"] }]);
  });
});
