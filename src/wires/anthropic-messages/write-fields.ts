import type { Script, ServerClear } from "../../model/edit.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import type { AnthropicSource } from "./source.ts";
import { bindingPlaceOf } from "./thinking-binding.ts";

/** Members that a request states nothing about yet. Of several edits of one kind the last counts. */
export function fieldSplices(source: AnthropicSource, script: Script): readonly Splice[] {
  const { fields } = source;
  const clears = script.flatMap((edit) => (edit.kind === "server-clear" ? [edit.clear] : []));
  const clear = clears.at(-1);
  const splices: Splice[] = [];
  if (clear !== undefined && !fields.hasContextManagement) {
    splices.push(insertion(fields.close, `,"context_management":${managementOf(clear)}`));
  }
  const close = script.some(({ kind }) => kind === "drop-thinking") ? bindingPlaceOf(source) : null;
  if (close !== null) splices.push(insertion(close, `,"block_binding":${DROP}`));
  return splices;
}

const DROP = '{"prefix_mismatch_behavior":"drop_block"}';

function managementOf({ triggerTokens, keepUses, clearTokensMin, exceptTools }: ServerClear): string {
  const edit = {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: triggerTokens },
    keep: { type: "tool_uses", value: keepUses },
    ...(clearTokensMin === null ? {} : { clear_at_least: { type: "input_tokens", value: clearTokensMin } }),
    ...(exceptTools.length === 0 ? {} : { exclude_tools: exceptTools }),
  };
  return JSON.stringify({ edits: [edit] });
}
