/** The four hints of a tool: defaults of its HTTP method, unless connector.yaml overrides them. */

import type { ToolConfig } from '../../load/connector-config.ts';
import { isKnownMethod, type KnownMethod, type Method } from '../../model/methods.ts';
import type { Reporter } from '../problems.ts';
import type { ToolHints } from '../types.ts';

const READS: ToolHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const ADDS: ToolHints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
const REPLACES: ToolHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const CHANGES: ToolHints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/**
 * Hints by method (RFC 9110 §9.2): safe methods read, PUT and DELETE can be repeated, PATCH and POST cannot. QUERY is
 * safe (HTTP QUERY §2). Any other method is unknown and treated like POST.
 */
const METHOD_HINTS: Readonly<Record<KnownMethod, ToolHints>> = {
  GET: READS,
  HEAD: READS,
  OPTIONS: READS,
  QUERY: READS,
  TRACE: READS,
  POST: ADDS,
  PUT: REPLACES,
  PATCH: CHANGES,
  DELETE: REPLACES,
};

const HINT_NAMES = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

interface Annotations {
  readonly annotations: ToolHints;
  /** Why a hint differs from its method's default, or null. */
  readonly hintReason: string | null;
}

/** Hints of one tool. Reports a configured hint that equals the default, and a read-only tool that is destructive. */
export function buildAnnotations(
  method: Method,
  config: ToolConfig['hints'],
  path: readonly string[],
  report: Reporter,
): Annotations {
  const defaults = METHOD_HINTS[isKnownMethod(method) ? method : 'POST'];
  if (config === undefined) return { annotations: defaults, hintReason: null };
  const given = HINT_NAMES.filter((name) => config[name] !== undefined);
  for (const name of given.filter((hint) => config[hint] === defaults[hint])) {
    report.config(
      'config-hint-unchanged',
      [...path, name],
      `${name} is ${defaults[name]} for every ${method} already.`,
    );
  }
  const annotations = {
    readOnlyHint: config.readOnlyHint ?? defaults.readOnlyHint,
    destructiveHint: config.destructiveHint ?? defaults.destructiveHint,
    idempotentHint: config.idempotentHint ?? defaults.idempotentHint,
    openWorldHint: config.openWorldHint ?? defaults.openWorldHint,
  };
  if (annotations.readOnlyHint && annotations.destructiveHint) {
    report.config('config-hint-contradiction', path, 'The tool only reads and is destructive at once.');
  }
  return { annotations, hintReason: config.reason };
}
