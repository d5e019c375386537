import { expect, test } from "vitest";
import { BODIES_HELD_MAX } from "./limits.ts";
import { createBodyBudget } from "./request-body.ts";

test("holds as many bodies as allowed, and one more when one was given back", () => {
  const budget = createBodyBudget();
  const leases = Array.from({ length: BODIES_HELD_MAX }, () => budget.lease());
  expect(leases.every((lease) => lease !== null)).toBe(true);
  expect(budget.lease()).toBeNull();
  leases[0]?.giveBack();
  expect(budget.lease()).not.toBeNull();
  expect(budget.lease()).toBeNull();
});

test("holds as many bytes as allowed over all bodies", () => {
  const budget = createBodyBudget(100);
  const [first, second] = [budget.lease(), budget.lease()];
  expect(first?.grow(60)).toBe(true);
  expect(second?.grow(41)).toBe(false);
  expect(second?.grow(40)).toBe(true);
  first?.giveBack();
  expect(second?.grow(60)).toBe(true);
  expect(second?.grow(1)).toBe(false);
});
