/** The part of a tool that models and MCP hosts read. */

/** A JSON Schema 2020-12 object (never a boolean schema, which some MCP clients reject). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema whose root is an object, as MCP requires of `inputSchema` and the 2025 clients of `outputSchema`. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
}

/** The four MCP hints, always explicit. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** An old name of a tool: it can be called, is never listed, and expires on its date. */
export interface ToolAlias {
  readonly name: string;
  /** ISO date, such as `2027-03-01`. */
  readonly until: string;
}

/**
 * An argument that the gateway itself handles, after the service's own: it is never sent.
 *
 * `where`: a condition on the items of a list, `sort` their order, `aggregate` numbers about them instead of them. `fields`: the members of
 * the answer to keep. `maxItems`: how many records to gather, over as many pages as needed. `resume`: where a truncated answer continues.
 * `also`: more items of a batch, `count`: how many there are with the first. `key`: what a tool with `find` looks for.
 */
export type GatewayArgument =
  | 'where'
  | 'fields'
  | 'sort'
  | 'aggregate'
  | 'maxItems'
  | 'resume'
  | 'also'
  | 'count'
  | 'key';

/** The origin of a tool, as a digest. */
export interface Provenance {
  /** SHA-256 of everything that is reviewed and decides what a call does, as base64url. */
  readonly definition: string;
}

/** A call of a generated tool of the same service; its arguments are named after arguments of the call that is approved. */
export interface ToolPreview {
  readonly tool: string;
  /** By argument of the reading tool: the argument whose value it gets. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** The way to see the end of work that a call only begins. */
export interface ToolWait {
  /** A tool that only reads: its answer tells the state. */
  readonly tool: string;
  /** By its argument: a JSON pointer into the first answer, or an argument of the tool that begins. Undefined if `location` gives them. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** By its argument: a segment of the address in the header Location, from the end; 0 is the last. */
  readonly location?: Readonly<Record<string, number>>;
  /** JSON pointer to the state in its answer. By default the work has ended when the status is not 202. */
  readonly state?: string;
  /** States in which the work has ended well, and in which it has failed, as texts. */
  readonly until: readonly string[];
  readonly failed: readonly string[];
}

/** The published part of a tool: its texts, its schemas and its hints. */
export interface ToolFace {
  readonly name: string;
  /** Old names, sorted. */
  readonly aliases?: readonly ToolAlias[];
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolHints;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /**
   * Optional arguments that lean lists only name: there a call may have them in the argument `more`, or next to the others.
   */
  readonly rare?: readonly string[];
  /**
   * Scopes that an OAuth 2.0 connection needs for the call: alternative sets, of which one must be granted
   * completely. Connections with another kind of credential need none.
   */
  readonly scopes?: readonly (readonly string[])[];
  /** Label of the credential that a connection must have in addition (`CredentialRequirement.extras`). */
  readonly extra?: string;
  /**
   * Ids of the secrets that a request carries, as alternatives: the first of which the connection has every part. An empty list means
   * that it carries none. Default: every part of the connection's kind of credential, and of `extra`. Parts that are no secrets, and those that the request names in
   * its path or body, are not listed.
   */
  readonly credential?: readonly (readonly string[])[];
  /** Its gateway arguments, in the order in which they come at the end of `inputSchema`. */
  readonly gatewayArguments?: readonly GatewayArgument[];
  /**
   * Arguments that each item of a batch has of its own; all others are the same for all. With one, an item of `also` is its value, with several an
   * object of them. The first names the item. Undefined if the tool takes no batches.
   */
  readonly batch?: readonly string[];
  /** Set if a call sends something to people, or spends money, which no hint says. */
  readonly effect?: 'send' | 'pay';
  /** `required` if every call needs the approval of its user. By default the operator's rules decide. */
  readonly approval?: 'required';
  /** A reading tool, whose answer shows the person who approves a call what it is about. */
  readonly preview?: ToolPreview;
  /** Set if a call only begins work: the gateway reads its state until it has ended, as long as the call may last. */
  readonly wait?: ToolWait;
  /** The origin of the tool. Generated files do not contain it: the gateway adds it to every tool that it serves. */
  readonly provenance?: Provenance;
}
