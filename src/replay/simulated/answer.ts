import { sha256Hex } from "../../lib/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import { blocksOf, systemBlocksOf, textsOf } from "./content.ts";
import { type PlannedCall, resolveCall } from "./intent.ts";
import { isObject, objectsOf, stringOf } from "./json.ts";
import type { Scenario, Script, ScriptStep } from "./scenario.ts";

/** What the simulated model says to one request. Ids depend on script, step and first user text alone. */
export interface Answer {
  readonly messageId: string;
  readonly thinking: string | null;
  readonly text: string | null;
  readonly calls: readonly (PlannedCall & { readonly id: string })[];
  readonly advanceMs: number;
}

const ID_CHARS = 24;
const SUMMARY_ASKED =
  /create a detailed summary of|summari[sz]e (?:the|this|our) conversation|respond with text only|do not (?:call|use) any tools/i;
const WORKDIR_STATED = /(?:^|\n)\s*(?:-\s*)?(?:Primary |Current )?working directory: *([^\n]+)/i;

/** Plans the answer from the request alone, so that retries, resumes and sub-agents are answered alike. */
export function planAnswer(scenario: Scenario, request: JsonObject): Answer {
  const messages = objectsOf(request.messages);
  const spoken = firstSpoken(messages);
  if (objectsOf(request.tools).length === 0) return plain("Simulated answer", [spoken, lastSpoken(messages)]);
  if (SUMMARY_ASKED.test(lastSpoken(messages))) {
    const text =
      "<analysis>Simulated.</analysis>\n<summary>\nSimulated summary of the conversation so far.\n</summary>";
    return plain(text, [spoken, "summary", stepOf(messages)]);
  }
  const script = scenario.scripts.find((one) => new RegExp(one.match, "s").test(spoken));
  if (script === undefined) return plain("No script matches this conversation.", [spoken, stepOf(messages)]);
  return play(script, stepOf(messages), { request, spoken, workdir: scenario.workdir ?? statedWorkdir(request) });
}

interface Conversation {
  readonly request: JsonObject;
  readonly spoken: string;
  readonly workdir: string | null;
}

function play(script: Script, step: number, conversation: Conversation): Answer {
  const planned: ScriptStep = script.steps[step] ?? { text: "Done." };
  const seed = [script, step, conversation.spoken];
  const resolved = (planned.tools ?? []).map((tool) => resolveCall(tool, conversation.request, conversation.workdir));
  const calls = resolved.flatMap((call, index) =>
    call === null ? [] : [{ ...call, id: `toolu_${idOf([...seed, index])}` }],
  );
  const missing = calls.length < resolved.length ? "The request offers no tool for this step." : "Done.";
  return {
    messageId: `msg_${idOf(seed)}`,
    thinking: planned.thinking ?? null,
    text: planned.text ?? (calls.length > 0 ? null : missing),
    calls,
    advanceMs: planned.advanceMs ?? 0,
  };
}

function plain(text: string, seed: readonly unknown[]): Answer {
  return { messageId: `msg_${idOf([text, ...seed])}`, thinking: null, text, calls: [], advanceMs: 0 };
}

function idOf(seed: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(seed)).slice(0, ID_CHARS);
}

/** Model answers the request already holds; neighbouring assistant messages are one. */
function stepOf(messages: readonly JsonObject[]): number {
  return messages.filter((message, index) => message.role === "assistant" && messages[index - 1]?.role !== "assistant")
    .length;
}

/** What a person wrote first: harness notes in tags are not theirs, unless there is nothing else. */
function firstSpoken(messages: readonly JsonObject[]): string {
  const texts = textsOf(messages.find((message) => message.role === "user"));
  const genuine = texts.filter((text) => !isHarnessNote(text));
  return (genuine.length > 0 ? genuine : texts).join("\n");
}

function lastSpoken(messages: readonly JsonObject[]): string {
  const last = messages.findLast((message) => message.role === "user" && hasText(message));
  return textsOf(last)
    .filter((text) => !isHarnessNote(text))
    .join("\n");
}

function hasText(message: JsonObject): boolean {
  return blocksOf(message.content).some((block) => block.type === "text" && !isHarnessNote(stringOf(block.text)));
}

function isHarnessNote(text: string): boolean {
  return /^\s*<(?:system-reminder|local-command|command-)/.test(text);
}

function statedWorkdir(request: JsonObject): string | null {
  const texts = [
    ...systemBlocksOf(request).map((block) => stringOf(block.text)),
    ...objectsOf(request.messages).slice(0, 3).flatMap(textsOf),
  ];
  for (const text of texts) {
    const path = WORKDIR_STATED.exec(text)?.[1]?.trim();
    if (path !== undefined && path !== "") return path;
  }
  return null;
}

/** What the client gets to see of a thinking text: null where it asks for no thinking, "" where it wants none shown. */
export function shownThinking(request: JsonObject, thinking: string): string | null {
  if (!isObject(request.thinking) || request.thinking.type === "disabled") return null;
  return request.thinking.display === "omitted" ? "" : thinking;
}
