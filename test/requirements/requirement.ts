/** What a requirement is. */

/** One requirement of a specification for this server, in our words. */
export interface Requirement {
  /** Stable: document, section, and topic. Tests and documentation use it. */
  readonly id: string;
  /** Document and section, or the page of the MCP specification and its heading. */
  readonly source: string;
  /** A present-tense fact. */
  readonly behaviour: string;
}
