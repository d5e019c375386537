import type { JsonObject } from "../../model/json.ts";
import { blocksOf } from "./content.ts";
import { stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** What is wrong between tool calls and their results; null when every call has its result in its place. */
export function refusePairing(messages: readonly JsonObject[]): Refusal | null {
  const runs = runsOf(messages);
  const called = new Set<string>();
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    const refusal =
      run.role === "assistant"
        ? (refuseRepeatedCall(run, called) ?? refuseOpenCalls(run, runs[index + 1]))
        : refuseResults(run, before?.role === "assistant" ? callsOf(before) : []);
    if (refusal !== null) return refusal;
  }
  return null;
}

interface Placed {
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly block: JsonObject;
}

/** Neighbouring messages of one role are one turn to the provider. */
interface Run {
  readonly role: string;
  readonly blocks: readonly Placed[];
}

function runsOf(messages: readonly JsonObject[]): readonly Run[] {
  const runs: { role: string; blocks: Placed[] }[] = [];
  for (const [messageIndex, message] of messages.entries()) {
    const role = stringOf(message.role);
    const placed = blocksOf(message.content).map((block, blockIndex) => ({ messageIndex, blockIndex, block }));
    const last = runs.at(-1);
    if (last?.role === role) last.blocks.push(...placed);
    else runs.push({ role, blocks: placed });
  }
  return runs;
}

function callsOf(run: Run): readonly string[] {
  return run.blocks.filter(({ block }) => block.type === "tool_use").map(({ block }) => stringOf(block.id));
}

function refuseRepeatedCall(run: Run, called: Set<string>): Refusal | null {
  for (const { messageIndex, blockIndex, block } of run.blocks) {
    if (block.type !== "tool_use") continue;
    const id = stringOf(block.id);
    if (called.has(id)) {
      return invalid(`messages.${messageIndex}.content.${blockIndex}: \`tool_use\` ids must be unique: ${id}`);
    }
    called.add(id);
  }
  return null;
}

/** Results must come first in the next user turn: text before them separates them from their calls. */
function refuseOpenCalls(run: Run, next: Run | undefined): Refusal | null {
  const leading: string[] = [];
  for (const { block } of next?.role === "user" ? next.blocks : []) {
    if (block.type !== "tool_result") break;
    leading.push(stringOf(block.tool_use_id));
  }
  const open = callsOf(run).filter((id) => !leading.includes(id));
  if (open.length === 0) return null;
  const at = run.blocks.find(({ block }) => block.type === "tool_use" && block.id === open[0])?.messageIndex ?? 0;
  return invalid(
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block needs its \`tool_result\` block at the head of the next message.`,
  );
}

function refuseResults(run: Run, calls: readonly string[]): Refusal | null {
  const answered = new Set<string>();
  for (const { messageIndex, blockIndex, block } of run.blocks) {
    if (block.type !== "tool_result") continue;
    const id = stringOf(block.tool_use_id);
    const path = `messages.${messageIndex}.content.${blockIndex}`;
    if (!calls.includes(id)) {
      return invalid(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. The message before it holds no such \`tool_use\` block.`,
      );
    }
    if (answered.has(id)) {
      return invalid(`${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks: ${id}`);
    }
    answered.add(id);
  }
  return null;
}
