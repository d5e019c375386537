import { expect, test } from "vitest";
import { type CheckCause, causeOf, type Difference } from "./cache-causes.ts";

const FULL: Difference = {
  place: "request",
  predicted: 50_000,
  read: 50_000,
  isWrittenSize: false,
  isFirstOfFile: false,
  firstPrompt: 20_000,
  prompt: 52_000,
  promptBefore: 51_000,
  hasGrown: true,
  hasOtherImages: false,
  head: 10_000,
};

test.each<[string, Partial<Difference>, CheckCause]>([
  [
    "what was cached before the file began",
    { isFirstOfFile: true, place: "nothing", predicted: 0, read: 9_000 },
    "before-recording",
  ],
  ["a head that another conversation wrote", { place: "nothing", predicted: 0, read: 9_000 }, "other-conversation"],
  ["a head of unknown size", { place: "head", predicted: 15_000, read: 9_000, head: null }, "head-size"],
  ["a head that is not the first one", { place: "head", predicted: 10_000, read: 12_000 }, "tools-changed"],
  ["a head that is gone", { read: 4_000 }, "tools-changed"],
  ["a read of what no recorded request wrote", { read: 51_500 }, "hidden-request"],
  [
    "the same after a change that breaks the prefix",
    { place: "head", predicted: 10_000, read: 51_500 },
    "hidden-request",
  ],
  ["another number of images", { hasOtherImages: true, read: 51_500 }, "image"],
  ["a prompt that shrank while its log grew", { read: 30_000, prompt: 31_000 }, "client-event"],
  ["a read of what was written and should be lost", { read: 51_500, isWrittenSize: true }, "unknown"],
  ["nothing that shows", { read: 10_000 }, "unknown"],
])("%s", (_, change, cause) => {
  expect(causeOf({ ...FULL, ...change })).toBe(cause);
});

test("a prompt that shrank because its log did is no event of the client", () => {
  expect(causeOf({ ...FULL, read: 30_000, prompt: 31_000, hasGrown: false })).toBe("unknown");
});
