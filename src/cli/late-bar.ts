import { SingleBar } from "cli-progress";

/** A bar appears only for work that takes longer. */
const BAR_AFTER_MS = 1_000;

/** Shows how far a long work is. */
export interface LateBar {
  /** There is more to do. */
  expect(more: number): void;
  advance(more: number): void;
  stop(): void;
}

/** A bar of `first` units, or more, that appears only for work of more than a second, and only on a terminal. */
export function createLateBar(stream: NodeJS.WriteStream | null, first = 0): LateBar {
  if (stream === null || !stream.isTTY) return { expect: () => {}, advance: () => {}, stop: () => {} };
  const bar = new SingleBar({
    stream,
    format: "{bar} {percentage} %  about {eta_formatted} left",
    clearOnComplete: true,
  });
  const beganMs = Date.now();
  let total = first;
  let done = 0;
  let isShown = false;
  return {
    expect(more) {
      total += more;
      if (isShown) bar.setTotal(total);
    },
    advance(more) {
      done += more;
      if (!isShown && Date.now() - beganMs > BAR_AFTER_MS) {
        bar.start(total, done);
        isShown = true;
      } else if (isShown) bar.update(done);
    },
    stop() {
      if (isShown) bar.stop();
    },
  };
}
