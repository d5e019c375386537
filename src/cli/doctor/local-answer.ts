/** What an address of this machine answered. */
export type LocalAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  /** Nothing listens there. */
  | { readonly kind: "refused" }
  /** Something listens there, and gave no answer in time, or none that is HTTP. */
  | { readonly kind: "silent" };

/** Bytes of an answer that are read. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Asks an address of this machine with GET; follows nothing and never throws. */
export async function askLocal(url: string, timeoutMs: number, token: string | null = null): Promise<LocalAnswer> {
  try {
    const response = await fetch(url, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "manual",
    });
    return { kind: "answered", status: response.status, text: await textOf(response) };
  } catch (error) {
    return { kind: isRefused(error) ? "refused" : "silent" };
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A name with several addresses fails with all of their failures. */
function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : null;
  const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return causes.every((one) => one instanceof Error && "code" in one && one.code === "ECONNREFUSED");
}
