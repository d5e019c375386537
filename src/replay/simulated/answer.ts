import { sha256Hex } from "../../lib/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import { type PlannedCall, resolveCall } from "./intent.ts";
import { isObject } from "./json.ts";
import { sampleOf } from "./sample.ts";
import type { Scenario, Script, ScriptStep } from "./scenario.ts";
import type { Talk } from "./talk.ts";

/** What the simulated model says to one request. Ids depend on script, step and first user text alone. */
export interface Answer {
  /** Of the answer, in hexadecimal. */
  readonly id: string;
  readonly thinking: string | null;
  readonly text: string | null;
  readonly calls: readonly (PlannedCall & { readonly id: string })[];
  readonly advanceMs: number;
}

const ID_CHARS = 24;
const SUMMARY_ASKED =
  /create a detailed summary of|summari[sz]e (?:the|this|our) conversation|respond with text only|do not (?:call|use) any tools|context checkpoint compaction|<state_snapshot>/i;

/** Plans the answer from the request alone, so that retries, resumes and sub-agents are answered alike. */
export function planAnswer(scenario: Scenario, talk: Talk): Answer {
  const { firstSpoken, lastSpoken, stepCount } = talk;
  if (talk.answerSchema !== null) {
    const text = JSON.stringify(sampleOf(talk.answerSchema));
    return plain(text, [firstSpoken, lastSpoken, stepCount]);
  }
  if (talk.tools.length === 0) return plain("Simulated answer", [firstSpoken, lastSpoken]);
  if (SUMMARY_ASKED.test(lastSpoken)) {
    const text =
      "<analysis>Simulated.</analysis>\n<summary>\nSimulated summary of the conversation so far.\n</summary>";
    return plain(text, [firstSpoken, "summary", stepCount]);
  }
  const script = scenario.scripts.find((one) => new RegExp(one.match, "s").test(firstSpoken));
  if (script === undefined) return plain("No script matches this conversation.", [firstSpoken, stepCount]);
  return play(script, talk, scenario.workdir ?? talk.workdir);
}

function play(script: Script, talk: Talk, workdir: string | null): Answer {
  const step = talk.stepCount;
  const planned: ScriptStep = script.steps[step] ?? { text: "Done." };
  const seed = [script, step, talk.firstSpoken];
  const resolved = (planned.tools ?? []).map((tool) => resolveCall(tool, talk, workdir));
  const calls = resolved.flatMap((call, index) => (call === null ? [] : [{ ...call, id: idOf([...seed, index]) }]));
  const missing = calls.length < resolved.length ? "The request offers no tool for this step." : "Done.";
  return {
    id: idOf(seed),
    thinking: planned.thinking ?? null,
    text: planned.text ?? (calls.length > 0 ? null : missing),
    calls,
    advanceMs: planned.advanceMs ?? 0,
  };
}

function plain(text: string, seed: readonly unknown[]): Answer {
  return { id: idOf([text, ...seed]), thinking: null, text, calls: [], advanceMs: 0 };
}

function idOf(seed: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(seed)).slice(0, ID_CHARS);
}

/** What the client gets to see of a thinking text: null where it asks for no thinking, "" where it wants none shown. */
export function shownThinking(request: JsonObject, thinking: string): string | null {
  if (!isObject(request.thinking) || request.thinking.type === "disabled") return null;
  return request.thinking.display === "omitted" ? "" : thinking;
}
