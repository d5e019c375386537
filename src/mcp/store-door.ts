import type { Keeper } from "../keeper/contract.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { failed, type ToolAnswer } from "./answer.ts";

/** A keeper with its store. */
export interface OpenStore {
  readonly keeper: Keeper;
  close(): Promise<void>;
}

/** A store that may be absent, locked or damaged when a server starts, and whole at a later call. */
export interface StoreDoor {
  /** Opens the store where it is not open. What keeps it closed is the answer. */
  use(ask: (keeper: Keeper) => Promise<ToolAnswer>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** A door to what `open` opens; `open` throws `EbbError`. A store that failed is opened anew at the next call. */
export function createStoreDoor(open: () => OpenStore): StoreDoor {
  let current: Room | null = null;
  return {
    async use(ask) {
      const room = current ?? enter(open);
      if ("failure" in room) return room;
      current = room;
      room.users += 1;
      try {
        const answer = await ask(room.store.keeper);
        if (answer.failure === "store unavailable" && current === room) current = null;
        return answer;
      } finally {
        room.users -= 1;
        if (current !== room && room.users === 0) await room.store.close();
      }
    },
    async close() {
      const last = current;
      current = null;
      if (last !== null && last.users === 0) await last.store.close();
    },
  };
}

/** An open store and the calls that use it; the last one to leave a store that failed closes it. */
interface Room {
  readonly store: OpenStore;
  users: number;
}

function enter(open: () => OpenStore): Room | ToolAnswer {
  try {
    return { store: open(), users: 0 };
  } catch (error) {
    if (!(error instanceof EbbError)) throw error;
    return failed("store unavailable", error.message);
  }
}
