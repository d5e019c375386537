/** The tenant of a proxy that serves one person. */
export const LOCAL_TENANT = "local";
