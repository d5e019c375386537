/** What a client tells of one of its conversations: it went on again, was left, is about to be compacted, was, or its sub-agent ended. */
export type NotedBoundary = "resumed" | "cleared" | "compacting" | "compacted" | "agent-stopped";
