/** What an agent is told where only its first request counts. */
export const PROBE_PROMPT = "Say OK and nothing else.";
