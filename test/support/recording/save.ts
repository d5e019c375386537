import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanRequests, cleanTranscript } from "./clean.ts";
import type { Recording } from "./record.ts";
import { SITUATIONS } from "./situations.ts";

/** Transcripts worth keeping beside the requests: those whose shape differs from a plain conversation. */
const TRANSCRIPTS = new Set(["changed-between-turns", "child", "compaction", "interrupted"]);

/** Versions recorded only for what they alone do. */
const PARTLY_KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  "2.0.75": new Set(SITUATIONS.map((each) => each.name).filter((name) => name !== "tool-server")),
  "2.1.96": new Set(["read-again", "read-large", "shell-changes", "child", "failed-calls"]),
};

/** Writes the cleaned form of a recording below a fixtures folder. */
export function save(recording: Recording, fixtures: string): void {
  if (PARTLY_KEPT[recording.clientVersion]?.has(recording.situation) === false) return;
  const folder = join(fixtures, "claude-code", recording.clientVersion);
  mkdirSync(folder, { recursive: true });
  const requests = cleanRequests(recording);
  writeFileSync(
    join(folder, `${recording.situation}.json`),
    `[\n${requests.map((each) => JSON.stringify(each)).join(",\n")}\n]\n`,
  );
  if (recording.clientVersion === "2.1.96" || !TRANSCRIPTS.has(recording.situation)) return;
  const sessions = join(fixtures, "sessions-recorded", recording.clientVersion, recording.situation);
  mkdirSync(sessions, { recursive: true });
  const files = Object.entries(recording.transcripts).filter(([, text]) => text.includes('"assistant"'));
  files.forEach(([path, text], index) => {
    const kind = path.includes("agent-") ? "agent" : "main";
    writeFileSync(join(sessions, `${kind}-${index + 1}.jsonl`), cleanTranscript(recording, text));
  });
}
