import { expect, test } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  numbered,
  result,
  results,
  type Talk,
  user,
} from "../support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../support/keeper.ts";

const CONTENT = numbered(Array.from({ length: 60 }, (_, line) => `const value${line} = ${line};`).join("\n"));

function readOf(path: string, words: string): Talk {
  return results(
    assistant(user(EMPTY_TALK, words), call("call_1", "Read", { file_path: path })),
    result("call_1", CONTENT),
  );
}

test("what one session read under a call id says nothing of another session's call of that id", async () => {
  const keeper = createTestKeeper({ lifecycle: { staleAtDepth: true } });
  await send(keeper, bodyOf(readOf("/w/a.ts", "one")), { sessionId: "one" });
  const other = edit(readOf("/w/b.ts", "two"), "call_2", "/w/a.ts");
  expect(resultIn(await send(keeper, bodyOf(other), { sessionId: "two" }), "call_1")).toBe(CONTENT);
  const own = edit(readOf("/w/a.ts", "one"), "call_2", "/w/a.ts");
  expect(resultIn(await send(keeper, bodyOf(own), { sessionId: "one" }), "call_1")).toContain("modified later");
});
