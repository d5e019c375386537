import { z } from "zod";
import type { ToldBoundary } from "../keeper/boundary-note.ts";
import { oneLine } from "../lib/visible.ts";
import type { NotedBoundary } from "../model/noted-boundary.ts";

/** Ids and names of hooks are short; whatever is longer is none. */
const NAME_CHARS_MAX = 200;

const name = z.string().min(1).max(NAME_CHARS_MAX);

const eventSchema = z.discriminatedUnion("hook_event_name", [
  z.object({ hook_event_name: z.literal("SessionStart"), session_id: name, source: name }),
  z.object({ hook_event_name: z.literal("SessionEnd"), session_id: name, reason: name }),
  z.object({ hook_event_name: z.literal("PreCompact"), session_id: name, trigger: name }),
  z.object({ hook_event_name: z.literal("SubagentStop"), session_id: name, agent_id: name }),
]);

const STARTS: Readonly<Record<string, NotedBoundary>> = { resume: "resumed", clear: "cleared", compact: "compacted" };

/** What a hook of Claude Code tells, from the text it is given; null where that is no boundary, or nothing that is understood. */
export function toldBoundaryOf(text: string): ToldBoundary | null {
  const event = eventOf(text);
  if (event === null) return null;
  const { hook_event_name: hook, session_id: sessionId } = event;
  const about = { sessionId, agentId: null };
  switch (event.hook_event_name) {
    case "SessionStart": {
      const what = Object.hasOwn(STARTS, event.source) ? STARTS[event.source] : undefined;
      return what === undefined ? null : { what, source: `${hook} ${event.source}`, ...about };
    }
    case "SessionEnd":
      return event.reason === "clear" ? { what: "cleared", source: `${hook} clear`, ...about } : null;
    case "PreCompact":
      return { what: "compacting", source: `${hook} ${oneLine(event.trigger)}`, ...about };
    case "SubagentStop":
      return { what: "agent-stopped", source: hook, sessionId, agentId: event.agent_id };
  }
}

function eventOf(text: string): z.infer<typeof eventSchema> | null {
  try {
    const parsed = eventSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
