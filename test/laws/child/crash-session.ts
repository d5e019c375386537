import type { Session } from "../client/moves.ts";

/** A session in which results leave at first send and on a cold cache: stale, and over the bound. */
export const crashSession: Session = {
  setting: {
    staleAtDepth: false,
    quietSteps: 0,
    pays: false,
    markerMode: "full",
    ttl: "5m",
    model: 0,
    isTabbed: false,
    hasShell: true,
  },
  moves: [
    {
      kind: "work",
      thread: 0,
      uses: [{ tool: "read", path: 0, window: 0, size: 18, flavour: "hostile", shape: "two-blocks", end: "ok" }],
      thinks: true,
    },
    { kind: "work", thread: 0, uses: [{ tool: "edit", path: 0, end: "ok" }], thinks: false },
    { kind: "pause", minutes: 7 },
    {
      kind: "work",
      thread: 0,
      uses: [{ tool: "bash", command: 0, size: 31, flavour: "scripts", shape: "block", end: "failed" }],
      thinks: false,
    },
    {
      kind: "work",
      thread: 0,
      uses: [
        { tool: "read", path: 1, window: 1, size: 18, flavour: "scripts", shape: "string", end: "ok" },
        { tool: "edit", path: 1, end: "ok" },
      ],
      thinks: true,
    },
    { kind: "ask", thread: 0, form: "text" },
  ],
  seed: 4,
};
