/** How a conversation comes to be on record. */
export const START_WORDS = "`ebb run` starts an agent whose conversation goes through Ebb";

/** What is said where not one conversation is on record. */
export const NO_CONVERSATION = `no conversation has gone through Ebb yet; ${START_WORDS}`;
