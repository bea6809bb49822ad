/** The input and output of the report: everything about a service that an agent, a host or an operator sees. */

import type { Level, RuleId } from './rules.ts';

/** A JSON Schema as a tool publishes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The content that one call sends to one place. */
export type SentValue =
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A part of the credential. */
  | { readonly kind: 'credential'; readonly id: string };

/** Schemas of a tool as they would be without a size limit. */
export interface WholeSchemas {
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

/**
 * Our version and the upstream's of what connector.yaml or the overlay can replace, by place, such as `description` and
 * `input.limit#maximum`. Both versions are the same where nothing is replaced.
 */
export type ReplacedTexts = Readonly<Record<string, { readonly ours: unknown; readonly upstream: unknown }>>;

/** Facts of a tool in the descriptor that the committed file does not have. Default: unknown. */
export interface DescriptorFacts {
  /** The schemas without a size limit. Undefined if the published ones leave nothing open. */
  readonly wholeSchemas?: WholeSchemas | undefined;
  /** Statuses of successful answers, such as `200`, `202` or `2XX`. */
  readonly successStatuses?: readonly string[] | undefined;
  readonly replacedTexts?: ReplacedTexts | undefined;
}

/** Facts of a service in its descriptor. */
export interface ServiceFacts {
  /** By tool name. */
  readonly tools: ReadonlyMap<string, DescriptorFacts>;
  readonly replacedTexts: ReplacedTexts;
}

/** One tool, read from its committed file. */
export interface ToolSurface extends DescriptorFacts {
  /** Path of the file, such as `generated/crm/tools/crm-get-company.ts`. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Null if the tool is hand-written and calls other tools. */
  readonly operation: {
    readonly id: string | null;
    readonly method: string;
    readonly path: string;
    readonly server: string;
  } | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  /** Every member of the tool's literal except `request`, including those that this report does not know. */
  readonly members: Readonly<Record<string, unknown>>;
  /** By address: `path.document_id`, `query.filters[date.gte]`, `body.top_k`, `body`. */
  readonly sends: Readonly<Record<string, SentValue>>;
  /** The encoding of each value, by address: `matrix, exploded`, `application/json`. A plain value has no entry. */
  readonly styles: Readonly<Record<string, string>>;
  /** Arguments that become path segments, which are checked before the call. */
  readonly pathArguments: readonly string[];
  /** Other options of the request, by address, as text: a later generator may add some. */
  readonly callOptions: Readonly<Record<string, string>>;
  /**
   * Media type of the body, with its form if that adds something: `text/markdown, text as it is`; null without a body.
   */
  readonly bodyType: string | null;
}

/** An operation of a descriptor that no tool offers, and why. */
export interface UnexposedOperation {
  readonly method: string;
  readonly path: string;
  readonly reason: string;
  /** True if `expose` in connector.yaml excludes it. */
  readonly isOutside: boolean;
}

/** One connector, read from its committed folder. */
export interface ServiceSurface {
  readonly service: string;
  /** Path of its `index.ts`. */
  readonly file: string;
  /** Members of the connector's literal that are compared: see `toServiceMembers`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Sorted by name. */
  readonly tools: readonly ToolSurface[];
  readonly notExposed: readonly UnexposedOperation[];
  /** By name, as its `skills.ts` has them. Default: none. */
  readonly skills?: Readonly<Record<string, unknown>>;
  /** Texts of the service itself that connector.yaml replaces. Default: unknown. */
  readonly replacedTexts?: ReplacedTexts;
}

/** The finding of one check; `compare` adds the service and the tool. */
export interface Finding {
  readonly rule: RuleId;
  /** The changed member: `input.pageSize`, `output.items[].id`, `operation.path`, `description`. */
  readonly place: string;
  /** The value before; undefined if there was none. */
  readonly before?: unknown;
  /** The value now; undefined if there is none. */
  readonly after?: unknown;
  /** A sentence of plain text that adds to the values. */
  readonly note?: string;
  /** Place of the change in the head's file: members from the literal's root. */
  readonly pointer?: readonly (string | number)[];
  /** Key shared by the same change elsewhere. Default: the last member of the place, both values, and the note. */
  readonly group?: string;
}

/** One change, classified. */
export interface Change extends Finding {
  readonly level: Level;
  readonly service: string;
  /** Name of the tool now (of a removed one, before); null for the whole service. */
  readonly tool: string | null;
  /** The file of the head in which a person would look; of the base if the head has none. */
  readonly file: string;
  /** 12 hexadecimal digits: see `fingerprintOf` in `acknowledge.ts`. */
  readonly fingerprint: string;
  /** The reason for accepting it, or null. */
  readonly acknowledged: string | null;
}

/** The same change of several tools, reported once. */
export interface ChangeGroup {
  readonly rule: RuleId;
  readonly level: Level;
  readonly service: string;
  /** The fingerprint of the only change, or one for all of them together. */
  readonly fingerprint: string;
  /** At least one, sorted by tool and place. */
  readonly changes: readonly Change[];
  /** The reason, if every change is acknowledged. */
  readonly acknowledged: string | null;
  /** Calls that it would have affected, from a usage file; missing without one, and for changes that affect no call. */
  readonly harm?: Harm;
}

/** The effect of a change on the calls of a usage file. */
export interface Harm {
  readonly effect: 'refused' | 'changed';
  /** At least 0. Calls below the file's threshold count as none. */
  readonly calls: number;
  /** False if the file cannot tell these calls from others, so that `calls` is a maximum. */
  readonly isExact: boolean;
}

/** Tokens of a `tools/list` entry; null if there is no such tool. */
export interface ToolCost {
  readonly service: string;
  readonly tool: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** An acknowledgement of `connector.yaml`. */
export interface Acknowledgement {
  readonly fingerprint: string;
  readonly reason: string;
  /** Path of the `connector.yaml`. */
  readonly file: string;
  /** One-based line of the fingerprint in it; missing if it was not looked up. */
  readonly line?: number;
}

/** Texts of one service that its tools did not have before. */
export interface NewTexts {
  readonly service: string;
  /** Fingerprint of these texts: what other changes add to the service does not matter. */
  readonly fingerprint: string;
  /** Each once, with the first place that has it. */
  readonly texts: readonly { readonly tool: string; readonly place: string; readonly text: string }[];
}

/** The whole report. */
export interface Report {
  /** The compared versions, in words: `main (1a2b3c4)` and `the working tree`. */
  readonly base: string;
  readonly head: string;
  /** Sorted: worst level first, then the most calls, then rule, service, tool. */
  readonly groups: readonly ChangeGroup[];
  /** Changed services only. */
  readonly services: readonly {
    readonly service: string;
    readonly toolsBefore: number;
    readonly toolsAfter: number;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    /** Token limit in connector.yaml for its tools together, or null. */
    readonly budget: number | null;
  }[];
  /** Tools whose cost changed, the largest change first. */
  readonly costs: readonly ToolCost[];
  /** Services with new texts, all of them in full. */
  readonly newTexts: readonly NewTexts[];
  /** Acknowledgements that match no change. */
  readonly stale: readonly Acknowledgement[];
  /** Number of breaking and risk groups without an acknowledgement. */
  readonly undecided: number;
  /**
   * The requests of a results file of `utg evals`, with the answers of a model for the tools of both sides. Null without a file. Lines of plain text.
   */
  readonly requests: {
    readonly better: readonly string[];
    readonly worse: readonly string[];
    readonly same: number;
  } | null;
  /** From the usage file, or null without one. */
  readonly usage: {
    readonly from: string;
    readonly to: string;
    readonly days: number;
    readonly threshold: number;
  } | null;
}
