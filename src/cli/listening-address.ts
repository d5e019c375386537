/** Who reaches a proxy that listens on `host`. */
export type Reach = "this machine" | "every address" | "one address";

/** Tells loopback names, the addresses that stand for every interface, and all others apart. */
export function reachOf(host: string): Reach {
  if (/^127\.|^localhost$|^::1$/i.test(host)) return "this machine";
  return /^[0.:]+$/.test(host) ? "every address" : "one address";
}

/** True where a proxy that listens on `host` is reached by one of the loopback names that open its figures. */
export function hasOpenFigures(host: string): boolean {
  return reachOf(host) === "every address" || /^(127\.0\.0\.1|localhost|::1)$/i.test(host);
}

/** The address by which this machine reaches a proxy that listens on `host`. */
export function ownAddressOf(host: string, port: number): string {
  return `http://${nameOf(host)}:${port}`;
}

function nameOf(host: string): string {
  const isSixth = host.includes(":");
  if (reachOf(host) === "every address") return isSixth ? "[::1]" : "127.0.0.1";
  return isSixth ? `[${host}]` : host;
}
