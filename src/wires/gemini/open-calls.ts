import type { Placement } from "../shared/placement.ts";
import type { UnplacedItem } from "../shared/seed.ts";

/** Calls of the model's last message that nothing answers yet. Each step takes the same time, however many there are. */
export interface OpenCalls {
  /** Another message of the model begins. */
  clear(): void;
  /** A call of that message; every other item is passed over. */
  ask(item: UnplacedItem): void;
  /** A result that names its call; every other item is passed over. */
  answer(item: UnplacedItem): void;
  /** Id of the first open call of a function, which is then answered; null without one. */
  take(name: string): string | null;
}

/** The calls that are open at the end of a placement. */
export function openCallsAt({ messages, items }: Placement): OpenCalls {
  const open = createOpenCalls();
  const message = messages.findLast(({ role }) => role === "assistant");
  if (message === undefined) return open;
  for (const item of items.slice(message.itemStart, message.itemEnd)) open.ask(item);
  for (const item of items.slice(message.itemEnd)) open.answer(item);
  return open;
}

function createOpenCalls(): OpenCalls {
  /** By function; `next` is the first that may be open. */
  const asked = new Map<string, { readonly ids: string[]; next: number }>();
  const answered = new Set<string>();
  return {
    clear() {
      asked.clear();
      answered.clear();
    },
    ask(item) {
      if (item.kind !== "call") return;
      const calls = asked.get(item.name);
      if (calls === undefined) asked.set(item.name, { ids: [item.callId], next: 0 });
      else calls.ids.push(item.callId);
    },
    answer(item) {
      if (item.kind === "result") answered.add(item.callId);
    },
    take(name) {
      const calls = asked.get(name);
      while (calls !== undefined && calls.next < calls.ids.length) {
        const callId = calls.ids[calls.next++];
        if (callId === undefined || answered.has(callId)) continue;
        answered.add(callId);
        return callId;
      }
      return null;
    },
  };
}
