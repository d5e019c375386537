import type { RecordedBlock, RecordedMessage } from "../recording.ts";

/** What a request holds beside its messages. */
export interface BodyFrame {
  readonly sessionId: string | null;
  readonly systemText: string;
  /** JSON of the `tools` member. */
  readonly toolsJson: string;
  /** The client asks for cache entries that live an hour. */
  readonly isHourLong: boolean;
  /** The request asks for thinking. */
  readonly asksThinking: boolean;
}

const MAX_TOKENS = 32_000;
const THINKING = '"thinking":{"type":"enabled","budget_tokens":31999}';

/** Breakpoints on messages, as Claude Code sets them: the last block of the last two messages. */
const MESSAGE_BREAKPOINTS = 2;

const COMMA = Buffer.from(",");
const MESSAGE_END = Buffer.from("]}");
const BODY_END = Buffer.from("]}");
const OPENINGS = {
  user: Buffer.from('{"role":"user","content":['),
  assistant: Buffer.from('{"role":"assistant","content":['),
  system: Buffer.from('{"role":"system","content":['),
} as const;

/** The Messages body of one request: the frame, and the blocks' own bytes joined. */
export function buildBody(frame: BodyFrame, model: string | null, messages: readonly RecordedMessage[]): Uint8Array {
  const breakpoint = frame.isHourLong ? '{"type":"ephemeral","ttl":"1h"}' : '{"type":"ephemeral"}';
  const slices: Uint8Array[] = [Buffer.from(headOf(frame, model, breakpoint))];
  messages.forEach((message, index) => {
    if (index > 0) slices.push(COMMA);
    slices.push(OPENINGS[message.role]);
    const marksLast = index >= messages.length - MESSAGE_BREAKPOINTS;
    message.blocks.forEach((block, at) => {
      if (at > 0) slices.push(COMMA);
      const isLast = at === message.blocks.length - 1;
      if (marksLast && isLast && canCarryBreakpoint(block)) slices.push(...withBreakpoint(block, breakpoint));
      else slices.push(block.json);
    });
    slices.push(MESSAGE_END);
  });
  slices.push(BODY_END);
  return Buffer.concat(slices);
}

function headOf(frame: BodyFrame, model: string | null, breakpoint: string): string {
  const user = `user_${"0".repeat(64)}_account__session_${frame.sessionId ?? ""}`;
  const members = [
    ...(model === null ? [] : [`"model":${JSON.stringify(model)}`]),
    `"max_tokens":${MAX_TOKENS}`,
    '"stream":true',
    ...(frame.asksThinking ? [THINKING] : []),
    ...(frame.sessionId === null ? [] : [`"metadata":{"user_id":${JSON.stringify(user)}}`]),
    `"tools":${frame.toolsJson}`,
    `"system":[{"type":"text","text":${JSON.stringify(frame.systemText)},"cache_control":${breakpoint}}]`,
  ];
  return `{${members.join(",")},"messages":[`;
}

function canCarryBreakpoint(block: RecordedBlock): boolean {
  return block.kind !== "thinking" && block.kind !== "other";
}

function withBreakpoint(block: RecordedBlock, breakpoint: string): readonly Uint8Array[] {
  return [block.json.subarray(0, block.json.length - 1), Buffer.from(`,"cache_control":${breakpoint}}`)];
}
