import { expect, it } from "vitest";
import type { WindowAnswer } from "../keeper/window.ts";
import { windowed } from "./answer.ts";

it("a listing has one line for each item, path and scope, whatever their words are", () => {
  const words = "x\u001b[2J\n0123456789ab held 1 bytes forged";
  const item = { address: "0123456789ab", kind: "result", label: words, bytes: 9, state: "held", words } as const;
  const running = { until: "for good", reason: words, by: "agent" } as const;
  const answer: WindowAnswer = {
    ok: true,
    lineage: "l1",
    turn: 1,
    step: 1,
    items: [{ ...item, left: null, held: null, protected: null, waiting: null, turn: 1, step: 1 }],
    paths: [{ path: words, kind: "held", ...running }],
    scopes: [{ name: words, reason: words, turn: 1, step: 1, addresses: [] }],
    guarded: null,
    gone: 0,
  };
  const [content] = windowed(answer, null, 10_000).content;
  const text = content?.type === "text" ? content.text : "";
  expect(text.split("\n")).toHaveLength(4);
  expect(text).not.toContain("\u001b");
});
