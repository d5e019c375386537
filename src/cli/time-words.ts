/** A time for people, to the minute, with its zone. */
export function timeWords(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** How long something took, in its two largest units at most. */
export function durationWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** What a pause means, for a greeting and the figures. */
export function pausedLine(sinceMs: number | null): string {
  const since = sinceMs === null ? "" : ` since ${timeWords(sinceMs)}`;
  return `Paused${since}: nothing new is decided, what was sent is repeated; \`ebb resume\` ends it`;
}
