import { type JsonNode, object } from "./json-text.ts";

/** What a client states beside its messages. */
export interface Frame {
  readonly system: string;
  /** Tools beside those of the session; `isDeferred`: only to be found when it is looked for. */
  readonly tool: { readonly name: string; readonly isDeferred: boolean } | null;
  readonly thinking: JsonNode | null;
  /** What the provider keeps cached messages apart by, as its documents tell; the same where they do not tell for every model. */
  readonly cache: string;
}

const SYSTEM = "You are Claude Code.\nWorking directory: /w\n";
const PLAIN = { system: SYSTEM, tool: null, thinking: null, cache: "plain" } as const;

/** Frames a client goes over to in mid-session: some keep its cache, some lose it. */
export const FRAMES = [
  PLAIN,
  { ...PLAIN, system: `${SYSTEM}Today's date: 2026-01-02\n`, cache: "system" },
  { ...PLAIN, tool: { name: "mcp__tracker__list", isDeferred: false }, cache: "tools" },
  { ...PLAIN, thinking: object({ type: "enabled", budget_tokens: { verbatim: "4000" } }), cache: "thinking 4000" },
  { ...PLAIN, thinking: object({ type: "enabled", budget_tokens: { verbatim: "8000" } }), cache: "thinking 8000" },
  { ...PLAIN, thinking: object({ type: "disabled" }) },
  { ...PLAIN, thinking: object({ type: "adaptive" }) },
  { ...PLAIN, tool: { name: "mcp__tracker__find", isDeferred: true } },
] as const satisfies readonly Frame[];
