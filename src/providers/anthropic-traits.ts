/** Models that take messages of role `system` between the others, by `family version`. */
export const SYSTEM_MESSAGE_MODELS: ReadonlySet<string> = new Set([
  "fable 5.2",
  "fable 5.1",
  "fable 5.0",
  "mythos 5.2",
  "mythos 5.1",
  "mythos 5.0",
  "opus 5.5",
  "opus 5.0",
  "opus 4.8",
  "sonnet 5.5",
  "haiku 5.5",
]);

/** Models that forget the thinking of earlier turns as soon as the user speaks again, by `family version`. */
export const FORGETTING_MODELS: ReadonlySet<string> = new Set([
  "opus 4.1",
  "opus 4.0",
  "opus 3.0",
  "sonnet 4.5",
  "sonnet 4.0",
  "sonnet 3.7",
  "sonnet 3.5",
  "sonnet 3.0",
  "haiku 4.5",
  "haiku 3.5",
  "haiku 3.0",
]);
