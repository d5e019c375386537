import { createServer, type RequestListener, type Server } from "node:http";
import { EbbError } from "../lib/ebb-error.ts";
import {
  CLIENT_HEADERS_MS,
  CLIENT_IDLE_MS,
  CLIENT_KEEP_ALIVE_MS,
  CLOSE_GRACE_MS,
  EXCHANGES_MAX,
  HEADER_BYTES_MAX,
} from "./limits.ts";
import { createProxy, type ProxyConfig } from "./proxy.ts";

export interface ProxyOptions extends ProxyConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export interface RunningProxy {
  readonly url: string;
  readonly port: number;
  /** Accepts nothing more, lets exchanges end for `graceMs` (10 s when not given), and waits until all were recorded. */
  close(graceMs?: number): Promise<void>;
}

/** Listens and serves. Rejects with `address_in_use` where the address is taken, `config_invalid` where it is none. */
export async function startProxy(config: ProxyOptions): Promise<RunningProxy> {
  const proxy = createProxy(config);
  const server = createPatientServer(proxy.handle);
  try {
    await listen(server, config);
  } catch (error) {
    await proxy.close(0);
    throw error;
  }
  const port = portOf(server);
  return {
    url: `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`,
    port,
    async close(graceMs = CLOSE_GRACE_MS) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await proxy.close(graceMs);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A server that never cuts a long upload or a long answer: only silence ends a connection. */
export function createPatientServer(handle: RequestListener): Server {
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: CLIENT_HEADERS_MS }, handle);
  server.requestTimeout = 0;
  server.timeout = CLIENT_IDLE_MS;
  server.keepAliveTimeout = CLIENT_KEEP_ALIVE_MS;
  server.maxConnections = EXCHANGES_MAX + SPARE_CONNECTIONS;
  return server;
}

/** Kept-alive connections beside those with an exchange. */
const SPARE_CONNECTIONS = 1024;

function listen(server: Server, config: ProxyOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(toEbbError(error, config));
    server.once("error", onError);
    server.listen(config.port, config.host, () => {
      server.off("error", onError);
      server.on("error", (error: NodeJS.ErrnoException) => config.log.error({ code: error.code }, "accepting failed"));
      resolve();
    });
  });
}

function toEbbError(error: NodeJS.ErrnoException, config: ProxyOptions): EbbError {
  if (error.code === "EADDRINUSE") {
    return new EbbError("address_in_use", `port ${config.port} on ${config.host} is taken by another program`, error);
  }
  return new EbbError("config_invalid", `cannot listen on ${config.host}, port ${config.port} (${error.code})`, error);
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}
