import type { Wire } from "../model/ports.ts";
import type { RecordedContext, Recording } from "./recording.ts";

/** The wire of that name; null where there is none. */
export function wireNamed(name: string, wires: readonly Wire[]): Wire | null {
  return wires.find((wire) => wire.name === name) ?? null;
}

/** Says why requests of a format cannot be read here. */
export function unknownWireWords(name: string): string {
  return `its requests are in the format ${name}, which is none of the wires here`;
}

/** The part of a recording that the wires read; null and why where that is nothing. */
export function readableBy(
  recording: Recording,
  wires: readonly Wire[],
): { readonly ok: true; readonly recording: Recording } | { readonly ok: false; readonly words: string } {
  const isReadable = ({ wire }: RecordedContext): boolean => wireNamed(wire, wires) !== null;
  const contexts = recording.contexts.filter(isReadable);
  const left = recording.contexts.filter((context) => !isReadable(context));
  const [first] = left;
  if (first === undefined) return { ok: true, recording };
  if (contexts.length === 0) return { ok: false, words: unknownWireWords(first.wire) };
  const problems = left.map(({ id, wire }) => ({ line: 0, words: `${id}: ${unknownWireWords(wire)}` }));
  return { ok: true, recording: { ...recording, contexts, problems: [...recording.problems, ...problems] } };
}
