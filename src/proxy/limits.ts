/**
 * Largest request body that is held in memory and may be edited; a larger one is streamed through unedited. Twice what the
 * provider takes: clients send again what left, and only behind Ebb is the body short enough.
 */
export const REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** Request bodies held in memory at one time. */
export const BODIES_HELD_MAX = 256;

/** Bytes of request bodies held in memory at one time, as received and decoded together. */
export const BODY_BYTES_HELD_MAX = 512 * 1024 * 1024;

/** Exchanges under way at one time; it also bounds the connections to the upstream. */
export const EXCHANGES_MAX = 1024;

/** Compressed response bytes that may wait for the tap's decoder before the tap gives up. */
export const TAP_WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Decoded response bytes the tap looks at before it gives up. */
export const TAP_DECODED_BYTES_MAX = 256 * 1024 * 1024;

/** Rounds in one message of the model, after which a call of Ebb's tools goes to the client like any other. */
export const ROUNDS_MAX = 5;

/** Largest response without streaming in which Ebb's tools are answered; a longer one is passed on as it comes. */
export const WHOLE_RESPONSE_BYTES_MAX = 32 * 1024 * 1024;

/** Largest error of a later round that is told to the client in the provider's own words. */
export const ROUND_ERROR_BYTES_MAX = 256 * 1024;

/** Bytes of one header section, in either direction. */
export const HEADER_BYTES_MAX = 64 * 1024;

/** Largest body of a request to one of the proxy's own paths, in bytes. */
export const OWN_BODY_BYTES_MAX = 1024 * 1024;

/** Longest id in a recall address, in characters. */
export const RECALL_ID_CHARS_MAX = 512;

/** How long a client may take to send a request's headers. */
export const CLIENT_HEADERS_MS = 60_000;

/** Longest silence of a client connection inside an exchange; longer than the upstream's, so that one is told first. */
export const CLIENT_IDLE_MS = 660_000;

/** How long an unused client connection stays open. */
export const CLIENT_KEEP_ALIVE_MS = 120_000;

/** How long the upstream may take to accept a connection. */
export const UPSTREAM_CONNECT_MS = 30_000;

/** Longest silence of the upstream, before its headers and between two chunks. There is no limit on the whole. */
export const UPSTREAM_IDLE_MS = 600_000;

/** How long `close` lets exchanges under way end by themselves. */
export const CLOSE_GRACE_MS = 10_000;

/** Seconds after which a client should try again, in `retry-after`. */
export const RETRY_AFTER_SECONDS = 2;
