import { expect, test } from "vitest";
import { resolveFrom } from "../config/resolve.ts";
import type { Io } from "./io.ts";
import { replaySettingsOf } from "./replay-settings.ts";

test("what every replayed keeper would say of a model is said once, and what follows of the first; every error each time", () => {
  const said: string[] = [];
  const place = { env: {}, cwd: "/none", home: "/none", platform: "linux" } as const;
  const io = { place, err: (text: string) => said.push(text) } as unknown as Io;
  const { onError } = replaySettingsOf(resolveFrom(null, new Map(), place), io).keeper;
  const words = (name: string): string => `${name} is not on record: the rest`;
  for (const name of ["a", "b", "a"]) onError("unknown_model", words(name));
  for (const failure of ["c", "c"]) onError("internal", failure);
  expect(said).toEqual([
    "ebb: a is not on record: the rest (unknown_model)\n",
    "ebb: b is not on record either (unknown_model)\n",
    "ebb: c (internal)\n",
    "ebb: c (internal)\n",
  ]);
});
