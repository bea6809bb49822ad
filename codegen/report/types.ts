/** What the report compares, and what it finds: everything that an agent, a host or an operator meets of a service. */

import type { Level } from './levels.ts';
import type { RuleId } from './rules.ts';

/** A JSON Schema as a tool publishes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** What one call sends to one place. */
export type Sent =
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: unknown }
  /** A part of the credential. */
  | { readonly kind: 'credential'; readonly id: string };

/** Schemas of a tool as they would be if they could have any size. */
export interface WholeSchemas {
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

/** One tool as its committed file says it. */
export interface ToolSurface {
  /** Path of the file, such as `generated/crm/tools/crm-get-company.ts`. */
  readonly file: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Null: the tool is hand-written over others. */
  readonly operation: {
    readonly id: string | null;
    readonly method: string;
    readonly path: string;
    readonly server: string;
  } | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  /** The schemas without a budget. Default: no one knows, or the published ones leave nothing open. */
  readonly whole?: WholeSchemas;
  /** What it costs a model in `tools/list`, as TOOLS.md says. Default: it has to be counted. */
  readonly tokens?: number;
  /** Every member of the tool's literal, also those that this report has never heard of. `request` is left out. */
  readonly members: Readonly<Record<string, unknown>>;
  /** By address: `path.document_id`, `query.filters[date.gte]`, `body.top_k`, `body`. */
  readonly sends: Readonly<Record<string, Sent>>;
  /** How it is written there, by address: `matrix, exploded`, `application/json`. One plain value has none. */
  readonly styles: Readonly<Record<string, string>>;
  /** Arguments that become path segments, which are checked before the call. */
  readonly pathArguments: readonly string[];
  /** What else the request says, by address: whatever a later generator adds. Its text. */
  readonly callOptions: Readonly<Record<string, string>>;
  /** Media type of the body and, where it says more, its form: `text/markdown, text as it is`; null without a body. */
  readonly bodyType: string | null;
}

/** An operation of a descriptor that no tool offers, and why. */
export interface UnexposedOperation {
  readonly method: string;
  readonly path: string;
  readonly reason: string;
  /** Outside of what the service is about, as `only` of its connector.yaml says. */
  readonly isOutside: boolean;
}

/** One connector as its committed folder says it. */
export interface ServiceSurface {
  readonly service: string;
  /** Path of its `index.ts`. */
  readonly file: string;
  /** Every member of the connector's literal but `tools`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Sorted by name. */
  readonly tools: readonly ToolSurface[];
  readonly notExposed: readonly UnexposedOperation[];
}

/** What one check has to say; `compare` adds where it was said. */
export interface Finding {
  readonly rule: RuleId;
  /** What changed: `input.pageSize`, `output.items[].id`, `operation.path`, `description`. */
  readonly place: string;
  /** The value before; undefined where there was none. */
  readonly before?: unknown;
  /** The value now; undefined where there is none. */
  readonly after?: unknown;
  /** A sentence of markdown-free text for what the values do not say. */
  readonly note?: string;
  /** Where the change is in the head's file: members from the literal's root. */
  readonly pointer?: readonly (string | number)[];
  /** What the same change elsewhere has in common. Default: the last member of the place, and both values. */
  readonly group?: string;
}

/** One change, classified. */
export interface Change extends Finding {
  readonly level: Level;
  readonly service: string;
  /** Name of the tool now (of the removed one, before); null where the whole service is meant. */
  readonly tool: string | null;
  /** File of the head where a person would look; of the base where the head has none. */
  readonly file: string;
  /** 12 hexadecimal digits: see `fingerprint.ts`. */
  readonly fingerprint: string;
  /** The reason for which someone accepted it, or null. */
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
  /** The reason, where every change is acknowledged. */
  readonly acknowledged: string | null;
  /** Calls that it would have met, where a usage file says; missing without one, and for what meets no call. */
  readonly harm?: Harm;
}

/** What a change would have done to the calls of a usage file. */
export interface Harm {
  readonly effect: 'refused' | 'changed';
  /** At least 0. Calls that are too few for the file count as none. */
  readonly calls: number;
  /** Of the tool with the most; null where the file does not say. */
  readonly partners: number | null;
  /** False where the file cannot tell these calls from others, so that `calls` is the most it can be. */
  readonly isExact: boolean;
}

/** Tokens of a `tools/list` entry; null where there is no such tool. */
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
  /** Of the fingerprint in it, one-based; missing where no one looked. */
  readonly line?: number;
}

/** Texts of one service that its tools did not have before. */
export interface NewTexts {
  readonly service: string;
  /** Of all texts that the service has now. */
  readonly fingerprint: string;
  /** Each once, with the first place where it stands. */
  readonly texts: readonly { readonly tool: string; readonly place: string; readonly text: string }[];
}

/** What a reviewer reads. */
export interface Report {
  /** What was compared, in words: `main (1a2b3c4)` and `the working tree`. */
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
    /** Tokens that connector.yaml allows its tools together, or null. */
    readonly budget: number | null;
  }[];
  /** Tools whose cost changed, the largest change first. */
  readonly costs: readonly ToolCost[];
  /** Services with new texts, all of them uncut. */
  readonly newTexts: readonly NewTexts[];
  /** Acknowledgements that match no change, and not the texts that a service has. */
  readonly stale: readonly Acknowledgement[];
  /** Number of breaking and risk groups that no one acknowledged. */
  readonly open: number;
  /** Of the usage file, or null without one. */
  readonly usage: {
    readonly from: string;
    readonly to: string;
    readonly days: number;
    readonly threshold: number;
  } | null;
}
