import { describe, expect, it } from "vitest";
import { recallChannelOf } from "./recall-channel.ts";

const OTHERS = ["Read", "Bash", "ebb_window"];

describe("the way back of a request", () => {
  it.each([
    "mcp__ebb__recall",
    "ebb_recall",
    "ebb__recall",
    "ebb.recall",
    "ebb/recall",
    "ebb-recall",
    "mcp__plugin_ebb_ebb__recall",
    "mcp__ebb-dev__recall",
  ])("is the tool %s, before any shell", (name) => {
    expect(recallChannelOf([...OTHERS, name], "ebb recall")).toEqual({ kind: "tool", name });
  });

  it.each([
    "recall",
    "mcp__memory__recall",
    "webb_recall",
    "ebbs__recall",
    "ebb__recall_all",
    "ebb__recaller",
    "recall__ebb",
    "mcp__ebb__hold",
    "ebb recall",
    "ebb\n__recall",
    `${"x".repeat(120)}__ebb__recall`,
  ])("is not the tool %j", (name) => {
    expect(recallChannelOf([...OTHERS, name], "ebb recall")).toEqual({ kind: "command", command: "ebb recall" });
    expect(recallChannelOf([name], null)).toEqual({ kind: "none" });
  });
});
