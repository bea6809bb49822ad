/** What a requirement is. */

/** One thing that a specification asks of this server, in our words. */
export interface Requirement {
  /** Names it for good: document, section, and what it is about. Tests and documentation use it. */
  readonly id: string;
  /** Document and section, or the page of the MCP specification and its heading. */
  readonly source: string;
  /** A present-tense fact. */
  readonly behaviour: string;
}
