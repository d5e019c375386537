import type { JsonObject } from "../../../src/model/json.ts";

/** A response as a client of a stream has it. */
export interface ClientResponse {
  /** As the events of its items told it. */
  readonly items: readonly JsonObject[];
  /** As its last event told it. */
  readonly response: JsonObject;
}

interface Told {
  readonly type: string;
  readonly sequence_number?: number;
  readonly output_index?: number;
  readonly item?: JsonObject;
  readonly response?: JsonObject;
}

interface State {
  id: unknown;
  next: number;
  isOpen: boolean;
  readonly items: JsonObject[];
  response: JsonObject | null;
}

const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/**
 * Reads a stream as a strict client does: one response, its events numbered and its items placed from 0 without a gap, each whole
 * before the next, then how it ended. Throws at anything else.
 */
export function readResponse(stream: string): ClientResponse {
  const state: State = { id: null, next: 0, isOpen: false, items: [], response: null };
  for (const [name, data] of eventsIn(stream)) {
    const told: Told = JSON.parse(data);
    if (name !== "message" && name !== told.type) throw new Error(`${name} tells ${told.type}`);
    if (told.type === "keepalive") continue;
    if (state.response !== null) throw new Error(`${told.type} behind the end`);
    if (told.sequence_number !== state.next) throw new Error(`event ${told.sequence_number} in place of ${state.next}`);
    state.next += 1;
    take(state, told);
  }
  if (state.response === null) throw new Error("the response does not end");
  return { items: state.items, response: state.response };
}

function take(state: State, told: Told): void {
  if (told.type === "error") throw new Error(`error: ${JSON.stringify(told)}`);
  if (told.response !== undefined) {
    if ((told.type === "response.created") !== (state.id === null)) throw new Error(`${told.type} does not fit`);
    state.id ??= told.response.id;
    if (told.response.id !== state.id) throw new Error(`another response: ${JSON.stringify(told.response.id)}`);
    if (ENDS.has(told.type)) state.response = told.response;
  }
  if (told.output_index === undefined) return;
  const isAdded = told.type === "response.output_item.added";
  const expected = state.items.length - (isAdded ? 0 : 1);
  if (told.output_index !== expected || state.isOpen === isAdded) {
    throw new Error(`${told.type} of item ${told.output_index} does not fit`);
  }
  if (isAdded) state.items.push(told.item ?? {});
  if (told.type === "response.output_item.done") state.items[expected] = told.item ?? {};
  state.isOpen = told.type !== "response.output_item.done";
}

function eventsIn(stream: string): readonly (readonly [string, string])[] {
  const groups = stream.split(/\r\n\r\n|\n\n|\r\r/).map((group) => group.split(/\r\n|\n|\r/));
  return groups.flatMap((lines) => {
    const valuesOf = (field: string) =>
      lines.flatMap((line) => (line.startsWith(`${field}: `) ? [line.slice(field.length + 2)] : []));
    const data = valuesOf("data");
    return data.length === 0 ? [] : [[valuesOf("event")[0] ?? "message", data.join("\n")] as const];
  });
}
