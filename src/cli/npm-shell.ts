/** Names under which npm runs a program that serves: `npm start`, and `npx`. */
const SERVING_EVENTS = new Set(["start", "npx"]);
const LOOK_EVERY_MS = 500;

/**
 * Calls `onEnd` once when npm runs this process and the shell between the two ends. npm sends a signal to that shell
 * alone, and the shell ends without passing it on. Never keeps the process alive.
 */
export function watchNpmShell(onEnd: () => void): void {
  if (!SERVING_EVENTS.has(process.env.npm_lifecycle_event ?? "")) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    onEnd();
  }, LOOK_EVERY_MS);
  timer.unref();
}
