import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { CONTEXT, FILE, order, release } from "../../test/support/orders.ts";

const start = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
const MAKE_LIKE = "[ebb 0000000000zz] Read /w/a.ts, 9 lines, 9 bytes: only this view was shortened.";

/** A keeper that released `r1`, and the marker that stands for it. */
async function released() {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(start));
  await order(keeper, release("r1"));
  const marker = String(resultIn(await send(keeper, bodyOf(bash(start, "b1", "ls", "x"))), "r1"));
  const address = /^\[ebb (\w{12})\]/.exec(marker)?.[1] ?? "";
  return { keeper, marker, address };
}

function echoing(text: string): Talk {
  return results(assistant(user(EMPTY_TALK, "look"), call("r1", "Read", { file_path: "/w/a.ts" })), result("r1", text));
}

describe("a result that comes in as a marker", () => {
  it("of this store is known: it is no original, no item of its own, and stays as it is", async () => {
    const { keeper, marker, address } = await released();
    const echo = echoing(marker);
    for (const talk of [echo, bash(echo, "b2", "ls", "y")]) {
      expect(resultIn(await send(keeper, bodyOf(talk), { sessionId: "echo" }), "r1")).toBe(marker);
    }
    const window = await keeper.window({ ...CONTEXT, sessionId: "echo" });
    expect(window.ok && window.items.map(({ label }) => label)).toEqual(["Bash ls"]);
    const records = await keeper.store.loadLineage("local", window.ok ? window.lineage : "");
    const echoes = records.flatMap(({ entry }) => (entry.type === "marker-echoed" ? [entry.address] : []));
    expect(echoes).toEqual([address]);
  });

  it("of this store is released by nothing, a bound of two lines included", async () => {
    const { keeper, marker } = await released();
    const strict = createTestKeeper({ store: keeper.store, idPrefix: "strict", bound: { lines: 0, bytes: 10 } });
    const sent = await send(strict, bodyOf(echoing(marker)), { sessionId: "echo" });
    expect(resultIn(sent, "r1")).toBe(marker);
    expect(strict.stats().declined.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["already_marked"]));
  });

  it.each([
    ["no store knows", () => MAKE_LIKE],
    ["differs from the one that was written", (marker: string) => `${marker} and more`],
    ["stands in a longer text", (marker: string) => `the log says:\n${marker}`],
  ])("that %s is text like any other", async (_, textOf) => {
    const { keeper, marker } = await released();
    const sent = textOf(marker);
    expect(resultIn(await send(keeper, bodyOf(echoing(sent)), { sessionId: "echo" }), "r1")).toBe(sent);
    const window = await keeper.window({ ...CONTEXT, sessionId: "echo" });
    expect(window.ok && window.items.length).toBe(1);
  });

  it("of another tenant is text", async () => {
    const { keeper, marker } = await released();
    await send(keeper, bodyOf(echoing(marker)), { tenant: "other", sessionId: "echo" });
    const window = await keeper.window({ ...CONTEXT, tenant: "other", sessionId: "echo" });
    expect(window.ok && window.items.length).toBe(1);
  });
});

describe("a call that would write a marker into a file", () => {
  const writing = (talk: Talk, name: string, input: Readonly<Record<string, unknown>>) =>
    results(assistant(talk, call("w1", name, input)), result("w1", "done"));

  it.each([
    ["Write", (marker: string) => ({ file_path: "/w/notes.md", content: `# notes\n${marker}\n` })],
    ["Edit", (marker: string) => ({ file_path: "/w/a.ts", old_string: "a", new_string: marker })],
    ["Bash", (marker: string) => ({ command: `cat > notes.md <<'EOF'\n${marker}\nEOF` })],
  ])("by %s is counted once and left as it is", async (name, inputOf) => {
    const { keeper, marker } = await released();
    const talk = writing(bash(start, "b1", "ls", "x"), name, inputOf(marker));
    const sent = await send(keeper, bodyOf(talk));
    expect(sent).toContain(JSON.stringify(inputOf(marker)));
    await send(keeper, bodyOf(bash(talk, "b2", "ls", "y")));
    expect(keeper.stats().marker_writes).toBe(1);
  });

  it.each([
    ["names an address that no store knows", "Write", () => ({ file_path: "/w/n.md", content: MAKE_LIKE })],
    ["only looks for one", "Bash", (marker: string) => ({ command: `grep -F '${marker.slice(0, 18)}' notes.md` })],
    ["reads a file of that name", "Read", (marker: string) => ({ file_path: marker.slice(0, 18) })],
  ])("is not one that %s", async (_, name, inputOf) => {
    const { keeper, marker } = await released();
    await send(keeper, bodyOf(writing(bash(start, "b1", "ls", "x"), name, inputOf(marker))));
    expect(keeper.stats().marker_writes).toBe(0);
  });
});
