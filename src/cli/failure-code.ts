/** The code under which the system reports a failure. Throws what carries none: that is our own mistake. */
export function codeOf(failure: unknown): string {
  if (failure instanceof Error && "code" in failure && typeof failure.code === "string") return failure.code;
  throw failure;
}
